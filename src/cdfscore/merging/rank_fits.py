"""Straight lines of functions of ranks, one for each list, by least squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.types import Array, IntArray

#: Functions f of the rank r; of equally good ones the first is used.
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "r": lambda r: r,
    "log(r)": np.log,
    "sqrt(r)": np.sqrt,
    "1/r": np.reciprocal,
}
#: The smallest number of pairs of a rank and a score for a line.
LEAST = 3


@dataclass(frozen=True, eq=False)
class RankFits:
    """Fits of s = a + b f(r), one for each group of pairs.

    Attributes
    ----------
    n
        Number of pairs, (groups,).
    function
        Number of f in `FUNCTIONS`: the function with the highest R^2.
    a, b, r_squared
        NaN if there is no fit.
    reasons
        The reason why there is no fit, by the number of the group.
    """

    n: IntArray
    function: IntArray
    a: Array
    b: Array
    r_squared: Array
    reasons: dict[int, str]

    @classmethod
    def of(cls, group: IntArray, rank: Array, score: Array, groups: int) -> RankFits:
        """Fit the pairs of rank and score of each group, given by its number."""
        n = np.bincount(group, minlength=groups)
        # Minus the first score of each group, so that equal scores have exactly no spread.
        first = np.zeros(groups)
        first[group[::-1]] = score[::-1]
        above = score - first[group]
        # In units of the largest, whose square does not underflow or overflow.
        unit = np.zeros(groups)
        np.maximum.at(unit, group, np.abs(above))
        unit[unit == 0] = 1.0
        above /= unit[group]
        lines = [_line(group, f(rank), above, n) for f in FUNCTIONS.values()]
        a, b, r_squared = (np.stack(each) for each in zip(*lines, strict=True))
        # If all scores are equal, R^2 is 0/0, and the first function is used.
        best = np.argmax(np.where(np.isnan(r_squared), -1.0, r_squared), axis=0)
        chosen = best, np.arange(groups)
        a, b = first + unit * a[chosen], unit * b[chosen]
        r_squared = r_squared[chosen]
        rising = b * np.array([1, 1, 1, -1])[best] > 0
        one_rank = np.isnan(b)
        reasons = {
            **{int(i): "the fitted scores increase with the rank" for i in np.flatnonzero(rising)},
            **{
                int(i): "all sampled documents have the same rank" for i in np.flatnonzero(one_rank)
            },
            **{int(i): _too_few(int(n[i])) for i in np.flatnonzero(n < LEAST)},
        }
        bad = rising | one_rank | (n < LEAST)
        a, b, r_squared = (np.where(bad, np.nan, each) for each in (a, b, r_squared))
        return cls(n, best, a, b, r_squared, dict(sorted(reasons.items())))

    def scores(self, group: IntArray, rank: Array) -> Array:
        """Return a + b f(r) at the ranks of documents of these groups; NaN without a fit."""
        found = np.full(len(rank), np.nan)
        for number, f in enumerate(FUNCTIONS.values()):
            own = self.function[group] == number
            found[own] = self.a[group[own]] + self.b[group[own]] * f(rank[own])
        return found


def _too_few(number: int) -> str:
    there = "is 1" if number == 1 else f"are {number}"
    return f"a line needs {LEAST} sampled documents with ranks and there {there}"


def _line(group: IntArray, x: Array, y: Array, n: IntArray) -> tuple[Array, Array, Array]:
    """Return a, b and R^2 of y = a + b x in each group, NaN where x is constant."""

    def total(values: Array) -> Array:
        return np.bincount(group, weights=values, minlength=len(n)).astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        x_mean, y_mean = total(x) / n, total(y) / n
        dx, dy = x - x_mean[group], y - y_mean[group]
        xx, xy, yy = total(dx * dx), total(dx * dy), total(dy * dy)
        b = xy / xx
        return y_mean - b * x_mean, b, xy * xy / (xx * yy)
