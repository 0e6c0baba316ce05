"""The numbers that the paper prints outside of its tables, computed from the scores."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array, IntArray
from cdfscore.reproduction.webber2008.coefficients import correlation, pair_error
from cdfscore.reproduction.webber2008.collections import SCHEME, TOPICS, Collections
from cdfscore.reproduction.webber2008.printed_numbers import Printed
from cdfscore.significance.one_sample_t import one_sample_t
from cdfscore.significance.pearson import pearson
from cdfscore.standardizer import Standardizer


def is_randomized(number: Printed) -> bool:
    """Tell whether a number comes from random partitions of the topics."""
    return number.place in ("Figure 5", "Figure 6")


def computed(collections: Collections, number: Printed) -> float:
    """Return what is computed for a printed number of the text; NaN where it cannot be."""
    if number.needs:
        return math.nan
    match number.place, number.row:
        case "Section 2", "13th system of T8.adh":
            return _thirteenth(collections)[number.column]
        case "Section 2", _:
            return _reliability_and_sd(collections.originals("T8.adh", "AP").to_numpy())
        case "Figure 3", _:
            return _figure3(collections, number.column)
        case "Section 4", _:
            raw = (collections.means(name, "AP", None) for name in ("T03.rob", "T04.rob"))
            return correlation(number.column, *raw)
        case "Figure 7", _:
            pairs = list(combinations(TOPICS, 2))
            errors = [pair_error(collections, c, d, "AP", None) for c, d in pairs]
            return sum(errors) / len(pairs)
        case _:
            raise AssertionError(number)


def intervals(scores: Array) -> tuple[IntArray, Array, Array, Array]:
    """Return the systems by mean, best first, their means and the ends of 95% t intervals.

    `scores` has shape (topics, systems).
    """
    result = one_sample_t(np.ascontiguousarray(scores.T))
    order = np.argsort(-result.estimate, kind="stable")
    return order, result.estimate[order], result.conf_low[order], result.conf_high[order]


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
    """Correlate item-total correlation and sd of topics, over the best 75% of the systems.

    What is printed comes out for the 96 best of the 129 systems, and the correlation of a
    topic with the mean of the others; 97 systems give 0.017.
    """
    order = intervals(scores)[0]
    best = np.ascontiguousarray(scores[:, order[: int(0.75 * len(order))]])
    others = (best.sum(axis=0) - best) / (len(best) - 1)
    reliability = pearson(best, others).estimate
    return float(pearson(reliability, mean_and_sd(best)[1][:, 0]).estimate)


def _figure3(collections: Collections, column: str) -> float:
    y = Standardizer(SCHEME).fit_transform(collections.originals("T8.adh", "AP")).to_numpy()
    if column == "runs":
        return float(y.size)
    return float(quantile_r(y.ravel(), int(column.partition("th ")[0]) / 100)[0])
