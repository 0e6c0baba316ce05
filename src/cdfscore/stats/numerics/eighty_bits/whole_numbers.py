"""R's sums of single rows in whole numbers, each addition with its rounding to 64 bits.

For any scores. A number is a whole number of units, which are powers of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cdfscore.stats.numerics.types import Array, IntArray

#: Below this the square of a spread has lost bits, or all of them, to underflow.
SMALLEST_SAFE_VARIANCE = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)


class Number(NamedTuple):
    """units * 2^exponent, of an exponent that is never above 0, also of large numbers."""

    units: int
    exponent: int

    def at(self, exponent: int) -> int:
        """Return how many units of 2^exponent these are, of which it is a whole number."""
        return self.units << (self.exponent - exponent)

    def over(self, n: int) -> Number:
        """Return the quotient by n > 0, rounded to 64 bits."""
        # Two bits more than are kept, and one for what is left.
        shift = max(0, 66 + n.bit_length() - self.units.bit_length())
        quotient, left = divmod(self.units << shift, n)
        return Number(_rounded(quotient << 1 | (left != 0)), self.exponent - shift - 1)

    def nearest(self) -> float:
        """Return the nearest double, infinite if it is too large for one."""
        try:
            return self.units / (1 << -self.exponent)
        except OverflowError:
            return math.inf if self.units > 0 else -math.inf

    def root(self) -> float:
        """Return the square root, rounded to 64 bits, as the nearest double."""
        shift = max(0, 140 - self.units.bit_length())
        shift += (self.exponent - shift) % 2
        square = self.units << shift
        root = math.isqrt(square)
        rounded = _rounded(root << 1 | (root * root != square))
        return Number(rounded, (self.exponent - shift) // 2 - 1).nearest()


def number_of(high: float, low: float) -> Number:
    """Return the sum of two finite doubles, which has 64 bits or fewer."""
    (a, b), (c, d) = high.as_integer_ratio(), low.as_integer_ratio()
    most = max(b, d)  # powers of two
    return Number(a * (most // b) + c * (most // d), 1 - most.bit_length())


def added(before: Number, x: Array) -> Number:
    """Add finite scores to a number of 64 bits, one after another."""
    counts, exponent = _whole(x)
    unit = min(before.exponent, exponent)
    shift = exponent - unit
    return _sum([before.at(unit), *(count << shift for count in counts)], unit)


def totals(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``sum`` of some rows; NaN is omitted."""
    for row, x in _present(scores, rows):
        found[row] = _sum(*_whole(x)).nearest() if np.isfinite(x).all() else x.sum()


def single_pass_means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``colMeans`` of some rows, as if they were columns; NaN is omitted."""
    for row, x in _present(scores, rows):
        if len(x) and np.isfinite(x).all():
            found[row] = _sum(*_whole(x)).over(len(x)).nearest()
        else:
            found[row] = x.sum() if len(x) else np.nan


def means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``mean`` of some rows; NaN is omitted, and infinite scores have no mean."""
    for row, x in _present(scores, rows):
        found[row] = _mean(x) if np.isfinite(x).all() and len(x) else np.nan


def sds(scores: Array, rows: IntArray, means: Array, found: Array) -> None:
    """Fill in R's ``sd`` of some rows, given their means; of 64 bits where R's is infinite or 0."""
    for row, x in _present(scores, rows):
        found[row] = _sd(x, float(means[row])) if np.isfinite(x).all() and len(x) > 1 else np.nan


def _present(scores: Array, rows: IntArray) -> Iterator[tuple[int, Array]]:
    for row in rows.tolist():
        x = scores[row]
        yield row, x[~np.isnan(x)]


def _mean(x: Array) -> float:
    counts, exponent = _whole(x)
    n = len(counts)
    first = _sum(counts, exponent).over(n)
    second = _sum(*_residuals(counts, exponent, first)).over(n)
    exponent = min(first.exponent, second.exponent)
    return Number(_rounded(first.at(exponent) + second.at(exponent)), exponent).nearest()


def _sd(x: Array, mean: float) -> float:
    (*counts, subtracted), exponent = _whole(np.append(x, mean))
    residuals, exponent = _residuals(counts, exponent, Number(subtracted, exponent))
    squares = _sum([_rounded(each * each) for each in residuals], 2 * exponent)
    variance = squares.over(len(x) - 1)
    rounded = variance.nearest()
    if variance.units and not SMALLEST_SAFE_VARIANCE <= rounded < math.inf:
        return variance.root()
    return math.sqrt(rounded)


def _whole(x: Array) -> tuple[list[int], int]:
    """Return scores as whole numbers of 2^exponent."""
    fractions, exponents = np.frexp(x)
    counts = (fractions * 2.0**53).astype(np.int64)
    least = int(exponents[counts != 0].min(initial=0))
    shifts = np.where(counts == 0, 0, exponents - least)
    return [c << s for c, s in zip(counts.tolist(), shifts.tolist(), strict=True)], least - 53


def _residuals(counts: list[int], exponent: int, mean: Number) -> tuple[list[int], int]:
    unit = min(exponent, mean.exponent)
    subtracted, shift = mean.at(unit), exponent - unit
    residuals = [(count << shift) - subtracted for count in counts]
    if max(residuals) >> 64 or -min(residuals) >> 64:
        residuals = [_rounded(residual) for residual in residuals]
    return residuals, unit


def _sum(counts: list[int], exponent: int) -> Number:
    total = 0
    for count in counts:
        total += count
        extra = total.bit_length() - 64
        if extra > 0:  # as in _rounded, a call of which takes as long as all else
            total = (total + (1 << extra - 1) - 1 + (total >> extra & 1)) >> extra << extra
    return Number(total, exponent)


def _rounded(count: int) -> int:
    """Round to 64 significant bits, half to even."""
    extra = count.bit_length() - 64
    if extra <= 0:
        return count
    # More than half, or half and odd, carries into what is kept.
    return (count + (1 << extra - 1) - 1 + (count >> extra & 1)) >> extra << extra
