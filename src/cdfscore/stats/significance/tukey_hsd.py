"""Tukey's honestly significant differences of all pairs of systems, blocked by topic."""

import numpy as np

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import studentized_range
from cdfscore.stats.significance._means import layout
from cdfscore.stats.significance.contract import DIFFERENCE, Indices, Rows, simultaneous


@simultaneous(
    source="Tukey (1953); R: TukeyHSD(aov(score ~ system + topic), 'system')",
    label="Tukey's HSD test",
    of_all=True,
    critical_difference=studentized_range.of_studentized_range,
    in_unit=DIFFERENCE,
    shifts="topics",
    null="the two systems of each pair have equal means, in an additive model with normal errors",
    assumes="score = topic + system + normal error of one variance",
    choose_for="all pairs with one common variance, with simultaneous intervals",
)
def tukey_hsd(scores: Array, first: Indices, second: Indices, *, conf_level: float = 0.95) -> Rows:
    """Test all pairs of systems simultaneously by Tukey's HSD, with topics as blocks.

    q = abs(m_i - m_j) / sqrt(MSE / n) for n topics and k systems, MSE the mean square of the
    residuals of `anova_two_way`, on (n - 1) (k - 1) degrees of freedom. The p value is
    P(Q > q) for Q the studentized range of k means: the probability of such a pair among all pairs
    if no systems differ.

    There is one null hypothesis for each pair: its two means are equal, under the model of
    `anova_two_way`. Under this model the familywise error rate is at most the level, whichever
    systems differ (strong control). All pairs have the same variance. If the differences have
    different variances, pairs that vary more than the average are rejected too often, and pairs
    that vary less too rarely. `max_t` uses the variance of each pair.

    Specified in tukey_hsd.1 to tukey_hsd.3.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing. The family is always all pairs of systems.
    first, second
        The pairs of systems.
    conf_level
        The simultaneous level of the confidence intervals.

    Returns
    -------
    TestResult
        A value for each pair: statistic q, parameter (n - 1) (k - 1), estimate m_i - m_j,
        stderr sqrt(2 MSE / n).

    Raises
    ------
    SignificanceError
        If a score is missing. Fewer than 2 topics, or scores that are the sum of a topic effect
        and a system effect except for rounding, give NaN, and `reason` explains why.

    Notes
    -----
    Source: Tukey (1953), The problem of multiple comparisons; R's ``TukeyHSD`` of a model with
    topics as blocks. Without topics in the model, as in ``statsmodels.stats.multicomp``, the test
    is for unpaired scores and has little power.

    The distribution is `cdfscore.stats.significance.studentized_range`, within 1e-12 of the true
    tail down to 1e-300 (mpmath, 2 to 110 systems). R's ``ptukey`` and ``qtukey`` are less accurate,
    by up to 2e-4 with more than 25,000 degrees of freedom; the R twin does without them.

    Examples
    --------
    >>> from cdfscore.stats.significance import tukey_hsd
    >>> scores = [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]]
    >>> result = tukey_hsd(scores)  # the pairs (0, 1), (0, 2), (1, 2)
    >>> result.p_value.round(4)
    array([0.0211, 0.6324, 0.0076])
    >>> result.conf_int.round(3)
    array([[ 0.038,  0.362],
           [-0.212,  0.112],
           [-0.412, -0.088]])
    """
    topics, systems = scores.shape
    df = float((topics - 1) * (systems - 1))
    apart, _, mean_square, perfect = layout(scores)
    means = mean(np.ascontiguousarray(apart.T))[:, 0]
    stderr = np.nan if perfect else float(np.sqrt(mean_square / topics))
    estimate = means[first] - means[second]
    q = np.abs(estimate) / stderr
    margin = studentized_range.upper_quantile(1 - conf_level, systems, df) * stderr
    return Rows(
        statistic=q,
        parameter=df,
        p_value=studentized_range.upper_tail(q, systems, df),
        estimate=estimate,
        stderr=np.sqrt(2) * stderr,
        conf_low=estimate - margin,
        conf_high=estimate + margin,
        method="Tukey's honestly significant differences, blocked by topic",
        reason="the residuals are 0, except for rounding" if perfect else "",
    )
