"""Published tables: what is wrong in one is found by ``verify --published`` and by the R script."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, verify
from cdfscore.io.scores.writing import encode_scores
from cdfscore.report.comparison_export import encode_comparison
from cdfscore.report.letter_table import encode_letters

HOW = ("--scheme", "normal", "--test", "paired_t", "--adjust", "BH", "--alpha", "0.1")


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    values = np.round(rng.beta(2, 3, (12, 1)) + rng.normal([0, 0.1, 0.3, 0.5], 0.2, (12, 4)), 4)
    topics = pd.Index([f"t{k}" for k in range(12)], name="topic")
    return pd.DataFrame(values, index=topics, columns=["bm25", "lsa", "-ql", "=tf"])


@pytest.fixture(scope="module")
def texts(scores: pd.DataFrame) -> dict[str, bytes]:
    """The files that commands write about the scores, and two tables as papers have them."""
    found = compare(scores, "paired_t", scheme="normal", adjust="BH", alpha=0.1)
    normal = Standardizer("normal").fit(scores)
    texts = {
        "scores.csv": encode_scores(scores, Path("scores.csv")),
        "letters.csv": encode_letters(found, Path("letters.csv")),
        "standardized.csv": encode_scores(normal.transform(scores), Path("s.csv")),
    }
    for name in ("pairs.csv", "pairs.tsv", "pairs.json", "pairs.md", "pairs.tex"):
        texts[name] = encode_comparison(found, Path(name))
    ends = found.mean_intervals["normal"]
    hand = [  # as in a paper, with marks, and with the pairs of "=tf" in the opposite order
        "A,B,mean difference,p (two-sided),adjusted p,significant,comment",
        *(
            f"{b},{a},{-d:.3f},{_p(p)},{_p(q)}{'*' if q <= 0.1 else ''},{_word(q)},ok"
            if b == "=tf"
            else f"{a},{b},{d:.3f},{_p(p)},{_p(q)}{'*' if q <= 0.1 else ''},{_word(q)},ok"
            for a, b, d, p, q in found.table[
                ["system_a", "system_b", "estimate", "p_value", "p_adjusted"]
            ].itertuples(index=False)
        ),
    ]
    texts["paper.csv"] = "\n".join([*hand, ""]).encode()
    systems = [
        "system;mean;95% CI;n;letters".replace(";", "\t"),
        *(
            f"{system}\t{100 * mean:.1f} %\t[{low:.2f}, {high:.2f}]\t{n}\t{letters.upper()}"
            for (system, mean), letters, (n, low, high) in zip(
                found.means["normal"].items(),
                (found.letters()[system] for system in scores),
                ends.itertuples(index=False),
                strict=True,
            )
        ),
    ]
    texts["systems.tsv"] = "\n".join([*systems, ""]).encode()
    return texts


@pytest.fixture
def made(texts: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with these files."""
    for name, content in texts.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}"


def _word(p: float) -> str:
    return "yes" if p <= 0.1 else "no"


ALL = [
    "pairs.csv",
    "pairs.tsv",
    "pairs.json",
    "pairs.md",
    "pairs.tex",
    "letters.csv",
    "standardized.csv",
    "paper.csv",
    "systems.tsv",
]
OF_R = [name for name in ALL if name.endswith(("csv", "tsv"))]


@pytest.mark.clause("published.1", "published.2")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
def test_what_we_write_agrees(made: Path, cdfscore: Callable, via: str) -> None:
    for name in ALL if via == "rpy2" else ["pairs.json", "paper.csv"]:
        how = HOW if name != "pairs.json" else ()
        status, out, err = cdfscore("verify", "scores.csv", *how, "--published", name, "--via", via)
        assert status == 0, (name, out, err)
        assert all(int(count) > 0 for count in re.findall(r"(\d+) cells compared, agrees", out))
        assert name in out


@pytest.mark.clause("published.1")
@pytest.mark.usefixtures("rinterface")
def test_what_we_write_agrees_by_the_script_alone(made: Path, cdfscore: Callable) -> None:
    """The numbers that the script writes are a published table too."""
    assert cdfscore("verify", "scores.csv", *HOW, "--script", "check.R").status == 0
    done = _run(made)
    (made / "numbers.csv").write_bytes(done.stdout)
    done = _run(made, *OF_R, "numbers.csv")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert done.stdout == b"file,row,column,published,anew\n"
    counts = dict(re.findall(r"(\S+): (\d+) cells compared, 0 differences", said))
    assert counts == {
        "pairs.csv": "72",
        "pairs.tsv": "72",
        "letters.csv": "10",
        "standardized.csv": "48",
        "paper.csv": "18",
        "systems.tsv": "18",
        "numbers.csv": counts["numbers.csv"],
    }
    assert "paper.csv: pairs in the opposite order" in said
    assert "paper.csv: columns that are not compared: p (two-sided), comment" in said


