"""Cdf of a logspline and its inverse, for a batch of topics.

The log of the density is a natural cubic spline, told by its slope left of the first knot and
by its second derivatives at the knots, the bends. F is a sum of positive terms over the
integral of all.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.schemes._compiled import compiled
from cdfscore.schemes.logspline.quadrature import piece_mass

_STEPS = 100
# The exponential of less than this has few digits or none.
_NOTHING = -700.0


@compiled
def logspline_cdf(
    x: Array, knots: Array, bends: Array, slopes: Array, low: float, high: float
) -> Array:
    """Return F(x) for x (rows, m), knots and bends (rows, k) that end in NaN, slopes (rows, 1)."""
    y = np.empty(x.shape)
    for row in range(len(x)):
        t, q, masses = _integrated(knots[row], bends[row], slopes[row, 0], low, high)
        for i in range(x.shape[1]):
            y[row, i] = _cdf(x[row, i], t, q, masses, low, high)
    return y


@compiled
def logspline_quantile(
    p: Array, knots: Array, bends: Array, slopes: Array, low: float, high: float
) -> Array:
    """Return x with F(x) = p for p (rows, m); the rest is as for `logspline_cdf`."""
    x = np.empty(p.shape)
    for row in range(len(p)):
        t, q, masses = _integrated(knots[row], bends[row], slopes[row, 0], low, high)
        for i in range(p.shape[1]):
            x[row, i] = _quantile(p[row, i], t, q, masses, low, high)
    return x


@compiled
def _integrated(
    knots: Array, bends: Array, slope: float, low: float, high: float
) -> tuple[Array, Array, Array]:
    """Return the knots, the log density from each on, and the mass left of each, and of all.

    Rows of the log densities are coefficients of powers of x - t_i; the last is right of the
    last knot. They are 0 at the highest knot.
    """
    k = 0
    while k < len(knots) and not np.isnan(knots[k]):
        k += 1
    t, q, masses = knots[:k], np.zeros((k, 4)), np.zeros(k + 1)
    if k == 1:
        return t, q, masses
    q[0, 1] = slope
    highest = 0.0
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        q[i, 2], q[i, 3] = bends[i] / 2, (bends[i + 1] - bends[i]) / (6 * h)
        q[i + 1, 0] = q[i, 0] + h * (slope + h * (bends[i] / 3 + bends[i + 1] / 6))
        slope += h * (bends[i] + bends[i + 1]) / 2
        q[i + 1, 1] = slope
        highest = max(highest, q[i + 1, 0])
    q[:, 0] -= highest
    masses[0] = _lower(t[0], t, q, low)
    for i in range(k - 1):
        masses[i + 1] = masses[i] + _mass(q[i], t[i + 1] - t[i])
    masses[k] = masses[k - 1] + _upper(high, t, q)
    return t, q, masses


@compiled
def _cdf(x: float, t: Array, q: Array, masses: Array, low: float, high: float) -> float:
    if np.isnan(x):
        return np.nan
    k = len(t)
    if k == 1:  # a constant topic
        return 0.5 if x == t[0] else (1.0 if x > t[0] else 0.0)
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
    if np.isnan(p):
        return np.nan
    k = len(t)
    if k == 1:
        return float(t[0])
    wanted = p * masses[k]
    if p == 0 or p == 1:
        return low if p == 0 else high
    if wanted < masses[0]:
        slope, height = q[0, 1], math.exp(q[0, 0])
        at_low = q[0, 0] + slope * (low - t[0])
        nearer_low = 2 * wanted < masses[0]
        if low == -np.inf or (nearer_low and at_low < _NOTHING):
            return max(low, float(t[0] + math.log(wanted * slope / height) / slope))
        if nearer_low:  # from the knot, a small p would be lost in the mass of the tail
            return low + _along(math.exp(at_low), slope, wanted)
        return max(low, float(t[0] - _along(height, -slope, masses[0] - wanted)))
    if wanted >= masses[k - 1]:
        slope, height = q[k - 1, 1], math.exp(q[k - 1, 0])
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
    share = slope * mass / height
    if share == 0:
        return mass / height
    return math.log1p(max(share, -1.0)) / slope  # infinite where rounding asks for too much


@compiled
def _lower(x: float, t: Array, q: Array, low: float) -> float:
    """Return the mass between low and x <= t_0."""
    slope = q[0, 1]
    if low == -np.inf:
        return float(math.exp(q[0, 0] + slope * (x - t[0])) / slope)
    start, end = q[0, 0] + slope * (low - t[0]), q[0, 0] + slope * (x - t[0])
    return _exponential(start, end, slope, x - low)


@compiled
def _upper(x: float, t: Array, q: Array) -> float:
    """Return the mass between the last knot and x."""
    slope, length = q[-1, 1], x - t[-1]
    return _exponential(q[-1, 0], q[-1, 0] + slope * length, slope, length)


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
