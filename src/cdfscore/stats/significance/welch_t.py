"""Welch's t test of two independent samples."""

import numpy as np

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.offset import without_common_offset
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import is_constant, t_rows
from cdfscore.stats.significance.contract import DIFFERENCE, Alternative, Rows, unpaired


@unpaired(
    source="Welch (1947); R: t.test(x, y)",
    label="Welch's t test",
    in_unit=DIFFERENCE,
    shifts="scores",
    null="the means differ by `null_value`",
    assumes="normal scores, or many topics; variances may differ",
    choose_for="the usual choice for different topics: the difference of means",
)
def welch_t(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the means of two independent samples differ, with a variance for each sample.

    t = (mean(x) - mean(y) - null_value) / e with e^2 = a + b, a = var(x)/n, b = var(y)/m, on
    (a + b)^2 / (a^2/(n-1) + b^2/(m-1)) degrees of freedom.

    Specified in welch_t.1 to welch_t.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m); NaN is omitted.
    alternative
        "two-sided", "less" (mean(x) below mean(y) + null_value) or "greater".
    null_value
        The difference of the means under the null hypothesis.
    conf_level
        The level of the confidence interval of the difference of the means.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic t, parameter the degrees of freedom,
        estimate mean(x) - mean(y).

    Raises
    ------
    SignificanceError
        For a single pair of samples with fewer than 2 scores in one of them, or with both
        constant, as in R. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Welch (1947), The generalization of "Student's" problem when several different
    population variances are involved; degrees of freedom of Satterthwaite (1946). One of the
    samples may be constant, as in R. Scores of two systems on the same topics are pairs:
    `paired_t`. The scores of two collections are on one scale only if both are
    standardized by comparable reference systems; beside weaker ones, every score is higher, and
    the test cannot tell this from a better system.

    Examples
    --------
    >>> from cdfscore.stats.significance import welch_t
    >>> result = welch_t([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"t = {result.statistic:.4f}, df = {result.parameter:.4f}, p = {result.p_value:.4f}")
    t = 1.9124, df = 5.0000, p = 0.1140
    """
    n, m = x.shape[1], y.shape[1]
    x, y, offset = without_common_offset(x, y)
    mean_x, sd_x = (column[:, 0] for column in mean_and_sd(x))
    mean_y, sd_y = (column[:, 0] for column in mean_and_sd(y))
    stderr_x, stderr_y = sd_x / np.sqrt(n), sd_y / np.sqrt(m)
    stderr = np.hypot(stderr_x, stderr_y)
    # Proportions of the standard error: its fourth power, as the formula has it, may underflow.
    part_x, part_y = stderr_x / stderr, stderr_y / stderr
    df = 1 / (part_x**4 / (n - 1) + part_y**4 / (m - 1))
    largest_mean = np.maximum(np.abs(mean_x + offset), np.abs(mean_y + offset))
    constant = is_constant(stderr, largest_mean)
    return t_rows(
        mean_x - mean_y,
        stderr,
        np.where(constant, np.nan, df),
        alternative,
        null_value,
        conf_level,
        method="Welch's t test",
        reason=np.where(constant, "both samples are essentially constant", ""),
    )