def _run(folder: Path, *tables: str) -> subprocess.CompletedProcess[bytes]:
    command = ["Rscript", "--vanilla", "check.R", "scores.csv", *tables]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


def _cell(name: str, row: int, column: str, new: str) -> Callable[[str], str]:
    """An edit of the cell of a row (0 is the first below the names), by the name of the column."""

    def edit(text: str) -> str:
        separator = "\t" if name.endswith(".tsv") else ","
        frame = [_split(line, separator) for line in text.splitlines()]
        at = frame[0].index(column)
        assert frame[row + 1][at] != new
        frame[row + 1][at] = new
        return "\n".join(separator.join(line) for line in frame) + "\n"

    return edit


def _split(line: str, separator: str) -> list[str]:
    return re.split(separator + r"(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", line)


def _last_digit(name: str, row: int, column: str) -> Callable[[str], str]:
    """An edit of the tenth digit of a number."""

    def edit(text: str) -> str:
        separator = "\t" if name.endswith(".tsv") else ","
        lines = [_split(line, separator) for line in text.splitlines()]
        at = lines[0].index(column)
        digits = lines[row + 1][at]
        place = digits.index(".") + 8
        changed = digits[:place] + str((int(digits[place]) + 5) % 10) + digits[place + 1 :]
        return _cell(name, row, column, changed)(text)

    return edit


def _without_line(number: int) -> Callable[[str], str]:
    return lambda text: "".join(
        line for i, line in enumerate(text.splitlines(keepends=True)) if i != number
    )


# The edit of a file, and the row and column of the difference that is found.
BREAKS: dict[str, tuple[str, Callable[[str], str], str, str]] = {
    "an estimate": (
        "pairs.csv",
        _last_digit("pairs.csv", 1, "estimate"),
        "bm25 - -ql",
        "estimate",
    ),
    "the end of an interval": (
        "pairs.csv",
        _last_digit("pairs.csv", 2, "conf_low"),
        "bm25 - =tf",
        "conf_low",
    ),
    "a p value": ("pairs.csv", _cell("pairs.csv", 0, "p_value", "0.04"), "bm25 - lsa", "p_value"),
    "an adjusted p": (
        "pairs.tsv",
        _last_digit("pairs.tsv", 0, "p_adjusted"),
        "bm25 - lsa",
        "p_adjusted",
    ),
    "a sign": (
        "pairs.csv",
        lambda text: text.replace(",-", ",", 1),
        "bm25 - lsa",
        "estimate",
    ),
    "an effect": (
        "pairs.csv",
        _last_digit("pairs.csv", 3, "effect_high"),
        "lsa - -ql",
        "effect_high",
    ),
    "a count": ("pairs.csv", _cell("pairs.csv", 4, "n", "13"), "lsa - =tf", "n"),
    "a NaN": ("pairs.csv", _cell("pairs.csv", 5, "statistic", "NaN"), "-ql - =tf", "statistic"),
    "a typing error": (
        "pairs.csv",
        _cell("pairs.csv", 5, "parameter", "l1"),
        "-ql - =tf",
        "parameter",
    ),
    "a dropped pair": ("pairs.csv", _without_line(3), "bm25 - =tf", ""),
    "a pair twice": (
        "pairs.csv",
        lambda text: text + text.splitlines()[1] + "\n",
        "bm25 - lsa",
        "",
    ),
    "another system": (
        "paper.csv",
        lambda text: text.replace("bm25,lsa", "bm25,lsi"),
        "bm25 - lsi",
        "",
    ),
    "a letter": (
        "letters.csv",
        lambda text: re.sub(r",a\n", ",ab\n", text, count=1),
        "",
        "letters",
    ),
    "a mean": ("letters.csv", _last_digit("letters.csv", 2, "mean"), "lsa", "mean"),
    "the interval of a mean": (
        "systems.tsv",
        lambda text: re.sub(
            r"\[(0\.\d)(\d)", lambda m: f"[{m[1]}{(int(m[2]) + 1) % 10}", text, count=1
        ),
        "bm25",
        "95% CI",
    ),
    "a percentage": (
        "systems.tsv",
        lambda text: re.sub(r"\.(\d) %", lambda m: f".{(int(m[1]) + 1) % 10} %", text, count=1),
        "bm25",
        "mean",
    ),
    "a star": ("paper.csv", lambda text: text.replace("*", "", 1), "bm25 - -ql", "adjusted p"),
    "a star more": (
        "paper.csv",
        lambda text: text.replace(",no,", "*,no,").replace(",*", "*,"),
        "bm25 - lsa",
        "adjusted p",
    ),
    "a decision": (
        "paper.csv",
        lambda text: text.replace(",no,", ",yes,", 1),
        "bm25 - lsa",
        "significant",
    ),
    "a bound": (
        "paper.csv",
        _cell("paper.csv", 0, "adjusted p", "< .001"),
        "bm25 - lsa",
        "adjusted p",
    ),
    "a score": (
        "standardized.csv",
        _last_digit("standardized.csv", 4, "lsa"),
        "t4",
        "lsa",
    ),
    "a dropped topic": ("standardized.csv", _without_line(7), "t6", ""),
    "a dropped system": (
        "standardized.csv",
        lambda text: "".join(line.rpartition(",")[0] + "\n" for line in text.splitlines()),
        "=tf",
        "",
    ),
    "a number of JSON": (
        "pairs.json",
        lambda text: (
            re.sub(r'("statistic": -?\d\.\d\d)\d', r"\g<1>x", text, count=1).replace("x", "5", 1)
            if re.search(r'"statistic": -?\d\.\d\d[^5]', text)
            else text
        ),
        "bm25 - lsa",
        "statistic",
    ),
    "a mean of JSON": (
        "pairs.json",
        lambda text: text.replace('"lsa": 0.', '"lsa": 0.9', 1),
        "lsa",
        "mean",
    ),
    "a number of Markdown": (
        "pairs.md",
        lambda text: text.replace(r"\[-0.", r"\[-1.", 1),
        "bm25 - lsa",
        "interval",
    ),
    "a letter of LaTeX": (
        "pairs.tex",
        lambda text: re.sub(r"& a \\\\", r"& ab \\\\", text, count=1),
        "",
        "letters",
    ),
}


