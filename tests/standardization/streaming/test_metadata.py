"""What pandas has written into a Parquet file, damaged: refused as in memory; changed files."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cdfscore import read_scores
from cdfscore.errors import ScoresError
from cdfscore.standardization.streaming import standardize_parquet
from tests.standardization.streaming.subjects import matrix, rows_of, written


def of_pandas(**changed: object) -> dict[bytes, bytes]:
    """Return metadata of `matrix`, some of which is changed."""
    saved = pa.Schema.from_pandas(matrix()).pandas_metadata
    return {b"pandas": json.dumps({**saved, **changed}).encode()}


def of_attrs(**known: object) -> dict[bytes, bytes]:
    return {**of_pandas(), b"PANDAS_ATTRS": json.dumps({"cdfscore": known}).encode()}


@pytest.mark.parametrize(
    ("metadata", "fragment"),
    [
        ({b"pandas": b"{"}, "is not a Parquet file"),
        ({b"pandas": b"[]"}, "is not a Parquet file"),
        ({b"pandas": b"{}"}, "is not a Parquet file"),
        ({b"pandas": b"\xff\xfe"}, "is damaged"),
        (of_pandas(index_columns=5), "is not a Parquet file"),
        (of_pandas(index_columns=["no"]), "is not a Parquet file"),
        (of_pandas(columns=5), "is not a Parquet file"),
        ({**of_pandas(), b"PANDAS_ATTRS": b"{"}, "is not a Parquet file"),
        ({**of_pandas(), b"PANDAS_ATTRS": b"[1]"}, "is not a Parquet file"),
        (of_attrs(notes=5), "notes that it remembers are 5; expected a list of text"),
        (of_attrs(keep_topics=[3]), r"keep_topics that it remembers are \[3\]; expected a list"),
        (of_attrs(keep_systems="a"), "keep_systems that it remembers are 'a'; expected a list"),
        (of_attrs(measure=[]), r"measure that it remembers are \[\]; expected text"),
    ],
)
def test_damaged_metadata(metadata: dict[bytes, bytes], fragment: str, tmp_path: Path) -> None:
    source = tmp_path / "x.parquet"
    table = pq.read_table(written(matrix(), source))
    pq.write_table(table.replace_schema_metadata(metadata), source)
    with pytest.raises(ScoresError, match=fragment) as expected:
        read_scores(source)
    with pytest.raises(ScoresError) as found:
        standardize_parquet(source, tmp_path / "y.parquet", "normal")
    assert str(found.value) == str(expected.value)
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


@pytest.mark.parametrize("form", ["wide", "topic", "any"])
def test_fewer_rows_than_the_file_says(form: str, tmp_path: Path) -> None:
    """The number of rows in the footer is a whole number of its own, beside those of row groups."""
    rows = 23 if form == "wide" else 276
    frame = matrix().reset_index() if form == "wide" else rows_of(matrix(), form)
    source = written(frame, tmp_path / "x.parquet", rows)
    content = source.read_bytes()
    said = b"\x16" + zigzag(rows)  # the field after the list of the schema, an i64
    footer = content.index(said, len(content) - int.from_bytes(content[-8:-4], "little") - 8)
    source.write_bytes(
        content[:footer] + b"\x16" + zigzag(rows + 1) + content[footer + len(said) :]
    )
    with pytest.raises(ScoresError, match=f"damaged: it has {rows} rows, and says that it has"):
        standardize_parquet(source, tmp_path / "y.parquet", "normal")


def zigzag(number: int) -> bytes:
    """Return a positive number as Thrift's compact protocol writes it."""
    number, found = 2 * number, b""
    while number > 127:
        found += bytes([number % 128 + 128])
        number //= 128
    return found + bytes([number])


