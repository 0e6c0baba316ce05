"""Conover's test of pairs of systems, after Friedman's."""

import numpy as np

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import ranks_within_topics
from cdfscore.stats.significance.contract import MEAN_RANKS, Indices, Rows, pooled


@pooled(
    source="Conover and Iman (1979); Conover (1999), section 5.8",
    label="Conover's test",
    estimates=MEAN_RANKS,
    effect="rank_biserial_paired",
    shifts="topics",
    null="the two systems rank alike: all orders of the scores of a topic are equally likely",
    assumes="many topics; error rate controlled only if no systems differ",
    choose_for="pairs after friedman, with more power than nemenyi",
    complete_null=True,
)
def conover(scores: Array, first: Indices, second: Indices) -> Rows:
    """Test single pairs of systems by their ranks within topics.

    With n topics, k systems, ranks r of the systems within topics as of `friedman`, and R the sums
    of the ranks of the systems,

        t = (R_i - R_j) / sqrt(2 (n sum(r^2) - sum(R^2)) / ((n - 1) (k - 1)))

    on (n - 1) (k - 1) degrees of freedom: the t of a two-way analysis of variance of the ranks.

    Specified in conover.1 and conover.2.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing. The variance is that of all systems.
    first, second
        The pairs of systems.

    Returns
    -------
    TestResult
        A value for each pair: statistic t, parameter (n - 1) (k - 1), estimate (R_i - R_j) / n,
        which is above 0 if the first system has the higher scores, and its stderr. Each p value is
        for one pair, two-sided, and needs a correction; `compare` uses Holm's.

    Raises
    ------
    SignificanceError
        If a score is missing. Fewer than 2 topics, and the same ranks in all topics, give NaN, and
        `reason` explains why.

    Notes
    -----
    Source: Conover and Iman (1979), On multiple-comparisons procedures, report LA-7677-MS, Los
    Alamos Scientific Laboratory; Conover (1999), Practical nonparametric statistics, third
    edition, equation 5.8.9. The p value is an approximation; Conover uses it only if `friedman`
    rejects. After Holm's correction the familywise error rate is controlled only if no systems
    differ (weak control), because the p value of a pair depends on all systems. There is no
    interval, which would need the variance of ranks where systems differ.
    ``frdAllPairsConoverTest`` of R's PMCMRplus 1.9.12 has another variance.

    Examples
    --------
    >>> from cdfscore.stats.significance import conover
    >>> scores = [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]]
    >>> result = conover(scores)  # the pairs (0, 1), (0, 2), (1, 2)
    >>> result.p_value.round(4)
    array([0.0066, 0.4881, 0.003 ])
    """
    topics, systems = scores.shape
    df = float((topics - 1) * (systems - 1))
    ranks = ranks_within_topics(scores)[0]
    sums = ranks.sum(axis=0)
    # Multiples of 1/4, which are added without rounding: no variance is exactly 0.
    spread = topics * np.square(ranks).sum() - np.square(sums).sum()
    alike = bool(spread == 0)
    estimate = (sums[first] - sums[second]) / topics
    stderr = np.nan if alike else float(np.sqrt(2 * spread / df)) / topics
    t = estimate / stderr
    return Rows(
        statistic=t,
        parameter=df,
        p_value=student_t.p_value(t, df, "two-sided"),
        estimate=estimate,
        stderr=stderr,
        method="Conover's test of ranks within topics",
        reason="the systems have the same ranks in all topics" if alike else "",
    )
