"""Encoding of tables as CSV and TSV; only the format of R's ``write.csv`` is elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import OutputError
from cdfscore.io.decimals import spelled
from cdfscore.io.spreadsheets import guarded
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

#: By the ending of the file; standard output, "-", has none.
DELIMITERS = {".csv": ",", ".tsv": "\t", "": ","}
_MISSING = "NA"
# Readers take a line with a tab as TSV; \r ends a row for them, but csv does not quote it; and a
# byte order mark at the beginning of a line is left out.
_SPECIAL = {",": re.compile('[,"\t\r\n\ufeff]'), "\t": re.compile('["\t\r\n\ufeff]')}
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
# Number of cells that are converted to text at a time; bounds the memory.
_BLOCK = 1 << 19


def encode_frame(frame: pd.DataFrame, delimiter: str = ",") -> bytes:
    """Return a data frame without its index as CSV, or as TSV by another delimiter.

    The content is a line of names and one line per row. Numbers have enough digits to be read
    back as the same double; a missing one is NA. Raises `OutputError` for text that such a
    file cannot hold.
    """
    columns = (frame.iloc[:, i] for i in range(frame.shape[1]))
    blocks = [
        column.to_numpy()[:, np.newaxis] if column.dtype == np.float64 else _words(column)
        for column in columns
    ]
    return encode_table(list(map(str, frame.columns)), blocks, delimiter)


def encode_table(
    header: Sequence[str], blocks: Sequence[Array | Sequence[str]], delimiter: str = ","
) -> bytes:
    """Return a table of blocks of columns as CSV, or as TSV by another delimiter.

    A block is one column of text, or numbers (rows, columns), NaN where one is missing. Text
    that readers would split is put in quotes, and text that a spreadsheet would run behind an
    apostrophe (see `guarded`). Raises what `encode_frame` raises.
    """
    line = delimiter.join(_quoted(guarded(header), delimiter)).encode()
    return b"\n".join([line, *_rows(blocks, len(header), delimiter), b""])


def _rows(blocks: Sequence[Array | Sequence[str]], width: int, delimiter: str) -> Iterator[bytes]:
    """Yield the lines of some rows at a time, without the last line break."""
    import pyarrow as pa
    import pyarrow.compute as pc

    step = max(1, _BLOCK // max(1, width))
    for start in range(0, len(blocks[0]) if blocks else 0, step):
        columns: list[Any] = []
        for block in blocks:
            part = block[start : start + step]
            if isinstance(part, np.ndarray):
                columns.append(_joined(spelled(part.ravel(), _MISSING), part.shape[1], delimiter))
            else:
                columns.append(pa.array(_quoted(guarded(part), delimiter), pa.string()))
        lines = pc.binary_join_element_wise(*columns, delimiter)
        yield _joined(lines, len(lines), "\n")[0].as_buffer()


def _joined(cells: Any, width: int, delimiter: str) -> Any:
    """Join every `width` cells."""
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.arange(0, len(cells) + 1, width, dtype=np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(offsets, cells), delimiter)


def _words(column: pd.Series[Any]) -> list[str]:
    """Return a column of words, whole numbers or truth values as text."""
    missing = column.isna().tolist()
    return [
        _MISSING if absent else str(value)
        for value, absent in zip(column.tolist(), missing, strict=True)
    ]


def _quoted(cells: Sequence[str], delimiter: str) -> list[str]:
    """Return cells with quotes where needed; raises `OutputError` for invalid text."""
    text, special = "".join(cells), _SPECIAL[delimiter]
    if _NO_TEXT.search(text):
        cell = next(filter(_NO_TEXT.search, cells))
        raise OutputError(
            f"{cell!r} has a character that no CSV or TSV file can hold; expected text without "
            "NUL and lone surrogates"
        )
    if not special.search(text):
        return list(cells)
    return [_in_quotes(cell) if special.search(cell) else cell for cell in cells]


def _in_quotes(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
