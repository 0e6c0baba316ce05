"""What is written is read back to the bit, and a file appears whole or not at all."""

import csv
import io
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdfscore import as_scores, read_scores, write_scores
from cdfscore.common.files import check_target, write_whole
from cdfscore.common.text import number
from cdfscore.errors import OutputError, ScoresError
from cdfscore.models.formula import read_components
from cdfscore.report.writing import as_sentence
from cdfscore.retrieval.merging.sources import read_selection
from cdfscore.scores.delimited import parse_delimited
from cdfscore.scores.how import How
from cdfscore.scores.tables import (
    encode_frame,
    encode_table,
    guarded,
    plain_labels,
    spelled,
    unguarded,
)
from cdfscore.scores.writing import encode_scores
from cdfscore.standardization.formats import read_webber_moffat

TOPICS = ["301", "302"]
ENDINGS = [".csv", ".tsv", ".parquet"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_and_mixed_numbers_come_back(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([7, None], dtype="Int64"),
            "short": np.array([0.1, math.nan], dtype=np.float32),
            "exact": [Fraction(1, 4), None],
            "text": ["1e-5", "-0.0"],
        },
        index=TOPICS,
    )
    write_scores(frame, tmp_path / f"s{ending}")
    back = read_scores(tmp_path / f"s{ending}")
    short = float(np.float32(0.1))
    assert back.loc["301"].tolist() == [7.0, short, 0.25, 1e-5]
    assert back.loc["302"].isna().tolist() == [True, True, True, False]
    assert math.copysign(1, back.loc["302", "text"]) == -1


