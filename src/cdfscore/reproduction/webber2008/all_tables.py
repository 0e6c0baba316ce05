"""Tables 1 to 6, and the numbers of the text, computed from the scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.reproduction.webber2008 import text
from cdfscore.reproduction.webber2008.coefficients import correlation, pair_error
from cdfscore.reproduction.webber2008.collections import Collections, read_collections
from cdfscore.reproduction.webber2008.printed_numbers import Printed, beside, printed
from cdfscore.significance.student_t import student_t
from cdfscore.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

#: The systems that Table 1 names, by what it says of them: their percentile by mean AP.
_PERCENTILES = {"READWARE2": 1, "Flab8atdn": 10, "ric8tpx": 40, "UT803": 75}
_MOMENTS = {"mean": "mean", "st.dev": "sd"}


def tables(data: Path) -> dict[str, pd.DataFrame]:
    """Return "table1" to "table6", and "text": the numbers that are printed elsewhere.

    Parameters
    ----------
    data
        The folder of published scores, with the folders ``robust2004`` and ``adhoc``.

    Returns
    -------
    dict of DataFrame
        A line for each printed number: ``place``, its ``row`` and ``column`` there,
        ``computed`` (NaN where it cannot be), ``printed`` (text, as it is printed),
        ``status`` ("equal" if every printed digit comes out, "differs", or what it needs
        that has not been published with the scores) and the ``page``.

    Raises
    ------
    ScoresError
        When `data` has not the scores that the paper has used.
    """
    collections = read_collections(data)
    compute = {
        "Table 1": _table1,
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
    found["text"] = beside(others, [text.computed(collections, n) for n in others])
    return found


def _table1(collections: Collections, cell: Printed) -> float:
    """Moments of AP, of the systems at a percentile and of the topics that the table names.

    The topics are not those at the same percentiles: by mean AP they are the 1st, 6th, 24th
    and 45th of 50.
    """
    scores = collections.originals("T8.adh", "AP")
    matrix = scores.T if cell.column in _PERCENTILES else scores
    moments = Standardizer("z").fit(matrix).fitted.parameters
    if cell.column in _PERCENTILES:
        rank = round(len(matrix) * _PERCENTILES[cell.column] / 100)
        row = (-moments["mean"][:, 0]).argsort(kind="stable")[rank - 1]
    else:
        row = list(scores.index).index(cell.column.removeprefix("q"))
    return float(moments[_MOMENTS[cell.row]][row, 0])


def _table2(collections: Collections, cell: Printed) -> float:
    originals, themselves = (
        collections.means(cell.column, "AP", by) for by in ("originals", "themselves")
    )
    return correlation(cell.row, originals, themselves)


def _table3(collections: Collections, cell: Printed) -> float:
    return pair_error(collections, cell.row, cell.column, "AP", None)


def _table4(collections: Collections, cell: Printed) -> float:
    """Count systems; Student's and Welch's test give the same numbers."""
    row, column = (
        collections.evaluated(name, "AP").to_numpy().T for name in (cell.row, cell.column)
    )
    p = student_t(row, column, alternative="greater").p_value
    return float((p <= 0.025).sum())


def _table5(collections: Collections, cell: Printed) -> float:
    return pair_error(collections, cell.row, cell.column, "AP", "originals")


def _table6(collections: Collections, cell: Printed) -> float:
    standardized = cell.row == "sAP"
    measure, by = ("AP", "originals") if standardized else (cell.row, None)
    return float(collections.means(cell.column, measure, by).mean())
