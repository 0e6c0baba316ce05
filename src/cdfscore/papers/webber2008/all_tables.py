"""Tables 1 to 6, and the numbers of the text, computed from the scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.papers.webber2008 import text
from cdfscore.papers.webber2008.coefficients import better_systems, correlation, pair_error
from cdfscore.papers.webber2008.collections import Collections, given_or_read
from cdfscore.papers.webber2008.printed_numbers import Printed, beside, beside_in_words, printed
from cdfscore.papers.webber2008.section2 import table1

if TYPE_CHECKING:
    import pandas as pd


def tables(data: Path | Collections) -> dict[str, pd.DataFrame]:
    """Return "table1" to "table6", and "text": the numbers printed elsewhere.

    Parameters
    ----------
    data
        The folder of published scores, with the folders ``robust2004`` and ``adhoc``; or
        what `read_collections` has read there.

    Returns
    -------
    dict of DataFrame
        A line for each printed number: ``place``, its ``row`` and ``column`` there,
        ``computed`` (NaN where it cannot be), ``printed`` (text, as it is printed),
        ``status`` ("equal" if every printed digit comes out, "differs", or what it needs
        that has not been published with the scores) and the ``page``. In "text" a number
        that is printed with words such as "almost" is "as worded" from ``low`` to ``high``,
        what the ``words`` are taken to cover, and one that only some of the scores are
        published for is computed "in part"; the ``note`` says which.

    Raises
    ------
    ScoresError
        When `data` has not the scores that the paper has used.
    """
    collections = given_or_read(data)
    compute = {
        "Table 1": table1,
        "Table 2": _table2,
        "Table 3": _table3,
        "Table 4": _table4,
        "Table 5": _table5,
        "Table 6": _table6,
    }
    numbers = printed()
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


def _table3(collections: Collections, cell: Printed) -> float:
    return pair_error(collections, cell.row, cell.column, "AP", None)


def _table4(collections: Collections, cell: Printed) -> float:
    return float(better_systems(collections, cell.row, cell.column, standardized=False))


def _table5(collections: Collections, cell: Printed) -> float:
    return pair_error(collections, cell.row, cell.column, "AP", "originals")


def _table6(collections: Collections, cell: Printed) -> float:
    standardized = cell.row == "sAP"
    measure, by = ("AP", "originals") if standardized else (cell.row, None)
    return float(collections.means(cell.column, measure, by).mean())
