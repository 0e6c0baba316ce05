"""Cdf of a logspline and its inverse, for a batch of topics.

The log of the density is the spline of `cdfscore.schemes.logspline.basis`. F is a sum of
positive terms over the integral of all.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.places import COEFFICIENTS, SLOPE, VALUE
from cdfscore.schemes.logspline.quadrature import piece_mass, variation

_STEPS = 100
# How much the log density may vary within a piece: 70 times as much as in any fit that was seen.
_MOST = 1e5
# The exponential of less than this has few digits or none.
_NOTHING = -700.0


@compiled
def logspline_rows(
    values: Array,
    knots: Array,
    bends: Array,
    slopes: Array,
    low: float,
    high: float,
    inverse: bool,
) -> Array:
    """Return F(x) for values x (rows, m), or, for the inverse, x with F(x) = p for values p.

    Knots and bends are (rows, k) and end in NaN, slopes (rows, 1). A row with one knot, a
    constant topic, has no density, and its results are NaN; so are those of parameters that no
    fit gives, as a file may have them.
    """
    results = np.full(values.shape, np.nan)
    for row in range(len(values)):
        k = np.searchsorted(knots[row], np.inf, side="right")  # NaN comes after infinity
        if k == 1 or not _may_be_fitted(knots[row, :k], bends[row], slopes[row, 0]):
            continue
        t, q, masses = _integrated(knots[row, :k], bends[row], slopes[row, 0], low, high)
        for i in range(values.shape[1]):
            value = values[row, i]
            if np.isnan(value):
                continue
            if inverse:
                results[row, i] = _quantile(value, t, q, masses, low, high)
            else:
                results[row, i] = _cdf(value, t, q, masses, low, high)
    return results


@compiled
def _may_be_fitted(t: Array, bends: Array, slope: float) -> bool:
    """Tell whether knots rise, each with a bend, and the density between them can be integrated."""
    if len(bends) < len(t) or np.isnan(bends[len(t) - 1]):
        return False
    for i in range(len(t) - 1):
        h = t[i + 1] - t[i]
        second, third = bends[i] / 2 * h**2, (bends[i + 1] - bends[i]) / 6 * h**2
        if not (h > 0 and variation(slope * h, second, third) <= _MOST):
            return False
        slope += h * (bends[i] + bends[i + 1]) / 2
    return True


@compiled
def _integrated(
    t: Array, bends: Array, slope: float, low: float, high: float
) -> tuple[Array, Array, Array]:
    """Return the knots, the log density from each on, and the mass left of each, and of all.

    Rows of the log densities are coefficients of powers of x - t_i; the last is right of the
    last knot. They are 0 at the highest knot.
    """
    k = len(t)
    q, masses = np.zeros((k, COEFFICIENTS)), np.zeros(k + 1)
    q[0, SLOPE] = slope
    highest = 0.0
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        q[i, 2], q[i, 3] = bends[i] / 2, (bends[i + 1] - bends[i]) / (6 * h)
        q[i + 1, VALUE] = q[i, VALUE] + h * (slope + h * (bends[i] / 3 + bends[i + 1] / 6))
        slope += h * (bends[i] + bends[i + 1]) / 2
        q[i + 1, SLOPE] = slope
        highest = max(highest, q[i + 1, VALUE])
    for i in range(k):
        q[i, VALUE] -= highest
    masses[0] = _lower(t[0], t, q, low)
    for i in range(k - 1):
        masses[i + 1] = masses[i] + _mass(q[i], t[i + 1] - t[i])
    masses[k] = masses[k - 1] + _upper(high, t, q)
    return t, q, masses


@compiled
def _cdf(x: float, t: Array, q: Array, masses: Array, low: float, high: float) -> float:
    k = len(t)
    if x <= low:
        return 0.0
    if x >= high:
        return 1.0
    if x < t[0]:
        below = _lower(x, t, q, low)
    elif x >= t[k - 1]:
        below = masses[k - 1] + _upper(x, t, q)
    else:
        i = np.searchsorted(t, x, side="right") - 1
        below = masses[i] + _mass(q[i], x - t[i])
    return float(min(1.0, below / masses[k]))


@compiled
def _quantile(p: float, t: Array, q: Array, masses: Array, low: float, high: float) -> float:
    k = len(t)
    wanted = p * masses[k]
    if p == 0 or p == 1:
        return low if p == 0 else high
    if wanted < masses[0]:
        slope, height = q[0, SLOPE], math.exp(q[0, VALUE])
        at_low = q[0, VALUE] + slope * (low - t[0])
        nearer_low = 2 * wanted < masses[0]
        if low == -np.inf or (nearer_low and at_low < _NOTHING):
            return max(low, float(t[0] + math.log(wanted * slope / height) / slope))
        if nearer_low:  # from the knot, a small p would be lost in the mass of the tail
            return low + _along(math.exp(at_low), slope, wanted)
        return max(low, float(t[0] - _along(height, -slope, masses[0] - wanted)))
    if wanted >= masses[k - 1]:
        slope, height = q[k - 1, SLOPE], math.exp(q[k - 1, VALUE])
        if high == np.inf:
            return float(t[k - 1] + math.log((1 - p) * masses[k] * -slope / height) / slope)
        return min(high, float(t[k - 1] + _along(height, slope, wanted - masses[k - 1])))
    i = np.searchsorted(masses, wanted, side="right") - 1
    return float(t[i] + _within(q[i], t[i + 1] - t[i], wanted - masses[i]))


@compiled
def _within(q: Array, h: float, mass: float) -> float:
    """Return z in [0, h] with this mass between 0 and z, by Newton's method in a bracket."""
    below, above = 0.0, h
    z = h / 2
    for _ in range(_STEPS):
        surplus = _mass(q, z) - mass
        if surplus < 0:
            below = z
        else:
            above = z
        step = surplus / math.exp(q[0] + z * (q[1] + z * (q[2] + z * q[3])))
        following = z - step
        if not below < following < above:
            following = below + (above - below) / 2
        if following == z or abs(step) <= 1e-16 * h:
            break
        z = following
    return z