BAD = {
    "topic twice": (pd.DataFrame({"a": [0.1, 0.2]}, ["1", "1"]), "topic '1' appears twice"),
    "system twice": (pd.DataFrame([[1, 2]], ["1"], ["a", "a"]), "system 'a' appears twice"),
    "no topic": (pd.DataFrame({"a": [0.1, 0.2]}, ["1", None]), "row 2: the topic has no name"),
    "no system": (pd.DataFrame([[1, 2]], ["1"], ["a", None]), "column 2: the system has no name"),
    "bool": (pd.DataFrame({"a": [True, False]}, TOPICS), "system 'a' holds bool; expected num"),
    "words": (pd.DataFrame({"a": [0.1, "x"]}, TOPICS), "topic '302', system 'a': 'x' is not a n"),
    "no columns": (pd.DataFrame(index=TOPICS), "shape (2, 0); expected topics x systems"),
    "no rows": (pd.DataFrame({"a": []}), "shape (0, 1); expected topics x systems"),
    "array": (np.zeros((2, 2)), "is an ndarray; expected its labels too, by as_scores(array, "),
    "series": (pd.Series([0.1, 0.2]), "is a Series; expected a data frame, topics x systems"),
    "nothing": (None, "is None; expected a data frame, topics x systems"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_score_matrix_is_not_written(tmp_path: Path, name: str, ending: str) -> None:
    scores, fragment = BAD[name]
    with pytest.raises(ScoresError) as caught:
        write_scores(scores, tmp_path / f"s{ending}")  # type: ignore[arg-type]
    assert fragment in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.clause("write_scores.1")
def test_standardized_scores_may_be_infinite(tmp_path: Path) -> None:
    scores = as_scores(pd.DataFrame({"a": [0.1, 0.2]}, TOPICS)) * math.inf
    assert encode_scores(scores, Path("s.csv")) == b"topic,a\n301,inf\n302,inf\n"
    write_scores(scores, tmp_path / "s.csv")
    with pytest.raises(ScoresError, match="'inf' is not finite"):
        read_scores(tmp_path / "s.csv")


BITS = st.integers(0, 2**64 - 1).map(lambda bits: np.uint64(bits).view(np.float64).item())
#: Where spellings change: 1.0, 1e-05, 1e16; and the ends of the doubles.
EDGES = [0.0, -0.0, 1.0, -1.0, 100.0, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-10, 1e9, 1e10, 1e15, 1e16]
EDGES += [9007199254740993.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22, 1e23]
EDGES += [math.inf, -math.inf, math.nan]
NEAR = st.builds(
    math.nextafter,
    st.sampled_from([edge for edge in EDGES if math.isfinite(edge)]),
    st.sampled_from([-math.inf, 0.0, math.inf]),
)
DECIMALS = st.builds(
    lambda d, e: float(f"{d}e{e}"), st.integers(-(10**6), 10**6), st.integers(-20, 20)
)
NUMBERS = st.one_of(BITS, NEAR, DECIMALS, st.floats(), st.sampled_from(EDGES))
TEXT = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
LABELS = st.text(st.sampled_from(",\"\t\r\n;' ab=+-@1\ufeff") | TEXT, min_size=1, max_size=6)
UNIQUE = st.lists(LABELS.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)


@pytest.mark.clause("write_scores.1")
@settings(max_examples=200)
@given(numbers=st.lists(NUMBERS, max_size=20))
@example(numbers=EDGES)
def test_numbers_are_spelled_as_python_does(numbers: list[float]) -> None:
    words = spelled(np.array(numbers, dtype=np.float64), "NA").to_pylist()
    assert words == ["NA" if math.isnan(x) else repr(x) for x in numbers]


def test_many_numbers_are_spelled_as_python_does() -> None:
    rng = np.random.default_rng(5)
    numbers = np.concatenate(
        [
            rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64),
            10.0 ** rng.uniform(-25, 25, 20_000),
            rng.random(20_000),
            rng.integers(0, 1000, 20_000) / 1000,
        ]
    )
    words = spelled(numbers, "NA").to_pylist()
    assert words == ["NA" if math.isnan(x) else repr(x) for x in numbers.tolist()]


@pytest.mark.parametrize("delimiter", [",", "\t"])
@settings(max_examples=100)
@given(topics=UNIQUE, systems=UNIQUE, numbers=st.lists(NUMBERS, min_size=16, max_size=16))
@example(topics=["a\rb", "1"], systems=["s"], numbers=[0.5] * 16)
@example(topics=["1"], systems=["a\tb", "s"], numbers=[0.5] * 16)
def test_bytes_are_those_of_csv(
    delimiter: str, topics: list[str], systems: list[str], numbers: list[float]
) -> None:
    cells = numbers[: len(topics) * len(systems)]
    values = np.array(cells).reshape(len(topics), len(systems))
    written = encode_table(["topic", *systems], [topics, values], delimiter)
    rows = [["topic", *guarded(systems)]]
    for topic, row in zip(guarded(topics), values.tolist(), strict=True):
        rows.append([topic, *("NA" if math.isnan(x) else repr(x) for x in row)])
    text = written.decode()
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) == rows
    # csv quotes \r and tabs by version: both are replaced by \n, which is always quoted.
    seen_as = str.maketrans(dict.fromkeys("\r\t".replace(delimiter, ""), "\n"))
    expected = io.StringIO(newline="")
    writer = csv.writer(expected, delimiter=delimiter, lineterminator="\n")
    writer.writerows([cell.translate(seen_as) for cell in row] for row in rows)
    assert text.translate(seen_as) == expected.getvalue()


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@settings(max_examples=30)
@given(topics=UNIQUE, systems=UNIQUE)
@example(topics=["1"], systems=["a\rb"])
@example(topics=["1"], systems=["a\tb"])
@example(topics=["a\nb", "a\r\nb", '"', '""'], systems=["a\n\tb", 'a"\tb'])
@example(topics=["\ufeffa"], systems=["\ufeff"])
def test_labels_of_any_text_come_back(ending: str, topics: list[str], systems: list[str]) -> None:
    values = np.arange(len(topics) * len(systems)).reshape(len(topics), -1) / 7
    kept = {"keep_topics": topics, "keep_systems": systems}  # "mean" is a text, too
    scores = as_scores(pd.DataFrame(values, topics, systems).rename_axis("topic"), **kept)
    with tempfile.TemporaryDirectory() as folder:
        write_scores(scores, Path(folder) / f"s{ending}")
        back = read_scores(Path(folder) / f"s{ending}", **kept)
    pd.testing.assert_frame_equal(back, scores, check_exact=True)


