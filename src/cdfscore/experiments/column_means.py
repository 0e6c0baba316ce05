"""R's ``colMeans`` of samples of rows, bit for bit, without the C type ``long double``.

R adds each column from the first row to the last in 80-bit floating point, 64 of them
significant, divides there, and rounds to double. Tied means that differ by rounding alone
are ordered by the last bits of such sums, so that whoever wants R's order needs R's bits.
`numpy.longdouble` has that format on x86 processors alone, and is four times as slow.

A sum of two doubles and its rounding error are two doubles (Knuth's two-sum), so that a column
is added almost exactly, and a bound on what R's roundings can have changed is added beside
it. Where every number within the bound rounds to the same double, that is R's mean. For the
others, one column in a hundred, each of R's additions is done again with its rounding to 64
bits.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from cdfscore.numerics.types import Array, IntArray

# Half a unit in the last of 64 bits, of a number between 1 and 2.
_HALF_ULP = 2.0**-64
# Adding and subtracting this many units rounds to a whole number of units, ties to even.
_ROUNDER = 1.5 * 2.0**52
# Splits a double into two halves of 26 bits (Dekker).
_SPLITTER = 2.0**27 + 1


def column_means(scores: Array, rows: IntArray) -> Array:
    """Average the columns of `scores` over each sample of rows, as R's ``colMeans``.

    `scores` is (topics, systems) and finite, of size 1e-280 to 1e280 where not 0; `rows` is
    (samples, size), and its order is that of the additions. The result is (samples, systems).
    """
    means: Array = _column_means(np.ascontiguousarray(scores), np.ascontiguousarray(rows))
    return means


@numba.njit(cache=True, nogil=True)
def _column_means(scores: Array, rows: IntArray) -> Array:
    samples, size = rows.shape
    systems = scores.shape[1]
    means = np.empty((samples, systems))
    high, low, sizes = np.empty(systems), np.empty(systems), np.empty(systems)
    for k in range(samples):
        high[:] = 0
        low[:] = 0
        sizes[:] = 0
        for t in range(size):
            row = scores[rows[k, t]]
            for j in range(systems):
                x, s = row[j], high[j]
                total = s + x
                part = total - s
                low[j] += (s - (total - part)) + (x - part)
                sizes[j] += abs(total)
                high[j] = total
        for j in range(systems):
            quotient, rest = _divided(high[j], low[j], size)
            # Each of R's additions rounds by half an ulp of its sum at most, and so the division.
            # 1.01 covers the roundings of this line and the next.
            bound = 1.01 * _HALF_ULP * (sizes[j] / size + abs(quotient))
            mean = quotient + (rest - bound)
            if mean != quotient + (rest + bound):
                mean = _mean_in_80_bits(scores, rows[k], j)
            means[k, j] = mean
    return means


@numba.njit(cache=True, nogil=True)
def _divided(high: float, low: float, n: int) -> tuple[float, float]:
    """Return (high + low) / n as a double and its remainder, to about 106 bits."""
    quotient = high / n
    big = quotient * _SPLITTER
    big -= big - quotient
    product = quotient * n
    error = (big * n - product) + (quotient - big) * n
    return _two_sum(quotient, ((high - product) - error + low) / n)


@numba.njit(cache=True, nogil=True)
def _mean_in_80_bits(scores: Array, rows: IntArray, column: int) -> float:
    """Repeat R's additions, each rounded to 64 bits; a number is high + low."""
    high, low = 0.0, 0.0
    for row in rows:
        total, error = _two_sum(high, scores[row, column])
        error, sticky = _two_sum(error, low)
        high, low = _rounded_to_64_bits(total, error, sticky)
    quotient, rest = _divided(high, low, len(rows))
    high, low = _rounded_to_64_bits(quotient, rest, 0.0)
    return high + low


@numba.njit(cache=True, nogil=True)
def _rounded_to_64_bits(high: float, low: float, sticky: float) -> tuple[float, float]:
    """Round high + low + sticky, where sticky is less than any bit of low."""
    high, low = _two_sum(high, low)
    mantissa, exponent = math.frexp(high)
    if abs(mantissa) == 0.5 and low != 0 and (high > 0) != (low > 0):
        exponent -= 1  # just below a power of two
    unit = math.ldexp(1.0, exponent - 64)
    rounded = (low + _ROUNDER * unit) - _ROUNDER * unit
    if abs(low - rounded) == unit / 2 and sticky != 0:
        rounded = low + math.copysign(unit / 2, sticky)  # no tie after all
    return _two_sum(high, rounded)


@numba.njit(cache=True, nogil=True)
def _two_sum(x: float, y: float) -> tuple[float, float]:
    """Return x + y, rounded, and the rounding error, which is a double as well."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)
