"""What a stream refuses: one sentence, and nothing is written."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cdfscore import Standardizer, read_scores
from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.standardization.standardizer import standardizer_of
from cdfscore.standardization.streaming import standardize_parquet
from tests.experiments.engine_subjects import ENVIRONMENT
from tests.standardization.streaming.subjects import matrix, rows_of, written


def changed(row: int, column: str, value: object) -> pd.DataFrame:
    frame = matrix().reset_index()
    frame[column] = frame[column].astype(object) if isinstance(value, str) else frame[column]
    frame.loc[row, column] = value
    return frame


def of_rows(row: int, column: str, value: object, order: str = "topic") -> pd.DataFrame:
    frame = rows_of(matrix(), order)
    frame.loc[row, column] = value
    return frame


NAMES = list(matrix().columns)


@pytest.mark.parametrize(
    ("frame", "how", "fragments"),
    [
        (changed(20, "topic", "2"), "normal", ["topic '2' appears twice, in row 2 and in row 21"]),
        (changed(20, "topic", None), "normal", ["row 21: the topic has no name"]),
        (changed(20, "topic", "Mean AP"), "normal", ["a topic 'Mean AP', the name of a summary"]),
        (changed(20, NAMES[3], np.inf), "normal", ["topic '21'", f"{NAMES[3]!r}", "not finite"]),
        (changed(20, NAMES[3], np.nan), "normal", ["topic '21'", NAMES[3], "(1 missing in all)"]),
        (
            matrix().reset_index().assign(word="x"),
            "normal",
            ["topic '1', system 'word': 'x' is not a number"],
        ),
        (matrix().reset_index().assign(avg=0.5), "normal", ["has a system 'avg'", "summary"]),
        (
            matrix().reset_index().assign(m=matrix().mean(axis=1).to_numpy()),
            "normal",
            ["system 'm' has the mean of the scores of all other systems"],
        ),
        (matrix(), Standardizer("normal", "raise"), ["topic '6'", "(constant topics: 1)"]),
        (matrix(), "beta", ["topic '15'", "exactly 1"]),
        (
            matrix().T.rename_axis("system").reset_index(),
            "normal",
            ["has a row for each system; expected a row for each topic"],
        ),
        (matrix().iloc[:0].reset_index(), "normal", ["has shape (0, 12)"]),
        (matrix()[[]].reset_index(), "normal", ["has shape (23, 0)"]),
        (
            matrix().set_index(NAMES[0], append=True),
            "normal",
            ["rows with 2 labels each", "expected one label"],
        ),
        (of_rows(250, "system", NAMES[2]), "normal", ["row 251", "given before, in row"]),
        (of_rows(250, "system", None), "normal", ["row 251: the system has no name"]),
        (of_rows(250, "topic", ""), "normal", ["row 251: the topic has no name"]),
        (of_rows(250, "score", np.inf), "normal", ["topic '21'", "inf is not finite"]),
        (of_rows(250, "score", np.nan), "normal", ["topic '21'", "(1 missing in all)"]),
        (of_rows(250, "score", -np.inf, "any"), "normal", ["-inf is not finite"]),
        (of_rows(0, "topic", "2", "any"), "normal", ["given before, in row"]),
        (
            rows_of(matrix(), "system").drop(index=30),
            Standardizer("normal", missing="zero"),
            ["there is no row", "expected a row for each system on each topic"],
        ),
        (
            rows_of(matrix(), "topic").astype({"score": str}),
            "normal",
            ["the column 'score' holds", "expected numbers"],
        ),
        (rows_of(matrix(), "topic").assign(measure="ap"), "normal", ["topic, system and score"]),
        (rows_of(matrix(), "topic").drop(columns="system"), "normal", ["system and score alone"]),
        (rows_of(matrix(), "topic").iloc[:0], "normal", ["has no scores"]),
    ],
)
def test_bad_scores(
    frame: pd.DataFrame, how: str | Standardizer, fragments: list[str], tmp_path: Path
) -> None:
    source = written(frame, tmp_path / "x.parquet")
    (tmp_path / "y.parquet").write_bytes(b"before")
    with pytest.raises(CdfscoreError) as caught:
        standardize_parquet(source, tmp_path / "y.parquet", how, block=100)
    assert all(fragment in str(caught.value) for fragment in fragments), caught.value
    assert "\n" not in str(caught.value)
    assert (tmp_path / "y.parquet").read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.parquet", "y.parquet"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"system_column": "sys"}, "has no column 'sys' (did you mean 'system'?)"),
        ({"system_column": ["system", "topic"]}, "is that of one column; expected one instead of"),
        ({"system_column": "topic,system"}, "expected one instead of topic,system, or a file that"),
        ({"score_column": "topic"}, "no column that is known as one of topics"),
        ({"topic_column": "system", "system_column": "system"}, "'system' is named twice"),
        ({"system_column": 1}, "system_column=1 is not accepted"),
    ],
)
def test_columns_that_are_named_wrongly(given: Any, message: str, tmp_path: Path) -> None:
    source = written(rows_of(matrix(), "topic"), tmp_path / "x.parquet")
    with pytest.raises(ScoresError) as caught:
        standardize_parquet(source, tmp_path / "y.parquet", "z", **given)
    assert message in str(caught.value)


def test_columns_of_a_row_for_each_score_are_not_of_a_matrix(tmp_path: Path) -> None:
    source = written(matrix(), tmp_path / "x.parquet")
    name = str(matrix().columns[0])
    for given, message in (
        ({"score_column": name}, "expected columns of topic, system and score alone"),
        ({"system_column": name}, "has a row for each system; expected a row for each topic"),
    ):
        with pytest.raises(ScoresError, match=message):
            standardize_parquet(source, tmp_path / "y.parquet", "z", **given)


@pytest.mark.clause("stream.3")
def test_constant_topics_and_missing_scores_are_counted_in_all_blocks(tmp_path: Path) -> None:
    scores = matrix()
    scores.iloc[[2, 20]] = 0.5
    source = written(scores, tmp_path / "x.parquet")
    for how in (Standardizer("normal", "raise"), Standardizer("empirical", "raise")):
        with pytest.raises(CdfscoreError) as expected:
            how.standardize(scores)
        with pytest.raises(CdfscoreError) as found:
            standardize_parquet(source, tmp_path / "y.parquet", how, block=30)
        assert str(found.value) == str(expected.value)
    scores = matrix(missing=9)
    source = written(scores, tmp_path / "x.parquet")
    with pytest.raises(CdfscoreError) as expected:
        Standardizer("normal").standardize(scores)
    with pytest.raises(CdfscoreError) as found:
        standardize_parquet(source, tmp_path / "y.parquet", "normal", block=30)
    assert str(found.value) == str(expected.value)


def test_every_topic_dropped_is_an_error_as_in_memory(tmp_path: Path) -> None:
    scores = matrix()
    scores.iloc[:, 0] = np.nan
    zeros = matrix()
    zeros.iloc[:, 0] = 0.0
    for frame, how in (
        (scores, Standardizer("normal", missing="drop_topic")),
        (zeros, Standardizer("gamma", unfitted="nan")),
        (zeros, Standardizer("gamma", unfitted="drop_topic")),
    ):
        source = written(frame, tmp_path / "x.parquet")
        with pytest.raises(CdfscoreError) as expected:
            how.standardize(frame)
        with pytest.raises(CdfscoreError) as found:
            standardize_parquet(source, tmp_path / "y.parquet", how, block=30)
        assert str(found.value) == str(expected.value)


@pytest.mark.clause("stream.2")
@pytest.mark.parametrize("form", ["wide", "topic", "any"])
@pytest.mark.parametrize(
    ("frame", "how"),
    [
        (changed(20, "topic", "Mean AP"), "beta"),
        (matrix().reset_index().assign(avg=0.5), "beta"),
        (changed(20, "topic", "Mean AP").assign(avg=0.5), "beta"),
        (matrix(missing=3).reset_index().assign(avg=0.5), "normal"),
        (changed(14, "topic", "avg"), Standardizer("normal", "raise")),
    ],
)
def test_summaries_are_told_first_as_in_memory(
    frame: pd.DataFrame, how: str | Standardizer, form: str, tmp_path: Path
) -> None:
    """Of a name of a summary, and a topic in the first block that cannot be standardized."""
    rows = frame if form == "wide" else rows_of(frame.set_index("topic"), form)
    source = written(rows, tmp_path / "x.parquet")
    with pytest.raises(CdfscoreError) as expected:
        standardizer_of(how).standardize(read_scores(source))
    assert "the name of a summary" in str(expected.value)
    for block in (24, 1 << 20):
        with pytest.raises(CdfscoreError) as found:
            standardize_parquet(source, tmp_path / "y.parquet", how, block=block)
        told, _, of_stream = str(found.value).partition("; a stream takes no ")
        assert told == str(expected.value)
        name = of_stream.removesuffix("=...: change the file, or standardize it without a stream")
        assert f"leave it out by {name}=" in told


@pytest.mark.clause("stream.2")
def test_a_topic_that_sums_up_the_others_is_found_in_one_block_alone(tmp_path: Path) -> None:
    """By its numbers; a system is found by its numbers on the first topics."""
    scores = matrix()
    scores.loc["x"] = scores.mean()
    source, target = written(scores, tmp_path / "x.parquet"), tmp_path / "y.parquet"
    with pytest.raises(CdfscoreError, match="topic 'x' has the mean of the scores"):
        standardize_parquet(source, target, "empirical")
    assert standardize_parquet(source, target, "empirical", block=100).topics == len(scores)
    of_system = matrix().assign(x=matrix().mean(axis=1))
    source = written(of_system, tmp_path / "z.parquet")
    with pytest.raises(CdfscoreError, match="system 'x' has the mean of the scores"):
        standardize_parquet(source, target, "empirical", block=100)
    with pytest.raises(CdfscoreError, match="has a row for each system"):
        standardize_parquet(source, target, "empirical", systems_as_rows=True)


def test_a_flipped_bit_of_rows_is_read_or_refused(tmp_path: Path) -> None:
    """Without checksums: also one of the number of a label, beyond the labels that are there."""
    source = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_pandas(rows_of(matrix(), "topic")), source)
    content, random = source.read_bytes(), np.random.default_rng(20261130)
    damaged = tmp_path / "damaged.parquet"
    said = list[str]()
    for place in random.integers(4, len(content), 400).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(random.integers(8))
        damaged.write_bytes(flipped)
        try:
            standardize_parquet(damaged, tmp_path / "y.parquet", "normal")
        except CdfscoreError as error:
            said.append(str(error))
    assert 40 < len(said) < 360
    assert any("is damaged: Index" in each for each in said)


@pytest.mark.parametrize(
    ("damage", "fragment"),
    [
        (lambda content: b"", "is not a Parquet file"),
        (lambda content: content[:-30], "is not a Parquet file"),
        (lambda content: content[: len(content) // 2], "is not a Parquet file"),
        (
            lambda content: content[:4] + b"\xff" * 5000 + content[5004:],
            "is (damaged|not a Parquet)",
        ),
    ],
    ids=["empty", "cut", "half", "overwritten"],
)
def test_damaged_files(damage: Callable[[bytes], bytes], fragment: str, tmp_path: Path) -> None:
    source = written(matrix(), tmp_path / "x.parquet")
    source.write_bytes(damage(source.read_bytes()))
    with pytest.raises(CdfscoreError, match=fragment):
        standardize_parquet(source, tmp_path / "y.parquet", "normal")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    source = written(matrix(), tmp_path / "x.parquet")
    (tmp_path / "link.parquet").symlink_to(source)
    (tmp_path / "folder.parquet").mkdir()
    for target, fragment in (
        ("x.parquet", "is the file of the scores"),
        ("link.parquet", "is the file of the scores"),
        ("folder.parquet", "is a folder"),
        ("none/y.parquet", "cannot be written"),
        ("y.csv", r"ends in '\.csv'; expected \.parquet"),
    ):
        with pytest.raises(CdfscoreError, match=fragment):
            standardize_parquet(source, tmp_path / target, "normal")
    with pytest.raises(CdfscoreError, match="block=0 is not accepted"):
        standardize_parquet(source, tmp_path / "y.parquet", "normal", block=0)


_STOPPED = """
import sys
from cdfscore.standardization.streaming import standardize_parquet

