"""Studentized range distribution: its upper tail in relative accuracy, and its quantiles.

With c groups, Q is the range of c standard normals over an independent s, the root of a
chi-square on df degrees of freedom divided by df. With w = q s and y = log(w),

    P(Q > q) = integral of f(y - log(q)) R(exp(y)) dy,

f the density of log(s) and R(w) = P(range > w): the integral of `studentized`. That of R is by
the trapezoidal rule too.

`scipy.stats.studentized_range` integrates each q on its own, and 1 - P loses a small tail.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from cdfscore.numerics.types import Array
from cdfscore.significance.contract.result import TestResult
from cdfscore.significance.null import studentized

# Half of the step changes no tail by 3e-12 of it, up to 1000 groups.
_RANGE_STEP = 0.125
_BELOW_ONE = np.nextafter(1.0, 0.0)
#: Terms of a sum computed at a time.
_BLOCK = 1 << 18


def upper_tail(q: ArrayLike, groups: int, df: float) -> Array:
    """Return P(Q > q), the shape of q, for 2 or more `groups` and 1 <= `df` <= 1e10, or inf."""
    values = np.asarray(q, dtype=np.float64)
    tail = np.select([np.isnan(values), values == np.inf], [np.nan, 0.0], 1.0)
    inside = (values > 0) & (values < np.inf)
    if np.isinf(df):
        tail[inside] = range_upper_tail(values[inside], groups)
    elif inside.any():
        log_q = np.log(values[inside])
        peak = studentized.peak(log_q, range_upper_tail, groups, df)
        tail[inside] = studentized.mixture(log_q, peak, range_upper_tail, groups, df)
    return np.asarray(np.minimum(tail, 1.0))


@functools.lru_cache(maxsize=16)
def upper_quantile(p: float, groups: int, df: float) -> float:
    """Return the q with P(Q > q) = p, for p from 1e-300 up to 1."""
    return studentized.quantile(lambda q: upper_tail(q, groups, df), p)


def range_upper_tail(w: Array, groups: int) -> Array:
    """Return P(range > w) of `groups` standard normals, for each positive w of a vector.

    The largest is z and not all others are above z - w: the integral over z of
    c phi(z) Phi(z)^(c-1) (1 - (1 - Phi(z - w) / Phi(z))^(c-1)).
    """
    tail = np.zeros(len(w))
    inside = np.flatnonzero(w < studentized.LARGEST)
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
    scaled: Array = tail * (groups * _RANGE_STEP / np.sqrt(2 * np.pi))
    return scaled


def of_studentized_range(found: TestResult, systems: int, alpha: float) -> float:
    """Return the difference whose p value is alpha: q_alpha(k, df) * stderr / sqrt(2).

    `stderr` is that of a difference, the same for all pairs, and df is infinite where the test has
    none. For `nemenyi` it is CD of Demsar (2006), section 3.2.2, whose q_alpha has the sqrt(2); for
    `tukey_hsd` it is half of the simultaneous interval at the level 1 - alpha. NaN where the test
    is undefined.
    """
    from cdfscore.significance.null import studentized_range

    df = float(np.max(found.parameter))
    quantile = studentized_range.upper_quantile(alpha, systems, np.inf if np.isnan(df) else df)
    return quantile * float(np.max(found.stderr)) / math.sqrt(2)
