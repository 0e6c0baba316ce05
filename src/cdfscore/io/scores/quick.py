"""Fast reading of plain tables by pyarrow, without line numbers for messages."""

from __future__ import annotations

import csv

import numpy as np

from cdfscore.io.scores.cells import MISSING
from cdfscore.io.scores.table import Table, lacks_label_header
from cdfscore.numerics.types import Array, IntArray

_BOM = b"\xef\xbb\xbf"
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'


def parse_plain(
    source: str, content: bytes, separator: str, label_header: str | None
) -> Table | None:
    """Parse the bytes of a UTF-8 file as `parse_delimited` does; None if it is not plain.

    A file that is not plain may be valid or not. Plain files take a tenth of the time.
    """
    content = content.removeprefix(_BOM).rstrip(b"\r\n")
    characters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(characters == _NEWLINE)
    if not _is_plain(content, characters, ends, separator):
        return None
    if content.startswith(_BOM, ends[0] + 1):  # pyarrow would not read it as part of a label
        return None
    second = slice(int(ends[0]) + 1, int(ends[1]) if len(ends) > 1 else None)
    try:
        header, row = (
            next(csv.reader([content[part].decode()], delimiter=separator, strict=True))
            for part in (slice(0, second.start), second)
        )
    except (csv.Error, StopIteration):
        return None
    header = [name.strip() for name in header]
    unnamed = bool(header) and lacks_label_header(header, row)
    if unnamed:
        header = ["", *header]
    # One column may be of labels or of scores; a last field that is empty, no field at all.
    if len(header) < 2 or (unnamed and not row[-1].strip()):
        return None
    if label_header is not None and header.count(label_header) != 1:
        return None
    position = 0 if label_header is None else header.index(label_header)
    found = _columns(content, second.start, separator, len(header), position)
    if found is None or len(found[0]) != len(ends):  # a blank line is not a row
        return None
    labels, values = found
    lines = range(2, len(labels) + 2)
    return Table(source, header, position, labels, values, lines, separator, unnamed)


def _is_plain(content: bytes, characters: np.ndarray, ends: IntArray, separator: str) -> bool:
    """Tell whether every line but the first is a row, and quotes enclose whole fields only."""
    if not ends.size or content.count(b"\r") != content.count(b"\r\n"):
        return False
    lengths = np.diff(ends, prepend=-1, append=len(content))
    if lengths.max() > csv.field_size_limit():
        return False
    quotes = np.flatnonzero(characters == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    between = [_NEWLINE, _RETURN, ord(separator)]
    before = characters[opening[opening > 0] - 1]
    after = characters[closing[closing < len(content) - 1] + 1]
    return bool(
        np.isin(before, between).all()
        and np.isin(after, between).all()
        and (np.searchsorted(ends, opening) == np.searchsorted(ends, closing)).all()
    )


def _columns(
    content: bytes, start: int, separator: str, width: int, position: int
) -> tuple[list[str], Array] | None:
    """Read the rows from the byte `start`: labels from one column, scores from the others."""
    import pyarrow as pa
    from pyarrow import csv as pyarrow_csv

    names = list(map(str, range(width)))  # names in the file may be repeated
    types = dict.fromkeys(names, pa.float64()) | {names[position]: pa.string()}
    try:
        table = pyarrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(content).slice(start)),
            read_options=pyarrow_csv.ReadOptions(column_names=names),
            parse_options=pyarrow_csv.ParseOptions(delimiter=separator),
            convert_options=pyarrow_csv.ConvertOptions(
                column_types=types, null_values=list(MISSING)
            ),
        )
    except pa.ArrowException:
        return None
    labels = [label.strip() for label in table.column(position).to_pylist()]
    scores = table.remove_column(position)
    missing = sum(column.null_count for column in scores.columns)
    values = np.empty((len(labels), width - 1))
    for i, column in enumerate(scores.columns):
        values[:, i] = column.to_numpy()
    # pyarrow also reads NAN as a number, and 1e999 as infinite.
    if np.count_nonzero(~np.isfinite(values)) != missing or np.isinf(values).any():
        return None
    return labels, values
