"""Student's t test of two independent samples of equal variance."""

import numpy as np

from cdfscore.stats.numerics.moments import mean, mean_and_sd
from cdfscore.stats.numerics.offset import without_common_offset
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import is_constant, t_rows
from cdfscore.stats.significance.contract import DIFFERENCE, Alternative, Rows, unpaired


@unpaired(
    source="Student (1908); R: t.test(x, y, var.equal = TRUE)",
    label="Student's t test",
    minimum=1,
    in_unit=DIFFERENCE,
    shifts="scores",
    null="the means differ by `null_value`, with equal variances",
    assumes="normal scores of equal variance",
    choose_for="means on different topics, where equal variances are known",
)
def student_t(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the means of two independent samples of equal variance differ.

    t = (mean(x) - mean(y) - null_value) / (s sqrt(1/n + 1/m)) on n + m - 2 degrees of
    freedom, with the pooled variance s^2 = ((n-1) var(x) + (m-1) var(y)) / (n + m - 2).

    Specified in student_t.1 to student_t.3.

    Parameters
    ----------
    x, y, alternative, null_value, conf_level
        As for `welch_t`.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic t, parameter n + m - 2, estimate
        mean(x) - mean(y).

    Raises
    ------
    SignificanceError
        For a single pair of samples with an empty one, with a score each, or with both
        constant, as in R. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Student (1908), The probable error of a mean. One of the samples may be constant,
    or a single score: it adds nothing to the pooled variance, as in R. Scores of two systems
    on the same topics are pairs: `paired_t`.

    Examples
    --------
    >>> from cdfscore.stats.significance import student_t
    >>> result = student_t([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"t = {result.statistic:.4f}, df = {result.parameter:g}, p = {result.p_value:.4f}")
    t = 1.8070, df = 5, p = 0.1306
    """
    n, m = x.shape[1], y.shape[1]
    x, y, offset = without_common_offset(x, y)
    df = n + m - 2
    mean_x, spread_x = _mean_and_root_of_squares(x)
    mean_y, spread_y = _mean_and_root_of_squares(y)
    if df == 0:
        return Rows(
            np.nan, np.nan, estimate=mean_x - mean_y, reason="each sample has only one score"
        )
    stderr = np.hypot(spread_x, spread_y) / np.sqrt(df) * np.sqrt(1 / n + 1 / m)
    largest_mean = np.maximum(np.abs(mean_x + offset), np.abs(mean_y + offset))
    constant = is_constant(stderr, largest_mean)
    return t_rows(
        mean_x - mean_y,
        stderr,
        float(df),
        alternative,
        null_value,
        conf_level,
        method="two-sample t test, equal variances",
        reason=np.where(constant, "both samples are essentially constant", ""),
    )


def _mean_and_root_of_squares(rows: Array) -> tuple[Array, Array]:
    """Return the mean of each row and the root of its sum of squares, 0 for one score."""
    if rows.shape[1] == 1:
        return mean(rows)[:, 0], np.zeros(len(rows))
    means, sds = mean_and_sd(rows)
    return means[:, 0], sds[:, 0] * np.sqrt(rows.shape[1] - 1)
