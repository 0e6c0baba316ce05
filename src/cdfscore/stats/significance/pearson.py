"""Test of Pearson's product-moment correlation."""

import numpy as np
from scipy import special

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.offset import NEAR, without_offset
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Alternative, Rows, paired

#: Standardized samples as near as this, times sqrt(n), are the same except for rounding.
_ROUNDING = 16 * np.finfo(np.float64).eps


@paired(
    source="Fisher (1915, 1921); R: cor.test(x, y)",
    label="test of Pearson's correlation",
    minimum=3,
    effect="",
    estimates="correlation",
    shows="correlation",
    tolerances={"statistic": Tolerance(450, "terms of both signs cancel in r", floor=2**-4)},
    shifts="systems",
    null="the scores of the two systems have no linear correlation (r = 0)",
    assumes="normal scores, or many topics",
    choose_for="whether the scores of two systems are linearly related",
)
def pearson(
    x: Array, y: Array, *, alternative: Alternative = "two-sided", conf_level: float = 0.95
) -> Rows:
    """Test whether paired scores are uncorrelated, by Pearson's r.

    t = sqrt(n - 2) r / sqrt(1 - r^2) on n - 2 degrees of freedom; the interval is
    tanh(atanh(r) -/+ quantile / sqrt(n - 3)).

    Specified in pearson.1 to pearson.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    alternative
        "two-sided", "less" (a negative correlation) or "greater".
    conf_level
        The level of the confidence interval of the correlation.

    Returns
    -------
    TestResult
        A value for each sample: statistic t, parameter n - 2, estimate r. There is no
        interval for 3 pairs. Samples on one line have r = 1 or -1 and an infinite t.

    Raises
    ------
    SignificanceError
        If there are fewer than 3 pairs, or if one sample is constant (R gives NA). In a batch
        such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Fisher (1915, 1921), with the interval from the z transformation, as R's
    ``cor.test``, which loses digits near a perfect correlation and for nearly constant samples.
    `scipy.stats.pearsonr` computes the p value from a beta distribution, and accepts no missing
    scores in a batch.

    Examples
    --------
    >>> from cdfscore.stats.significance import pearson
    >>> result = pearson([0.5, 0.3, 0.8, 0.4, 0.6], [0.4, 0.3, 0.5, 0.2, 0.6])
    >>> result
    statistic   1.90443
    p_value     0.152962
    estimate    0.739795
    conf_low    -0.410221
    conf_high   0.981464
    parameter   3
    method      Pearson's product-moment correlation
    n           5
    alternative two-sided
    conf_level  0.95
    """
    n = x.shape[1]
    constant = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    u, v = _standardized(x), _standardized(y)
    apart, opposed = np.linalg.norm(u - v, axis=1), np.linalg.norm(u + v, axis=1)
    apart = np.where(apart < _ROUNDING * np.sqrt(n), 0.0, apart)
    opposed = np.where(opposed < _ROUNDING * np.sqrt(n), 0.0, opposed)
    r = np.select([apart == 0, opposed == 0], [1.0, -1.0], np.clip(np.vecdot(u, v), -1, 1))
    t = np.sqrt(n - 2) * r / (apart * opposed / 2)
    z = np.log(opposed / apart)  # atanh(r)
    tail = tail_of(conf_level, alternative)
    margin = -special.ndtri(tail) / np.sqrt(n - 3) if n > 3 else np.nan
    low = np.full_like(z, -1.0) if alternative == "less" else np.tanh(z - margin)
    high = np.full_like(z, 1.0) if alternative == "greater" else np.tanh(z + margin)
    r, t = np.where(constant, np.nan, r), np.where(constant, np.nan, t)
    return Rows(
        statistic=t,
        parameter=float(n - 2),
        p_value=student_t.p_value(t, n - 2, alternative),
        estimate=r,
        conf_low=np.where(constant | (n == 3), np.nan, low),
        conf_high=np.where(constant | (n == 3), np.nan, high),
        method="Pearson's product-moment correlation",
        reason=np.where(constant, "the scores of one sample are all equal", ""),
    )


def _standardized(sample: Array) -> Array:
    exponent = np.frexp(np.abs(sample).max(axis=1, keepdims=True))[1]
    # A power of 2 changes no digit, and keeps sums in the range of a double.
    apart = without_offset(np.ldexp(sample, -exponent), NEAR)
    residuals = apart - mean(apart)
    residuals /= np.abs(residuals).max(axis=1, keepdims=True)  # squares do not underflow
    return np.asarray(residuals / np.linalg.norm(residuals, axis=1, keepdims=True))
