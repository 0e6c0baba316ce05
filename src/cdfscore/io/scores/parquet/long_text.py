"""Text in the columns of a Parquet file, which needs little in the file where it is repeated."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from cdfscore.io.scores.parquet.checksums import CHECKED
from cdfscore.io.scores.parquet.pages import Page
from cdfscore.io.sizes import BYTES

_VARIABLE = ("string", "large_string", "binary", "large_binary")
_TEXT = {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}


def has_long_text(said: Any, pages: Iterable[Page], content: bytes, limit: int) -> bool:
    """Tell whether a column has more text than `limit`, each as often as it is there."""
    # No text is longer than the page that it is repeated from. Other pages have each text in full,
    # or its number in a dictionary.
    longest: dict[int, int] = {}
    in_full: dict[int, int] = {}
    for page in pages:
        if page.is_dictionary or page.has_prefixes:
            longest[page.column] = max(longest.get(page.column, 0), page.size)
        else:
            in_full[page.column] = in_full.get(page.column, 0) + page.size
    columns = [said.schema.column(i) for i in range(said.num_columns)]
    return any(
        in_full.get(i, 0) > limit
        or (
            said.num_rows * longest.get(i, 0) > BYTES
            and _has_more_text(content, column.path, longest[i], limit)
        )
        for i, column in enumerate(columns)
        if column.physical_type in _TEXT
    )


def _has_more_text(content: bytes, name: str, longest: int, limit: int) -> bool:
    """Tell whether this column has."""
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(content), **CHECKED)
    size = 0
    rows = max(1, BYTES // longest)
    for batch in file.iter_batches(batch_size=rows, columns=[name], use_threads=False):
        size += sum(map(_length, batch.columns))
        if size > limit:
            return True
    return False


def _length(column: Any) -> int:
    """Return how many bytes the texts of a column have together."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_struct(kind):
        return sum(map(_length, column.flatten()))
    if pa.types.is_dictionary(kind):
        return _length(column.dictionary_decode())
    if any(getattr(pa.types, f"is_{name}")(kind) for name in _VARIABLE):
        return pc.sum(pc.binary_length(column)).as_py() or 0
    return int(column.nbytes)
