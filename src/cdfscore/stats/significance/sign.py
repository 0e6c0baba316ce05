"""Sign test of paired scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import SIGNS, Alternative, Rows, Sizes, both_tails, paired
from cdfscore.stats.significance.rank_tests import TiesAt, differences_at, zeros_said


def _least_p(sizes: Sizes, settings: Mapping[str, Any]) -> float:
    return both_tails(0.5**sizes.nonzero, settings)


@paired(
    source="Arbuthnott (1710); R: binom.test on the signs of x - y",
    label="sign test",
    minimum=1,
    effect="",
    estimates=SIGNS,
    least_p=_least_p,
    in_unit=("null_value",),
    shifts="topics",
    null="the median difference is `null_value`",
    assumes="no particular distribution; differences of 0 are left out",
    choose_for="which system is better on more topics; little power",
)
def sign(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
    ties_at: TiesAt = "resolution",
) -> Rows:
    """Test whether the median of paired differences is `null_value`, by the sign test.

    S, the number of d > 0 among the d = x - y - null_value that are not 0, is binomial with
    probability 1/2.

    Specified in sign.1 to sign.3.

    Parameters
    ----------
    x, y, alternative
        As for `wilcoxon_signed_rank`.
    null_value
        The median difference under the null hypothesis.
    conf_level
        The level of the confidence interval of the probability of d > 0.
    ties_at
        "resolution": if all scores and `null_value` are whole multiples of 1 / q, the differences
        are whole numbers, so that 0.3 - 0.2 - 0.1 is zero. Other pairs of samples are compared in
        all digits. "all_digits" uses the difference of doubles, -2.8e-17 in this example, which is
        below zero. A number is the number of decimals to which the differences are rounded first.
        `method` names the multiples or decimals. If `null_value` is 0, both words give the same
        numbers, because equal scores have a difference of 0 in both.

    Returns
    -------
    TestResult
        A value for each sample: statistic S, parameter the number m of differences that
        are not 0, estimate S / m with its interval of Clopper and Pearson. `method` has m too, if
        it is not n.

    Raises
    ------
    SignificanceError
        For a single pair of samples without any pair, or whose differences are all 0: R's
        ``binom.test`` stops there. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: R's ``binom.test``; Clopper and Pearson (1934), The use of confidence or fiducial
    limits. The two-sided p value of ``binom.test`` is the probability of all outcomes that
    are not more likely (by a factor of 1 + 1e-7) than S; with probability 1/2 and fewer
    than 10^7 differences these are the two tails of equal size. Probabilities are
    incomplete beta functions of SciPy, within 1e-13 of the true values for up to 1,000
    differences; `scipy.special.bdtr` is within 7e-13 of them, and `scipy.stats.binomtest`
    accepts one sample per call.

    Examples
    --------
    >>> from cdfscore.stats.significance import sign
    >>> sign([0.5, 0.3, 0.8, 0.4, 0.9], [0.4, 0.6, 0.3, 0.2, 0.5])
    statistic   4
    p_value     0.375
    estimate    0.8
    conf_low    0.283582
    conf_high   0.994949
    parameter   5
    method      sign test; ties at multiples of 1/10
    n           5
    null_value  0
    alternative two-sided
    conf_level  0.95
    """
    difference, ties_said = differences_at("sign", x, y, null_value, ties_at)
    above = np.count_nonzero(difference > 0, axis=1).astype(np.float64)
    below = np.count_nonzero(difference < 0, axis=1).astype(np.float64)
    trials = above + below
    if alternative == "less":
        p = _at_most(above, trials)
    elif alternative == "greater":
        p = _at_most(below, trials)
    else:
        p = np.minimum(2 * _at_most(np.minimum(above, below), trials), 1.0)
    tail = tail_of(conf_level, alternative)
    low = np.zeros_like(above)
    high = np.ones_like(above)
    if alternative != "less":
        some = above > 0
        low[some] = special.betaincinv(above[some], below[some] + 1, tail)
    if alternative != "greater":
        some = below > 0
        high[some] = special.betainccinv(above[some] + 1, below[some], tail)
    empty = trials == 0
    return Rows(
        statistic=np.where(empty, np.nan, above),
        parameter=np.where(empty, np.nan, trials),
        p_value=np.where(empty, np.nan, p),
        estimate=above / trials,
        conf_low=np.where(empty, np.nan, low),
        conf_high=np.where(empty, np.nan, high),
        method=np.strings.add(
            np.strings.add("sign test", ties_said),
            zeros_said(x.shape[1] - trials, x.shape[1]),
        ),
        reason=np.where(empty, "all differences are 0", ""),
    )


def _at_most(count: Array, trials: Array) -> Array:
    p = np.ones_like(count)
    some = count < trials
    p[some] = special.betainc(trials[some] - count[some], count[some] + 1, 0.5)
    return p
