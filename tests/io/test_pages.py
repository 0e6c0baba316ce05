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
from cdfscore.io.scores.parquet import file
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.frame import frame_of_parquet
from cdfscore.io.scores.parquet.pages import pages_of
from cdfscore.io.scores.parquet.structs import ThriftError

ROWS = 3000


def batches(path: Path) -> pd.DataFrame:
    with ParquetRows.opened(path) as rows:
        return pa.Table.from_batches(rows.batches(rows.names, 1000)).to_pandas()


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
    with pytest.raises(
        ScoresError, match=r"bytes, and .*1,073,741,824 .*when .*expected at most 268,"
    ):
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


def test_pages_that_are_in_memory_together_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When rows are read in batches, those of all columns, but not those of all groups of rows."""
    monkeypatch.setattr(file, "most_bytes", lambda _: 100_000)
    path, zeros = tmp_path / "s.parquet", np.zeros(12 * ROWS)
    options = {"compression": "zstd", "use_dictionary": False}
    parquet.write_table(pa.table({"a": zeros}), path, row_group_size=ROWS, **options)
    assert len(batches(path)) == 12 * ROWS
    parquet.write_table(pa.table({f"s{i}": zeros[:ROWS] for i in range(12)}), path, **options)
    with pytest.raises(ScoresError, match=r"pages to be read together .* at most 100,000$"):
        batches(path)


@pytest.mark.parametrize("read", READERS)
def test_columns_with_the_same_pages_are_refused(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    """Many columns that all have the same many pages took a second for some kB."""
    rng, path = np.random.default_rng(7), tmp_path / "s.parquet"
    table = pa.table({"a": rng.random(ROWS), "b": np.zeros(ROWS)})
    parquet.write_table(table, path, use_dictionary=False, compression="zstd")
    said = parquet.read_metadata(path).row_group(0)
    first, second = (said.column(i).data_page_offset for i in range(2))
    assert first == 4
    content = path.read_bytes()
    place = content.rindex(b"\x26" + number(second)) + 1
    path.write_bytes(content[:place] + b"\x88\x80\x00" + content[place + len(number(second)) :])
    with pytest.raises(ScoresError, match="is damaged: its columns have pages in common"):
        read(path)


@pytest.mark.parametrize("read", READERS)
def test_a_dictionary_of_too_many_values_is_refused(
    read: Callable[[Path], pd.DataFrame], tmp_path: Path
) -> None:
    """pyarrow takes the memory for as many as it says, which may be two thousand million."""
    path = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"a": np.arange(ROWS) % 100 / 7}), path, compression="none")
    content, head = path.read_bytes(), b"\x4c\x15" + number(100)
    assert content.count(head) == 1
    path.write_bytes(content.replace(head, b"\x4c\x15" + number(8191)))
    with pytest.raises(ScoresError, match="damaged: a dictionary has 8,191 values in 800 bytes"):
        read(path)


def test_a_dictionary_of_short_values_is_read(tmp_path: Path) -> None:
    """Values of a fixed length have no length beside them, and an empty text has four bytes."""
    path = tmp_path / "s.parquet"
    cells = [b"x", b"y"] * 1000
    table = pa.table({"a": pa.array(cells, pa.binary(1)), "b": ["", None] * 1000})
    parquet.write_table(table, path)
    for read in READERS:
        assert list(read(path)["a"]) == cells
