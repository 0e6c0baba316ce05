"""Table from a text file, before it is known to be a score matrix."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import MISSING, is_of_words, score
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import heads, heads_labels, is_nameless, role_of
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument, option


@dataclass(frozen=True)
class Table:
    """A table with the text of `label_column` and the scores of the other columns."""

    source: str
    header: list[str]
    label_column: int
    labels: list[str]
    values: Array  # without the label column
    lines: Sequence[int]
    separator: str
    unnamed_labels: bool  # the first line has no field for the label column
    words: tuple[str, ...] = ()  # columns without a number, NaN in `values`

    def other_columns(self) -> list[str]:
        """Return the header without the label column."""
        return self.header[: self.label_column] + self.header[self.label_column + 1 :]

    def with_labels_as_scores(self) -> Array:
        """Return all columns as scores; raises `ScoresError` for a cell that is not a score."""
        name = self.header[self.label_column]
        column = [
            score(self.source, line, name, cell)
            for line, cell in zip(self.lines, self.labels, strict=True)
        ]
        return np.insert(self.values, self.label_column, column, axis=1)


def lacks_label_header(header: list[str], row: list[str]) -> bool:
    """Tell whether the header lacks a field for the row labels, as in R's write.table."""
    return len(row) == len(header) + 1 and not heads_labels(header[0], of_systems=False)


def refuse_other_separator(source: str, header: str, rows: Iterable[Sequence[str]]) -> None:
    """Raise `ScoresError` where bars or spaces separate the fields, and `header` is the only one.

    The commas of the rows are those of decimals then: the header ``topic|bm25`` and the row
    ``301|0,5`` would be read as the score 5 of the topic ``301|0``.
    """
    for sign in "| ":
        count = header.count(sign)
        if count and all(
            len(row) == 2 and row[0].count(sign) == count and row[1].strip().isdigit()
            for row in rows
        ):
            raise separator_error(source, sign)


def separator_error(source: str, sign: str) -> ScoresError:
    """Return the error for fields with bars or spaces between them."""
    return ScoresError(
        f"{source} has {'spaces' if sign == ' ' else 'vertical bars'} between its fields; expected "
        "commas, tabs or semicolons, as R's write.csv and write.csv2 write them"
    )


def quoted(names: list[str]) -> str:
    """List the first of the names in quotes, for a message."""
    return listed([repr(name) for name in names])


def refuse_missing_header(table: Table, names: list[str]) -> None:
    """Raise `ScoresError` if the first line has numbers instead of `names`."""
    if any(number(name) is not None for name in names) and all(
        number(name) is not None or name in MISSING for name in names
    ):
        raise ScoresError(
            f"{table.source}, line 1 has numbers ({quoted(names)}) instead of the names of the "
            "systems; add a line of names, or, if these are names, name the column of topics "
            f"by {option('topic_column')}, or, if they are topics, say {option('systems_as_rows')}"
        )


def refuse_second_header(
    source: str, header: Sequence[str], rows: Sequence[Sequence[str]], separator: str
) -> None:
    """Raise `ScoresError` for names of columns in two lines, as pandas and Excel write levels.

    Names of the first are there several times then, or stand above several columns, and a line of
    words or without a label follows. The message has a command that writes them in one.
    """
    names, (second, *others) = list(header[1:]), rows
    if not names or len(second) != len(header):
        return
    above = [next((n for n in names[i::-1] if n), "") for i in range(len(names))]
    cells, label = [cell.strip() for cell in second[1:]], second[0].strip()
    if not (all(above) and all(cells)):
        return
    repeated = "" in names or len(set(names)) < len(names)
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
    places: Sequence[str],
    how: How,
) -> None:
    """Raise `ScoresError` for a label of two rows, if another column of words may belong to it.

    It may be part of the label under the header `own`, or each row may have one score. Then the
    headers say which column has the systems, or the message asks.
    """
    seen: dict[str, int] = {}
    twice = (i for i, label in enumerate(labels) if seen.setdefault(label, i) != i)
    if (second := next(twice, None)) is None:
        return
    numbers = [name for i, name in enumerate(columns) if not is_of_words(cells(i))]
    scores = [name for name in numbers if heads("score", name)] or numbers
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
                argument(f"{kind}_column", name)
                for kind, name in (("topic", topic), ("system", system))
                if not heads("topic", name) or name == how.label_header
            )
            + f" if {system!r} has the systems" * (len(orders) > 1)
            for topic, system in orders
        ]
        if scores and len(columns) > 2:
            said[-1] += f", and {argument('score_column', *scores)} for the scores"
        if long:
            advice.append(f"if each row has one score, say {', or '.join(said)}")
        part = f"{option('system_column')} (or {option('topic_column')}) {own},{column}"
        advice.append(f"if {column!r} is part of the label, name both columns, as {part}")
        break
    else:
        if not long or role is not None or is_nameless(own) or not is_of_words(labels):
            return
        topic, system, score = map(option, ("topic_column", "system_column", "score_column"))
        advice.append(
            f"if each row has one score, name its columns by {topic}, {system} and {score}, and by "
            f"{option('replicate')} one that tells scores apart, such as a fold or a seed"
        )
    raise ScoresError(
        f"{source}: {labels[second]!r} is twice in the column {own!r}, in "
        f"{places[seen[labels[second]]]} and in {places[second]}; {'; '.join(advice)}"
    )
