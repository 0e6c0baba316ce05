"""Parquet files of other programs are read, whatever their pages are like."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from cdfscore.scores.parquet import ParquetRows, frame_of_parquet

ROWS = 6000
SCORES = pd.DataFrame(
    {
        "topic": [f"topic {i // 20}" for i in range(ROWS)],
        "system": [f"s{i % 20}" for i in range(ROWS)],
        "score": np.where(np.arange(ROWS) % 17, np.random.default_rng(7).random(ROWS), np.nan),
        "rank": np.arange(ROWS) % 9,
    }
)


def check(path: Path) -> None:
    """Compare what each reader finds."""
    found = frame_of_parquet(path)
    pd.testing.assert_frame_equal(found, pd.read_parquet(path))
    pd.testing.assert_frame_equal(
        found[["topic", "system"]].astype(str), SCORES[["topic", "system"]]
    )
    np.testing.assert_array_equal(found["score"], SCORES["score"])
    with ParquetRows.opened(path) as rows:
        table = pa.Table.from_batches(rows.batches(rows.names, 700))
    np.testing.assert_array_equal(table.to_pandas()["score"], SCORES["score"])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_pyarrow(compression: str, version: str, dictionary: bool, tmp_path: Path) -> None:
    parquet.write_table(
        pa.Table.from_pandas(SCORES),
        tmp_path / "s.parquet",
        compression=compression,
        data_page_version=version,
        use_dictionary=dictionary,
        row_group_size=2500,
        data_page_size=4000,
        write_page_checksum=True,
    )
    check(tmp_path / "s.parquet")


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"])
def test_polars(compression: str, tmp_path: Path) -> None:
    frame = pl.from_pandas(SCORES, nan_to_null=True)
    path = tmp_path / "s.parquet"
    frame.write_parquet(path, compression=compression, row_group_size=2500, data_page_size=4000)
    check(path)
    frame.with_columns(pl.col("topic").cast(pl.Categorical)).write_parquet(path)
    check(path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["V1", "V2"])
def test_duckdb(compression: str, version: str, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("scores", SCORES)
        connection.execute(
            f"COPY scores TO '{tmp_path / 's.parquet'}' (FORMAT parquet, ROW_GROUP_SIZE 2048, "
            f"COMPRESSION {compression}, PARQUET_VERSION {version})"
        )
    check(tmp_path / "s.parquet")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("compression", [None, "SNAPPY", "GZIP", "ZSTD", "BROTLI"])
@pytest.mark.parametrize("categories", [[], ["topic", "system"]])
def test_fastparquet(compression: str | None, categories: list[str], tmp_path: Path) -> None:
    import fastparquet  # of ranx

    fastparquet.write(
        str(tmp_path / "s.parquet"),
        SCORES.astype(dict.fromkeys(categories, "category")),
        compression=compression,
        row_group_offsets=[0, 1000, 3000],
    )
    check(tmp_path / "s.parquet")
