"""Text in the columns of a Parquet file, which needs little in the file where it is repeated."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cdfscore.io.scores.parquet.checksums import CHECKED
from cdfscore.io.scores.parquet.pages import Page
from cdfscore.io.sizes import BYTES
from cdfscore.numerics.types import IntArray

_VARIABLE = ("string", "large_string", "binary", "large_binary")
_TEXT = {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}


def has_long_text(said: Any, pages: Iterable[Page], content: bytes, limit: int) -> bool:
    """Tell whether a column has more text than `limit`, each as often as it is there."""
    # No text is longer than the page that it is repeated from.
    longest: dict[int, int] = {}
    for page in pages:
        if page.is_dictionary or page.has_prefixes:
            longest[page.column] = max(longest.get(page.column, 0), page.size)
    return any(
        said.num_rows * longest.get(i, 0) > BYTES
        and _has_more_text(content, path, longest[i], limit)
        for i, path in _columns_of_text(said).items()
    )


def bytes_of_a_row(said: Any, pages: Iterable[Page], content: bytes) -> int:
    """Return how many bytes of text a row has at most, in the column that has the most.

    Of texts in a dictionary it is the longest. Of texts in full it is the mean of a page, since
    rows that are read together have whole pages, but for two.
    """
    paths = _columns_of_text(said)
    dictionaries: dict[tuple[int, int], int] = {}
    prefixes: dict[int, int] = {}
    most = 1
    for page in pages:
        if page.column not in paths:
            continue
        if page.is_dictionary:
            dictionaries[page.group, page.column] = page.size
        elif page.has_prefixes:
            prefixes[page.column] = max(prefixes.get(page.column, 0), page.size)
        else:  # texts in full, or their numbers in a dictionary
            most = max(most, page.size // max(1, page.values))
    for (group, column), size in dictionaries.items():
        most = max(most, _longest_of_dictionary(content, paths[column], group, size))
    for column, size in prefixes.items():
        for lengths in _lengths(content, paths[column], size):
            most = max(most, lengths.max(initial=0))
    return int(most)


def _columns_of_text(said: Any) -> dict[int, str]:
    """Return the paths of the columns of text, by number."""
    columns = {i: said.schema.column(i) for i in range(said.num_columns)}
    return {i: each.path for i, each in columns.items() if each.physical_type in _TEXT}


def _longest_of_dictionary(content: bytes, path: str, group: int, size: int) -> int:
    """Return the length of the longest text in the dictionary of a column, `size` within others."""
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=[path], **CHECKED)
    batches = file.iter_batches(1, row_groups=[group], columns=[path], use_threads=False)
    column = next(batches).column(0)
    if hasattr(column, "dictionary"):
        return int(_length_of_each(column.dictionary).max(initial=0))
    # Of texts of one length, of decimals and within a structure there is none.
    return max(int(lengths.max(initial=0)) for lengths in _lengths(content, path, size))


def _has_more_text(content: bytes, path: str, longest: int, limit: int) -> bool:
    """Tell whether this column has."""
    size = 0
    for lengths in _lengths(content, path, longest):
        size += int(lengths.sum())
        if size > limit:
            return True
    return False


def _lengths(content: bytes, path: str, longest: int) -> Iterator[IntArray]:
    """Yield the lengths of the texts of a column, of which none is longer than `longest`."""
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(content), **CHECKED)
    rows = max(1, BYTES // longest)
    for batch in file.iter_batches(rows, columns=[path], use_threads=False):
        for column in batch.columns:
            yield _length_of_each(column)


def _length_of_each(column: Any) -> IntArray:
    """Return how many bytes each text has, 0 for a missing one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_struct(kind):
        return np.asarray(sum(map(_length_of_each, column.flatten())), np.int64)
    if pa.types.is_dictionary(kind):  # each text once, not once for each row
        of_numbers = _length_of_each(column.dictionary)
        numbers = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(np.append(of_numbers, 0)[numbers], np.int64)
    if any(getattr(pa.types, f"is_{name}")(kind) for name in _VARIABLE):
        lengths = pc.binary_length(column).fill_null(0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)
    return np.full(len(column), column.nbytes // max(1, len(column)), np.int64)
