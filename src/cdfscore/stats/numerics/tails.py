"""Tails of the F distribution, and p values and intervals of counts."""

import numpy as np
from scipy import special

from cdfscore.stats.numerics.types import Array

# --- Upper tail of Fisher's F, in relative accuracy for small probabilities ---


#: Below this `scipy.special.fdtrc` may lose digits: a power of x in it underflows first.
_SMALL = 1e-250


def upper_tail(f: Array, df1: float, df2: float) -> Array:
    """Return P(F > f), where tiny from DLMF 8.17.8: `scipy.special.fdtrc` is off by 2e-9 there."""
    f = np.asarray(f, dtype=np.float64)
    tail = np.asarray(special.fdtrc(df1, df2, f))
    small = (tail < _SMALL) & np.isfinite(f)
    if small.any():
        a, b = df2 / 2, df1 / 2
        x = df2 / (df2 + df1 * f[small])
        logarithm = a * np.log(x) + b * np.log1p(-x) - np.log(a) - special.betaln(a, b)
        with np.errstate(under="ignore"):
            tail[small] = np.exp(logarithm) * _series(a, b, x)
    return tail


def _series(a: float, b: float, x: Array) -> Array:
    """Return 2F1(1, a + b; a + 1; x): `scipy.special.hyp2f1` is off by a factor of 250 at times."""
    term, total, k = np.ones_like(x), np.ones_like(x), 0
    while (term > np.finfo(np.float64).eps * total).any():
        term = term * x * (a + b + k) / (a + 1 + k)
        total += term
        k += 1
    return total


# --- Quantiles of a binomial count ---


def central_counts(level: float, n: int, p: float) -> tuple[int, int]:
    """Return the ends of the central interval of a binomial count, R's ``qbinom`` of both tails."""
    tails = np.array([(1 - level) / 2, 1 - (1 - level) / 2])
    ends = np.ceil(special.bdtrik(tails, n, p)) if p < 1 else np.full(2, float(n))
    before = np.maximum(ends - 1, 0)  # bdtrik is rounded
    low, high = np.where(special.bdtr(before, n, p) >= tails, before, ends).tolist()
    return int(low), int(high)


# --- p values of resampling ---


def p_value(extreme: Array, trials: float, exact: bool) -> tuple[Array, Array]:
    """Return the p value of counts of trials at least as extreme, and its standard error.

    Where not `exact`, the observed data are one more draw: Phipson and Smyth (2010), section 4.
    """
    if exact:
        return extreme / trials, np.zeros_like(extreme)
    p = (extreme + 1) / (trials + 1)
    return p, np.sqrt(p * (1 - p) / (trials + 1))
