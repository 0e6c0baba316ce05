"""Numbers as the sums of two doubles, compiled, and their rounding to 64 bits."""

from __future__ import annotations

import math

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.eighty_bits import pairs

# Adding and subtracting this many units rounds to a whole number of units, ties to even.
_ROUNDER = 1.5 * 2.0**52
# A number times this, less its product with the double below 1, is the power of two in it (Rump).
_LEADING = 2.0**52 + 1
_BELOW_1 = 1 - 2.0**-53

two_sum = compiled(pairs.two_sum)
product_error = compiled(pairs.product_error)
square_error = compiled(pairs.square_error)


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
    """Round high + low + sticky to 64 bits, where sticky is less than any bit of low.

    The first of the result is the nearest double.
    """
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


@compiled
def sum_of_pairs(high: float, low: float, x: float, x_low: float) -> tuple[float, float]:
    """Add two numbers of 64 bits, and round to 64 bits."""
    total, error = two_sum(high, x)
    lows, least = two_sum(low, x_low)
    error, rest = two_sum(error, lows)
    rest, least = two_sum(rest, least)
    error, rest = two_sum(error, rest)
    return rounded(total, error, rest + least)


@compiled
def square(high: float, low: float) -> tuple[float, float]:
    """Square a number of 64 bits, and round to 64 bits."""
    product = high * high
    mixed = 2 * high * low
    error, rest = two_sum(square_error(high, product), mixed)
    # low has 11 bits: these three are multiples of one unit, of which their sum has less than 2^53.
    rest += product_error(2 * high, low, mixed) + low * low
    error, sticky = two_sum(error, rest)
    return rounded(product, error, sticky)
