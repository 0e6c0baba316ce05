"""Regularized lower incomplete gamma function, smooth to the last digits.

Own code because `scipy.special.gammainc` falls by more than 16 ulp from one double to the
next at shapes of 20, is 650 ulp off at shapes of 100, and ends its series too early from
shapes of 200,000 on. What it lacks is the factor x^a exp(-x) / Gamma(a + 1): the series and
the continued fraction are the usual ones, Abramowitz and Stegun (1964), 6.5.29 and 6.5.31.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array

# From here on Stirling's series has all the digits of a double.
_STIRLING = 10.0
# Up to here a^a is a double. Powers are exact where a logarithm times a large shape is not.
_POWERS = 140.0
# Both sums need some multiple of the root of the shape; this is enough for 1e6 and more.
_MOST_TERMS = 100_000
_EPSILON = 2.0**-53


def lower_gamma(shape: Array, x: Array) -> Array:
    """P(a, x) for shapes a > 0, (..., 1), at x, (..., m); 0 left of 0, NaN where x is NaN."""
    shapes = np.ascontiguousarray(np.broadcast_to(shape, x.shape)).reshape(-1)
    y: Array = _lower(shapes, np.ascontiguousarray(x).reshape(-1)).reshape(x.shape)
    return y


@compiled
def _lower(shapes, x):
    y = np.empty(len(x))
    for i in range(len(x)):
        a, u = shapes[i], x[i]
        if u != u:
            y[i] = np.nan
        elif u <= 0.0:
            y[i] = 0.0
        elif u > 2.0 * a + 800.0:  # 1 - P is below 1e-300, and the power below may overflow
            y[i] = 1.0
        elif u < a + 1.0:
            y[i] = _factor(a, u) * _series(a, u)
        else:
            y[i] = 1.0 - _factor(a, u) * a * _fraction(a, u)
    return y


@compiled
def _factor(a, x):
    """x^a exp(-x) / Gamma(a + 1), whose exponent near the mean is a small number.

    It is exp(-a (e - log(1 + e))) / sqrt(2 pi a), e = x / a - 1, but for Stirling's series.
    """
    if a < _STIRLING:
        return math.pow(x, a) * math.exp(-x) / math.gamma(a + 1.0)
    e = (x - a) / a
    if abs(e) < 0.4 or (a > _POWERS and -0.9 < e < 9.0):
        # e - log(1 + e) = s (e - 2 s^2 (1/3 + s^2 / 5 + ...)) with s = e / (2 + e).
        s = e / (2.0 + e)
        square, power, total = s * s, 1.0, 0.0
        k = 3.0
        while power / k > _EPSILON * total:
            total += power / k
            power *= square
            k += 2.0
        excess = s * (e - 2.0 * square * total)
        near = math.exp(-a * excess)
    elif a < _POWERS and a * math.log(x) > 700.0:  # the power alone would overflow
        root = math.pow(x, a / 2.0) / math.pow(a, a / 2.0) * math.exp((a - x) / 2.0)
        near = root * root
    elif a <= _POWERS:
        near = math.pow(x, a) / math.pow(a, a) * math.exp(a - x)
    else:
        near = math.exp(-a * (e - math.log(x / a)))
    r = 1.0 / (a * a)
    stirling = 1 / 1188 - r * (691 / 360360 - r * (1 / 156 - r * 3617 / 122400))
    stirling = 1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * stirling)))
    stirling /= a
    return near * math.exp(-stirling) / math.sqrt(2.0 * math.pi * a)


@compiled
def _series(a, x):
    """1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ..., 6.5.29."""
    term, total = 1.0, 1.0
    for k in range(1, _MOST_TERMS):
        term *= x / (a + k)
        total += term
        if term < _EPSILON * total:
            break
    return total


@compiled
def _fraction(a, x):
    """1 / (x + 1 - a - (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), 6.5.31, by Lentz's method."""
    b = x + 1.0 - a
    d = 1.0 / b
    c, value = np.inf, d
    for k in range(1, _MOST_TERMS):
        numerator = k * (a - k)
        b += 2.0
        d = 1.0 / (b + numerator * d)
        c = b + numerator / c
        change = c * d
        value *= change
        if abs(change - 1.0) <= 2.0 * _EPSILON:
            break
    return value