@pytest.mark.parametrize("label", ["a\0b", "a\ud800"])
def test_what_no_text_file_holds_is_refused(label: str) -> None:
    for header, topic in ((label, "301"), ("topic", label)):
        with pytest.raises(OutputError, match="has a character that no CSV or TSV file can hold"):
            encode_table([header, "a"], [[topic], np.array([[0.5]])])


@pytest.mark.clause("read_scores.2")
@settings(max_examples=80)
@given(digits=st.integers(0, 10**25), exponent=st.integers(-345, 280), nudge=st.integers(-1, 1))
@example(digits=2**53 + 1, exponent=0, nudge=0)  # half-way between two doubles
@example(digits=9007199254740993000000000, exponent=-9, nudge=1)  # just above half-way
@example(digits=24703282292062327208, exponent=-343, nudge=0)  # half the least double
@example(digits=22250738585072011, exponent=-324, nudge=0)  # the largest subnormal, nearly
def test_hard_decimals_are_read_to_the_nearest_double(
    digits: int, exponent: int, nudge: int
) -> None:
    text = f"{max(0, digits + nudge)}e{exponent}"
    table = parse_delimited("s.csv", f"topic,a\n301,{text}\n".encode(), How())
    assert table.values[0, 0].hex() == float(text).hex()


IN_CELLS = [
    "=cmd|' /C calc'!A0",
    "+bm25",
    "-bm25",
    "@SUM(A1)",
    "'-bm25",
    "''@x",
    "-1",
    "+2.5",
    "'n'",
]
RUN = ("=", "+", "-", "@", "\t", "\r")

CELLS = st.text(st.sampled_from("'=+-@\t\r1.e a"), max_size=5)


@given(cells=st.lists(CELLS, max_size=4))
def test_every_cell_comes_back_and_none_is_run(cells: list[str]) -> None:
    written = guarded(cells)
    assert unguarded(written) == cells
    assert [c for c in written if c.startswith(RUN) and number(c) is None] == []
    with plain_labels():
        plain = guarded(cells)
    assert unguarded(plain) == cells
    assert [c for c in plain if not c.startswith("'")] == [c for c in cells if c[:1] != "'"]


def test_tables_with_a_row_a_score_are_read_back(tmp_path: Path) -> None:
    rows = [(topic, system, "ap", 0.5) for topic in IN_CELLS for system in IN_CELLS]
    frame = pd.DataFrame(rows, columns=["topic", "system", "measure", "score"])
    (tmp_path / "s.csv").write_bytes(encode_frame(frame))
    assert list(read_scores(tmp_path / "s.csv").columns) == IN_CELLS
    assert list(read_scores(tmp_path / "s.csv").index) == IN_CELLS
    # Blank lines, so that it is read line by line.
    (tmp_path / "s.csv").write_bytes(encode_frame(frame) + b"\n\n")
    assert list(read_scores(tmp_path / "s.csv").columns) == IN_CELLS


