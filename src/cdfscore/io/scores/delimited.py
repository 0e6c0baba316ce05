"""Comma- or tab-separated text, with the line of every row."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import MISSING, score, scores_of_row
from cdfscore.io.scores.labels import TOPIC_HEADERS
from cdfscore.numerics.types import Array

_EXPECTED = "expected a line of system names and a line of scores for each topic"
#: How files begin that are no text, and are met under the name of a table.
_NO_TEXT = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\x1f\x8b": "compressed by gzip",
    b"PAR1": "a Parquet file, which is known by the ending .parquet",
}


@dataclass(frozen=True)
class Table:
    """A table whose `label_column` is kept as text and whose other columns are scores."""

    source: str
    header: list[str]
    label_column: int
    labels: list[str]
    values: Array  # without the label column
    lines: list[int]
    separator: str
    unnamed_labels: bool  # the first line has no field for the label column

    def other_columns(self) -> list[str]:
        """Return the header without the label column."""
        return self.header[: self.label_column] + self.header[self.label_column + 1 :]

    def with_labels_as_scores(self) -> Array:
        """Return all columns as scores; raises `ScoresError` for a cell that is none."""
        name = self.header[self.label_column]
        column = [
            score(self.source, line, name, cell)
            for line, cell in zip(self.lines, self.labels, strict=True)
        ]
        return np.insert(self.values, self.label_column, column, axis=1)


def parse_delimited(source: str, content: bytes, label_header: str | None) -> Table:
    """Parse a file's bytes: tabs separate if the first line has one, else commas.

    `label_header` names the column of labels; None takes the first. Raises `ScoresError`
    with the line for what is no table of scores.
    """
    text = _decode(source, content)
    first_line = re.split("[\r\n]", text, maxsplit=1)[0]
    separator = "\t" if "\t" in first_line else ","
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
    if len(header) == 1 and ";" in first_line:
        raise ScoresError(f"{source} has semicolons between its fields; expected commas or tabs")
    found = f"the header {len(header)}"
    unnamed = len(rows[0][1]) == len(header) + 1 and header[0].lower() not in TOPIC_HEADERS
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
            f"are {_listed(header)}"
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


def refuse_missing_header(table: Table, names: list[str]) -> None:
    """Raise `ScoresError` if the first line has numbers where `names` are expected."""
    if any(number(name) is not None for name in names) and all(
        number(name) is not None or name in MISSING for name in names
    ):
        raise ScoresError(
            f"{table.source}, line 1 has numbers ({_listed(names)}) where the names of the systems "
            "are expected; add a line of names, or, if these are names, name the column of topics "
            "by topic_column (--topic-column), or, if they are topics, say systems_as_rows "
            "(--systems-as-rows)"
        )


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


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, ..." if len(names) > 5 else shown