@pytest.mark.clause("published.1", "published.2", "published.3")
@pytest.mark.usefixtures("rinterface")
def test_what_is_edited_is_found(made: Path, cdfscore: Callable) -> None:
    """By verify, and by R alone."""
    edited = {}
    for what, (name, edit, row, column) in BREAKS.items():
        text = (made / name).read_text()
        assert edit(text) != text, what
        own = f"{what.replace(' ', '_')}.{name.partition('.')[2]}"
        (made / own).write_text(edit(text))
        edited[own] = (row, column)
        how = HOW if not name.endswith(".json") else ()
        options = ("--published", own, "-o", "differences.csv")
        status, out, err = cdfscore("verify", "scores.csv", *how, *options)
        assert status == 1, (what, out, err)
        found = pd.read_csv(made / "differences.csv", dtype=str, keep_default_na=False)
        first = found.iloc[0]
        assert first["row"].lstrip("'") == row or (not row and len(found)), (what, found)
        assert first["column"] == column, (what, found)
        assert len(found) <= 2 + 4 * (not row), (what, found)
        assert "differs from R" in out
    assert cdfscore("verify", "scores.csv", *HOW, "--script", "check.R").status == 0
    of_r = [own for own in edited if own.endswith(("csv", "tsv"))]
    done = _run(made, *of_r)
    assert done.returncode == 1
    said = dict(re.findall(r"(\S+): \d+ cells compared, (\d+) differences?", done.stderr.decode()))
    assert list(said) == of_r
    assert "0" not in said.values()


