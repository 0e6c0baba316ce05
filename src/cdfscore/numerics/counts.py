"""Counts of outcomes: quantiles of a binomial count, and p values of resampling."""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.numerics.types import Array

# --- Quantiles of a binomial count ---


def central_counts(level: float, n: int, p: float) -> tuple[int, int]:
    """Return the ends of the central interval of a binomial count, R's ``qbinom`` of both tails.

    They are those of `scipy.stats.binom`, whose import takes longer than a command should.

    Examples
    --------
    >>> central_counts(0.95, 100, 0.1)
    (5, 16)
    """
    tails = np.array([(1 - level) / 2, 1 - (1 - level) / 2])
    ends = np.ceil(special.bdtrik(tails, n, p)) if p < 1 else np.full(2, float(n))
    before = np.maximum(ends - 1, 0)  # bdtrik is rounded
    low, high = np.where(special.bdtr(before, n, p) >= tails, before, ends).tolist()
    return int(low), int(high)


# --- p values of resampling ---


def p_value(extreme: Array, trials: float, exact: bool) -> tuple[Array, Array]:
    """Return the p value of counts of trials at least as extreme, and its standard error.

    With `exact` the trials are all outcomes, and p is their proportion. Otherwise the observed data
    are one more draw from the null distribution, so that a permutation test at level alpha has a
    type I error of at most alpha: (b + 1) / (B + 1), Phipson and Smyth (2010), Permutation p-values
    should never be zero, section 4.
    """
    if exact:
        return extreme / trials, np.zeros_like(extreme)
    p = (extreme + 1) / (trials + 1)
    return p, np.sqrt(p * (1 - p) / (trials + 1))
