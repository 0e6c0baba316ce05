"""Sums of many rows, compiled, with what bounds R's roundings, and R's own ``colMeans``."""

import math

import numpy as np

from cdfscore.stats.numerics import eighty_bits
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.eighty_bits import HALF_ULP
from cdfscore.stats.numerics.eighty_bits.whole_numbers import Number, added, number_of
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# --- Numbers as the sums of two doubles, compiled, and their rounding to 64 bits ---

# Adding and subtracting this many units rounds to a whole number of units, ties to even.
_ROUNDER = 1.5 * 2.0**52
# A number times this, less its product with the double below 1, is the power of two in it (Rump).
_LEADING = 2.0**52 + 1
_BELOW_1 = 1 - 2.0**-53

two_sum = compiled(eighty_bits.two_sum)
product_error = compiled(eighty_bits.product_error)
square_error = compiled(eighty_bits.square_error)


@compiled
def divided(high: float, low: float, n: int) -> tuple[float, float]:
    """Return (high + low) / n as a double and its remainder, to about 106 bits."""
    by = float(n)
    first = high / by
    product = first * by
    rest = ((high - product) - product_error(first, by, product) + low) / by
    return two_sum(first, rest)


@compiled
def rounded(high: float, low: float, sticky: float) -> tuple[float, float]:
    """Round high + low + sticky to 64 bits, where sticky is less than any bit of low."""
    high, low = two_sum(high, low)
    scaled = high * _LEADING
    power = abs(scaled - _BELOW_1 * scaled)
    # Just below a power of two the unit is half as large.
    below = (abs(high) == power) & (low != 0) & ((high > 0) != (low > 0))
    unit = power * (2.0**-64 if below else 2.0**-63)
    whole = (low + _ROUNDER * unit) - _ROUNDER * unit
    tie = (sticky != 0) & (abs(low - whole) == 0.5 * unit)
    whole = low + math.copysign(0.5 * unit, sticky) if tie else whole  # which is none
    return two_sum(high, whole)


@compiled
def sum_of_two(high: float, low: float, x: float) -> tuple[float, float]:
    """Add a double to a number of 64 bits, and round to 64 bits."""
    total, error = two_sum(high, x)
    error, sticky = two_sum(error, low)
    return rounded(total, error, sticky)


# --- Almost exact sums of many rows, compiled, with what bounds R's roundings ---


def deviations(scores: Array) -> tuple[Array, Array, IntArray]:
    """Return means, sums of squares and numbers of scores, as `moments` finds those of few rows."""
    (high, low, error, _), n = add(scores)
    mean, left = eighty_bits.quotient(high, low, n)
    return np.stack([mean, left, error / n]), add_squares(scores, mean), n


# Rows and scores that are added at a time. The rows stand side by side, so that the processor adds
# several by one instruction, each in its own order.
_ROWS, _SCORES = 32, 128


@compiled
def add(scores: Array) -> tuple[Array, IntArray]:
    """Add each row: return the sums (4, rows) and the numbers of scores that are not NaN.

    The sum is the first and the second, with an error of at most the third; the fourth is that of
    the sizes of all partial sums.
    """
    sums, n = np.empty((4, len(scores))), np.empty(len(scores), dtype=np.int64)
    tile, counted = np.empty((_SCORES, _ROWS)), np.empty(_ROWS, dtype=np.int64)
    zero, found = np.zeros(_ROWS), np.empty((4, _ROWS))
    for first in range(0, len(scores), _ROWS):
        rows = scores[first : first + _ROWS]
        found[:] = 0
        counted[:] = 0
        for start in range(0, scores.shape[1], _SCORES):
            part = rows[:, start : start + _SCORES]
            _fill(tile, part, zero, counted)
            _add(tile, part.shape[1], found)
        # Each rest is at most half an ulp of a partial sum, and each addition of rests rounds.
        found[2] = 2.0**-105 * counted * found[3]
        sums[:, first : first + _ROWS] = found[:, : len(rows)]
        n[first : first + _ROWS] = counted[: len(rows)]
    return sums, n


@compiled
def add_squares(scores: Array, means: Array) -> Array:
    """Add the squares of x - mean of each row: return the sums (5, rows), as `add`.

    The fourth is that of all partial sums, the fifth that of the sizes of those of x - mean.
    """
    sums = np.empty((5, len(scores)))
    tile, counted = np.empty((_SCORES, _ROWS)), np.empty(_ROWS, dtype=np.int64)
    mean, found = np.zeros(_ROWS), np.empty((6, _ROWS))
    for first in range(0, len(scores), _ROWS):
        rows = scores[first : first + _ROWS]
        mean[: len(rows)] = means[first : first + _ROWS]
        found[:] = 0
        for start in range(0, scores.shape[1], _SCORES):
            part = rows[:, start : start + _SCORES]
            _fill(tile, part, mean, counted)
            _add_squares(tile, part.shape[1], mean, found)
        found[2] = 2.0**-102 * scores.shape[1] * found[3]
        sums[:, first : first + _ROWS] = found[:5, : len(rows)]
    return sums


