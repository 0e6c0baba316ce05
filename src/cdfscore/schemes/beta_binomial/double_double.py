"""Arithmetic on arrays of numbers of about 104 bits, each the sum of two doubles.

Own code because NumPy's ``long double`` is a plain double on ARM, macOS and Windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.numerics.eighty_bits.pairs import product_error, two_sum
from cdfscore.numerics.types import Array, IntArray


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
