"""A flipped bit in the pages of a Parquet file that has checksums is found, however it is read."""

import struct
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cdfscore import datasets, standardize_parquet, write_scores
from cdfscore.cli.merge import _encoded
from cdfscore.errors import ScoresError
from cdfscore.retrieval.measuring import Measured
from cdfscore.scores.parquet import ParquetRows, frame_of_parquet
from cdfscore.scores.writing import parquet_pieces

SCORES = datasets.load_cranfield("ap").iloc[:20, :5]


def by_write_scores(path: Path) -> None:
    write_scores(SCORES, path)


def by_a_stream(path: Path) -> None:
    write_scores(SCORES, path.with_name("source.parquet"))
    standardize_parquet(path.with_name("source.parquet"), path, "normal")


def of_repeated_labels(path: Path) -> None:
    """Write rows with a score, whose labels are in dictionaries."""
    rows = SCORES.rename_axis("topic").rename_axis(columns="system").stack().rename("score")
    table = pa.Table.from_pandas(rows.reset_index(), preserve_index=False)
    pieces = parquet_pieces([table], labels=["topic", "system"], repeated=True)
    path.write_bytes(b"".join(pieces))


def by_measure(path: Path) -> None:
    path.write_bytes(_encoded(Measured({"ap": SCORES, "p_10": SCORES}, ()), path))


def in_pages_of_version_2(path: Path) -> None:
    """Write nulls and dictionaries, in pages whose levels are not compressed."""
    table = pa.Table.from_pandas(SCORES.where(SCORES > 0.1))
    pq.write_table(
        table, path, data_page_version="2.0", compression="zstd", write_page_checksum=True
    )


def batches(path: Path) -> pd.DataFrame:
    with ParquetRows.opened(path) as file:
        return pa.Table.from_batches(file.batches(file.names, 100)).to_pandas()


@pytest.mark.one_in(4)
@pytest.mark.clause("write_scores.1")
@pytest.mark.parametrize(
    "write", [by_write_scores, by_a_stream, by_measure, of_repeated_labels, in_pages_of_version_2]
)
@pytest.mark.parametrize("read", [frame_of_parquet, batches])
def test_no_flipped_bit_in_a_page_is_read_as_data(
    write: Callable[[Path], None], read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    path = tmp_path / "s.parquet"
    write(path)
    content, whole = path.read_bytes(), read(path)
    (size,) = struct.unpack("<i", content[-8:-4])  # of what the file says of itself
    refused = 0
    for place in range(4, len(content) - 8 - size, 7):
        path.write_bytes(
            content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]
        )
        try:
            assert read(path).equals(whole), place
        except ScoresError:
            refused += 1
    assert refused > 50


def test_files_of_others_without_checksums_are_read(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    pq.write_table(pa.Table.from_pandas(SCORES), path, write_page_checksum=False)
    assert frame_of_parquet(path).equals(SCORES)
    assert len(batches(path)) == len(SCORES)


def by_polars(path: Path) -> None:
    pl.from_pandas(SCORES.reset_index()).write_parquet(path)


@pytest.mark.parametrize("read", [frame_of_parquet, batches])
@pytest.mark.parametrize("write", [by_write_scores, by_a_stream, by_polars])
@pytest.mark.parametrize(
    ("bit", "message"), [(0x01, r"the column .* has the name .*"), (0x80, "utf-8")]
)
def test_a_flipped_bit_in_the_name_of_a_column_is_found(
    read: Callable[[Path], pd.DataFrame],
    write: Callable[[Path], None],
    bit: int,
    message: str,
    tmp_path: Path,
) -> None:
    """Names have no checksum, but there is a copy of each in the schema of Arrow."""
    path = tmp_path / "scores.parquet"
    write(path)
    content = path.read_bytes()
    name = SCORES.columns[3].encode()
    (size,) = struct.unpack("<I", content[-8:-4])
    place = content.index(name, len(content) - size)
    path.write_bytes(content[:place] + bytes([name[0] ^ bit]) + content[place + 1 :])
    with pytest.raises(ScoresError, match=f"is damaged: .*{message}"):
        read(path)


@pytest.mark.parametrize("read", [frame_of_parquet, batches])
def test_another_schema_that_was_kept_is_refused(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    """A program that renames columns may copy what the file said of itself."""
    path = tmp_path / "scores.parquet"
    by_write_scores(path)
    table = pq.read_table(path)
    kept = pq.read_metadata(path).metadata
    renamed = table.rename_columns(["x", *table.column_names[1:]]).replace_schema_metadata(kept)
    fewer = table.select(table.column_names[1:]).replace_schema_metadata(kept)
    for other, message in (
        (renamed, f"the column 'x' has the name '{table.column_names[0]}'"),
        (fewer, "it has 5 columns, and 6 in its other schema"),
    ):
        pq.write_table(other, path)
        with pytest.raises(
            ScoresError, match=f"{message}.*kept the old schema: expected it without"
        ):
            read(path)
