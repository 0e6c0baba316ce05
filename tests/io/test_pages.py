"""What a Parquet file says of its pages is compared before pyarrow takes the memory for them."""

import io
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from cdfscore.errors import ScoresError
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.frame import frame_of_parquet
from cdfscore.io.scores.parquet.pages import pages_of
from cdfscore.io.scores.parquet.structs import ThriftError

ROWS = 3000


def batches(path: Path) -> pd.DataFrame:
    with ParquetRows.opened(path) as file:
        return pa.Table.from_batches(file.batches(file.names, 1000)).to_pandas()


READERS: list[Callable[[Path], pd.DataFrame]] = [frame_of_parquet, batches]


def written(**options: Any) -> bytes:
    rng = np.random.default_rng(7)
    labels = [f"topic {i % 100}" for i in range(ROWS)]
    table = pa.table({"topic": labels, "a": rng.random(ROWS), "b": np.zeros(ROWS)})
    stream = io.BytesIO()
    parquet.write_table(table, stream, **options)
    return stream.getvalue()


def of_one_page() -> bytes:
    fields = pa.schema([pa.field("a", pa.float64(), nullable=False)])
    table = pa.table({"a": np.random.default_rng(7).random(ROWS)}, fields)
    stream = io.BytesIO()
    parquet.write_table(
        table, stream, use_dictionary=False, compression="brotli", write_statistics=False
    )
    return stream.getvalue()


def number(value: int) -> bytes:
    """Return a number as Thrift writes it: doubled, in groups of seven bits, the lowest first."""
    groups = [2 * value >> 7 * i & 127 for i in range(-(-(2 * value).bit_length() // 7))]
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def places(content: bytes, value: int) -> list[int]:
    """Return where the header of the first page, and fields of 64 bits, have a number."""
    found = [content.index(number(value))]
    (size,) = struct.unpack("<I", content[-8:-4])
    place = content.find(b"\x16" + number(value), len(content) - size)
    while place >= 0:
        found.append(place + 1)
        place = content.find(b"\x16" + number(value), place + 1)
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0"},
        {"compression": "zstd", "row_group_size": 700},
        {"use_dictionary": False, "compression": "none", "data_page_size": 500},
        {"write_page_index": True, "write_statistics": False},
    ],
)
def test_pages_are_as_large_as_pyarrow_says(options: dict[str, Any]) -> None:
    """What pyarrow says of a column has the headers of its pages too: some 100 bytes each."""
    content = written(**options)
    said = parquet.read_metadata(io.BytesIO(content))
    size = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    found = [page.size for page in pages_of(content)]
    assert len(found) >= 3 * said.num_row_groups
    assert size - 200 * len(found) <= sum(found) < size


def test_a_file_without_rows_has_no_pages() -> None:
    stream = io.BytesIO()
    parquet.write_table(pa.table({"topic": pa.array([], pa.string())}), stream)
    assert list(pages_of(stream.getvalue())) == []


@pytest.mark.parametrize("read", READERS)
def test_a_page_of_a_gigabyte_is_refused(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    """Only the header of the page says so; what the file says of its column is as it was."""
    content, path = of_one_page(), tmp_path / "s.parquet"
    size = number(8 * ROWS)
    head = content.index(size)
    path.write_bytes(content[:head] + number(1 << 30) + content[head + len(size) :])
    with pytest.raises(ScoresError, match=r"bytes.*expected at least one byte for every 100"):
        read(path)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("which", range(4))
def test_numbers_of_rows_that_contradict_each_other_are_refused(
    read: Callable[[Path], pd.DataFrame], which: int, tmp_path: Path
) -> None:
    """Those of the page, of the column, of the group of rows, and of the file."""
    content, path = bytearray(of_one_page()), tmp_path / "s.parquet"
    found = places(content, ROWS)
    assert len(found) == 4
    content[found[which] : found[which] + 2] = number(ROWS + 1)
    path.write_bytes(content)
    with pytest.raises(ScoresError, match=r"is damaged: .*(3,000|3,001).*(3,000|3,001)"):
        read(path)


@pytest.mark.parametrize("read", READERS)
def test_lists_are_refused_before_they_are_read(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"topic": ["1"], "a": [np.zeros(400_000)]}), path)
    with pytest.raises(ScoresError, match="the column 'a' has lists; expected a number, or text"):
        read(path)


CONTENT = written(compression="none", data_page_size=2000)


@settings(max_examples=200)
@given(st.integers(0, len(CONTENT) - 9), st.integers(0, 255))
def test_no_changed_byte_gives_another_error(place: int, byte: int) -> None:
    changed = bytearray(CONTENT)
    changed[place] = byte
    with suppress(ThriftError):
        assert all(page.size >= 0 for page in pages_of(bytes(changed)))


@pytest.mark.parametrize("read", READERS)
def test_a_page_with_two_sizes_is_refused(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    """The first one is a gigabyte in the type that pyarrow reads, the second is small."""
    content, path = of_one_page(), tmp_path / "s.parquet"
    head = content.index(size := number(8 * ROWS))
    both = number(1 << 30) + b"\x06" + number(2) + size
    path.write_bytes(content[:head] + both + content[head + len(size) :])
    with pytest.raises(ScoresError, match="damaged: the field 2 of a structure is there twice"):
        read(path)
