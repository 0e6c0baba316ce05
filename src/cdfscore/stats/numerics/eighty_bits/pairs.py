"""Numbers as the sums of two doubles, of arrays and compiled."""

from typing import TypeVar

import numpy as np

from cdfscore.stats.numerics.types import Array, IntArray

#: A number, or an array of them.
Number = TypeVar("Number", float, Array)

#: Half a unit in the last of 64 bits, of a number between 1 and 2: what one rounding changes at
#: most, in proportion.
HALF_ULP = 2.0**-64
# Splits a double into two halves of 26 bits (Dekker).
_SPLITTER = 2.0**27 + 1


def two_sum(x: Number, y: Number) -> tuple[Number, Number]:
    """Return x + y, rounded, and the rounding error, which is a double as well (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def product_error(x: Number, y: Number, product: Number) -> Number:
    """Return x * y less its rounded value (Dekker), without underflow, and below 2^996."""
    part = x * _SPLITTER
    x_high = part - (part - x)
    x_low = x - x_high
    part = y * _SPLITTER
    y_high = part - (part - y)
    y_low = y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def square_error(x: Number, square: Number) -> Number:
    """Return x * x less its rounded value, as `product_error`."""
    part = x * _SPLITTER
    high = part - (part - x)
    low = x - high
    return (high * high - square) + (high + high) * low + low * low


def quotient(high: Array, low: Array, n: IntArray) -> tuple[Array, Array]:
    """Return (high + low) / n as a double, the nearest one, and the rest, to about 105 bits."""
    by = n.astype(np.float64)
    first = high / by
    product = first * by
    rest = ((high - product) - product_error(first, by, product) + low) / by
    return two_sum(first, rest)
