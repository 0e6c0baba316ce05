"""Table from a text file, before it is known to be a score matrix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import MISSING, score
from cdfscore.io.scores.labels import heads_labels
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array
from cdfscore.spelling import option

_SEPARATORS = {";": "semicolons", "|": "vertical bars", " ": "spaces"}


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


def other_separator(header: str, rows: Iterable[Sequence[str]]) -> str | None:
    """Return what separates the fields where commas do not, and `header` is the only field.

    The commas of the rows are those of decimals then: the header ``topic|bm25`` and the row
    ``301|0,5`` would be read as the score 5 of the topic ``301|0``.
    """
    if ";" in header:
        return _SEPARATORS[";"]
    for sign in "| ":
        count = header.count(sign)
        if count and all(
            len(row) == 2 and row[0].count(sign) == count and row[1].strip().isdigit()
            for row in rows
        ):
            return _SEPARATORS[sign]
    return None


def separator_error(source: str, signs: str) -> ScoresError:
    """Return the error for fields that neither commas nor tabs separate."""
    return ScoresError(
        f"{source} has {signs} between its fields; expected commas or tabs, and decimal points, as "
        "R's write.csv writes them"
    )


def separator_after_quotes(text: str) -> str | None:
    """Return what follows the first field of a text, in quotes, where no comma or tab does."""
    found = re.match(r'"[^"\r\n]*"(?P<sign>[;| ])(?![,\t])', text)
    return None if found is None else _SEPARATORS[found["sign"]]


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
