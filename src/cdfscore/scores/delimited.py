"""Comma- or tab-separated text, parsed line by line."""

from __future__ import annotations

import csv
import io
import math
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from cdfscore.common.files import refuse_others, without_marks
from cdfscore.common.text import counted, listed, number
from cdfscore.errors import CdfscoreError, ScoresError, alternatives
from cdfscore.scores.cells import MISSING, Cells, advice_on_column, is_of_words, scores_of_row
from cdfscore.scores.how import BETWEEN, How
from cdfscore.scores.labels import (
    heads_labels,
    is_nameless,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    role_of,
    rows_are_systems,
)
from cdfscore.scores.tables import unguarded
from cdfscore.stats.numerics.types import Array


@dataclass(frozen=True)
class Table:
    """A table with the text of `label_column` and the scores of the other `columns`."""

    source: str
    header: list[str]
    label_column: int
    labels: list[str]
    columns: list[str]
    values: Array
    lines: Sequence[int]
    separator: str
    unnamed_labels: bool  # the first line has no field for the label column
    of_systems: bool  # the rows, as the user or the header of their labels says
    words: tuple[str, ...] = ()  # columns without a number, NaN in `values`


def separator_error(source: str, sign: str) -> ScoresError:
    """Return the error for fields with bars or spaces between them."""
    return ScoresError(
        f"{source} has {'spaces' if sign == ' ' else 'vertical bars'} between its fields; expected "
        "commas, tabs or semicolons, as R's write.csv and write.csv2 write them"
    )


def refuse_second_header(
    source: str, header: Sequence[str], rows: Sequence[Sequence[str]], separator: str
) -> None:
    """Raise `ScoresError` for names of columns in two lines, as pandas and Excel write levels."""
    names, (second, *others) = list(header[1:]), rows
    repeated = "" in names or len(set(names)) < len(names)
    label = second[0].strip() if second else ""
    if not names or len(second) != len(header) or (label and not repeated):
        return
    above = [next((n for n in names[i::-1] if n), "") for i in range(len(names))]
    cells = [cell.strip() for cell in second[1:]]
    if not (all(above) and all(cells)):
        return
    words = is_of_words(cells)
    # pandas writes the name of the index in a line of its own.
    named = bool(others) and bool(others[0]) and not any(cell.strip() for cell in others[0][1:])
    first = (words or not label or named) if repeated else (words and not label)
    if not first or len(set(zip(above, cells, strict=True))) < len(cells):
        return
    is_book = source.lower().endswith(".xlsx")
    sep = "" if is_book or separator == "," else f", sep={separator!r}"
    program = (
        f"import pandas as pd; t = pd.read_{'excel' if is_book else 'csv'}({source!r}, "
        f"header=[0, 1], index_col=0, dtype=str{sep}); "
        "c = t.columns.to_frame(name=['a', 'b']).astype(str); "
        "c.a = c.a.mask(c.a.str.startswith('Unnamed: ')).ffill(); "
        f"t.columns = c.a + ' / ' + c.b; t.to_csv('joined.csv'{sep})"
    )
    raise ScoresError(
        f"{source} has names of columns in two lines, such as {names[0]!r} above {cells[0]!r}; "
        "expected one line; this command writes such a file: "
        f"{shlex.join(['python3', '-c', program])}"
    )


