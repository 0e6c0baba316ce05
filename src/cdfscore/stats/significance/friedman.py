"""Friedman's rank test of all systems at once."""

import numpy as np
from scipy import special

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import ranks_within_topics
from cdfscore.stats.significance.contract import Rows, all_systems


@all_systems(
    source="Friedman (1937); R: friedman.test(scores)",
    label="Friedman's test",
    post_hoc=("nemenyi", "conover", "wilcoxon_signed_rank"),
    shifts="topics",
    null="within each topic, all orders of the systems' scores are equally likely",
    assumes="no particular distribution; it detects differences of mean ranks only",
    choose_for="whether any systems differ in ranks, in one test",
)
def friedman(scores: Array) -> Rows:
    """Test whether all orders of the systems' scores within a topic are equally likely.

    With n topics, k systems and R the sums of the systems' ranks within topics,
    chi-squared = 12 sum((R - n (k + 1) / 2)^2) / (n k (k + 1) - sum(t^3 - t) / (k - 1)) on
    k - 1 degrees of freedom; the t systems of a tie share the mean of their ranks.

    The null hypothesis is that the systems are exchangeable within topics. The test detects
    differences of mean ranks only; it does not detect others, such as those of spread. A small p
    value shows that mean ranks differ only if systems with equal mean ranks are exchangeable.

    Specified in friedman.1 and friedman.2.

    Parameters
    ----------
    scores
        Scores of shape (..., topics, systems), none missing.

    Returns
    -------
    TestResult
        A value for each matrix: statistic chi-squared, parameter k - 1.

    Raises
    ------
    SignificanceError
        For a matrix with a missing score; for a single one with fewer than 2 topics, or
        whose systems are tied in every topic (R gives NaN). In a batch such a matrix is NaN,
        and `reason` explains why.

    Notes
    -----
    Source: Friedman (1937), The use of ranks to avoid the assumption of normality implicit
    in the analysis of variance; ties as in R's ``friedman.test``. The p value is the upper
    tail, `scipy.special.chdtrc`, within 2e-13 of the true one down to 1e-305.

    Examples
    --------
    >>> from cdfscore.stats.significance import friedman
    >>> friedman([[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]])
    statistic   6.53333
    p_value     0.0381333
    parameter   2
    method      Friedman rank sum test
    n           4
    """
    n, k = scores.shape[-2:]
    ranks, tied = ranks_within_topics(scores)
    sums = ranks.sum(axis=-2) - n * (k + 1) / 2
    spread = n * k * (k + 1) - tied.sum(axis=-1) / (k - 1)
    chi_squared = 12 * np.vecdot(sums, sums) / spread
    return Rows(
        statistic=chi_squared,
        parameter=float(k - 1),
        p_value=special.chdtrc(k - 1, chi_squared),
        method="Friedman rank sum test",
        reason=np.where(np.isnan(chi_squared), "all systems are tied in every topic", ""),
    )
