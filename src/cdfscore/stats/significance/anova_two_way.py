"""F test of all systems at once: two-way analysis of variance."""

import numpy as np

from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import layout
from cdfscore.stats.significance.contract import Rows, all_systems


@all_systems(
    source="Fisher (1925); R: aov(score ~ system + topic)",
    label="two-way analysis of variance",
    post_hoc=("tukey_hsd", "dunnett", "paired_t"),
    tolerances={
        "statistic": Tolerance(
            4500, "R's aov solves a linear model with all coefficients; 1e-12 of F", floor=2**-10
        )
    },
    in_unit=(),
    shifts="topics",
    null="equal means of all systems, in an additive model with normal errors",
    assumes="score = topic + system + normal error of one variance (sphericity suffices)",
    choose_for="whether any systems differ in the mean, in one test",
)
def anova_two_way(scores: Array) -> Rows:
    """Test whether all systems have the same mean, by two-way analysis of variance.

    F = (n sum((m_j - m)^2) / (k - 1)) / MSE for n topics and k systems with means m_j, where
    MSE = sum((x_ij - x_i - m_j + m)^2) / ((n - 1) (k - 1)) and x_i is the mean of topic i.

    The null hypothesis is that the means of the systems are equal, under the model x_ij = topic_i +
    system_j + error, with independent normal errors of one variance. For the type I error,
    sphericity is enough: all differences of two systems have the same variance. Without
    sphericity, the test rejects too often.

    Specified in anova_two_way.1 and anova_two_way.2.

    Parameters
    ----------
    scores
        Scores of shape (..., topics, systems), none missing.

    Returns
    -------
    TestResult
        A value for each matrix: statistic F, parameter k - 1, the degrees of freedom of its
        numerator. Those of the denominator are (n - 1) (k - 1).

    Raises
    ------
    SignificanceError
        If a score is missing; if a single matrix has fewer than 2 topics, or is the sum of topic
        and system effects except for rounding errors. In a batch such a matrix is NaN, and `reason`
        explains why.

    Notes
    -----
    Source: Fisher (1925), Statistical Methods for Research Workers, randomized blocks; the
    row ``system`` of ``summary(aov(score ~ system + topic))`` in R. For two systems F is the
    square of the t of `paired_t`, with the same p value.

    The p value is within 2e-12 of the true one down to 1e-306 (mpmath).

    Examples
    --------
    >>> from cdfscore.stats.significance import anova_two_way
    >>> anova_two_way([[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]])
    statistic   12.6
    p_value     0.00711197
    parameter   2
    method      two-way analysis of variance, F on 2 and 6 degrees of freedom
    n           4
    """
    topics, systems = scores.shape[-2:]
    _, effects, mean_square, perfect = layout(scores)
    f = topics * np.vecdot(effects, effects) / (systems - 1) / mean_square
    f = np.where(perfect, np.nan, f)
    return Rows(
        statistic=f,
        parameter=float(systems - 1),
        p_value=upper_tail(f, systems - 1, (topics - 1) * (systems - 1)),
        method=(
            f"two-way analysis of variance, F on {systems - 1} and "
            f"{(topics - 1) * (systems - 1)} degrees of freedom"
        ),
        reason=np.where(perfect, "the residuals are 0, except for rounding", ""),
    )