def refuse_label_twice(
    source: str,
    own: str,
    labels: Sequence[str],
    columns: Sequence[str],
    cells: Callable[[int], Sequence[str]],
    lines: Sequence[int] | None,
    how: How,
) -> None:
    """Raise `ScoresError` for a label of two rows, if another column of words may belong to it;
    rows without `lines` are counted.
    """
    if len(set(labels)) == len(labels):
        return
    seen: dict[str, int] = {}
    second = next(i for i, label in enumerate(labels) if seen.setdefault(label, i) != i)
    numbers = [name for i, name in enumerate(columns) if not is_of_words(cells(i))]
    scores = [name for name in numbers if role_of(name) == "score"] or numbers
    role = "topic" if own == how.label_header else role_of(own)
    # A system in several rows of a leaderboard has several tasks.
    long = bool(scores) and how.systems_as_rows is None and not (role == "system" and numbers[1:])
    advice = []
    for place, column in enumerate(columns):
        texts = cells(place) if column not in how.dropped.topics else []
        if not is_of_words(texts) or len(set(zip(labels, texts, strict=True))) < len(labels):
            continue
        orders = [(own, column), (column, own)]  # of topic and system
        if role == "topic" or role_of(column) == "system":
            orders = orders[:1]
        elif role == "system" or role_of(column) == "topic":
            orders = orders[1:]
        said = [
            " and ".join(
                f"{kind}_column={name!r}"
                for kind, name in (("topic", topic), ("system", system))
                if role_of(name) != "topic" or name == how.label_header
            )
            + f" if {system!r} has the systems" * (len(orders) > 1)
            for topic, system in orders
        ]
        if scores and len(columns) > 2:
            said[-1] += f", and score_column={alternatives([*map(repr, scores)])} for the scores"
        if long:
            advice.append(f"if each row has one score, say {', or '.join(said)}")
        part = f"system_column=... (or topic_column=...) {own},{column}"
        advice.append(f"if {column!r} is part of the label, name both columns, as {part}")
        break
    else:
        if not long or role is not None or is_nameless(own) or not is_of_words(labels):
            return
        advice.append(
            "if each row has one score, name its columns by topic_column=..., system_column=... "
            "and score_column=..., and by replicate=... one that tells scores apart, such as a "
            "fold or a seed"
        )
    rows = (seen[labels[second]], second)
    places = [f"row {row + 1}" if lines is None else f"line {lines[row]}" for row in rows]
    raise ScoresError(
        f"{source}: {labels[second]!r} is twice in the column {own!r}, in "
        f"{' and in '.join(places)}; {'; '.join(advice)}"
    )


_NO_TITLE = "remove a title or a comment above the names"
_EXPECTED = "expected a line of system names and a line of scores for each topic"


def parse_delimited(source: str, content: bytes, how: How) -> Table:
    """Parse a file's bytes, see `separator_of`; raises `ScoresError` with the line."""
    text = decoded(source, content)
    separator = separator_of(text)
    (_, header), *rows = rows_of(source, text, separator) or [(1, [])]
    header = unguarded(list(map(str.strip, header)))
    if header and not rows:
        raise ScoresError(f"{source} has no topics; {_EXPECTED}")
    if not header:
        raise ScoresError(
            f"{source}, line 1 is empty; expected the names of the systems"
            if rows
            else f"{source} is empty; {_EXPECTED}"
        )
    lines, cells = zip(*rows, strict=True)
    for sign in "| " if len(header) == 1 else "":
        # The commas of the rows are those of decimals: the header topic|bm25 and the row 301|0,5
        # would be read as the score 5 of the topic 301|0.
        times = header[0].count(sign)
        if times and all(
            len(row) == 2 and row[0].count(sign) == times and row[1].strip().isdigit()
            for row in cells
        ):
            raise separator_error(source, sign)
    found, advice = f"the header has {len(header)}", ""
    # As in R's write.table, which leaves out the header of the row names.
    wider = len(cells[0]) == len(header) + 1
    unnamed = wider and not heads_labels(header[0], of_systems=False)
    if unnamed:
        if all(row and not row[-1].strip() for row in cells):
            raise ScoresError(
                f"{source}: every line but the first ends in a comma or tab; expected none at "
                "the end of a line"
            )
        header = ["", *header]
        found += " and no field for the row names"
    elif wider:
        advice = "; in R, row.names = FALSE leaves out the row names"
    elif len(header) == 1:
        advice = f"; {_NO_TITLE}"
    named = how.label_header
    if named is not None and header.count(named) != 1:
        how_often = "twice the" if named in header else "no"
        raise ScoresError(
            f"{source} has {how_often} column {named!r} to take labels from; its columns are "
            f"{listed(list(map(repr, header)))}"
        )
    position = 0 if named is None else header.index(named)
    own, columns = header[position], header[:position] + header[position + 1 :]
    refuse_second_header(source, header, cells[:2], separator)
    if columns.count("") > 1:
        raise ScoresError(
            f"{source}, line 1 has no names for {columns.count('')} columns; expected the names of "
            f"the systems; {_NO_TITLE}"
        )
    refuse_ragged(source, header, rows, found=found, advice=advice)
    labels = unguarded([row.pop(position).strip() for row in cells])
    if how.cells:
        for row in cells:
            row[:] = map(how.cells.plain, row)

    def column(place: int) -> list[str]:
        return [row[place].strip() for row in cells]

    refuse_label_twice(source, own, labels, columns, column, lines, how)
    words: tuple[str, ...] = ()
    unread = how.dropped.systems, how.dropped.topics  # of columns and of rows
    given = how.rows_under(own)
    of_systems = how.topic_column is not False and rows_are_systems(own, labels, given)
    if of_systems:
        unread = unread[1], unread[0]
        words = tuple(_columns_of_words(columns, column, how))
    elif how.topic_column is None and role_of(own) != "topic":
        names = [
            name
            for place, name in enumerate(columns)
            if role_of(name) == "system" and is_of_words(column(place))
        ]
        refuse_labels_elsewhere(source, names, of_systems=True)
        if given is None and any(_columns_of_words(columns, column, how)):
            refuse_unsaid_rows(source, own, labels)  # words are mistakes if rows are topics
    elif named is not None and position and given is None:
        refuse_unsaid_rows(source, own, labels)
    some = [place for place, name in enumerate(columns) if name in unread[0].union(words)]
    scores = []
    for label, line, row in zip(labels, lines, cells, strict=True):
        for place in range(len(columns)) if label in unread[1] else some:
            row[place] = "" if _is_no_score(row[place]) else row[place]
        try:
            scores.append(scores_of_row(source, line, columns, row))
        except ScoresError as error:
            place = next(place for place, cell in enumerate(row) if _is_no_score(cell))
            args = columns[place], column(place), row[place]
            is_named = how.topic_column is not None
            more = advice_on_column(*args, named=is_named, of_systems=of_systems)
            raise ScoresError(f"{error}{more}") from None
    values = np.array(scores, dtype=np.float64).reshape(len(rows), len(columns))
    of_rows = position, labels, columns, values, lines
    return Table(source, header, *of_rows, separator, unnamed, of_systems, words)


