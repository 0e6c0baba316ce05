"""Studentized range distribution: its upper tail in relative accuracy, and its quantiles.

`scipy.stats.studentized_range` integrates each q on its own, and 1 - P loses a small tail.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import TestResult

# --- Tails of a statistic of normals that is divided by an independent estimate of their sd ---
#
# Q = W / s, with R(w) = P(W > w) the tail of the statistic of `groups` normals of variance 1, and s
# the root of a chi-square on df degrees of freedom divided by df. With w = q s and y = log(w),
#
#     P(Q > q) = integral of f(y - log(q)) R(exp(y)) dy,
#
# f the density of log(s), by the trapezoidal rule (Trefethen and Weideman, 2014, The exponentially
# convergent trapezoidal rule, SIAM Review 56(3)). R is computed once a point for all q.

#: R: P(W > w) for each positive w of a vector, and the number of groups.
Tail = Callable[[Array, int], Array]
#: R is below the smallest double from here on, for any number of groups.
LARGEST = 60.0
# Half of these steps changes no tail by 3e-12 of it, up to 1000 groups.
_WIDEST_STEP = 0.04
_STEP_IN_SD = 0.35
#: Terms that are exp(-40) of the largest are left out.
_NEGLIGIBLE = 40.0
#: Terms of a sum computed at a time.
_BLOCK = 1 << 18


def mixture(log_q: Array, peak: Array, tail_of: Tail, groups: int, df: float) -> Array:
    """Return P(Q > q) for a vector of log(q), the `peak` of each, and a finite df."""
    step = min(_WIDEST_STEP, _STEP_IN_SD / np.sqrt(2 * df))
    left, right = _reach(df)
    terms = np.arange(int((left + right) / step) + 2)
    start = np.floor((peak - left) / step).astype(np.intp)
    first = int(start.min())
    needed = np.zeros(int(start.max()) - first + len(terms), dtype=bool)
    tail = np.empty(len(log_q))
    rows = max(1, _BLOCK // len(terms))
    blocks = [slice(i, i + rows) for i in range(0, len(log_q), rows)]
    for block in blocks:
        needed[(start[block] - first)[:, np.newaxis] + terms] = True
    index = np.flatnonzero(needed)
    table = np.empty(len(needed))
    table[index] = tail_of(np.exp((index + first) * step), groups)
    for block in blocks:
        place = start[block, np.newaxis] + terms
        density = _density_of_log_s(place * step - log_q[block, np.newaxis], df)
        tail[block] = np.vecdot(density, table[place - first])
    whole = np.arange(-int(left / step), int(right / step)) * step
    return np.asarray(tail / _density_of_log_s(whole, df).sum())


def _density_of_log_s(u: Array, df: float) -> Array:
    return np.exp(df * (u - np.expm1(2 * u) / 2))


def _reach(df: float) -> tuple[float, float]:
    """Return the distances below and above its peak beyond which a term is negligible."""
    k = 2 * _NEGLIGIBLE / df
    left = (k + np.sqrt(k * k + 8 * k)) / 2
    right = min(np.sqrt(2 * k), np.log(2 * (k + 1)) + 1)
    return left / 2, right / 2


def tail_of_positive(q: Array, tail_of: Tail, groups: int, df: float) -> Array:
    """Return P(Q > q) for a vector of q above 0, where R falls as exp(-w^2 / 4)."""
    if np.isinf(df):
        return tail_of(q, groups)
    log_q = np.log(q)
    peak_of, y = _peaks(tail_of, groups, df)
    peak = np.where(log_q < peak_of[0], log_q, np.interp(log_q, peak_of, y))
    return mixture(log_q, peak, tail_of, groups, df)


@functools.lru_cache(maxsize=16)
def _peaks(tail_of: Tail, groups: int, df: float) -> tuple[Array, Array]:
    """Return pairs of log(q) and the y where its terms are largest: df (1 - exp(2u)) + D(y) = 0."""
    y = np.arange(-3.0, np.log(LARGEST), 0.01)
    w = np.exp(y)
    logarithm = np.log(np.maximum(tail_of(w, groups), np.finfo(np.float64).tiny))
    # Far out log R is -w^2 / 4, up to terms that grow as log(w).
    slope = np.where(w < 50, np.gradient(logarithm, y), -(w**2) / 2 - 1)
    y, slope = y[slope > -df], slope[slope > -df]
    return y - np.log1p(slope / df) / 2, y


def quantile(upper_tail: Callable[[float], Array], p: float) -> float:
    """Return the q > 0 with P(Q > q) = p, for p from 1e-300 up to P(Q > 0)."""

    def excess(log_q: float) -> float:
        tail = upper_tail(np.exp(log_q)).item()
        return float(np.log(max(tail, np.finfo(np.float64).tiny)) - np.log(p))

    low, high = 0.0, 1.0
    while excess(low) < 0:
        low -= 1
    while excess(high) > 0:
        high += 1
    from scipy.optimize import brentq

    return float(np.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-15)))


# --- The range ---

# Half of the step changes no tail by 3e-12 of it, up to 1000 groups.
_RANGE_STEP = 0.125
_BELOW_ONE = np.nextafter(1.0, 0.0)


def upper_tail(q: ArrayLike, groups: int, df: float) -> Array:
    """Return P(Q > q), the shape of q, for 2 or more `groups` and 1 <= `df` <= 1e10, or inf."""
    values = np.asarray(q, dtype=np.float64)
    tail = np.select([np.isnan(values), values == np.inf], [np.nan, 0.0], 1.0)
    inside = (values > 0) & (values < np.inf)
    if inside.any():
        tail[inside] = tail_of_positive(values[inside], range_upper_tail, groups, df)
    return np.asarray(np.minimum(tail, 1.0))


@functools.lru_cache(maxsize=16)
def upper_quantile(p: float, groups: int, df: float) -> float:
    """Return the q with P(Q > q) = p, for p from 1e-300 up to 1."""
    return quantile(lambda q: upper_tail(q, groups, df), p)


def range_upper_tail(w: Array, groups: int) -> Array:
    """Return P(range > w) of `groups` standard normals, for each positive w of a vector.

    The integral over the largest z of c phi(z) Phi(z)^(c-1) (1 - (1 - Phi(z - w) / Phi(z))^(c-1)).
    """
    tail = np.zeros(len(w))
    inside = np.flatnonzero(w < LARGEST)
    # For large w the integrand is a normal density about w / 2; for small w, that of the largest.
    terms = np.arange(round(18.0 / _RANGE_STEP))
    rows = _BLOCK // len(terms)
    for block in (inside[i : i + rows] for i in range(0, len(inside), rows)):
        start = np.floor((w[block] / 2 - 8.5) / _RANGE_STEP).astype(np.intp)
        lattice = np.arange(start.min(), start.max() + len(terms)) * _RANGE_STEP
        log_cdf = special.log_ndtr(lattice)
        density = np.exp(-(lattice**2) / 2 + (groups - 1) * log_cdf)
        place = (start - start.min())[:, np.newaxis] + terms
        below = special.ndtr(lattice[place] - w[block, np.newaxis]) / special.ndtr(lattice)[place]
        # Rounded, a ratio can be 1 and more, where the largest double below 1 does as well.
        outside = -np.expm1((groups - 1) * np.log1p(-np.minimum(below, _BELOW_ONE)))
        tail[block] = np.vecdot(density[place], outside)
    return np.asarray(tail * (groups * _RANGE_STEP / np.sqrt(2 * np.pi)))


def of_studentized_range(found: TestResult, systems: int, alpha: float) -> float:
    """Return the difference whose p value is alpha: q_alpha(k, df) * stderr / sqrt(2)."""

    df = float(np.max(found.parameter))
    quantile = upper_quantile(alpha, systems, np.inf if np.isnan(df) else df)
    return quantile * float(np.max(found.stderr)) / math.sqrt(2)
