"""Student's t test of paired scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.types import Array
from cdfscore.significance._t_rows import is_constant, reason_of_constant, t_rows
from cdfscore.significance.contract import DIFFERENCE, Alternative, Indices, Rows, paired


@paired(
    source="Student (1908); R: t.test(x, y, paired = TRUE)",
    in_unit=DIFFERENCE,
    null="the mean difference is `null_value`",
    assumes="normal differences, or many topics",
    choose_for="the usual choice for a pair: the mean difference, with an interval",
)
def paired_t(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
) -> Rows:
    """Test whether the mean difference of paired scores is `null_value`.

    t = (mean(d) - null_value) / (sd(d) / sqrt(n)) with d = x - y, on n - 1 degrees of freedom.

    Specified in paired_t.1 to paired_t.4.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    alternative
        "two-sided", "less" (mean(x) below mean(y) + null_value) or "greater".
    null_value
        The mean difference under the null hypothesis.
    conf_level
        The level of the confidence interval of the mean difference.

    Returns
    -------
    TestResult
        A value for each sample: statistic t, parameter n - 1, estimate mean(d).

    Raises
    ------
    SignificanceError
        For a single pair of samples with fewer than 2 pairs, or whose differences are
        constant: R's ``t.test`` stops there, with "data are essentially constant". In a
        batch such a row is NaN, and `reason` explains why. All differences 0 (identical
        systems) is one such case; R gives NaN for it.

    Notes
    -----
    Source: Student (1908), The probable error of a mean. Mean and standard deviation are
    added in the order and precision of R, because a mean difference of ordinary scores
    loses three to five digits to cancellation; ``statsmodels.stats.weightstats`` adds in
    double precision.

    Examples
    --------
    >>> from cdfscore.significance import paired_t
    >>> result = paired_t([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> result
    statistic   2.32379
    p_value     0.102728
    estimate    0.15
    stderr      0.0645497
    conf_low    -0.055426
    conf_high   0.355426
    parameter   3
    method      paired t test
    n           4
    null_value  0
    alternative two-sided
    conf_level  0.95
    """
    mean, sd = (column[:, 0] for column in mean_and_sd(x - y))
    return _rows(mean, sd, x.shape[1], alternative, null_value, conf_level)


@paired_t.for_pairs
def _of_pairs(scores: Array, first: Indices, second: Indices, **settings: Any) -> Rows:
    from cdfscore.significance._pair_moments import pair_moments  # compiles at its first use

    mean, sd = pair_moments(scores, first, second)
    return _rows(mean, sd, len(scores), **settings)


def _rows(
    mean: Array, sd: Array, n: int, alternative: Alternative, null_value: float, conf_level: float
) -> Rows:
    stderr = sd / np.sqrt(n)
    constant = is_constant(stderr, np.abs(mean))
    rows = t_rows(
        mean,
        np.where(constant, np.nan, stderr),
        float(n - 1),
        alternative,
        null_value,
        conf_level,
        method="paired t test",
    )
    return replace(rows, reason=reason_of_constant(constant, mean))