@pytest.mark.usefixtures("rinterface")
def test_json_states_the_test(made: Path, cdfscore: Callable, scores: pd.DataFrame) -> None:
    table = verify(scores, "normal", published=made / "pairs.json")
    assert table["agrees"].all()
    assert list(table["quantity"])[-2:] == [
        f"published {made}/pairs.json, table {number}" for number in (1, 2)
    ]
    assert table.attrs["published"].empty


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (("--test", "welch_t"), "--test welch_t is given, and pairs.json states paired_t"),
        (("--alpha", "0.05"), "--alpha 0.05 is given, and pairs.json states 0.1"),
        (("--adjust", "holm"), "--adjust holm is given, and pairs.json states BH"),
        (("--baseline", "lsa"), "expected the same, or no --baseline"),
        (("--scheme", "uniform"), "pairs.json, table 1: the table is of the scheme normal"),
        (("--missing", "omit"), "--missing omit is given, and pairs.json states raise"),
    ],
)
@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
def test_another_analysis_is_refused(
    made: Path, cdfscore: Callable, options: tuple[str, ...], fragment: str
) -> None:
    status, _, err = cdfscore("verify", "scores.csv", "--published", "pairs.json", *options)
    assert (status, fragment in err) == (2, True), err


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ("", "has no table; expected a line of names"),
        ("system_a,system_b,p_value\n", "has no table"),
        ("a,b\n1\n", "row 1 of a table has 1 cell and the line of names 2"),
        ("A,B,comment\nbm25,lsa,x\n", "no column has numbers of this analysis"),
        ("term,F\ntopic,3\n", "this analysis has no numbers for a table with the columns term, F"),
        ("scheme,A,B,p\nuniform,bm25,lsa,.3\n", "expected --scheme|of the scheme uniform"),
        (None, "cannot be read"),
        ("A;B\n", "has no table|no column"),
    ],
)
@pytest.mark.usefixtures("rinterface")
def test_what_is_no_table_of_the_analysis_is_refused(
    made: Path, cdfscore: Callable, write: Callable, content: str | None, fragment: str
) -> None:
    write({"own.csv": content})
    status, _, err = cdfscore("verify", "scores.csv", *HOW, "--published", "own.csv")
    last = err.splitlines()[-1]
    assert status == 2
    assert re.search(fragment, last), err
    assert last.startswith("cdfscore: own.csv"), err


@pytest.mark.usefixtures("rinterface")
def test_a_page_is_refused(made: Path, cdfscore: Callable, write: Callable) -> None:
    write({"own.html": "<table></table>"})
    status, _, err = cdfscore("verify", "scores.csv", *HOW, "--published", "own.html")
    assert status == 2
    assert "own.html is not accepted; expected CSV, TSV, .json, .md or .tex" in err


# The command that writes a table, the options of verify, and an edit of a number in the table.
OTHERS: dict[str, tuple[list[str], list[str], str]] = {
    "model.json": (["model", "--formula", "score ~ topic + system"], [], "partial_eta_squared"),
    "mixed.json": (
        ["mixed-model", "--formula", "score ~ system", "--random", "topic"],
        ["--formula", "score ~ system", "--random", "topic"],
        "statistic",
    ),
    "correlated.json": (
        ["correlate", "standardized.csv", "--scheme", "uniform"],
        ["--correlate", "standardized.csv", "--scheme", "uniform"],
        "value",
    ),
}


@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("name", "via"),
    [
        *((name, "rpy2") for name in OTHERS),
        *(pytest.param(name, "rscript", marks=pytest.mark.long) for name in OTHERS),
    ],
)
def test_tables_of_other_commands(made: Path, cdfscore: Callable, name: str, via: str) -> None:
    (command, *rest), options, column = OTHERS[name]
    second = [rest.pop(0)] if command == "correlate" else []
    assert cdfscore(command, "scores.csv", *second, *rest, "-o", name).status == 0
    own = ("verify", "scores.csv", *options, "--published", name, "--via", via)
    status, out, err = cdfscore(*own)
    assert (status, "cells compared, agrees" in out) == (0, True), out + err
    text = (made / name).read_text()
    (made / name).write_text(re.sub(rf'("{column}": -?)\d', r"\g<1>9", text, count=1))
    status, out, err = cdfscore(*own)
    assert (status, ", 1 difference\n" in out) == (1, True), out + err


@pytest.mark.usefixtures("rinterface")
def test_a_table_of_a_diagnosis(made: Path, cdfscore: Callable) -> None:
    cdfscore("diagnose", "scores.csv", "--scheme", "normal", "--bootstrap", "0", "-o", "d.csv")
    own = ("verify", "scores.csv", "--scheme", "normal", "--diagnose", "--published", "d.csv")
    status, out, err = cdfscore(*own)
    assert (status, "d.csv: 96 cells compared, agrees" in out) == (0, True), out + err
    text = (made / "d.csv").read_text()
    (made / "d.csv").write_text(_cell("d.csv", 3, "crps", "0.05")(text))
    status, out, _ = cdfscore(*own)
    assert (status, ", 1 difference\n" in out) == (1, True)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("name", ["pairs.csv", "standardized.csv"])
def test_a_table_of_r_alone_with_nothing_to_compare_is_no_success(
    made: Path, cdfscore: Callable, name: str
) -> None:
    cdfscore("verify", "scores.csv", "--scheme", "normal", "--script", "check.R")
    done = _run(made, name)
    assert done.returncode == 2 * (name == "pairs.csv"), done.stderr
    assert (b"this analysis has no numbers for a table" in done.stderr) == (name == "pairs.csv")
