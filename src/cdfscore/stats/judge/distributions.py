"""Distributions that statsmodels and SciPy lack, or have with few digits in the tails.

Each is an average over the spread S of a sample, S^2 = chi^2 / df, of a tail of normal variables.
The average is a sum over equal steps of log S, which is exact to the last digits because the terms
vanish on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import interpolate, optimize, special

from cdfscore.stats.judge import Array

#: Natural logarithm of the size of terms that do not count, relative to the largest.
_NEGLIGIBLE = 45.0
#: The fewest steps, and the widest: that of a tail that ends where u is large.
_STEPS, _WIDEST = 600, 1 / 500
_MOST_STEPS = 200_000
#: Tails of normal variables are tabulated to here, in steps of this size.
_LARGEST, _STEP = 80.0, 1 / 16
#: Logarithm of a probability p for which 1 - (1 - p)^k is k p.
_TINY = -60.0
_NODES, _WEIGHTS = special.roots_legendre(20)

LogTail = Callable[[Array], Array]


def averaged(log_tail: LogTail, q: float, df: float) -> float:
    """Return the average of exp(log_tail(q S)) over the spread S on df degrees of freedom."""
    if np.isinf(df):
        return float(np.exp(log_tail(np.array([q]))[0]))
    found = _integral(lambda u: _log_density(u, df) + log_tail(q * np.exp(u)), abs(q))
    return float(np.exp(found - _size(df)))


@lru_cache(maxsize=64)
def _size(df: float) -> float:
    return _integral(lambda u: _log_density(u, df))


def _log_density(u: Array, df: float) -> Array:
    """Return the logarithm of the density of log S, up to its constant."""
    return np.asarray(df * (u - np.expm1(2 * u) / 2))


def _integral(log_term: LogTail, steepest: float = 0.0) -> float:
    """Return the logarithm of the integral of exp(log_term(u)) over all u; NaN for many steps."""
    u = np.concatenate([-np.geomspace(60, 1e-4, 1000), np.geomspace(1e-4, 4, 500)])
    for _ in range(2):  # the first steps are wide if there are many degrees of freedom
        term = log_term(u)
        inside = np.flatnonzero(term > term.max() - _NEGLIGIBLE)
        if not len(inside):
            return np.nan
        low, high = u[max(0, inside[0] - 1)], u[min(len(u) - 1, inside[-1] + 1)]
        steps = (high - low) * max(1 / _WIDEST, 2 * steepest)  # a tail may fall within 1 / q
        if not steps < _MOST_STEPS:
            return np.nan
        u = np.linspace(low, high, max(_STEPS, math.ceil(steps)))
    term = log_term(u)
    return float(special.logsumexp(term) + np.log(u[1] - u[0]))


def range_upper(q: Array, systems: int, df: float) -> Array:
    """Return P(Q > q) of the studentized range of so many means, of q from 0 on."""
    tail = _tabulated("range", systems)
    return np.array([averaged(tail, each, df) if each > 0 else 1.0 for each in np.ravel(q)])


def dunnett_upper(t: Array, systems: int, df: float, alternative: Any) -> Array:
    """Return P(max abs(T) > t), or P(max T > t), of so many systems and one baseline."""
    two_sided = alternative == "two-sided"
    tail = _tabulated("two-sided" if two_sided else "one-sided", systems)
    return np.array([averaged(tail, each, df) for each in np.ravel(t)])


def upper_point(upper: Callable[[float], float], tail: float) -> float:
    """Return where an upper tail is `tail`."""
    return float(
        optimize.brentq(lambda q: np.log(upper(q)) - np.log(tail), 1e-3, 200.0, xtol=1e-14)
    )


def noncentral_t_upper(t: float, df: float, c: float) -> float:
    """Return P(T > t), of t from 0 on, for Student's T with the noncentrality c."""
    return averaged(lambda x: np.asarray(special.log_ndtr(c - x)), t, df)


def noncentrality(t: float, df: float, tail: float) -> float:
    """Return the c with P(T > t) = tail for Student's T with the noncentrality c."""
    if t < 0:  # P(T > t; c) = 1 - P(T > -t; -c)
        return -noncentrality(-t, df, 1 - tail)

    def excess(c: float) -> float:
        return noncentral_t_upper(t, df, c) - tail

    near, width = float(special.nctdtrinc(df, 1 - tail, t)), 1e-4
    near = near if np.isfinite(near) else t
    if np.isnan(excess(near)):
        return np.nan
    while excess(near - width) > 0 or excess(near + width) < 0:
        width *= 10
    return float(optimize.brentq(excess, near - width, near + width, xtol=1e-14, rtol=1e-15))


@lru_cache(maxsize=8)
def _tabulated(kind: str, systems: int) -> LogTail:
    """Return the logarithm of a tail of normal variables, by a spline through its values."""
    end = _LARGEST if kind == "range" else _LARGEST * np.sqrt(0.5)
    w = np.arange(-end, end, _STEP)
    if kind != "one-sided":  # from 0 on, and closer together near 0
        w = end * np.linspace(0, 1, len(w)) ** 1.5
    found = np.array([_log_tail(kind, systems, each) for each in w])
    spline = interpolate.make_interp_spline(w, found, k=7)
    return lambda at: np.where(at < w[-1], spline(np.minimum(at, w[-1])), -np.inf)


def _log_tail(kind: str, systems: int, w: float) -> float:
    """Integrate by Gauss and Legendre's rule, in panels of 1 where the terms are."""
    # Of the largest variable, at z, and the smallest; or of the baseline, at z, and the others.
    reach = w / 2 if kind == "range" else abs(w) * np.sqrt(0.5)
    centre = reach if kind == "range" else 0.0
    panels = int(np.ceil(12 if kind == "range" else 12 + reach))
    left = centre + np.arange(-panels, panels, dtype=np.float64)[:, np.newaxis]
    z = (left + (1 + _NODES) / 2).ravel()
    # All in logarithms, as a tail may be below the smallest double where the average is not.
    term = np.tile(np.log(_WEIGHTS / 2), 2 * panels) - z * z / 2 - np.log(2 * np.pi) / 2
    if kind == "range":
        below, others = special.log_ndtr(z - w) - special.log_ndtr(z), systems - 1
        term += np.log(systems) + others * special.log_ndtr(z)
    else:
        r, others = w * np.sqrt(2.0), systems
        below = special.log_ndtr(-(z + r))
        if kind == "two-sided":
            below = np.logaddexp(below, special.log_ndtr(z - r))
    near = -np.expm1(others * np.log1p(-np.minimum(np.exp(below), 1 - 2.0**-53)))
    with np.errstate(divide="ignore"):
        outside = np.where(below < _TINY, np.log(others) + below, np.log(near))
    return float(special.logsumexp(term + outside))
