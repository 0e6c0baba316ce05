"""Distributions that statsmodels and SciPy lack, or have with few digits in the tails.

Each is an average over the spread S of a sample, S^2 = chi^2 / df, of a tail of normal variables.
The average is a sum over equal steps of log S, which is exact to the last digits because the terms
vanish on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy import interpolate, optimize, special

from cdfscore.stats.judge import Array

#: Natural logarithm of the size of terms that do not count, relative to the largest.
_NEGLIGIBLE = 45.0
#: The fewest steps, and the widest: that of a tail that ends where u is large.
_STEPS, _WIDEST = 600, 1 / 500
_MOST_TERMS = 1 << 22
#: Tails of normal variables are tabulated to here, in steps of this size.
_LARGEST, _STEP = 80.0, 1 / 16
#: Logarithm of a probability p for which 1 - (1 - p)^k is k p.
_TINY = -60.0
#: Noncentralities of a t beyond this are an expansion: the first term left out is t^-4 of them.
_STEEP = 1e5
NODES, WEIGHTS = special.roots_legendre(20)
_NEWTON, _ROOT = 12, math.sqrt(2 * math.pi)

LogTail = Callable[[Array], Array]


def averaged(log_tail: LogTail, q: Array, df: float) -> Array:
    """Return the averages of exp(log_tail(q S)) over the spread S on df degrees of freedom."""
    if np.isinf(df):
        return np.asarray(np.exp(log_tail(q)))
    p, there = np.full(q.shape, np.nan), np.isfinite(q)
    if not there.any():
        return p
    known = q[there]
    # The terms that count for other q lie between those of the smallest and of the largest.
    least, largest = (_inside(_terms(log_tail, q, df)) for q in (known.min(), known.max()))
    low, high = min(least[0], largest[0]), max(least[1], largest[1])
    u = _steps(low, high, max(min(np.abs(known).max(), _LARGEST), 1.5 * math.sqrt(df)))
    blocks = np.array_split(known, 1 + known.size * len(u) // _MOST_TERMS)
    found = [_log_integral(_terms(log_tail, q[:, np.newaxis], df), u) for q in blocks]
    p[there] = np.exp(np.concatenate(found) - _size(df))
    return p


@lru_cache(maxsize=64)
def _size(df: float) -> float:
    density = partial(_log_density, df=df)
    return float(_log_integral(density, _steps(*_inside(density), 0.0)))


def _log_density(u: Array, df: float) -> Array:
    """Return the logarithm of the density of log S, up to its constant."""
    return np.asarray(df * (u - np.expm1(2 * u) / 2))


def _terms(log_tail: LogTail, q: Any, df: float) -> LogTail:
    return lambda u: _log_density(u, df) + log_tail(q * np.exp(u))


def _log_integral(log_term: LogTail, u: Array) -> Any:
    step = (u[-1] - u[0]) / (len(u) - 1)
    return special.logsumexp(log_term(u), axis=-1) + math.log(step)


def _inside(log_term: LogTail) -> tuple[float, float]:
    """Return between which u the terms count."""
    u = np.concatenate([-np.geomspace(60, 1e-4, 1000), np.geomspace(1e-4, 4, 500)])
    for _ in range(2):  # the first steps are wide if there are many degrees of freedom
        term = log_term(u)
        inside = np.flatnonzero(term >= np.fmax(term.max() - _NEGLIGIBLE, -1e300))
        if not len(inside):  # all terms are 0
            break
        u = np.linspace(u[max(0, inside[0] - 1)], u[min(len(u) - 1, inside[-1] + 1)], _STEPS)
    return float(u[0]), float(u[-1])


def _steps(low: float, high: float, steepest: float) -> Array:
    """Return equal steps; a tail of q S may fall within 1 / q, and S varies by 1 / sqrt(2 df)."""
    most = max(1 / _WIDEST, 2 * steepest)
    return np.linspace(low, high, max(_STEPS, math.ceil((high - low) * most)))


def range_upper(q: Array, systems: int, df: float) -> Array:
    """Return P(Q > q) of the studentized range of so many means, of q from 0 on."""
    return averaged(_tabulated("range", systems), q, df)


def dunnett_upper(t: Array, systems: int, df: float, alternative: Any) -> Array:
    """Return P(max abs(T) > t), or P(max T > t), of so many systems and one baseline."""
    kind = "two-sided" if alternative == "two-sided" else "one-sided"
    return averaged(_tabulated(kind, systems), t, df)


def upper_point(upper: Callable[[Array], Array], tail: float) -> float:
    """Return where an upper tail is `tail`."""
    found = optimize.brentq(
        lambda q: np.log(upper(np.array([q]))[0]) - np.log(tail), 1e-3, 200.0, xtol=1e-14
    )
    return float(found)


def noncentral_t_upper(t: float, df: float, c: float) -> float:
    """Return P(T > t), of t from 0 on, for Student's T with the noncentrality c."""
    return float(averaged(lambda x: np.asarray(special.log_ndtr(c - x)), np.array([t]), df)[0])


