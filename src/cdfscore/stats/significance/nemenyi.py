"""Nemenyi's test of all pairs of systems, after Friedman's."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract, studentized_range
from cdfscore.stats.significance._means import ranks_within_topics


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value of Nemenyi's test of two systems that are first and last on each topic."""
    k = sizes.systems
    q = math.sqrt(2) * (k - 1) / math.sqrt(k * (k + 1) / (6 * sizes.n))
    return float(studentized_range.upper_tail(np.array([q]), k, np.inf)[0])


@contract.simultaneous(
    source="Nemenyi (1963); Demsar (2006), section 3.2.2",
    label="Nemenyi's test",
    of_all=True,
    critical_difference=studentized_range.of_studentized_range,
    estimates=contract.MEAN_RANKS,
    effect="rank_biserial_paired",
    least_p=_least_p,
    shifts="topics",
    null="the two systems rank alike: all orders of the scores of a topic are equally likely",
    assumes="many topics, few ties; error rate controlled only if no systems differ",
    choose_for="all pairs after friedman, as in critical-difference diagrams",
    complete_null=True,
)
def nemenyi(scores: Array, first: contract.Indices, second: contract.Indices) -> contract.Rows:
    """Test all pairs of systems simultaneously by their mean ranks within topics.

    q = abs(R_i - R_j) / sqrt(k (k + 1) / (12 n)) for n topics, k systems and R the means of the
    ranks of `friedman`. The p value is P(Q > q) for Q the range of k independent standard normals:
    the studentized range with infinitely many degrees of freedom.

    Specified in nemenyi.1 and nemenyi.2.

    Parameters
    ----------
    scores, first, second
        As for `tukey_hsd`.

    Returns
    -------
    TestResult
        A value for each pair: statistic q, estimate R_i - R_j, which is above 0 if the first
        system has the higher scores, and stderr sqrt(k (k + 1) / (6 n)). This stderr is for systems
        that have the same distribution within topics. There is no interval, because systems that
        differ have another variance.

    Raises
    ------
    SignificanceError
        If a score is missing. Fewer than 2 topics give NaN, and `reason` explains why.

    Notes
    -----
    Source: Nemenyi (1963), Distribution-free multiple comparisons, thesis, Princeton University;
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, 1-30, where q lacks the factor sqrt(2) and the best system has rank
    1. R: ``frdAllPairsNemenyiTest`` of PMCMRplus, which loses p values below 1e-9.

    With ties the test is conservative, and `conover` is not. p is an approximation for many topics.
    The mean ranks of two systems depend on all others: whether two systems differ can change with
    the other systems in the matrix. Therefore the familywise error rate is controlled only if no
    systems differ (weak control).

    Examples
    --------
    >>> from cdfscore.stats.significance import nemenyi
    >>> scores = [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]]
    >>> result = nemenyi(scores)  # the pairs (0, 1), (0, 2), (1, 2)
    >>> result.estimate, result.p_value.round(4)
    (array([ 1.375, -0.25 , -1.625]), array([0.1263, 0.9334, 0.0561]))
    """
    topics, systems = scores.shape
    means = ranks_within_topics(scores)[0].sum(axis=0) / topics
    estimate = means[first] - means[second]
    stderr = np.sqrt(systems * (systems + 1) / (6 * topics))
    q = np.sqrt(2) * np.abs(estimate) / stderr
    return contract.Rows(
        statistic=q,
        p_value=studentized_range.upper_tail(q, systems, np.inf),
        estimate=estimate,
        stderr=stderr,
        method="Nemenyi's test of mean ranks within topics",
    )
