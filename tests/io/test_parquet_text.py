"""Text of Parquet files is read in whatever encoding it is, and lists are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from cdfscore.errors import ScoresError
from cdfscore.scores.parquet import ParquetRows, frame_of_parquet

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


def batches(path: Path) -> pd.DataFrame:
    with ParquetRows.opened(path) as rows:
        return pa.Table.from_batches(rows.batches(rows.names, 1000)).to_pandas()


@pytest.mark.parametrize("read", [frame_of_parquet, batches])
def test_lists_are_refused_before_they_are_read(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"topic": ["1"], "a": [np.zeros(400_000)]}), path)
    with pytest.raises(ScoresError, match="the column 'a' has lists; expected a number, or text"):
        read(path)


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        (40_000_000, 1, "when it is decompressed; expected at most 268,435,456"),
        (70_000, 500, "for 70,000 rows and 500 columns; expected at most 33,554,432 scores"),
    ],
)
def test_what_says_that_it_is_too_large_is_not_read(
    rows: int, columns: int, said: str, tmp_path: Path
) -> None:
    """Of zeros, which need next to nothing in the file."""
    zeros, path = np.zeros(rows, np.float64 if columns == 1 else np.int8), tmp_path / "s.parquet"
    table = pa.table({f"s{i}": zeros for i in range(columns)})
    parquet.write_table(table, path, use_dictionary=columns > 1, compression="zstd")
    with pytest.raises(ScoresError, match=said):
        frame_of_parquet(path)
