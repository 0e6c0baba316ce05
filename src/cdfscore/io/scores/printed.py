"""How far a printed mean, sum or geometric mean may be from that of the printed scores.

Three things part them: sums of doubles, in any order; the rounding of the summary to its last
decimal; and that of the scores, which were rounded after the summary was computed.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cdfscore.numerics.types import Array

#: What a number may be of the scores.
What = Literal["mean", "sum", "geometric mean"]

_MOST_DECIMALS = 12
_EPS = float(np.finfo(np.float64).eps)


def last_decimals(scores: Array) -> Array:
    """Return the unit of the last decimal of each row, 0 if its scores have all digits.

    Examples
    --------
    >>> last_decimals(np.array([[0.25, 0.5], [1.0, 2.0], [1 / 3, 0.5]])).tolist()
    [0.01, 1.0, 0.0]
    """
    units = np.zeros(len(scores))
    for decimals in range(_MOST_DECIMALS, -1, -1):
        written = (np.round(scores, decimals) == scores) | np.isnan(scores)
        units[written.all(axis=1)] = 10.0**-decimals
    return units


def error_of_sums(what: What, scores: Array, level: Array | float = 0.0) -> Array:
    """Return how far two computations of a summary over the rows of `scores` may be apart.

    `level` is the summary, which that of a geometric mean depends on. These are bounds for n
    doubles that are added in any order: 2 eps sum|x| for a sum divided by n.
    """
    n, total = len(scores), np.nansum(np.abs(scores), axis=0)
    if what == "geometric mean":
        return np.asarray(32 * n * _EPS * level)
    return np.asarray((2 if what == "mean" else 2 * n) * _EPS * total)


def error_of_rounding(what: What, n: int, unit_of_scores: Array | float) -> Array:
    """Return how far a summary of n scores may be from that of the scores rounded to a unit.

    Each is off by half a unit at most, and so is their mean. In a sum these add up to n / 2 units,
    and to 2 sqrt(n) and hardly more, 7 standard deviations, where n is large. In a geometric mean
    small scores weigh more.
    """
    times = {"mean": 0.5, "sum": min(0.5 * n, 2 * n**0.5), "geometric mean": 2.0}[what]
    return np.asarray(times * unit_of_scores)
