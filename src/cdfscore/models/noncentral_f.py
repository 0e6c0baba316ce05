"""Confidence interval of the noncentrality of F."""

from __future__ import annotations

import math

from scipy import special
from scipy.optimize import brentq

# The smallest relative tolerance that brentq accepts.
_RELATIVE = 8.881784197001252e-16
# df1 times F from here on is its noncentrality, but for the denominator.
_LARGE = 1e9


def noncentrality_interval(
    f: float, df1: float, df2: float, confidence: float
) -> tuple[float, float]:
    """Return the confidence interval of the noncentrality of an observed F.

    The ends solve P(F' <= f) = 1 - a/2 and a/2 for a = 1 - confidence. An end is 0 if there is no
    solution (Steiger, 2004, Psychological Methods 9).

    The ends are those of `scipy.special.ncfdtr`, found by `scipy.optimize.brentq`:
    ``scipy.special.ncfdtrinc`` has errors of 1e-3 in the probability and stops at 10,000.
    ``ncfdtr`` is not defined from a noncentrality of 1e10 on. For such an end, and if df1 f is 1e9
    or more, the numerator is replaced by its noncentrality, because its relative variation is very
    small: the ends are df1 f q / df2, where q are the quantiles of chi squared with df2 degrees of
    freedom. For up to 1e6 scores N, the error of lambda / (lambda + N) is then below 1e-8.

    Examples
    --------
    >>> low, high = noncentrality_interval(10.46, 7, 4235, 0.95)
    >>> print(f"{low:.6f} {high:.6f}")
    38.139122 104.116516
    """
    tail = (1 - confidence) / 2
    return _with_tail(f, df1, df2, 1 - tail), _with_tail(f, df1, df2, tail)


def _with_tail(f: float, df1: float, df2: float, p: float) -> float:
    if df1 * f >= _LARGE:
        return float(df1 * f * (special.chdtri(df2, p) / df2))
    if special.ncfdtr(df1, df2, 0.0, f) <= p:
        return 0.0
    above = 1.0 + df1 * f
    while (tail := special.ncfdtr(df1, df2, above, f)) > p:
        above *= 2
    if math.isnan(tail):  # few degrees of freedom: the end is far above F
        return float(df1 * f * (special.chdtri(df2, p) / df2))

    def miss(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - p

    found: float = brentq(miss, 0.0, above, xtol=1e-300, rtol=_RELATIVE)
    return found
