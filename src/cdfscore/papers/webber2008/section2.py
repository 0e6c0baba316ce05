"""Numbers of Section 2 on the TREC 8 AdHoc systems: Table 1 and the text."""

from __future__ import annotations

import numpy as np

from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.types import Array, IntArray
from cdfscore.papers.webber2008.collections import Collections
from cdfscore.papers.webber2008.printed_numbers import Printed
from cdfscore.significance.one_sample_t import one_sample_t
from cdfscore.significance.pearson import pearson
from cdfscore.standardization.standardizer import Standardizer

#: The systems in Table 1, with their percentiles by mean AP, as stated there.
_SYSTEMS = {"READWARE2": 1, "Flab8atdn": 10, "ric8tpx": 40, "UT803": 75}
#: The topics in Table 1. They are not at the same percentiles: by mean AP they have the ranks 1, 6,
#: 24 and 45 of 50.
_TOPICS = ("q403", "q430", "q414", "q401")
_MOMENTS = {"mean": "mean", "st.dev": "sd"}


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