def test_an_index_that_another_program_left_out_is_none(tmp_path: Path) -> None:
    source = written(matrix().assign(query=matrix().index), tmp_path / "x.parquet")
    table = pq.read_table(source)
    pq.write_table(table.drop_columns(["topic"]), source)
    standardize_parquet(source, tmp_path / "y.parquet", "normal", topic_column="query")
    expected = read_scores(source, topic_column="query")
    assert pd.read_parquet(tmp_path / "y.parquet").index.tolist() == expected.index.tolist()


@pytest.mark.parametrize("form", ["wide", "rows"])
@pytest.mark.parametrize(
    ("kind", "fragment"),
    [("string", "it has text that is not UTF-8"), ("date32", "labels of date32.* cannot be read")],
)
def test_labels_that_are_none(form: str, kind: str, fragment: str, tmp_path: Path) -> None:
    """Text is not looked at before it is a label, and a date may be of the year 10000."""
    frame = matrix().reset_index() if form == "wide" else rows_of(matrix(), "topic")
    bad = {"string": pa.array([b"\xff"]).cast("string", safe=False), "date32": days(4_000_000)}
    column = pa.concat_arrays([bad[kind]] * len(frame))
    table = pa.Table.from_pandas(frame, preserve_index=False).set_column(0, "topic", column)
    pq.write_table(table.replace_schema_metadata(None), tmp_path / "x.parquet")
    with pytest.raises(ScoresError, match=fragment):
        standardize_parquet(tmp_path / "x.parquet", tmp_path / "y.parquet", "normal")


def days(number: int) -> pa.Array:
    return pa.array([number], pa.int32()).cast(pa.date32())


def test_two_columns_of_topics(tmp_path: Path) -> None:
    table = pq.read_table(written(matrix().reset_index(), tmp_path / "x.parquet"))
    table = table.append_column("topic", table["topic"]).replace_schema_metadata(None)
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(ScoresError, match="has two columns 'topic'; expected one"):
        standardize_parquet(tmp_path / "x.parquet", tmp_path / "y.parquet", "normal")


def test_what_is_remembered_under_any_name_is_passed_on(tmp_path: Path) -> None:
    """A later version may remember more, whatever it calls it."""
    scores = matrix()
    scores.attrs["cdfscore"] = {"frame": "of a later version", "notes": ["a note"]}
    source = written(scores, tmp_path / "x.parquet")
    assert standardize_parquet(source, tmp_path / "y.parquet", "normal").notes[0] == "a note"
    assert read_scores(source).attrs["cdfscore"]["frame"] == "of a later version"


def appended(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"more")


def overwritten(path: Path) -> None:
    path.write_bytes(b"PAR1" + b"\xff" * 100)


@pytest.mark.clause("stream.2")
@pytest.mark.parametrize("change", [appended, overwritten])
@pytest.mark.parametrize("form", ["wide", "topic", "any"])
def test_a_file_that_is_changed_while_it_is_read(
    form: str, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdfscore.standardization.streaming.ROWS", 20)
    frame = matrix() if form == "wide" else rows_of(matrix(), form)
    source = written(frame, tmp_path / "x.parquet", 5)

    def progress(done: int, total: int) -> None:
        change(source)

    with pytest.raises(ScoresError, match=r"x\.parquet was changed while it was read; expected"):
        standardize_parquet(source, tmp_path / "y.parquet", "normal", block=50, progress=progress)
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_a_file_in_the_place_of_the_source_changes_nothing(tmp_path: Path) -> None:
    """Where files are replaced as a whole, that which was opened is read to its end."""
    source = written(matrix(), tmp_path / "x.parquet", 5)
    standardize_parquet(source, tmp_path / "expected.parquet", "normal", block=50)

    def progress(done: int, total: int) -> None:
        written(matrix().iloc[::-1], tmp_path / "other.parquet").replace(source)

    standardize_parquet(source, tmp_path / "y.parquet", "normal", block=50, progress=progress)
    found, expected = (
        pd.read_parquet(tmp_path / name) for name in ("y.parquet", "expected.parquet")
    )
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
