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
    monkeypatch.setattr(long_text, "BYTES", 1 << 20)
    for module in (frame, file):
        monkeypatch.setattr(module, "most_bytes", lambda _: 1 << 20)


def refuse(path: Path) -> None:
    """Check that such a file is refused, in memory and as a stream."""
    with pytest.raises(ScoresError, match=r"s.parquet has [\d,]+ bytes.* expected at most"):
        frame_of_parquet(path)
    message = "and more than 1,048,576 bytes of text in a column; expected shorter labels"
    with pytest.raises(ScoresError, match=message), ParquetRows.opened(path):
        pass


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
def test_text_in_full_that_is_repeated_is_measured(tmp_path: Path) -> None:
    """No dictionary: the pages have each copy, and are small when they are compressed."""
    path = tmp_path / "s.parquet"
    table = pa.table({"topic": repeated("text").dictionary_decode()})
    parquet.write_table(table, path, use_dictionary=False, data_page_size=10_000)
    assert path.stat().st_size < 300_000
    refuse(path)