@compiled
def _fill(tile: Array, scores: Array, missing: Array, counted: IntArray) -> None:
    """Turn rows into columns; a score that is NaN is replaced by what changes no sum."""
    for r in range(len(scores)):
        row, other, n = scores[r], missing[r], 0
        for k in range(len(row)):
            score = row[k]
            there = score == score
            n += there
            tile[k, r] = score if there else other
        counted[r] += n


@compiled
def _add(tile: Array, length: int, found: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            total, error = two_sum(found[0, r], tile[k, r])
            found[1, r] += error
            found[3, r] += abs(total)
            found[0, r] = total


@compiled
def _add_squares(tile: Array, length: int, mean: Array, found: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            d, error = two_sum(tile[k, r], -mean[r])
            square = d * d
            rest = square_error(d, square) + 2.0 * d * error
            total, error = two_sum(found[0, r], square)
            found[1, r] += error + rest
            found[3, r] += total
            found[0, r] = total
            drift = found[5, r] + d
            found[5, r] = drift
            found[4, r] += abs(drift)


# --- R's sums of some rows, compiled: each addition with its rounding to 64 bits ---


@compiled
def _sum(row: Array) -> tuple[float, float, int]:
    """Return R's sum as a pair, and the number of scores."""
    high, low, n = 0.0, 0.0, 0
    for x in row:
        if x == x:
            high, low = sum_of_two(high, low, x)
            n += 1
    return high, low, n


@compiled
def _quotient(high: float, low: float, n: int) -> tuple[float, float]:
    high, low = divided(high, low, n)
    return rounded(high, low, 0.0)


# --- R's ``colMeans`` of samples of rows ---
#
# Tied means that differ by rounding alone are ordered by their last bits, so that whoever wants R's
# order needs R's bits. `numpy.longdouble` is four times as slow.


def column_means(scores: Array, rows: IntArray) -> Array:
    """Average the columns of finite `scores` over each sample of `rows`, as R's ``colMeans``."""
    return np.asarray(_column_means(np.ascontiguousarray(scores), np.ascontiguousarray(rows)))


@compiled
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
            quotient, rest = divided(high[j], low[j], size)
            # Each of R's additions rounds by half an ulp of its sum at most, and so the division.
            # 1.01 covers the roundings of this line and the next.
            bound = 1.01 * HALF_ULP * (sizes[j] / size + abs(quotient))
            mean = quotient + (rest - bound)
            if mean != quotient + (rest + bound):
                high[j], low[j], n = _sum(scores[:, j][rows[k]])
                mean = _quotient(high[j], low[j], n)[0]
            means[k, j] = mean
    return means


# --- R's ``colMeans`` of columns whose parts are added one after another ---


# Between these, no compiled addition to a number of 64 bits overflows or loses bits.
_SMALLEST, _LARGEST = 2.0**-300, 2.0**300


class RunningSums:
    """Sums of columns, from the first row of the first part to the last of the last, as R's."""

    def __init__(self, columns: int) -> None:
        self._pairs = np.zeros((2, columns))
        self._whole: dict[int, Number] = {}
        #: The sum of the infinite scores of each column, NaN if there are both.
        self._infinite = np.zeros(columns)

    def add(self, scores: Array) -> None:
        """Add a part (rows, columns); NaN is omitted."""
        infinite = np.isinf(scores)
        if infinite.any():
            with np.errstate(invalid="ignore"):
                self._infinite += np.where(infinite, scores, 0.0).sum(axis=0)
            scores = np.where(infinite, np.nan, scores)
        for column in np.flatnonzero(~_is_ordinary(scores).all(axis=0)).tolist():
            if column not in self._whole:
                self._whole[column] = number_of(*self._pairs[:, column].tolist())
        _add_in_order(np.ascontiguousarray(scores), self._pairs)
        for column, before in self._whole.items():
            x = scores[:, column]
            self._whole[column] = added(before, x[~np.isnan(x)])

    def means(self, n: IntArray) -> Array:
        """Return the means of columns of n scores each, NaN where n is 0."""
        found = np.full(len(n), np.nan)
        for column in np.flatnonzero(n).tolist():
            total = self._whole.get(column)
            if total is None:
                total = number_of(*self._pairs[:, column].tolist())
            found[column] = total.over(int(n[column])).nearest()
        return np.where(self._infinite == 0, found, self._infinite)


def _is_ordinary(scores: Array) -> BoolArray:
    """Tell which scores, or NaN, no compiled addition of 64 bits loses bits of."""
    sizes = np.abs(scores)
    ordinary: BoolArray = (sizes == 0) | ((sizes >= _SMALLEST) & (sizes <= _LARGEST))
    return ordinary | np.isnan(sizes)


@compiled
def _add_in_order(scores: Array, sums: Array) -> None:
    for i in range(len(scores)):
        for j in range(scores.shape[1]):
            x = scores[i, j]
            if x == x:
                sums[0, j], sums[1, j] = sum_of_two(sums[0, j], sums[1, j], x)
