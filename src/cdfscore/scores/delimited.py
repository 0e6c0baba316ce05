"""Comma- or tab-separated text, with the line of every row."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.numerics.types import Array
from cdfscore.scores.cells import number, score, scores_of_row


@dataclass(frozen=True)
class Table:
    """A table whose `label_column` is kept as text and whose other columns are scores."""

    source: str
    header: list[str]
    label_column: int
    labels: list[str]
    values: Array  # without the label column
    lines: list[int]

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
    first_line = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter="\t" if "\t" in first_line else ",", strict=True
    )
    try:
        header = [name.strip() for name in next(reader, [])]
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise ScoresError(f"{source}, line {reader.line_num}: {error}") from error
    while rows and not rows[-1][1]:
        rows.pop()
    if not rows:
        raise ScoresError(
            f"{source} has {'no topics' if header else 'nothing in it'}; "
            "expected a line of system names and a line of scores for each topic"
        )
    if len(rows[0][1]) == len(header) + 1:
        header = ["", *header]  # R's write.table leaves out the header of the row names
    if len(header) == 1 and ";" in first_line:
        raise ScoresError(f"{source} has semicolons between its fields; expected commas or tabs")
    if label_header is not None and label_header not in header:
        raise ScoresError(
            f"{source} has no column {label_header!r} to take topics from; its columns are "
            f"{_listed(header)}"
        )
    position = 0 if label_header is None else header.index(label_header)
    columns = header[:position] + header[position + 1 :]
    labels, values = [], []
    for line, row in rows:
        if len(row) != len(header):
            found = f"{len(row)} fields" if row else "nothing"
            raise ScoresError(
                f"{source}, line {line} has {found} and the header {len(header)}; "
                "expected as many in every line"
            )
        labels.append(row.pop(position).strip())
        values.append(scores_of_row(source, line, columns, row))
    array = np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
    return Table(source, header, position, labels, array, [line for line, _ in rows])


def refuse_missing_header(table: Table) -> None:
    """Raise `ScoresError` if the first line has scores where names are expected."""
    if all(number(name) is not None for name in table.header):
        raise ScoresError(
            f"{table.source}, line 1 has numbers only ({_listed(table.header)}); expected the "
            "names of the systems (if topics are the columns, say that systems are the rows)"
        )


def _decode(source: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScoresError(
            f"{source}, line {line}: byte {content[error.start]:#04x} is not UTF-8; "
            "expected a text file in UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScoresError(f"{source}, line {line} has a NUL character; expected a text file")
    return text


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, ..." if len(names) > 5 else shown
