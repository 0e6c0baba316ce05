"""Comma- or tab-separated text: fast parsing of plain tables, slow parsing of all others."""

from __future__ import annotations

import csv
import re

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.content import refuse_others, without_marks
from cdfscore.io.scores.cells import MISSING
from cdfscore.io.scores.exact import parse_exactly
from cdfscore.io.scores.how import How
from cdfscore.io.scores.table import Table, lacks_label_header
from cdfscore.io.spreadsheets import unguarded
from cdfscore.numerics.types import Array, IntArray

#: What is expected in place of a file of another kind.
EXPECTED = "a text file of scores, such as one with commas, tabs or semicolons"
# What may separate fields in place of a comma or tab, or be in the name of the only system.
_SEPARATORS = frozenset("| ")
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'

# A field in quotes, which may span several lines; and all fields of the first line.
_QUOTED = re.compile(r'(?<![^,;\t])"[^"]*(?:""[^"]*)*"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\"\r\n]+|\")*")


def parse_delimited(source: str, content: bytes, how: How) -> Table:
    """Parse a file's bytes; see `separator_of`.

    Raises `ScoresError` with the line for content that is not a table of scores.
    """
    content = without_marks(content)
    text = decoded(source, content)
    separator = separator_of(text)
    plain = None if how.cells else parse_plain(source, content, separator, how)
    return parse_exactly(source, text, separator, how) if plain is None else plain


def separator_of(text: str) -> str:
    """Return the separator of a table, from its first line outside of quotes.

    It is a tab if there is one, else a comma, unless there are semicolons and no comma, or as many
    semicolons in the second line.
    """
    header = _HEADER.match(text)
    found = "" if header is None else _QUOTED.sub("", header[0])
    if "\t" in found:
        return "\t"
    second = re.split("\r\n?|\n", text[len(header[0]) if header else 0 :], maxsplit=2)[1:2]
    semicolons = found.count(";")
    same = semicolons == _QUOTED.sub("", "".join(second)).count(";")
    return ";" if semicolons and (same or "," not in found) else ","


def decoded(source: str, content: bytes) -> str:
    """Return the text of a file; raises `ScoresError` with the line unless it is in UTF-8."""
    refuse_others(source, content, ScoresError, EXPECTED)
    try:
        text = without_marks(content).decode()
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", content[: error.start])) + 1
        raise ScoresError(
            f"{source}, line {line}: byte {content[error.start]:#04x} is not UTF-8; "
            "expected a text file in UTF-8"
        ) from error
    if "\0" in text:
        line = len(re.findall(r"\r\n?|\n", text[: text.index("\0")])) + 1
        raise ScoresError(
            f"{source}, line {line} has a NUL character; expected a text file in UTF-8"
        )
    return text


def parse_plain(source: str, content: bytes, separator: str, how: How) -> Table | None:
    """Parse the bytes of a UTF-8 file as `parse_delimited` does; None if it is not plain.

    A file that is not plain may be valid or not. Plain files take a tenth of the time.
    """
    label_header = how.label_header
    content = content.rstrip(b"\r\n")
    characters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(characters == _NEWLINE)
    if not _is_plain(content, characters, ends, separator):
        return None
    second = slice(int(ends[0]) + 1, int(ends[1]) if len(ends) > 1 else None)
    try:
        header, row = (
            next(csv.reader([content[part].decode()], delimiter=separator, strict=True))
            for part in (slice(0, second.start), second)
        )
    except (csv.Error, StopIteration):
        return None
    header = unguarded([name.strip() for name in header])
    if len(header) == 1 and not _SEPARATORS.isdisjoint(header[0]):  # perhaps commas are of decimals
        return None
    unnamed = bool(header) and lacks_label_header(header, row)
    if unnamed:
        header = ["", *header]
    # One column may be of labels or of scores; a last field that is empty, no field at all.
    if len(header) < 2 or len(row) != len(header) or (unnamed and not row[-1].strip()):
        return None
    if label_header is not None and header.count(label_header) != 1:
        return None
    position = 0 if label_header is None else header.index(label_header)
    found = _columns(content, second.start, separator, len(header), position)
    if found is None or len(found[0]) != len(ends):  # a blank line is not a row
        return None
    labels, values = found
    if any(len(set(names)) < len(names) for names in (labels, header)):  # for what may be done
        return None
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
    types = {**dict.fromkeys(names, pa.float64()), names[position]: pa.string()}
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
    labels = unguarded([label.strip() for label in table.column(position).to_pylist()])
    columns = table.remove_column(position).columns
    missing = sum(column.null_count for column in columns)
    values = np.empty((len(labels), width - 1))
    for i, column in enumerate(columns):
        values[:, i] = column.to_numpy()
    # pyarrow also reads NAN as a number, and 1e999 as infinite.
    if np.count_nonzero(~np.isfinite(values)) != missing or np.isinf(values).any():
        return None
    return labels, values