def test_other_tables_are_read_without_the_apostrophe(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("topic,source,score\n'-1a,'=b,-0.5\n")
    assert read_selection(tmp_path / "w.csv").loc["-1a", "=b"] == -0.5
    (tmp_path / "c.csv").write_text("system,stemmer\n'-bm25,'+s\n")
    assert read_components(tmp_path / "c.csv").to_numpy().tolist() == [["-bm25", "+s"]]


def test_published_factors_are_read_without_the_apostrophe(tmp_path: Path) -> None:
    means, sds = tmp_path / "means.csv", tmp_path / "sds.csv"
    for path in (means, sds):
        path.write_text("topic,ap\n'=1,0.1\n'-t,0.2\n")
    assert read_webber_moffat(means, sds)["ap"].topics == ("=1", "-t")


PRINTABLE = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")
ANY_LABELS = st.text(PRINTABLE, min_size=1, max_size=8).map(str.strip).filter(bool)
SCORES = st.floats(allow_infinity=False)
EXTREMES = [5e-324, -5e-324, 2.225073858507201e-308, 1e308, -1.7976931348623157e308, -0.0, 0.1]


@st.composite
def matrices(draw: st.DrawFn) -> pd.DataFrame:
    topics = draw(st.lists(ANY_LABELS, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(ANY_LABELS, min_size=1, max_size=4, unique=True))
    count = len(topics) * len(systems)
    cells = draw(st.lists(SCORES, min_size=count, max_size=count))
    return matrix(topics, systems, cells)


def matrix(topics: list[str], systems: list[str], cells: list[float]) -> pd.DataFrame:
    values = np.array(cells).reshape(len(topics), len(systems))
    index = pd.Index(topics, name="topic", dtype=str)
    return pd.DataFrame(values, index=index, columns=pd.Index(systems, dtype=str))


def bits(scores: pd.DataFrame) -> list[int]:
    values = np.where(scores.isna(), np.nan, scores.to_numpy())
    return values.ravel().view(np.uint64).tolist()


@pytest.mark.clause("write_scores.1")
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
@settings(max_examples=20)
@given(scores=matrices())
@example(scores=matrix(["051"], list("abcdefg"), EXTREMES))
@example(scores=matrix(['"', ",", ";", "#"], ["topic", "query"], [0.1] * 8))
@example(scores=matrix(["NA", "nan"], ["NA", "é\u0301", "0.5"], [math.nan] * 6))
def test_scores_come_back_to_the_bit(ending: str, scores: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores{ending}"
        write_scores(scores, path)
        kept = {"keep_topics": list(scores.index), "keep_systems": list(scores.columns)}
        back = read_scores(path, **kept)
    assert back.index.tolist() == scores.index.tolist()
    assert back.columns.tolist() == scores.columns.tolist()
    assert bits(back) == bits(scores)
    pd.testing.assert_frame_equal(as_scores(back), back)


@pytest.mark.clause("read_scores.2")
@settings(max_examples=100)
@given(digits=st.integers(0, 10**25), exponent=st.integers(-345, 280), negative=st.booleans())
@example(digits=2**53 + 1, exponent=0, negative=False)  # half-way between two doubles
@example(digits=9007199254740993000000001, exponent=-9, negative=False)  # just above half-way
@example(digits=24703282292062327208, exponent=-343, negative=False)  # half the least double
def test_numbers_are_read_to_the_nearest_double(digits: int, exponent: int, negative: bool) -> None:
    text = f"{'-' if negative else ''}{digits}e{exponent}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_text(f"topic,a\n301,{text}\n")
        value = read_scores(path).iloc[0, 0].item()
    exact = Fraction(text)
    distance = abs(Fraction(value) - exact)
    for direction in (-math.inf, math.inf):
        assert distance <= abs(Fraction(math.nextafter(value, direction)) - exact)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"ends in '\.xlsx'; expected \.csv, \.tsv or \.parquet"):
        write_scores(matrix(["1"], ["a"], [1]), tmp_path / "s.xlsx")
    assert list(tmp_path.iterdir()) == []


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_pieces_are_joined_and_a_failure_between_them_leaves_the_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write_whole({one: iter([b"a", b"", b"bc"]), two: b"d"})
    assert (one.read_bytes(), two.read_bytes()) == (b"abc", b"d")

    def broken() -> Iterator[bytes]:
        yield b"x"
        raise MemoryError

    with pytest.raises(MemoryError):
        write_whole({two: b"e", one: broken()})
    assert contents(tmp_path) == {"one": b"abc", "two": b"d"}


@pytest.mark.parametrize("bad", ["no/file", "a/file", "folder", "x" * 300, "nul\0"])
@pytest.mark.parametrize("first", [True, False])
def test_nothing_is_touched_where_one_path_is_bad(tmp_path: Path, bad: str, first: bool) -> None:
    (tmp_path / "folder").mkdir()
    inner = tmp_path / "folder" / "inner"
    inner.mkdir()
    (inner / "a").write_text("earlier")
    paths = {inner / "a": b"1", inner / "new": b"2", inner / bad.replace("folder", ".."): b"3"}
    if first:
        paths = dict(reversed(paths.items()))
    with pytest.raises(OutputError, match=r"cannot be written: |is a folder; expected"):
        write_whole(paths)
    assert contents(inner) == {"a": b"earlier"}
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["inner"]


@pytest.mark.clause("write_scores.2")
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_touched_when_the_second_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    outcomes = iter([None, failure])

    def fsync(_: int) -> None:
        if outcome := next(outcomes):
            raise outcome

    monkeypatch.setattr(os, "fsync", fsync)
    (tmp_path / "a").write_text("earlier")
    expected = OutputError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_whole({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert contents(tmp_path) == {"a": b"earlier"}


def test_all_files_are_on_disk_before_one_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    replace = Path.replace
    monkeypatch.setattr(os, "fsync", lambda _: seen.append("sync"))
    monkeypatch.setattr(Path, "replace", lambda *a: (seen.append("rename"), replace(*a))[1])
    write_whole({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert seen == ["sync", "sync", "rename", "rename"]


def test_rename_that_fails_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError, match="a cannot be written: Operation not permitted"):
        write_whole({tmp_path / "a": b"1"})
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole({tmp_path / "a": b"1"})
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == mode


def test_target_of_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_text("earlier")
    link.symlink_to(target)
    write_whole({link: b"1"})
    assert link.is_symlink()
    assert target.read_bytes() == b"1"
    assert not target.is_symlink()


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OutputError, match="same file; expected different ones"):
        write_whole({tmp_path / "a": b"1", tmp_path / "link": b"2"})
    assert (tmp_path / "a").read_text() == "earlier"


def test_the_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="x cannot be written: there is no folder none; expec"):
        check_target(Path("none") / "x")
    (tmp_path / "link").symlink_to(tmp_path / "gone" / "target")
    with pytest.raises(OutputError, match=r"link cannot be .* no folder \S+gone; expected one"):
        check_target(tmp_path / "link")


def test_devices_and_pipes_are_written_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit((tmp_path / "pipe").read_bytes)
        write_whole({Path(os.devnull): b"1", tmp_path / "pipe": b"2", tmp_path / "a": b"3"})
    assert content.result() == b"2"
    assert (tmp_path / "pipe").is_fifo()
    assert not Path(os.devnull).is_file()
    assert names(tmp_path) == ["a", "pipe"]


@pytest.mark.clause("write_scores.2")
def test_standard_output_comes_last(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_whole({Path("-"): b"last", Path("/dev/fd/2"): b"error", Path(os.devnull): b"gone"})
    assert capfdbinary.readouterr() == (b"last", b"error")


def test_writers_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    contents_of = [bytes([65 + i]) * 100_000 for i in range(8)]
    barrier = threading.Barrier(8)

    def write(content: bytes) -> None:
        barrier.wait()
        write_whole({tmp_path / "a": content})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, contents_of))
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() in contents_of


SMALL_DISK = """
import resource
from pathlib import Path
from cdfscore.errors import OutputError
from cdfscore.common.files import write_whole

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1))
for size in (1001, 100_000):
    try:
        write_whole({Path("a"): b"x" * size})
    except OutputError as error:
        print(error)
"""


def test_a_disk_that_is_full_at_the_last_byte_is_one_sentence(tmp_path: Path) -> None:
    """What is buffered is written, and fails, when the file is closed too."""
    (tmp_path / "a").write_text("earlier")
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout == b"a cannot be written: File too large\n" * 2
    assert contents(tmp_path) == {"a": b"earlier"}


KILLED = """
import os, sys, time
from pathlib import Path
from cdfscore.common.files import write_whole

def hang(descriptor):
    print(os.fstat(descriptor).st_size, flush=True)
    time.sleep(60)

os.fsync = hang
write_whole({Path("a"): b"new" * 1000})
"""


@pytest.mark.clause("write_scores.2")
def test_process_killed_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("earlier")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=tmp_path, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"3000\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "a").read_text() == "earlier"
    write_whole({tmp_path / "a": b"new"})
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("scores.csv names no measure", "scores.csv names no measure"),
        ("a/b names no measure", "a/b names no measure"),
        ("6 systems", "6 systems"),
        ("the file a.csv names none", "The file a.csv names none"),
    ],
)
def test_the_name_of_a_file_has_no_capital(note: str, told: str) -> None:
    assert as_sentence(note) == told