def told(done, total):
    print(done, flush=True)
    sys.stdin.readline()

standardize_parquet("x.parquet", "y.parquet", "normal", block=50, progress=told)
"""


@pytest.mark.long
def test_a_process_that_is_killed_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    written(matrix(), tmp_path / "x.parquet")
    command = [sys.executable, "-c", _STOPPED]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().strip() == b"4"
        finally:
            process.kill()
    assert not (tmp_path / "y.parquet").exists()


SMALL_DISK = """
import resource, sys
from pathlib import Path
from typing import Any
import numpy as np, pandas as pd
from cdfscore.errors import OutputError
from cdfscore.standardization.streaming import standardize_parquet

topics = [f"t{i}" for i in range(300)]
rows = {"topic": topics * 40, "system": np.repeat([f"s{i}" for i in range(40)], 300)}
pd.DataFrame({**rows, "score": np.linspace(0, 1, 12000)}).to_parquet("long.parquet")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), -1))
try:
    standardize_parquet("long.parquet", "y.parquet", "empirical")
except OutputError as error:
    print(error)
print(sorted(path.name for path in Path().iterdir()))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [1000, 100_000])
def test_a_full_disk_while_rows_are_sorted_is_one_sentence(tmp_path: Path, size: int) -> None:
    """A limit of the size of files stands for the disk; a copy has 192,000 bytes."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, str(size)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (
        "y.parquet cannot be written: File too large, in copies of the rows beside it, which "
        "take up to 32 bytes a row\n['long.parquet']\n"
    )
