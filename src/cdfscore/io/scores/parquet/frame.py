"""Parquet files, not larger in memory than a file of their size may be."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.io.scores.memory import refuse_damaged_memory
from cdfscore.io.scores.parquet.checksums import CHECKED, fault
from cdfscore.io.scores.parquet.pages import Page, pages_of, refuse_lists
from cdfscore.io.sizes import BYTES, most_bytes, most_cells

if TYPE_CHECKING:
    import pandas as pd

_VARIABLE = ("string", "large_string", "binary", "large_binary")
_TEXT = {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}


def frame_of_parquet(path: Path) -> pd.DataFrame:
    """Return the content of a Parquet file; raises `ScoresError`, also where it is too large.

    A column that repeats a value needs next to nothing in the file, and as much as any in memory.
    """
    import pandas as pd
    from pyarrow import parquet

    with readable(path, ScoresError):  # the same message as for text where there is no such file
        content = read_bytes(path)
    try:
        said = parquet.read_metadata(io.BytesIO(content))
        refuse_lists(str(path), said.schema)
        _refuse_large(path, said, content)
        frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
        refuse_damaged_memory(str(path), frame)
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise ScoresError(f"{path} {fault(error)}") from error
    return frame


def _refuse_large(path: Path, said: Any, content: bytes) -> None:
    """Raise `ScoresError` for a file that would fill the memory, by what it says of itself."""
    groups = [said.row_group(i).total_byte_size for i in range(said.num_row_groups)]
    pages = list(pages_of(content))
    size = max(sum(groups), sum(page.size for page in pages))
    limit = most_bytes(len(content))
    if size > limit:
        raise ScoresError(
            f"{path} has {len(content):,} bytes, and {size:,} when it is decompressed; expected "
            f"at most {limit:,}"
        )
    cells = most_cells(len(content))
    if said.num_rows * said.num_columns > cells or _has_long_text(said, pages, content, limit):
        raise ScoresError(
            f"{path} has {len(content):,} bytes for {said.num_rows:,} rows and "
            f"{said.num_columns:,} columns; expected at most {cells:,} scores, and {limit:,} bytes "
            "of text in a column"
        )


def _has_long_text(said: Any, pages: Iterable[Page], content: bytes, limit: int) -> bool:
    """Tell whether a column has more text than `limit`, each as often as it is there."""
    # No text is longer than the page that it is repeated from.
    longest: dict[int, int] = {}
    for page in pages:
        if page.is_dictionary or page.has_prefixes:
            longest[page.column] = max(longest.get(page.column, 0), page.size)
    columns = [said.schema.column(i) for i in range(said.num_columns)]
    return any(
        said.num_rows * longest.get(i, 0) > BYTES
        and _has_more_text(content, column.path, longest[i], limit)
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