@compiled
def _along(height: float, slope: float, mass: float) -> float:
    """Return the length over which an exponential that starts at this height has the mass."""
    growth = slope * mass / height  # of the height, over the length
    if growth == 0:
        return mass / height
    return math.log1p(max(growth, -1.0)) / slope  # infinite where rounding asks for too much


@compiled
def _lower(x: float, t: Array, q: Array, low: float) -> float:
    """Return the mass between low and x <= t_0."""
    slope = q[0, SLOPE]
    if low == -np.inf:
        return float(math.exp(q[0, VALUE] + slope * (x - t[0])) / slope)
    start, end = q[0, VALUE] + slope * (low - t[0]), q[0, VALUE] + slope * (x - t[0])
    return _exponential(start, end, slope, x - low)


@compiled
def _upper(x: float, t: Array, q: Array) -> float:
    """Return the mass between the last knot and x."""
    slope, length = q[-1, SLOPE], x - t[-1]
    return _exponential(q[-1, VALUE], q[-1, VALUE] + slope * length, slope, length)


@compiled
def _exponential(start: float, end: float, slope: float, length: float) -> float:
    """Integrate an exponential over a length, from its logs at both ends."""
    if slope == 0 or length == 0:
        return math.exp(start) * length
    if slope > 0:
        return math.exp(end) * (-math.expm1(-slope * length) / slope)
    return math.exp(start) * (math.expm1(slope * length) / slope)


@compiled
def _mass(q: Array, length: float) -> float:
    """Integrate exp(q(z)) from 0 to length."""
    first, second, third = q[1] * length, q[2] * length**2, q[3] * length**3
    return piece_mass(q[0], first, second, third, length)
