"""Tables 1 to 6, and the numbers of the text, computed from the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.papers.webber2008 import text
from cdfscore.papers.webber2008.collections import TOPICS, Collections, given_or_read
from cdfscore.papers.webber2008.printed_numbers import Printed, beside, beside_in_words, printed
from cdfscore.papers.webber2008.text import better_systems, correlation, pair_error, table1

if TYPE_CHECKING:
    import pandas as pd


def tables(data: Path | Collections) -> dict[str, pd.DataFrame]:
    """Return "table1" to "table6", and "text" with the numbers printed elsewhere.

    Parameters
    ----------
    data
        The folder of published scores, which contains the folders ``robust2004``,
        ``robust2003`` and ``adhoc``, or the result of `read_collections`.

    Returns
    -------
    dict of DataFrame
        One row per printed number, with these columns:

        - ``place``, and the ``row`` and ``column`` in it
        - ``computed``: NaN if the number cannot be computed
        - ``printed``: the text in the paper
        - ``status``: "equal" if every printed digit is equal, "differs", or "needs ..." with the
          data that are not among the published scores
        - ``page``

        In "text", the status of a number that is printed with words such as "almost" is "as
        worded" if it is between ``low`` and ``high``, the range of the ``words``. The status is
        "in part" if only some of the scores are published; the ``note`` names them.

    Raises
    ------
    ScoresError
        If `data` does not contain the scores that the paper used.
    """
    collections = given_or_read(data)
    compute: dict[str, Callable[[Collections, Printed], float]] = {
        "Table 1": table1,
        "Table 2": _table2,
        "Table 3": lambda data, n: pair_error(data, n.row, n.column, "AP", None),
        "Table 4": lambda data, n: better_systems(data, n.row, n.column, standardized=False),
        "Table 5": lambda data, n: pair_error(data, n.row, n.column, "AP", "originals"),
        "Table 6": _table6,
    }
    numbers = printed(judged=collections.judgments is not None)
    found = {}
    for place, cell in compute.items():
        cells = [number for number in numbers if number.place == place]
        found[place.lower().replace(" ", "")] = beside(
            cells, [math.nan if n.needs else cell(collections, n) for n in cells]
        )
    others = [n for n in numbers if n.place not in compute and not text.is_randomized(n)]
    found["text"] = beside_in_words(others, [text.computed(collections, n) for n in others])
    return found


def _table2(collections: Collections, cell: Printed) -> float:
    originals, themselves = (
        collections.means(cell.column, "AP", by) for by in ("originals", "themselves")
    )
    return correlation(cell.row, originals, themselves)


def _table6(collections: Collections, cell: Printed) -> float:
    if cell.row in ("Judged", "Relevant"):
        assert collections.judgments is not None  # without them, the cell needs them
        numbers = collections.judgments.loc[list(TOPICS[cell.column]), cell.row.lower()]
        return float(numbers.mean())
    standardized = cell.row == "sAP"
    measure, by = ("AP", "originals") if standardized else (cell.row, None)
    return float(collections.means(cell.column, measure, by).mean())
