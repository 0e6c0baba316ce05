"""Scores of the rows of a table; an error has the place of the cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import MISSING, scores_of_row


def scores_of_rows(
    source: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, tuple[int, list[str]]]],
    unread_columns: frozenset[str],
    unread_rows: frozenset[str],
    advice: Callable[[int], str],
) -> list[list[float]]:
    """Return the scores of rows, each with its label, its line and its cells.

    They are NaN where a label says that they are not to be read. Raises `ScoresError` for a cell
    that is no score, with `advice` on its column.
    """
    unread = [place for place, column in enumerate(columns) if column in unread_columns]
    found = []
    for label, (line, row) in rows:
        if label in unread_rows:
            found.append([math.nan] * len(columns))
            continue
        for place in unread:
            row[place] = ""
        try:
            found.append(scores_of_row(source, line, columns, row))
        except ScoresError as error:
            place = next(place for place, cell in enumerate(row) if _is_no_score(cell))
            raise ScoresError(f"{error}{advice(place)}") from None
    return found


def _is_no_score(cell: str) -> bool:
    """Tell whether a cell is neither missing nor a finite number."""
    text = cell.strip()
    value = number(text)
    return text not in MISSING and (value is None or not math.isfinite(value))
