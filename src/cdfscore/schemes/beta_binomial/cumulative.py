"""Cumulative distribution function of the beta-binomial distribution.

Own code because SciPy's, through the gamma function, has neither the binomial distribution as a
limit nor the digits.

Own code because NumPy's ``long double`` is a plain double on ARM, macOS and Windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.numerics.blocks import as_rows, in_blocks
from cdfscore.numerics.eighty_bits.pairs import product_error, two_sum
from cdfscore.numerics.types import Array, IntArray


def cumulative(size: int, mean: Array, correlation: Array) -> Array:
    """Return P(K <= k) for k = 0, ..., size; mean and correlation (..., 1) to (..., size + 1).

    Some rows at a time: the pairs of doubles take many times the memory of the result.
    """
    mean, correlation = np.broadcast_arrays(mean, correlation)
    table = np.empty((*mean.shape[:-1], size + 1))
    rows, p, rho = as_rows(table), as_rows(mean), as_rows(correlation)

    def fill(part: slice) -> None:
        rows[part] = _of_rows(size, p[part], rho[part])

    in_blocks(fill, len(rows), size + 1)
    return table


def _of_rows(size: int, mean: Array, correlation: Array) -> Array:
    """Sum products of ratios P(K = k) / P(K = k - 1), rounded once, and divided by all of them."""
    certain = correlation == 1  # all or none: nothing lies between
    ratios = _ratios(size, mean, np.where(certain, 0.5, correlation))
    terms = [DoubleDouble.of(np.ones_like(mean))]
    exponents: list[IntArray] = [np.zeros(mean.shape, dtype=np.int64)]
    for k in range(size):
        # P(K = 0) may be 10^-6000: the powers of two are kept apart.
        term = terms[-1] * ratios[..., k : k + 1]
        exponent = np.frexp(term.high)[1]
        terms.append(term.times_power_of_two(-exponent))
        exponents.append(exponents[-1] + exponent)
    highest: IntArray = np.max(exponents, axis=0)
    sums, total = [], DoubleDouble.of(np.zeros_like(mean))
    for term, exponent in zip(terms, exponents, strict=True):
        total += term.times_power_of_two(exponent - highest)
        sums.append(total)
    table: Array = np.concatenate([(partial / total).high for partial in sums], axis=-1)
    table = np.where(certain, 1 - mean, table)
    table[..., -1] = 1.0
    return np.minimum(table, 1.0)


def _ratios(size: int, mean: Array, correlation: Array) -> DoubleDouble:
    """Return P(K = k) / P(K = k - 1) for k = 1, ..., size; correlations are below 1.

    It is (size - k + 1) (p + (k - 1) rho) / (k (q + (size - k) rho)).
    """
    r = DoubleDouble.of(correlation)
    rest = DoubleDouble.one_minus(correlation)
    p, q = DoubleDouble.of(mean) * rest, DoubleDouble.one_minus(mean) * rest
    k = np.arange(1.0, size + 1)
    above = DoubleDouble.of(size - k + 1) * (p + DoubleDouble.of(k - 1) * r)
    return above / (DoubleDouble.of(k) * (q + DoubleDouble.of(size - k) * r))


@dataclass(frozen=True)
class DoubleDouble:
    """Numbers high + low, where low is at most half a unit in the last place of high.

    Without overflow, and without underflow of low.
    """

    high: Array
    low: Array

    @classmethod
    def of(cls, x: Array) -> DoubleDouble:
        """Return doubles as they are."""
        return cls(x, np.zeros_like(x))

    @classmethod
    def one_minus(cls, x: Array) -> DoubleDouble:
        """Return 1 - x without rounding."""
        return cls(*two_sum(np.ones_like(x), -x))

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = two_sum(self.high, other.high)
        lows, rest = two_sum(self.low, other.low)
        high, error = two_sum(high, error + lows)
        return DoubleDouble(*two_sum(high, error + rest))

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        product = self.high * other.high
        error = product_error(self.high, other.high, product)
        error += self.high * other.low + self.low * other.high
        return DoubleDouble(*two_sum(product, error))

    def __truediv__(self, other: DoubleDouble) -> DoubleDouble:
        first = self.high / other.high
        product = first * other.high
        error = product_error(first, other.high, product)
        rest = ((self.high - product) - error + self.low - first * other.low) / other.high
        return DoubleDouble(*two_sum(first, rest))

    def __getitem__(self, place: Any) -> DoubleDouble:
        return DoubleDouble(self.high[place], self.low[place])

    def times_power_of_two(self, exponent: IntArray) -> DoubleDouble:
        """Multiply by 2^exponent."""
        return DoubleDouble(np.ldexp(self.high, exponent), np.ldexp(self.low, exponent))
