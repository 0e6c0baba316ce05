"""Equivalence test of paired scores by two one-sided t tests."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import is_constant, reason_of_constant
from cdfscore.stats.significance.contract import DIFFERENCE, Level, Rows, paired


def _check_bounds(settings: Mapping[str, Any]) -> None:
    margin, centre = settings["margin"], settings["centre"]
    size, middle = finite_number(margin), finite_number(centre)
    if size is None or size <= 0:
        raise SignificanceError(
            f"equivalence_t: margin={shown(margin)} is not accepted; expected a finite number "
            "above 0, the largest difference that does not matter"
        )
    if middle is None or not middle - size < middle + size:
        raise SignificanceError(
            f"equivalence_t: centre={shown(centre)} is not accepted; expected a finite number, "
            "not too large for the margin"
        )


@paired(
    source="Schuirmann (1987); R: t.test(x, y, paired = TRUE), twice",
    label="equivalence t test",
    shows="equivalence",
    example={"margin": 0.05},
    in_unit=(*DIFFERENCE, "margin", "centre"),
    check=_check_bounds,
    level=Level(skewed={5: 0.156, 8: 0.145, 10: 0.13, 20: 0.105, 50: 0.089}),
    shifts="topics",
    null="the mean difference is `margin` or more away from `centre`",
    assumes="normal differences, or many topics",
    choose_for="to show that two systems differ by less than a margin",
)
def equivalence_t(
    x: Array,
    y: Array,
    *,
    margin: float,
    centre: float = 0.0,
    conf_level: float = 0.9,
) -> Rows:
    """Test whether the mean difference of paired scores is within `margin` of `centre`.

    With d = x - y and e = sd(d) / sqrt(n), on n - 1 degrees of freedom, the p value is the larger
    of P(T >= (mean(d) - low) / e) and P(T <= (mean(d) - high) / e), where low = centre - margin and
    high = centre + margin. The null hypothesis is that the mean difference is not between low and
    high. A small p value shows equivalence.

    Specified in equivalence_t.1 to equivalence_t.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    margin
        The largest difference from `centre` that does not matter. It has no default. Choose it for
        the measure, before you see the data: 0.05 is large for a mean AP, and small for z scores.
    centre
        The middle of the differences that do not matter. It is 0 unless the bounds are asymmetric:
        margin=0.15 and centre=0.05 give -0.1 to 0.2.
    conf_level
        The level of the confidence interval of the mean difference. At the level 1 - 2 alpha (0.9
        for alpha = 0.05), the interval is within the bounds if p is below alpha.

    Returns
    -------
    TestResult
        A value for each sample: estimate mean(d), parameter n - 1, p_value the larger of the two,
        and statistic the t of the corresponding one-sided test.

    Raises
    ------
    SignificanceError
        Without a margin, for one that is not above 0, and for a single pair of samples with
        fewer than 2 pairs or whose differences are constant, such as identical systems. In a batch
        such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
    approach. ``statsmodels.stats.weightstats.ttost_paired`` computes the same for one pair
    of samples, adds in double precision, and gives no interval.

    Examples
    --------
    >>> from cdfscore.stats.significance import equivalence_t
    >>> x, y = [0.51, 0.32, 0.80, 0.43], [0.50, 0.33, 0.78, 0.43]
    >>> result = equivalence_t(x, y, margin=0.05)
    >>> print(f"{result.estimate:.4f} in {result.conf_low:.4f}, {result.conf_high:.4f}")
    0.0050 in -0.0102, 0.0202
    >>> print(f"t = {result.statistic:.4f}, p = {result.p_value:.4f}")
    t = -6.9714, p = 0.0030
    """
    low, high = centre - margin, centre + margin
    difference = x - y
    mean, sd = (column[:, 0] for column in mean_and_sd(difference))
    n = difference.shape[1]
    stderr = sd / np.sqrt(n)
    constant = is_constant(stderr, np.abs(mean))
    stderr = np.where(constant, np.nan, stderr)
    above, below = (mean - low) / stderr, (mean - high) / stderr
    p_above = student_t.p_value(above, n - 1, "greater")
    p_below = student_t.p_value(below, n - 1, "less")
    conf_low, conf_high = student_t.interval(mean, stderr, n - 1, "two-sided", conf_level)
    return Rows(
        statistic=np.where(above <= -below, above, below),
        parameter=float(n - 1),
        p_value=np.maximum(p_above, p_below),
        estimate=mean,
        stderr=stderr,
        conf_low=conf_low,
        conf_high=conf_high,
        method="paired t test of equivalence",
        reason=reason_of_constant(constant, mean),
    )
