"""Tables 1 to 6, and the numbers of the text, computed from the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array, IntArray
from cdfscore.papers.webber2008.collections import (
    EVALUATED_SYSTEMS,
    SCHEME,
    TOPICS,
    Collections,
    given_or_read,
)
from cdfscore.papers.webber2008.printed_numbers import Printed, beside, beside_in_words, printed
from cdfscore.rank_correlation import drmse, tau_b
from cdfscore.significance.one_sample_t import one_sample_t
from cdfscore.significance.pearson import pearson
from cdfscore.significance.student_t import student_t
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

#: The systems in Table 1, with their percentiles by mean AP, as stated there.
_SYSTEMS = {"READWARE2": 1, "Flab8atdn": 10, "ric8tpx": 40, "UT803": 75}
#: The topics in Table 1. They are not at the same percentiles: by mean AP they have the ranks 1, 6,
#: 24 and 45 of 50.
_TOPICS = ("q403", "q430", "q414", "q401")
_MOMENTS = {"mean": "mean", "st.dev": "sd"}


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
    others = [n for n in numbers if n.place not in compute and not is_randomized(n)]
    found["text"] = beside_in_words(others, [computed(collections, n) for n in others])
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


def correlation(name: str, x: pd.Series[float], y: pd.Series[float]) -> float:
    """Return the correlation of two rankings that the paper calls "Pearson" or "Kendall"."""
    if name == "Pearson":
        return float(pearson(x.to_numpy(), y[x.index].to_numpy()).estimate)
    return float(tau_b(x.to_numpy(), y[x.index].to_numpy()))


def pair_error(collections: Collections, c: str, d: str, measure: str, by: str | None) -> float:
    """Return the dRMSE of system means between two collections, standardized `by` systems."""
    x, y = (collections.means(name, measure, by) for name in (c, d))
    return float(drmse(x.to_numpy(), y[x.index].to_numpy()))


def mean_pair_error(
    collections: Collections, names: Iterable[str], measure: str, by: str | None
) -> float:
    """Return the mean of `pair_error` over all pairs of these collections."""
    pairs = list(combinations(names, 2))
    return sum(pair_error(collections, c, d, measure, by) for c, d in pairs) / len(pairs)


def better_systems(collections: Collections, c: str, d: str, *, standardized: bool) -> int:
    """Return the number of systems whose AP is significantly better on collection c than on d.

    The test is a one-tailed two-sample t test at level 0.025, as in Table 4. Student's and Welch's
    test give the same numbers there.
    """
    scores = collections.standardized if standardized else collections.evaluated
    on_c, on_d = (scores(name, "AP").to_numpy().T for name in (c, d))
    return int((student_t(on_c, on_d, alternative="greater").p_value <= 0.025).sum())


def better_rates(
    collections: Collections, names: Iterable[str], *, standardized: bool
) -> list[float]:
    """Return the proportions of systems that are better, for each pair in both orders."""
    return [
        better_systems(collections, c, d, standardized=standardized) / EVALUATED_SYSTEMS
        for c, d in permutations(names, 2)
    ]


def is_randomized(number: Printed) -> bool:
    """Return whether a number comes from random halves of the topics, or samples of systems."""
    places = ("Figure 5", "Section 5, random halves", "Figure 6")
    return number.place in places or number.row.startswith("samples of ")


def computed(collections: Collections, number: Printed) -> float:
    """Return the computed value of a printed number of the text; NaN if it cannot be computed."""
    match number.place, number.row, number.column:
        case "Section 1", _, _:
            raw, standardized = (
                mean_pair_error(collections, TOPICS, "AP", by) for by in (None, "originals")
            )
            return 100 * (1 - standardized / raw)
        case "Section 2", _, _:
            return section2(collections, number)
        case ("Section 3", _, _) | ("Figure 3", _, _):
            return _scores_of_t8(collections, number)
        case "Section 4", "AP of T03.rob and T04.rob", _:
            means = (collections.means(name, "AP", None) for name in ("T03.rob", "T04.rob"))
            return correlation(number.column, *means)
        case "Section 4", "AP and sAP of T03.rob", _:
            means = (collections.means("T03.rob", "AP", by) for by in (None, "originals"))
            return correlation(number.column, *means)
        case "Section 5", "false positive rate of sAP over pairs of collections", _:
            rates = better_rates(collections, TOPICS, standardized=True)
            return 100 * (max(rates) if "largest" in number.column else sum(rates) / len(rates))
        case "Section 5", "AP of T7.adh and T8.adh", _:
            return pair_error(collections, "T7.adh", "T8.adh", "AP", None)
        case "Section 5", _, "mean dRMSE over pairs of collections":
            return mean_pair_error(collections, TOPICS, "AP", None)
        case _:
            assert number.needs, number  # of what is not public
            return math.nan


def _scores_of_t8(collections: Collections, number: Printed) -> float:
    """Return a number of Figure 3, or of Section 3 on it and on standardized scores."""
    scores = collections.originals("T8.adh", "AP")
    factors = Standardizer(SCHEME).fit(scores)
    match number.column:
        case "runs":
            return float(scores.size)
        case "runs below 0.2, %":
            return 100 * float((scores.to_numpy() < 0.2).mean())
        case "one sd above the mean" | "one sd below the mean":
            mean, sd = (factors.fitted.parameters[name] for name in ("mean", "sd"))
            away = mean + sd if "above" in number.column else mean - sd
            apart = scores.iloc[:, :1].copy()
            apart[:] = away
            return float(factors.transform(apart).to_numpy().mean())
    y = factors.transform(scores).to_numpy()
    return float(quantile_r(y.ravel(), int(number.column.partition("th ")[0]) / 100)[0])


def table1(collections: Collections, cell: Printed) -> float:
    """Return a moment of AP: of a system at a percentile, or of a topic in the table."""
    return _moment(collections, cell.column, _MOMENTS[cell.row])


def section2(collections: Collections, number: Printed) -> float:
    """Return the computed value of a printed number of the text of Section 2."""
    match number.row:
        case "systems of Table 1":
            return _factor(collections, tuple(_SYSTEMS), number.column)
        case "topics of Table 1":
            return _factor(collections, _TOPICS, number.column)
        case "topics of T8.adh by sd":
            sds = np.sort(collections.originals("T8.adh", "AP").std(axis=1).to_numpy())[::-1]
            return float(sds[0] / sds[rank_of_percentile(75, len(sds)) - 1])
        case "13th system of T8.adh":
            return _thirteenth(collections)[number.column]
    return _reliability_and_sd(collections.originals("T8.adh", "AP").to_numpy())


def rank_of_percentile(percentile: int, n: int) -> int:
    """Return the rank that is nearest to a percentile, as for the systems of Table 1."""
    return round(n * percentile / 100)


def intervals(scores: Array) -> tuple[IntArray, Array, Array, Array]:
    """Return the order of systems by mean, best first, their means, and their 95 % t intervals.

    `scores` has shape (topics, systems).
    """
    result = one_sample_t(np.ascontiguousarray(scores.T))
    order = np.argsort(-result.estimate, kind="stable")
    return order, result.estimate[order], result.conf_low[order], result.conf_high[order]


def _moment(collections: Collections, name: str, moment: str) -> float:
    scores = collections.originals("T8.adh", "AP")
    matrix = scores.T if name in _SYSTEMS else scores
    moments = Standardizer("z").fit(matrix).fitted.parameters
    if name in _SYSTEMS:
        rank = rank_of_percentile(_SYSTEMS[name], len(matrix))
        row = (-moments["mean"][:, 0]).argsort(kind="stable")[rank - 1]
    else:
        row = list(scores.index).index(name.removeprefix("q"))
    return float(moments[moment][row, 0])


def _factor(collections: Collections, names: tuple[str, ...], column: str) -> float:
    moment = column.removeprefix("largest ").removesuffix(" over smallest")
    values = [_moment(collections, name, moment) for name in names]
    return max(values) / min(values)


def _thirteenth(collections: Collections) -> dict[str, float]:
    _, means, low, high = intervals(collections.originals("T8.adh", "AP").to_numpy())
    at = 12
    overlapping = np.flatnonzero((low <= high[at]) & (high >= low[at])) + 1
    return {
        "mean AP": float(means[at]),
        "low end of the 95% interval": float(low[at]),
        "high end of the 95% interval": float(high[at]),
        "first rank whose interval overlaps": float(overlapping[0]),
        "last rank whose interval overlaps": float(overlapping[-1]),
    }


def _reliability_and_sd(scores: Array) -> float:
    """Return the correlation of reliability and sd of topics, for the best 75 % of the systems.

    The 96 best of the 129 systems give the printed number; 97 systems give 0.017.
    """
    order = intervals(scores)[0]
    best = np.ascontiguousarray(scores[:, order[: int(0.75 * len(order))]])
    reliability = topic_reliability(best)
    return float(pearson(reliability, mean_and_sd(best)[1][:, 0]).estimate)
