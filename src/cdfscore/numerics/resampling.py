"""p values of resampling."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array


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
