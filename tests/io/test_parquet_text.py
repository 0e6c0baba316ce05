"""Text of Parquet files: measured before it is read, in whatever encoding it is."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from cdfscore.errors import ScoresError
from cdfscore.io.scores.parquet import file, frame, long_text
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.frame import frame_of_parquet

# So many that the product with the size of the file is above the bound of any file.
TOPICS = 30_000
SCORES = pd.DataFrame(
    {"topic": [f"topic number {i}" for i in range(TOPICS)], "a": np.arange(TOPICS) / TOPICS}
)


def by_duckdb(path: Path, version: str) -> None:
    with duckdb.connect() as connection:
        connection.register("scores", SCORES)
        connection.execute(f"COPY scores TO '{path}' (FORMAT parquet, PARQUET_VERSION {version})")


def by_pyarrow(path: Path, **options: Any) -> None:
    parquet.write_table(pa.Table.from_pandas(SCORES, preserve_index=False), path, **options)


@pytest.mark.parametrize("version", ["V1", "V2"])
def test_labels_of_duckdb_are_read(version: str, tmp_path: Path) -> None:
    by_duckdb(tmp_path / "s.parquet", version)
    pd.testing.assert_frame_equal(frame_of_parquet(tmp_path / "s.parquet"), SCORES)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_labels_of_each_encoding_are_read(encoding: str, version: str, tmp_path: Path) -> None:
    by_pyarrow(
        tmp_path / "s.parquet",
        use_dictionary=False,
        column_encoding={"topic": encoding},
        data_page_version=version,
    )
    pd.testing.assert_frame_equal(frame_of_parquet(tmp_path / "s.parquet"), SCORES)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the bounds, so that no test has to make much text."""
    for module in (long_text, file):
        monkeypatch.setattr(module, "BYTES", 1 << 20)
    for module in (frame, file):
        monkeypatch.setattr(module, "most_bytes", lambda _: 1 << 20)


def refuse(path: Path) -> None:
    """Check that such a file is refused in memory, and that a stream reads few rows at a time."""
    with pytest.raises(ScoresError, match="for 3,000 rows and 1 columns; expected at most"):
        frame_of_parquet(path)
    read_in_parts(path)


def read_in_parts(path: Path) -> None:
    """Check that 1 MiB of text is in memory at a time, but for two pages, and each text once."""
    labels = parquet.read_table(path)["topic"].to_pylist()
    with ParquetRows.opened(path) as rows:
        found = [rows.cells_of(batch.column(0)) for batch in rows.batches(["topic"], 1 << 20)]
    assert len(found) > 2
    assert max(sum(map(len, map(str, part))) for part in found) <= 1.1 * 2**20
    assert [label for part in found for label in part] == labels


def repeated(kind: str) -> pa.Array:
    """Return 3,000 times the same kB."""
    rows, word = 3000, "a" * 1000
    codes = np.zeros(rows, np.int32)
    if kind == "fixed length":
        blob = pa.array([word.encode()], pa.binary(len(word)))
        return pa.DictionaryArray.from_arrays(codes, blob)
    words = pa.DictionaryArray.from_arrays(codes, [word])
    return words if kind == "text" else pa.StructArray.from_arrays([words], ["word"])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["text", "text within a structure", "fixed length"])
def test_text_that_is_repeated_is_measured(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"topic": repeated(kind)}), path)
    assert path.stat().st_size < 10_000
    refuse(path)


@pytest.mark.usefixtures("small")
def test_beginnings_that_are_repeated_are_measured(tmp_path: Path) -> None:
    """Each text has the one before it as its beginning, and needs one byte more in the page."""
    path = tmp_path / "s.parquet"
    table = pa.table({"topic": ["a" * i for i in range(3000)]})
    parquet.write_table(
        table, path, use_dictionary=False, column_encoding={"topic": "DELTA_BYTE_ARRAY"}
    )
    assert path.stat().st_size < 20_000
    refuse(path)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [10_000, 100_000])
def test_text_in_full_that_is_repeated_is_read_in_parts(size: int, tmp_path: Path) -> None:
    """No dictionary: the pages have each copy, and are small when they are compressed."""
    path = tmp_path / "s.parquet"
    table = pa.table({"topic": repeated("text").dictionary_decode()})
    parquet.write_table(table, path, use_dictionary=False, data_page_size=size, write_batch_size=10)
    assert path.stat().st_size < 1_000_000  # of 3 MB
    read_in_parts(path)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["text", "categories", "in full", "differences"])
def test_many_short_labels_are_read_at_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They need more than 1 MiB in all, which a stream never has in memory."""
    number, path = 100_000, tmp_path / "s.parquet"
    labels = pa.DictionaryArray.from_arrays(
        np.arange(number, dtype=np.int32) % 100,
        [f"a longer name of the topic {i}" for i in range(100)],
    )
    table = pa.table({"topic": labels if kind == "categories" else labels.dictionary_decode()})
    encoding = {"topic": "DELTA_BYTE_ARRAY"} if kind == "differences" else None
    plain = kind in ("in full", "differences")
    size = 1 << 19  # a page of an old pyarrow has a little more than its size
    options = {"use_dictionary": not plain, "column_encoding": encoding, "data_page_size": size}
    parquet.write_table(table, path, **options)
    assert path.stat().st_size < 200_000
    with ParquetRows.opened(path) as rows:
        assert rows.most >= 30_000
        assert sum(batch.num_rows for batch in rows.batches(["topic"], 1 << 20)) == number


def test_decimals_are_no_long_text(tmp_path: Path) -> None:
    """They are bytes of one length, in a dictionary of more than 64 KiB."""
    path = tmp_path / "s.parquet"
    scores = pa.array(range(20_000)).cast(pa.decimal128(19)).cast(pa.decimal128(30, 10))
    parquet.write_table(pa.table({"topic": ["a"] * len(scores), "s": scores}), path)
    with ParquetRows.opened(path) as rows:
        assert rows.most >= 1 << 20


def test_a_label_of_more_than_64_kilobytes_is_not_streamed(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    for size in (1 << 16, (1 << 16) + 1):
        parquet.write_table(pa.table({"topic": ["a", "b" * size]}), path)
        if size == 1 << 16:
            with ParquetRows.opened(path) as rows:
                assert rows.most == 1 << 12
    message = (
        "s.parquet has a text of 65,537 bytes; expected labels of at most 65,536, to be streamed"
    )
    with pytest.raises(ScoresError, match=message), ParquetRows.opened(path):
        pass
