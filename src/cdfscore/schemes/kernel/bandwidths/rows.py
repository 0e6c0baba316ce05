"""Input of the compiled rules: rows of sorted scores, on a scale that cannot overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.moments import count, mean_and_sd
from cdfscore.numerics.quantile_r import quantile_of_sorted
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes._extremes import extremes
from cdfscore.schemes.kernel.bandwidths.pair_criteria import STEPS

# Ranges whose seventh power, which the criteria take, is far from the ends of the doubles.
_SMALLEST, _LARGEST = 1e-20, 1e20


@dataclass(frozen=True)
class Rows:
    """Rows of a batch that are not constant.

    Attributes
    ----------
    ordered
        Their scores, sorted, NaN last, times a power of 2; (rows, n).
    n
        The number of scores; (rows,).
    sd
        Their standard deviation, times that power; (rows,).
    """

    ordered: Array
    n: IntArray
    sd: Array
    _varied: BoolArray
    _exponent: IntArray

    def bandwidths(self, h: Array) -> Array:
        """Return bandwidths of all rows of the batch, (..., 1), from those of these rows."""
        result = np.zeros(self._varied.shape)
        result[self._varied] = np.ldexp(h, self._exponent)
        return result[..., np.newaxis]

    def marked(self, rows: BoolArray) -> BoolArray:
        """Return a mark for each row of the batch, (...), from marks of these rows."""
        result = np.zeros(self._varied.shape, dtype=np.bool_)
        result[self._varied] = rows
        return result


def rows_of(scores: Array, ordered: Array) -> Rows:
    """Return the rows that vary, scaled by a power of 2 if their range is extreme.

    The power changes no digit; without it R's rules stop at a range above 1e44 or below 1e-46.
    """
    low, high = (end[..., 0] for end in extremes(ordered))
    varied = low < high
    half = high[varied] / 2 - low[varied] / 2  # the range itself may overflow
    exponent = np.where((half < _SMALLEST) | (half > _LARGEST), np.frexp(half)[1], 0)
    down = -exponent[:, np.newaxis]
    own, rows = np.ldexp(scores[varied], down), np.ldexp(ordered[varied], down)
    n = count(rows)
    start = _start(rows, n)
    own -= start
    rows -= start
    return Rows(rows, n[:, 0], mean_and_sd(own)[1][:, 0], varied, exponent)


def _start(rows: Array, n: IntArray) -> Array:
    """Return the origin of distances: 0, or the least score if R's grid overflows.

    R counts pairs on a grid with an int, for n up to half of the grid's steps. The difference
    is exact: scores that far from 0 are within a factor of 2.
    """
    low, high = extremes(rows)
    farthest = np.maximum(np.abs(low), np.abs(high))
    overflows = (n <= STEPS / 2) & (farthest >= 2.0**31 * ((high - low) * 1.01 / STEPS))
    return np.where(overflows, low, 0.0)


def interquartile_range(ordered: Array) -> Array:
    """Return the difference of R's quartiles (type 7) of each row; shape (..., 1)."""
    quartiles = quantile_of_sorted(ordered, count(ordered), np.array([0.25, 0.75]), 7)
    return np.diff(quartiles, axis=-1)


def power(n: IntArray, exponent: float) -> Array:
    """Return n^exponent of whole numbers in R's last digit.

    NumPy's power is off in the last digit for one n in 17; Python's is the C library's, as R's.
    """
    return np.array([size**exponent for size in n.ravel().tolist()]).reshape(n.shape)


def upper_end(spread: Array, n: IntArray) -> Array:
    """Return 1.144 spread n^(-1/5), the largest bandwidth of R's searches; (rows,)."""
    largest: Array = 1.144 * spread * power(n, -1 / 5)
    return largest