def noncentrality(t: float, df: float, tail: float) -> float:
    """Return the c with P(T > t) = tail for Student's T with the noncentrality c."""
    z = float(special.ndtri(tail))
    s = math.sqrt(special.chdtri(df, 1 - tail if t > 0 else tail) / df)
    if abs(t) > _STEEP:  # S varies far more than Z
        return t * s - ((df - 1) / s - df * s) / (2 * t)
    spread, weights = _spread(df, 2.0 ** math.frexp(t)[1])
    c = t + math.copysign(math.hypot(z, t * (s - 1)), z)
    for _ in range(_NEWTON):  # P = E Phi(c - t S), and its slope by c
        at = c - t * spread
        slope = float(weights @ np.exp(-at * at / 2)) / _ROOT
        step = (float(weights @ special.ndtr(at)) - tail) / slope
        c -= step
        if abs(step) <= 1e-15 * max(1.0, abs(c)):
            break
    return c


@lru_cache(maxsize=64)
def _spread(df: float, steepest: float) -> tuple[Array, Array]:
    """Return values of S, and their weights, for tails of numbers far from 0."""
    u = _steps(*_inside(partial(_log_density, df=df)), steepest)
    weights = np.exp(_log_density(u, df))
    return np.exp(u), weights / weights.sum()


@lru_cache(maxsize=8)
def _tabulated(kind: str, systems: int) -> LogTail:
    """Return the logarithm of a tail of normal variables, by a spline through its values."""
    end = _LARGEST if kind == "range" else _LARGEST * np.sqrt(0.5)
    w = np.arange(-end, end, _STEP)
    if kind != "one-sided":  # from 0 on, and closer together near 0
        w = end * np.linspace(0, 1, len(w)) ** 1.5
    found = np.array([_log_tail(kind, systems, each) for each in w])
    spline = interpolate.make_interp_spline(w, found, k=7)
    return lambda at: np.where(at < w[-1], spline(np.clip(at, w[0], w[-1])), -np.inf)


def _log_tail(kind: str, systems: int, w: float) -> float:
    """Integrate by Gauss and Legendre's rule, in panels of 1 where the terms are."""
    # Of the largest variable, at z, and the smallest; or of the baseline, at z, and the others.
    reach = w / 2 if kind == "range" else abs(w) * np.sqrt(0.5)
    centre = reach if kind == "range" else 0.0
    panels = int(np.ceil(12 if kind == "range" else 12 + reach))
    left = centre + np.arange(-panels, panels, dtype=np.float64)[:, np.newaxis]
    z = (left + (1 + NODES) / 2).ravel()
    # All in logarithms, as a tail may be below the smallest double where the average is not.
    term = np.tile(np.log(WEIGHTS / 2), 2 * panels) - z * z / 2 - np.log(2 * np.pi) / 2
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
