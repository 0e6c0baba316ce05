"""Encoding of tables as CSV and TSV, with cells that a spreadsheet does not run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.common.text import number
from cdfscore.errors import OutputError
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

_RUN = re.compile("'*[=+@\t\r-]")
_BEGINNINGS = frozenset("'=+-@\t\r")

_PLAIN: ContextVar[bool] = ContextVar("plain_labels", default=False)


@contextmanager
def plain_labels() -> Iterator[None]:
    """Write labels in CSV and TSV files without the apostrophe of `guarded`, within a ``with``."""
    token = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(token)


def guarded(cells: Sequence[str]) -> list[str]:
    """Put an apostrophe before each cell that a spreadsheet would run, or that has one already."""
    if _BEGINNINGS.isdisjoint({cell[:1] for cell in cells}):
        return list(cells)
    return [f"'{cell}" if _is_guarded(cell) else cell for cell in cells]


def unguarded(cells: Sequence[str]) -> list[str]:
    """Return what `guarded` was given: cells without an apostrophe before =, +, - or @."""
    return [cell[1:] if cell[:1] == "'" and _RUN.match(cell) else cell for cell in cells]


def _is_guarded(cell: str) -> bool:
    if not _RUN.match(cell):
        return False
    return cell[0] == "'" or not (_PLAIN.get() or number(cell) is not None)


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
    """Return a data frame without index as CSV or TSV; numbers are read back as the same double."""
    columns = (frame.iloc[:, i] for i in range(frame.shape[1]))
    blocks = [
        column.to_numpy()[:, np.newaxis] if column.dtype == np.float64 else _words(column)
        for column in columns
    ]
    return encode_table(list(map(str, frame.columns.tolist())), blocks, delimiter)


def encode_table(
    header: Sequence[str], blocks: Sequence[Array | Sequence[str]], delimiter: str = ","
) -> bytes:
    """Return blocks of columns as CSV, or TSV: columns of text, or numbers (rows, columns)."""
    line = delimiter.join(_quoted(guarded(header), delimiter)).encode()
    return b"\n".join([line, *_rows(blocks, len(header), delimiter), b""])


def _rows(blocks: Sequence[Array | Sequence[str]], width: int, delimiter: str) -> Iterator[bytes]:
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
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.arange(0, len(cells) + 1, width, dtype=np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(offsets, cells), delimiter)


def _words(column: pd.Series[Any]) -> list[str]:
    missing = column.isna().tolist()
    return [
        _MISSING if absent else str(value)
        for value, absent in zip(column.tolist(), missing, strict=True)
    ]


def _quoted(cells: Sequence[str], delimiter: str) -> list[str]:
    text, special = "".join(cells), _SPECIAL[delimiter]
    if _NO_TEXT.search(text):
        cell = next(filter(_NO_TEXT.search, cells))
        raise OutputError(
            f"{cell!r} has a character that no CSV or TSV file can hold; expected text without "
            "NUL and lone surrogates"
        )
    if not special.search(text):
        return list(cells)
    doubled = (cell.replace('"', '""') for cell in cells)
    return [f'"{cell}"' if special.search(cell) else cell for cell in doubled]


# Between these, pyarrow spells numbers with a fraction as Python does: 0.0001, not 1e-5.
_SMALLEST, _LARGEST = 1e-4, 1e10


def spelled(values: Array, missing: str) -> Any:
    """Spell numbers (n,) as `repr` does, NaN as `missing`: text of pyarrow, which takes a fifth
    of the time but omits the ``.0``, and has other exponents.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = np.asarray(values, np.float64)  # the bits of another type mean other numbers
    size = np.abs(values)
    with np.errstate(invalid="ignore"):  # for a signaling NaN
        same = (size >= _SMALLEST) & (size < _LARGEST) & (values != np.floor(values))
    text = pc.cast(pa.array(values), pa.string())
    if same.all():
        return text
    others = pa.array(values[~same].view(np.int64)).dictionary_encode()  # bits, for -0.0 and NaN
    words = [
        missing if math.isnan(value) else repr(value)
        for value in others.dictionary.to_numpy().view(np.float64).tolist()
    ]
    return pc.replace_with_mask(
        text, pa.array(~same), pa.array(words, pa.string()).take(others.indices)
    )
