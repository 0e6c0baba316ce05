"""Dunnett's test of systems against one baseline, blocked by topic."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import mean
from cdfscore.numerics.types import Array
from cdfscore.significance._two_way import layout
from cdfscore.significance.contract import DIFFERENCE, Alternative, Indices, Rows, simultaneous
from cdfscore.significance.null import many_to_one


@simultaneous(
    source="Dunnett (1955, 1964); R: multcomp's glht(aov(score ~ system + topic), mcp('Dunnett'))",
    one_baseline=True,
    in_unit=DIFFERENCE,
    null="each system has the same mean as the baseline; all tested together",
    assumes="normal errors of one variance for all systems, in an additive model",
    choose_for="several systems and one baseline with normal errors, with simultaneous intervals",
)
def dunnett(
    scores: Array,
    first: Indices,
    second: Indices,
    *,
    alternative: Alternative = "two-sided",
    conf_level: float = 0.95,
) -> Rows:
    """Test systems against one baseline simultaneously by Dunnett's test, with topics as blocks.

    t = (m_i - m_0) / sqrt(2 MSE / n) for n topics and k systems, with m_0 the mean of the baseline
    and MSE the mean square of the residuals of `anova_two_way`, on (n - 1) (k - 1) degrees of
    freedom. The p value is P(max abs(T) >= abs(t)), or P(max T >= t) with one side, for T of the
    multivariate t distribution with correlations 1/2 and one T for each compared system.

    Specified in dunnett.1 to dunnett.3.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing. MSE is that of all systems.
    first
        The systems that are compared.
    second
        The baseline, the same system in all pairs.
    alternative
        "two-sided", "less" (the systems below the baseline) or "greater".
    conf_level
        The simultaneous level of the intervals: the probability that all of them cover the true
        mean differences. With a one-sided alternative one end is infinite.

    Returns
    -------
    TestResult
        A value for each pair: statistic t, parameter (n - 1) (k - 1), estimate m_i - m_0, stderr
        sqrt(2 MSE / n), adjusted p values that need no further correction, and simultaneous
        intervals.

    Raises
    ------
    SignificanceError
        For pairs with several second systems, and for a missing score. Fewer than 2 topics, or
        scores that are the sum of a topic effect and a system effect except for rounding, give
        NaN, and `reason` explains why.

    Notes
    -----
    Source: Dunnett (1955), A multiple comparison procedure for comparing several treatments with
    a control, Journal of the American Statistical Association 50, 1096-1121; Dunnett (1964), New
    tables for multiple comparisons with a control, Biometrics 20, 482-491. The design is
    that of complete blocks: the topics are the blocks, and all differences have one variance. Under
    this model the familywise error rate is at most the level, whichever systems differ (strong
    control). `max_t_baseline` assumes neither normal scores nor one variance.

    The distribution is `cdfscore.significance.null.many_to_one`, within 1e-12 of the true tail down
    to 1e-265 (mpmath, 3 to 1,000 comparisons). ``scipy.stats.dunnett`` tests independent samples.
    Its p values use random points, like R's mvtnorm, which multcomp calls; they are within 1e-3 or
    1e-4. The R twin computes the distribution itself.

    Examples
    --------
    >>> from cdfscore.significance import dunnett
    >>> scores = [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]]
    >>> result = dunnett(scores, [(0, 1), (2, 1)])  # the second system is the baseline
    >>> result.p_value.round(4)
    array([0.016 , 0.0057])
    >>> result.conf_int.round(3)
    array([[0.049, 0.351],
           [0.099, 0.401]])
    """
    topics, systems = scores.shape
    df = float((topics - 1) * (systems - 1))
    apart, _, mean_square, perfect = layout(scores)
    means = mean(np.ascontiguousarray(apart.T))[:, 0]
    stderr = np.nan if perfect else float(np.sqrt(2 * mean_square / topics))
    estimate = means[first] - means[second]
    t = estimate / stderr
    toward = {"two-sided": np.abs(t), "less": -t, "greater": t}[alternative]
    family, two_sided = len(np.unique(first)), alternative == "two-sided"
    quantile = many_to_one.upper_quantile(1 - conf_level, family, df, two_sided=two_sided)
    margin = quantile * stderr
    none = np.nan if perfect else np.inf
    return Rows(
        statistic=t,
        parameter=df,
        p_value=many_to_one.upper_tail(toward, family, df, two_sided=two_sided),
        estimate=estimate,
        stderr=stderr,
        conf_low=-none if alternative == "less" else estimate - margin,
        conf_high=none if alternative == "greater" else estimate + margin,
        method="Dunnett's test against one baseline, blocked by topic",
        reason="the residuals are 0, except for rounding" if perfect else "",
    )
