"""What commands show in a terminal: whole numbers, lines that fit, and a file if it is wanted."""

import ast
import contextlib
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cdfscore import datasets, write_scores
from cdfscore.cli import terminal
from cdfscore.cli.verify import verification_table
from cdfscore.report.writing import Captioned, Column
from tests.cli.conftest import Run
from tests.commands import commands
from tests.models.designs import COMPONENTS, scores

WIDTHS = (60, 80, 120, 200)
RUN = "".join(
    f"{t} Q0 d{k} {k} {1.5 * (13 - k) / t:.4f} NAME\n" for t in range(1, 4) for k in range(1, 13)
)
#: Arguments of each command that shows tables or lists, and the file that has all its numbers.
SHOWN: dict[str, tuple[str, str | None]] = {
    "standardize": ("ap.csv --scheme normal", "-"),
    "apply": ("factors.json ap.csv", "-"),
    "compare": ("ap.csv --scheme raw --scheme kernel --scheme empirical:convention=mid", "-"),
    "correlate": ("ap.csv other.csv", "c.json"),
    "diagnose": ("ap.csv --bootstrap 19 --scheme normal --scheme kernel", "d.json"),
    "model": (
        "s.csv --components c.csv --scheme raw --scheme normal --formula 'score ~ topic + stemmer'",
        "-",
    ),
    "mixed-model": (
        "s.csv --components c.csv --formula 'score ~ stemmer' --random topic "
        "--random topic:stemmer",
        "m.json",
    ),
    "plan": ("ap.csv --goal interval:width=0.1", "-"),
    "verify": ("ap.csv --scheme normal --test paired_t", None),
    "measure": ("a.run b.run --qrels qrels --measure AP --measure P@10", "-"),
    "merge": ("a.run b.run --duplicates sum", "-"),
    "schemes": ("", None),
    "tests": ("--advise ap.csv", None),
}
#: Commands that write files and only say so.
SAY = {
    "help",
    "plot",
    "report",
    "experiment within",
    "experiment between",
    "experiment halves",
    "experiment reference-size",
    "reproduce urbano2019",
    "reproduce webber2008",
}


class Terminal(io.TextIOWrapper):
    """A stream that is a terminal, and keeps what is shown."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return plain(self.buffer.getvalue().decode())


def plain(text: str) -> str:
    """Return text without the codes of styles."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@contextlib.contextmanager
