"""Tables of any kind, read line by line, with the line number of an error."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import MISSING, advice_on_column, is_of_words, scores_of_row
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    heads,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    rows_are_systems,
)
from cdfscore.io.scores.table import (
    Table,
    lacks_label_header,
    quoted,
    refuse_label_twice,
    refuse_other_separator,
    refuse_second_header,
    separator_error,
)
from cdfscore.io.spreadsheets import unguarded
from cdfscore.io.text import counted

_NO_TITLE = "remove a title or a comment above the names"
_EXPECTED = "expected a line of system names and a line of scores for each topic"


def parse_exactly(source: str, text: str, separator: str, how: How) -> Table:
    """Parse any table line by line; raises `ScoresError` with the line.

    Cells of labels to leave out may be anything, and so may columns of words where rows are
    systems.
    """
    (_, header), *rows = rows_of(source, text, separator) or [(1, [])]
    label_header = how.label_header
    header = unguarded([name.strip() for name in header])
    if header and not rows:
        raise ScoresError(f"{source} has no topics; {_EXPECTED}")
    if not header:
        raise ScoresError(
            f"{source}, line 1 is empty; expected the names of the systems"
            if rows
            else f"{source} is empty; {_EXPECTED}"
        )
    if len(header) == 1:
        refuse_other_separator(source, header[0], [row for _, row in rows])
    found = f"the header has {len(header)}"
    unnamed = lacks_label_header(header, rows[0][1])
    if unnamed:
        if all(row and not row[-1].strip() for _, row in rows):
            raise ScoresError(
                f"{source}: every line but the first ends in a comma or tab; expected none at "
                "the end of a line"
            )
        header = ["", *header]  # R's write.table leaves out the header of the row names
        found += " and no field for the row names"
    if label_header is not None and header.count(label_header) != 1:
        how_often = "twice the" if label_header in header else "no"
        raise ScoresError(
            f"{source} has {how_often} column {label_header!r} to take labels from; its columns "
            f"are {quoted(header)}"
        )
    position = 0 if label_header is None else header.index(label_header)
    columns = header[:position] + header[position + 1 :]
    refuse_second_header(source, header, [row for _, row in rows[:2]], separator)
    if columns.count("") > 1:
        raise ScoresError(
            f"{source}, line 1 has no names for {columns.count('')} columns; expected the names of "
            f"the systems; {_NO_TITLE}"
        )
    labels: list[str] = []
    for line, row in rows:
        if len(row) != len(header):
            here = f"has {counted(len(row), 'field')}" if row else "is empty"
            advice = ""
            if line == rows[0][0] and not unnamed:
                if len(row) == len(header) + 1:
                    advice = "; in R, row.names = FALSE leaves out the row names"
                elif len(header) == 1:
                    advice = f"; {_NO_TITLE}"
            raise ScoresError(
                f"{source}, line {line} {here}, and {found}; expected {len(header)} in every "
                f"line{advice}"
            )
        labels.append(row.pop(position).strip())
    labels = unguarded(labels)
    words: tuple[str, ...] = ()
    values = [row for _, row in rows]
    if how.cells:
        for row in values:
            row[:] = map(how.cells.plain, row)
    refuse_label_twice(
        source,
        header[position],
        labels,
        columns,
        lambda place: [row[place].strip() for row in values],
        [f"line {line}" for line, _ in rows],
        how,
    )
    unread = how.dropped.systems, how.dropped.topics  # of columns and of rows
    if of_systems := how.topic_column is not False and rows_are_systems(
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
    scores = scores_of_rows(
        source,
        columns,
        zip(labels, rows, strict=True),
        unread[0].union(words),
        unread[1],
        lambda place, cell: advice_on_column(
            columns[place],
            [row[place] for row in values],
            cell,
            named=how.topic_column is not None,
            of_systems=of_systems,
        ),
    )
    array = np.array(scores, dtype=np.float64).reshape(len(rows), len(columns))
    lines = [line for line, _ in rows]
    return Table(source, header, position, labels, array, lines, separator, unnamed, words)


def _columns_of_words(columns: list[str], rows: list[list[str]], how: How) -> Iterator[str]:
    for place, column in enumerate(columns):
        if column not in how.kept.topics and is_of_words(row[place] for row in rows):
            yield column


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
        if not rows and (other := re.match(r'"[^"\r\n]*"([| ])(?![,;\t])', text)):
            raise separator_error(source, other[1]) from error
        line = rows[-1][0] + 1 if rows else 1
        what = "; is a quote not closed?" if "expected after" not in str(error) else ""
        raise ScoresError(f"{source}, the row that begins in line {line}: {error}{what}") from error
    return rows[:end]


def refuse_ragged(
    source: str, header: Sequence[str], rows: Iterable[tuple[int, list[str]]]
) -> None:
    """Raise `ScoresError` for a row that has not as many fields as the header."""
    for line, row in rows:
        if len(row) != len(header):
            here = f"has {counted(len(row), 'field')}" if row else "is empty"
            raise ScoresError(
                f"{source}, line {line} {here}, and the header has {len(header)}; expected "
                f"{len(header)} in every line"
            )


def scores_of_rows(
    source: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, tuple[int, list[str]]]],
    unread_columns: frozenset[str],
    unread_rows: frozenset[str],
    advice_on: Callable[[int, str], str],
) -> list[list[float]]:
    """Return the scores of rows, each with its label, its line and its cells.

    Where a label says that they are not to be read, they may be anything, and what is no number is
    NaN: an average may include the others. Raises `ScoresError` for any other cell that is no
    score, with advice on it and its column.
    """
    some = [place for place, column in enumerate(columns) if column in unread_columns]
    found = []
    for label, (line, row) in rows:
        for place in range(len(columns)) if label in unread_rows else some:
            row[place] = "" if _is_no_score(row[place]) else row[place]
        try:
            found.append(scores_of_row(source, line, columns, row))
        except ScoresError as error:
            place = next(place for place, cell in enumerate(row) if _is_no_score(cell))
            raise ScoresError(f"{error}{advice_on(place, row[place])}") from None
    return found


def _is_no_score(cell: str) -> bool:
    """Tell whether a cell is neither missing nor a finite number."""
    text = cell.strip()
    value = number(text)
    return text not in MISSING and (value is None or not math.isfinite(value))
