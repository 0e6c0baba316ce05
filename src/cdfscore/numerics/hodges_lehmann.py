"""The estimate of Hodges and Lehmann with its interval, from the differences of two scores."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


def walsh_averages(values: Array) -> Array:
    """Return the means of all pairs of each row, a value with itself too, in ascending order.

    Shape (rows, n) to (rows, n (n + 1) / 2).
    """
    i, j = np.triu_indices(values.shape[1])
    return np.sort((values[:, i] + values[:, j]) / 2, axis=1)


def pairwise_differences(x: Array, y: Array) -> Array:
    """Return all differences between the rows of x and y, in ascending order.

    Shape (rows, n) and (rows, m) to (rows, n m).
    """
    return np.sort((x[:, :, np.newaxis] - y[:, np.newaxis, :]).reshape(len(x), -1), axis=1)


def normal_cut(size: int, sigma: Array, correction: float, z: float) -> IntArray:
    """Return which of `size` ordered differences, from 1, is where the statistic passes z.

    The statistic at a shift s is the number of differences above s, which falls by 1 at
    each of them; so the equation (number - size / 2 - correction) / sigma = z is solved at
    a difference. The outermost one where the level asked for cannot be reached.
    """
    place = np.ceil(size / 2 - correction - z * sigma)
    return np.clip(place, 1, size).astype(np.int64)


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