def terminal_of(width: int) -> Iterator[Terminal]:
    """Make standard output and stderr one terminal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        both = Terminal()
        with contextlib.redirect_stdout(both), contextlib.redirect_stderr(io.StringIO()):
            patch.setattr(sys, "stderr", both)
            yield both


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores with p values down to 1e-30, systems with long and with short names, and runs."""
    found = tmp_path_factory.mktemp("terminal")
    ap = datasets.load_cranfield("ap").iloc[:40, [0, 1, 2, 20, 30, 40, 50, 66]]
    ap.iloc[:15].to_csv(found / "ap.csv", index_label="topic")
    datasets.load_cranfield("ndcg10")[ap.columns].to_csv(found / "other.csv", index_label="topic")
    scores().to_csv(found / "s.csv")
    COMPONENTS.to_csv(found / "c.csv", index=False)
    for name in ("a", "b"):
        (found / f"{name}.run").write_text(RUN.replace("NAME", f"{name}_of_a_long_name_0.75"))
    (found / "qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(1, 4)))
    return found


@pytest.fixture
def run(folder: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command in a terminal, in the folder, and return what the terminal shows."""
    import shlex

    if not (folder / "factors.json").exists():
        typed = ["standardize", str(folder / "ap.csv"), "--scheme", "empirical"]
        done = cdfscore(
            *typed, "-o", str(folder / "e.csv"), "--save-factors", str(folder / "factors.json")
        )
        assert done.status == 0, done.err

    def in_folder(arguments: str, width: int) -> str:
        words = [str(folder / w) if (folder / w).is_file() else w for w in shlex.split(arguments)]
        with terminal_of(width) as shown:
            done = cdfscore(*words)
        assert done.status == 0, shown.shown
        return shown.shown

    return in_folder


def too_wide(text: str, width: int) -> list[str]:
    return [line for line in text.split("\n") if cell_len(line.rpartition("\r")[2]) > width]


def test_each_command_is_here() -> None:
    assert {name for name, _ in commands()} == SHOWN.keys() | SAY


def test_commands_that_only_say_something_show_no_table() -> None:
    """Otherwise they belong to `SHOWN`."""
    import cdfscore.cli

    for path in Path(cdfscore.cli.__file__).parent.glob("*.py"):
        if path.stem in {name.split()[0].replace("-", "_") for name in SAY}:
            names = {
                alias.name
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.ImportFrom) and node.module == "cdfscore.cli.terminal"
                for alias in node.names
            }
            assert names <= {"busy", "in_options", "say", "shown_progress", "Begin", "units"}, path


@pytest.mark.one_in(2)
@pytest.mark.clause("terminal.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("command", SHOWN)
def test_numbers_are_whole_and_lines_fit(
    command: str, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    tables = []
    real = terminal._print

    def printing(table: Captioned) -> list[str]:
        tables.append(table)
        return real(table)

    monkeypatch.setattr(terminal, "_print", printing)
    arguments, file = SHOWN[command]
    text = run(f"{command} {arguments}", 60)
    assert too_wide(text, 60) == []
    assert bool(tables) == (command != "schemes")
    for width in WIDTHS:
        for table in tables:
            with terminal_of(width) as shown:
                left_out = real(table)
            check(table, left_out, shown.shown, width)
    if file is not None:
        content = run(f"{command} {arguments} -o {folder / file if file != '-' else file}", 80)
        content = (folder / file).read_text() if file != "-" else content
        values = numbers_of(content)
        cells = [c for table in tables for own in table.columns if own.numeric for c in own.cells]
        assert cells
        for cell in cells:
            assert all(is_shown(each, values) for each in NUMBER.findall(cell)), cell


def check(table: Captioned, left_out: list[str], text: str, width: int) -> None:
    """Lines fit, there is no ellipsis, and each number of the columns that are shown is whole."""
    assert too_wide(text, width) == []
    assert "\u2026" not in text
    cells = [
        cell
        for column in table.columns
        if column.numeric and column.header not in left_out
        for cell in column.cells
        if cell
    ]
    for cell, times in Counter(cells).items():
        assert len(re.findall(rf"(?<!\S){re.escape(cell)}(?!\S)", text)) >= times, cell


NUMBER = re.compile(r"< ?[\d.]+|[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?")


def numbers_of(text: str) -> np.ndarray:
    found = []
    for word in re.split(r'[\s,:"\[\]{}]+', text):
        with contextlib.suppress(ValueError):
            found.append(float(word))
    return np.array(found)


def is_shown(number: str, values: np.ndarray) -> bool:
    """Tell whether a value has this number at the precision that it is printed with."""
    if number.startswith("<"):
        return bool((values < float(number[1:])).any())
    digits, _, power = number.replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    half = 0.5 * 10.0 ** (int(power or 0) - decimals)
    if "." not in digits and not power and len(digits.strip("-+")) > 3:  # as by %.5g
        half = max(half, 0.5)
    near = np.abs(values - float(number.replace(",", ""))) <= half * (1 + 1e-9) + 1e-12
    return bool(near.any())


def test_verify_shows_exponents_and_counts() -> None:
    numbers = {
        "count": [1494, 1494, 3],
        "max_abs": [2.2e-17, 0.0, np.inf],
        "max_rel": [3.1e-16, 0.0, np.nan],
        "max_ulp": [3.0, 0.0, np.inf],
        "allowed_ulp": [46108.123, 11.0, 1e300],
        "python": [7.838405532336123e-26, 0.0, -1.7976931348623157e308],
        "r": [7.838405532336121e-26, 0.0, 5e-324],
    }
    rows = pd.DataFrame({"quantity": ["p value", "mean", "other"], "system": "a - b", "topic": ""})
    rows = rows.assign(**numbers)
    rows.attrs["further"] = []
    for width in WIDTHS:
        with terminal_of(width) as shown:
            terminal.show_table(verification_table(rows))
        words = shown.shown.split()
        assert too_wide(shown.shown, width) == []
        assert words.count("1494") == 2
        for column in ("python", "r"):
            for value in (numbers[column][0], numbers[column][2]):
                assert value in [float(word) for word in words if NUMBER.fullmatch(word)]


def test_labels_tell_settings_apart(run: Callable[..., str]) -> None:
    text = run(
        "diagnose ap.csv --bootstrap 0 --scheme kernel --scheme kernel:bandwidth=sj "
        "--scheme normal",
        120,
    )
    assert "bandwidth=" not in text
    assert "N-std" in text
    told = "kernel, kernel (bandwidth sj), N-std: with 8 reference systems, fewer"
    assert told in " ".join(text.split())


@pytest.mark.clause("terminal.1")
def test_all_columns_that_are_left_out_are_named(run: Callable[..., str]) -> None:
    text = run("compare ap.csv --scheme normal --scheme uniform", 60)
    told = re.search(r"(\d+) columns are not shown: ([^\n]*(?:\n[^\n]+)*)", text)
    assert told is not None
    names = " ".join(told[2].split()).split(", ")
    assert len(names) == int(told[1]) >= 5
    assert "interval of d_z" in names


@pytest.mark.clause("terminal.1")
def test_of_many_columns_that_are_left_out_some_are_named(
    run: Callable[..., str], folder: Path
) -> None:
    ap = datasets.load_cranfield("ap").iloc[:5, :60]
    write_scores(ap.set_axis([f"system {i}" for i in range(60)], axis=1), folder / "wide.csv")
    text = run("standardize wide.csv --scheme normal", 80)
    told = re.search(
        r"(\d+) columns are not shown: (system \d+, ){5}[.]{3} -o", " ".join(text.split())
    )
    assert told is not None, text
    assert int(told[1]) > 40


@pytest.mark.parametrize("width", WIDTHS)
def test_help_has_no_types_of_python_and_is_not_broken_twice(
    run: Callable[..., str], width: int
) -> None:
    for name, _ in commands():
        lines = run(f"{name} --help", width).splitlines()
        assert not [line for line in lines if "<" in line]
        assert "Options:" in lines
        assert max(map(len, lines)) <= min(width, 80)


numbers = st.one_of(
    st.floats(allow_nan=False).map(lambda x: f"{x:.17g}"),
    st.integers(0, 10**9).map("{:,}".format),
    st.floats(-1, 1).map("{:.4f}".format),
    st.just(""),
)
words = st.text("ab_-.0 \u4e2d", max_size=60)


@given(
    st.lists(st.tuples(st.booleans(), words, st.integers(0, 2)), min_size=1, max_size=14),
    st.data(),
    st.integers(40, 220),
)
def test_any_table_fits_and_keeps_its_numbers(
    kinds: list[tuple[bool, str, int]], data: st.DataObject, width: int
) -> None:
    rows = data.draw(st.integers(0, 3))
    columns = [
        Column(
            f"{i} {header}" if not numeric else header[:30],
            numeric,
            data.draw(st.lists(numbers if numeric else words, min_size=rows, max_size=rows)),
            minor,
        )
        for i, (numeric, header, minor) in enumerate(kinds)
    ]
    table = Captioned("", "", columns)
    with terminal_of(width) as shown:
        left_out = terminal._print(table)
    kept = [c for c in columns if c.header not in left_out]
    check(replace(table, columns=kept), [], shown.shown, width)


def in_pty(width: int, *arguments: str, cwd: Path, term: str = "dumb") -> str:
    """Return what a process shows in a real terminal; editors' shells are called dumb."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"TERM": term}
    typed = [sys.executable, "-c", "from cdfscore.cli import main; main()", *arguments]
    process = subprocess.Popen(typed, stdin=its, stdout=its, stderr=its, cwd=cwd, env=env)
    os.close(its)
    content = b""
    with contextlib.suppress(OSError):  # the end of a terminal on Linux
        while piece := os.read(ours, 1 << 16):
            content += piece
    os.close(ours)
    assert process.wait() == 0, content.decode()
    return plain(content.decode()).replace("\r\n", "\n")


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("width", "arguments", "word"),
    [
        (60, "compare ap.csv", "rows are shown"),
        pytest.param(80, "tests --advise", "wilcoxon_signed_rank", marks=pytest.mark.long),
        pytest.param(80, "diagnose ap.csv --bootstrap 0", "N-std", marks=pytest.mark.long),
        pytest.param(80, "verify ap.csv --scheme z", "agrees with R", marks=pytest.mark.long),
    ],
)
def test_a_real_terminal(folder: Path, width: int, arguments: str, word: str) -> None:
    text = in_pty(width, *arguments.split(), cwd=folder)
    assert word in text
    assert too_wide(text, width) == []
    assert "\u2026" not in text


def test_a_terminal_shows_that_a_judge_works(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("topic,a,b\nx,1,2\ny,2,3\nz,1,4\n")
    typed = ("verify", "s.csv", "--scheme", "z", "--against", "statsmodels")
    assert "statsmodels computes the numbers again" in in_pty(
        80, *typed, cwd=tmp_path, term="xterm"
    )
    assert "computes" not in in_pty(80, *typed, cwd=tmp_path)


def test_a_terminal_without_a_width_and_labels_with_escapes(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("topic,a\x1b[31m,b\x7f\u202e\nx,1,2\ny,2,3\nz,1,4\n")
    for options in ([], ["-o", "-"]):
        text = in_pty(0, "compare", "s.csv", *options, cwd=tmp_path)
        assert not set(text) & {"\x1b", "\x7f", "\u202e"}
        assert r"a\x1b[31m" in text
        assert r"b\x7f\u202e" in text