def _columns_of_words(
    columns: list[str], cells: Callable[[int], list[str]], how: How
) -> Iterator[str]:
    for place, column in enumerate(columns):
        if column not in how.kept.topics and is_of_words(cells(place)):
            yield column


def rows_of(source: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Split `text` into rows, each with its last line; blank lines are empty rows, if not last."""
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
    source: str,
    header: Sequence[str],
    rows: Iterable[tuple[int, list[str]]],
    error: type[CdfscoreError] = ScoresError,
    *,
    found: str = "",
    advice: str = "",
) -> None:
    """Raise an error for a row that has not as many fields as the header, of which `found` is
    said; the `advice` is on the first row.
    """
    for place, (line, row) in enumerate(rows):
        if len(row) != len(header):
            here = f"has {counted(len(row), 'field')}" if row else "is empty"
            raise error(
                f"{source}, line {line} {here}, and {found or f'the header has {len(header)}'}; "
                f"expected {len(header)} in every line{'' if place else advice}"
            )


def _is_no_score(cell: str) -> bool:
    text = cell.strip()
    value = number(text)
    return text not in MISSING and (value is None or not math.isfinite(value))


#: What is expected in place of a file of another kind.
EXPECTED = "a text file of scores, such as one with commas, tabs or semicolons"

# A field in quotes, which may span several lines; and all fields of the first line.
_QUOTED = re.compile(r'(?<![^,;\t])"[^"]*(?:""[^"]*)*"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\"\r\n]+|\")*")


def separator_of(text: str) -> str:
    """Return the separator of the first line: a tab, else a comma, unless there are semicolons
    and no comma, or as many semicolons in the second line.
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
    content = without_marks(content)
    refuse_others(source, content, ScoresError, EXPECTED)
    try:
        text = content.decode()
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


def parsed_quickly(
    content: Any,
    separator: str,
    width: int,
    types: Mapping[int, Any],
    *,
    skipped: int = 0,
    quotes: bool = True,
) -> Any:
    """Return columns by pyarrow, by their types; None if it refuses, as a row of another width."""
    from pyarrow import csv as pyarrow_csv

    names = list(map(str, range(width)))  # names in the file may be repeated
    own = {names[place]: kind for place, kind in types.items()}
    try:
        return pyarrow_csv.read_csv(
            pa.BufferReader(content),
            read_options=pyarrow_csv.ReadOptions(column_names=names, skip_rows=skipped),
            parse_options=pyarrow_csv.ParseOptions(
                delimiter=separator, quote_char='"' if quotes else False
            ),
            convert_options=pyarrow_csv.ConvertOptions(
                column_types=own, include_columns=list(own), null_values=[]
            ),
        ).combine_chunks()
    except pa.ArrowException:
        return None


def text_table(
    source: str, content: bytes, expected: str, error: type[CdfscoreError]
) -> pd.DataFrame:
    """Return CSV or TSV as a frame of text, with the numbers of the lines as index."""
    text = decoded(source, content)
    try:
        rows = rows_of(source, text, separator_of(text))
    except ScoresError as reason:
        raise error(str(reason)) from reason
    rows = [(line, row) for line, row in rows if any(cell.strip() for cell in row)]
    refuse_ragged(source, rows[0][1] if rows else [], rows, error)
    if len(rows) < 2:
        raise error(f"{source} has {'no rows' if rows else 'nothing'}; expected {expected}")
    header, *found = (unguarded([cell.strip() for cell in row]) for _, row in rows)
    return pd.DataFrame(found, index=[line for line, _ in rows[1:]], columns=header, dtype=str)


_JSON = re.compile(rb"\s{0,64}(?:\{|\[\s*(?:[]\[{\"]|[-\d.]+\s*[],]))")
_DECIMAL_COMMA = re.compile(r'[;"]\s*[-+]?\d*,\d')


def joint_labels(source: str, columns: Sequence[Sequence[str]]) -> list[str]:
    """Return the label of each row from the texts of its columns, without empty ones."""
    parts: dict[str, tuple[str, ...]] = {}
    labels = []
    for row in zip(*columns, strict=True):
        label = BETWEEN.join(filter(None, row))
        if (other := parts.setdefault(label, row)) != row:
            raise ScoresError(
                f"{source}: the texts {', '.join(map(repr, other))} and "
                f"{', '.join(map(repr, row))} both make the label {label!r}; expected others"
            )
        labels.append(label)
    return labels


def prepared(source: str, content: bytes, how: How) -> tuple[bytes, How]:
    """Return a text file with one column for each label, in the same lines, and its settings."""
    how = replace(how, cells=cells_of(source, content, how))
    if is_json(content) or not how.names_columns:
        return content, how
    text = decoded(source, content)
    separator = separator_of(text)
    first: list[str] = []
    with suppress(csv.Error):  # which is told of where the rows are read
        first = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    header = unguarded([name.strip() for name in first])
    how, joint = how.one_header(source, header)
    if not joint:
        return content, how
    rows = rows_of(source, text, separator)
    refuse_ragged(source, header, rows[1:])
    cells = [header, *(row for _, row in rows[1:])]
    gone = {place for _, places in joint for place in places[1:]}
    for name, places in joint:
        columns = [unguarded([row[place].strip() for row in cells[1:]]) for place in places]
        for row, label in zip(cells, [name, *joint_labels(source, columns)], strict=True):
            row[places[0]] = label
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerows([cell for i, cell in enumerate(row) if i not in gone] for row in cells)
    return stream.getvalue().encode(), how


def is_json(content: bytes) -> bool:
    """Tell whether a file is JSON, by its first characters: a line of a log may begin with [."""
    return _JSON.match(content) is not None


def cells_of(source: str, content: bytes, how: How) -> Cells:
    """Return how the cells of a file are read: with decimal commas between semicolons."""
    if b";" in content.split(b"\n", 1)[0] and not is_json(content):
        text = decoded(source, content)
        if separator_of(text) == ";" and _DECIMAL_COMMA.search(text):
            return replace(how.cells, commas=True)
    return how.cells
