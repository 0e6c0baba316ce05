"""Tables of any kind, read line by line, with the line number of an error."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cells import is_of_words, scores_of_row
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    heads,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    rows_are_systems,
)
from cdfscore.io.scores.table import Table, lacks_label_header, quoted
from cdfscore.io.text import counted

_EXPECTED = "expected a line of system names and a line of scores for each topic"


def parse_exactly(source: str, text: str, separator: str, how: How) -> Table:
    """Parse any table line by line; raises `ScoresError` with the line.

    Cells of labels to leave out may be anything, and so may columns of words where rows are
    systems.
    """
    (_, header), *rows = rows_of(source, text, separator) or [(1, [])]
    label_header = how.label_header
    header = [name.strip() for name in header]
    if header and not rows:
        raise ScoresError(f"{source} has no topics; {_EXPECTED}")
    if not header:
        raise ScoresError(
            f"{source}, line 1 is empty; expected the names of the systems"
            if rows
            else f"{source} is empty; {_EXPECTED}"
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
            f"are {quoted(header)}"
        )
    position = 0 if label_header is None else header.index(label_header)
    columns = header[:position] + header[position + 1 :]
    labels: list[str] = []
    for line, row in rows:
        if len(row) != len(header):
            here = counted(len(row), "field") if row else "nothing"
            raise ScoresError(
                f"{source}, line {line} has {here} and {found}; expected {len(header)} in every "
                "line"
            )
        labels.append(row.pop(position).strip())
    words: tuple[str, ...] = ()
    values = [row for _, row in rows]
    unread = how.dropped.systems, how.dropped.topics  # of columns and of rows
    if how.topic_column is not False and rows_are_systems(
        header[position], labels, how.rows_under(header[position])
    ):
        unread = unread[1], unread[0]
        words = tuple(_columns_of_words(columns, values, how))
    elif how.topic_column is None and not names_labels(header[0], of_systems=False):
        names = [
            column
            for place, column in enumerate(columns)
            if heads("system", column) and is_of_words(row[place] for row in values)
        ]
        refuse_labels_elsewhere(source, names, of_systems=True)
        if how.rows_under(header[0]) is None and any(_columns_of_words(columns, values, how)):
            refuse_unsaid_rows(source, header[0], labels)  # words are mistakes if rows are topics
    elif how.label_header is not None and position and how.rows_under(how.label_header) is None:
        refuse_unsaid_rows(source, how.label_header, labels)
    cells = _read(source, columns, labels, rows, unread[0].union(words), unread[1])
    array = np.array(list(cells), dtype=np.float64).reshape(len(rows), len(columns))
    lines = [line for line, _ in rows]
    return Table(source, header, position, labels, array, lines, separator, unnamed, words)


def _columns_of_words(columns: list[str], rows: list[list[str]], how: How) -> Iterator[str]:
    """Yield the columns of words, except those that are to be kept."""
    for place, column in enumerate(columns):
        if column not in how.kept.topics and is_of_words(row[place] for row in rows):
            yield column


def _read(
    source: str,
    columns: list[str],
    labels: list[str],
    rows: list[tuple[int, list[str]]],
    unread_columns: frozenset[str],
    unread_rows: frozenset[str],
) -> Iterator[list[float]]:
    """Yield the scores of each row, NaN where a label says that they are not to be read."""
    unread = [place for place, column in enumerate(columns) if column in unread_columns]
    for label, (line, row) in zip(labels, rows, strict=True):
        if label in unread_rows:
            yield [math.nan] * len(columns)
            continue
        for place in unread:
            row[place] = ""
        yield scores_of_row(source, line, columns, row)


def rows_of(source: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Split `text` into rows, each with its line; blank lines at the end are left out.

    Other blank lines are empty rows. A row that spans several lines, by a quoted field, has
    the number of the last.
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
