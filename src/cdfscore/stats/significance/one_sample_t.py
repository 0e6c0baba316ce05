"""Student's t test of one sample."""

from dataclasses import replace

import numpy as np

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.offset import without_offset
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import is_constant, t_rows
from cdfscore.stats.significance.contract import DIFFERENCE, Alternative, Level, Rows, one_sample


@one_sample(
    source="Student (1908); R: t.test(x, mu = )",
    label="one-sample t test",
    in_unit=DIFFERENCE,
    level=Level(skewed={5: 0.118, 8: 0.108, 10: 0.097, 20: 0.082, 50: 0.068}),
    shifts="scores",
    null="the mean is `null_value`",
    assumes="normal scores, or many topics",
    choose_for="the mean of one system against a fixed value",
)
def one_sample_t(
    x: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the mean of the scores is `null_value`.

    t = (mean(x) - null_value) / (sd(x) / sqrt(n)) on n - 1 degrees of freedom.

    Specified in one_sample_t.1 to one_sample_t.3.

    Parameters
    ----------
    x
        Scores of shape (..., n); NaN is omitted.
    alternative
        "two-sided", "less" (mean(x) below null_value) or "greater".
    null_value
        The mean under the null hypothesis.
    conf_level
        The level of the confidence interval of the mean.

    Returns
    -------
    TestResult
        A value for each sample: statistic t, parameter n - 1, estimate mean(x).

    Raises
    ------
    SignificanceError
        For a single sample with fewer than 2 scores, or whose scores are constant, as in R, or all
        0, whatever `null_value` is. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Student (1908), The probable error of a mean.

    Examples
    --------
    >>> from cdfscore.stats.significance import one_sample_t
    >>> one_sample_t([0.5, 0.3, 0.8, 0.4], null_value=0.2)
    statistic   2.77746
    p_value     0.0691369
    estimate    0.5
    stderr      0.108012
    conf_low    0.156257
    conf_high   0.843743
    parameter   3
    method      one-sample t test
    n           4
    null_value  0.2
    alternative two-sided
    conf_level  0.95
    """
    apart = without_offset(x)
    offset = x[:, 0] - apart[:, 0]
    mean, sd = (column[:, 0] for column in mean_and_sd(apart))
    n = x.shape[1]
    stderr = sd / np.sqrt(n)
    constant = is_constant(stderr, np.abs(mean + offset))
    rows = t_rows(
        mean,
        stderr,
        float(n - 1),
        alternative,
        null_value - offset,
        conf_level,
        method="one-sample t test",
        reason=np.where(constant, "the scores are essentially constant", ""),
    )
    return replace(
        rows,
        estimate=rows.estimate + offset,
        conf_low=rows.conf_low + offset,
        conf_high=rows.conf_high + offset,
    )
