"""Hodges-Lehmann estimate and its interval, from the differences of two scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.significance.null.counted import quantile

# By how much rounding of a level may miss a probability of the exact distribution.
_ROUNDING = 2 * np.finfo(np.float64).eps


def walsh_averages(values: Array) -> Array:
    """Return the means of all pairs of values of each row, in ascending order.

    Shape (rows, n) to (rows, n (n + 1) / 2).
    """
    i, j = np.triu_indices(values.shape[1])
    return np.sort((values[:, i] + values[:, j]) / 2, axis=1)


def pairwise_differences(x: Array, y: Array) -> Array:
    """Return all differences between the rows of x and y, in ascending order.

    Shape (rows, n) and (rows, m) to (rows, n m).
    """
    return np.sort((x[:, :, np.newaxis] - y[:, np.newaxis, :]).reshape(len(x), -1), axis=1)


def exact_cut(below: Array, tail: float) -> tuple[int, bool]:
    """Return the rank, from 1, of the difference that leaves out at most the proportion `tail`.

    `below` is the cdf of the statistic. The outermost one, and True, where even that leaves
    out more.
    """
    return max(1, quantile(below, tail)), bool(below[0] > tail + _ROUNDING)


def normal_cut(size: int, sigma: Array, correction: float, z: float) -> tuple[IntArray, BoolArray]:
    """Return the rank, from 1 to `size`, of the difference at which the statistic passes z.

    The statistic at a shift s is the number of differences above s, which falls by 1 at
    each of them; so the equation (number - size / 2 - correction) / sigma = z is solved at
    a difference. The outermost one, and True, where no statistic is as large as z.
    """
    place = size / 2 - correction - z * sigma
    return np.clip(np.ceil(place), 1, size).astype(np.int64), place < 0


def median_and_interval(
    ordered: Array, cut: IntArray, exact: BoolArray, alternative: str
) -> tuple[Array, Array, Array]:
    """Return the median of ordered differences, and those `cut` places from either end.

    Differences that are all equal have no normal approximation of shifted data: ends of NaN.
    """
    size = ordered.shape[1]
    low = np.take_along_axis(ordered, cut[:, np.newaxis] - 1, axis=1)[:, 0]
    high = np.take_along_axis(ordered, size - cut[:, np.newaxis], axis=1)[:, 0]
    none = ~exact & (ordered[:, 0] == ordered[:, -1])
    low[none] = high[none] = np.nan
    if alternative == "less":
        low[:] = -np.inf
    if alternative == "greater":
        high[:] = np.inf
    middle = (ordered[:, (size - 1) // 2] + ordered[:, size // 2]) / 2
    return middle, low, high


def labelled(method: NDArray[np.str_], short: BoolArray) -> NDArray[np.str_]:
    """Return the names of methods (rows,), with a remark if an interval misses its level."""
    remark = "; interval: the whole range, conf_level cannot be reached"
    return np.strings.add(method, np.where(short, remark, ""))
