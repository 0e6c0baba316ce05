"""Dunnett's distribution: the largest t of several means against one, all with one variance.

With m comparisons and Z_0, ..., Z_m independent standard normals,

    T_i = (Z_i - Z_0) / (sqrt(2) s),

which have the multivariate t distribution with correlations 1/2; s is the root of a chi-square on
df degrees of freedom divided by df. The tails of max T_i and max abs(T_i) are by the integral of
`studentized`, with w = sqrt(2) t s. Those of w are integrals over z = -Z_0, or Z_0, by the
trapezoidal rule: of phi(z) times the probability that not all of the other m stay below w.

`scipy.stats.multivariate_t` and R's mvtnorm draw random points, and 1 - P loses a small tail.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from cdfscore.numerics.types import Array
from cdfscore.significance.null import studentized

# Half of the step changes no tail by 2e-13 of it, up to 1000 comparisons.
_STEP = 0.125
_BELOW_ONE = np.nextafter(1.0, 0.0)
#: Terms of a sum computed at a time.
_BLOCK = 1 << 18


def upper_tail(t: ArrayLike, comparisons: int, df: float, *, two_sided: bool) -> Array:
    """Return P(max abs(T) > t), or P(max T > t), the shape of t, for 1 <= `df` <= 1e10, or inf."""
    values = np.asarray(t, dtype=np.float64)
    tail = np.select([np.isnan(values), values == np.inf], [np.nan, 0.0], 1.0)
    finite = np.isfinite(values)
    above, below = finite & (values > 0), finite & (values < 0)
    of_w = _two_sided if two_sided else _one_sided
    if above.any():
        w = np.sqrt(2) * values[above]
        if np.isinf(df):
            tail[above] = of_w(w, comparisons)
        else:
            peak = studentized.peak(np.log(w), of_w, comparisons, df)
            tail[above] = studentized.mixture(np.log(w), peak, of_w, comparisons, df)
    if not two_sided:
        tail[values == 0] = comparisons / (comparisons + 1)
        if below.any():
            w = -np.sqrt(2) * values[below]
            if np.isinf(df):
                tail[below] = _above_negative(w, comparisons)
            else:  # rises in w to 1, so that the terms are largest where the density of s is
                logs = np.log(w)
                tail[below] = studentized.mixture(logs, logs, _above_negative, comparisons, df)
    return np.asarray(np.minimum(tail, 1.0))


@functools.lru_cache(maxsize=16)
def upper_quantile(p: float, comparisons: int, df: float, *, two_sided: bool) -> float:
    """Return the t with `upper_tail` p, for p from 1e-300 up to 1."""
    from scipy.optimize import brentq

    def tail(t: float) -> Array:
        return upper_tail(t, comparisons, df, two_sided=two_sided)

    if two_sided or p < comparisons / (comparisons + 1) * (1 - 1e-9):
        return studentized.quantile(tail, p)
    low = -1.0
    while tail(low) < p:
        low *= 2
    return float(brentq(lambda t: tail(t).item() - p, low, 1.0, xtol=1e-15, rtol=1e-15))


def _two_sided(w: Array, comparisons: int) -> Array:
    """Return P(max abs(Z_i - Z_0) > w), for each positive w of a vector."""
    return _integral(w, comparisons, two_sided=True)


def _one_sided(w: Array, comparisons: int) -> Array:
    """Return P(max(Z_i - Z_0) > w), for each positive w of a vector."""
    return _integral(w, comparisons, two_sided=False)


def _integral(w: Array, comparisons: int, *, two_sided: bool) -> Array:
    """Return the tail of the largest difference; both halves of two sides are the same."""
    tail = np.zeros(len(w))
    inside = np.flatnonzero(w < studentized.LARGEST)
    # For large w the integrand is a normal density about w / 2; for small w, that of z.
    terms = np.arange(round(18.0 / _STEP))
    rows = _BLOCK // len(terms)
    for block in (inside[i : i + rows] for i in range(0, len(inside), rows)):
        start = np.floor((w[block] / 2 - 8.5) / _STEP).astype(np.intp)
        place = start[:, np.newaxis] + terms
        z = place * _STEP
        beyond = special.ndtr(z - w[block, np.newaxis])
        density = np.exp(-(z**2) / 2)
        if two_sided:
            beyond += special.ndtr(-z - w[block, np.newaxis])
            density *= np.select([place > 0, place == 0], [2.0, 1.0], 0.0)
        outside = -np.expm1(comparisons * np.log1p(-np.minimum(beyond, _BELOW_ONE)))
        tail[block] = np.vecdot(density, outside)
    scaled: Array = tail * (_STEP / np.sqrt(2 * np.pi))
    return scaled


def _above_negative(w: Array, comparisons: int) -> Array:
    """Return P(max(Z_i - Z_0) > -w), for each positive w of a vector."""
    z = np.arange(-9.0, 9.0, _STEP)
    density = np.exp(-(z**2) / 2) * (_STEP / np.sqrt(2 * np.pi))
    above = np.empty(len(w))
    rows = _BLOCK // len(z)
    for block in (slice(i, i + rows) for i in range(0, len(w), rows)):
        all_below = np.exp(comparisons * special.log_ndtr(z - w[block, np.newaxis]))
        above[block] = 1 - all_below @ density
    return above
