"""Comma- or tab-separated text, with the line of every row."""

from __future__ import annotations

import csv
import io
import re

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cells import scores_of_row
from cdfscore.io.scores.quick import parse_plain
from cdfscore.io.scores.table import Table, lacks_label_header, listed

_EXPECTED = "expected a line of system names and a line of scores for each topic"
#: How files begin that are no text, and are met under the name of a table.
_NO_TEXT = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\x1f\x8b": "compressed by gzip",
    b"PAR1": "a Parquet file, which is known by the ending .parquet",
}
# A field in quotes, which may be in several lines; and all fields of the first line.
_QUOTED = re.compile(r'(?<![^,\t])"[^"]*(?:""[^"]*)*"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\"\r\n]+|\")*")


def parse_delimited(source: str, content: bytes, label_header: str | None) -> Table:
    """Parse a file's bytes: tabs separate if the first line has one, else commas.

    `label_header` names the column of labels; None takes the first. Raises `ScoresError`
    with the line for what is no table of scores.
    """
    text = _decode(source, content)
    separator = "\t" if _has_tab(text) else ","
    plain = parse_plain(source, content, separator, label_header)
    return plain or _parse_exactly(source, text, separator, label_header)


def _parse_exactly(source: str, text: str, separator: str, label_header: str | None) -> Table:
    """Parse what is plain or not, line by line; raises `ScoresError` with the line."""
    (_, header), *rows = _rows(source, text, separator) or [(1, [])]
    header = [name.strip() for name in header]
    if header and not rows:
        raise ScoresError(f"{source} has no topics; {_EXPECTED}")
    if not header:
        raise ScoresError(
            f"{source}, line 1 is empty; expected the names of the systems"
            if rows
            else f"{source} has nothing in it; {_EXPECTED}"
        )
    if len(header) == 1 and ";" in header[0]:
        raise ScoresError(f"{source} has semicolons between its fields; expected commas or tabs")
    found = f"the header {len(header)}"
    unnamed = lacks_label_header(header, rows[0][1])
    if unnamed:
        if all(row and not row[-1].strip() for _, row in rows):
            raise ScoresError(
                f"{source}: every line but the first ends in a comma or tab; expected as many "
                "fields in every line"
            )
        header = ["", *header]  # R's write.table leaves out the header of the row names
        found += " and the row names"
    if label_header is not None and header.count(label_header) != 1:
        how_often = "twice the" if label_header in header else "no"
        raise ScoresError(
            f"{source} has {how_often} column {label_header!r} to take labels from; its columns "
            f"are {listed(header)}"
        )
    position = 0 if label_header is None else header.index(label_header)
    columns = header[:position] + header[position + 1 :]
    labels, values = [], []
    for line, row in rows:
        if len(row) != len(header):
            here = f"{len(row)} field{'s'[: len(row) > 1]}" if row else "nothing"
            raise ScoresError(
                f"{source}, line {line} has {here} and {found}; expected {len(header)} in every "
                "line"
            )
        labels.append(row.pop(position).strip())
        values.append(scores_of_row(source, line, columns, row))
    array = np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
    lines = [line for line, _ in rows]
    return Table(source, header, position, labels, array, lines, separator, unnamed)


def _has_tab(text: str) -> bool:
    """Tell whether the first line has a tab outside of quotes, which may be in a name."""
    header = _HEADER.match(text)
    return header is not None and "\t" in _QUOTED.sub("", header[0])


def _rows(source: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Split `text` into rows, each with its line; blank ones are empty, those at the end left out.

    A row in several lines, by a quoted field, has the number of the last.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    end = 0  # of the rows that are not blank
    try:
        for row in reader:
            blank = not row or (len(row) == 1 and not row[0].strip())
            rows.append((reader.line_num, [] if blank else row))
            end = end if blank else len(rows)
    except csv.Error as error:
        line = rows[-1][0] + 1 if rows else 1
        what = "; is a quote not closed?" if "expected after" not in str(error) else ""
        raise ScoresError(f"{source}, the row that begins in line {line}: {error}{what}") from error
    return rows[:end]


def _decode(source: str, content: bytes) -> str:
    for beginning, what in _NO_TEXT.items():
        if content.startswith(beginning):
            raise ScoresError(f"{source} is {what}; expected a text file with commas or tabs")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", content[: error.start])) + 1
        raise ScoresError(
            f"{source}, line {line}: byte {content[error.start]:#04x} is not UTF-8; "
            "expected a text file in UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScoresError(
            f"{source}, line {line} has a NUL character; expected a text file in UTF-8"
        )
    return text
