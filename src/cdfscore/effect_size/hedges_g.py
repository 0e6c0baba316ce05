"""Hedges' g of two independent samples."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.effect_size.contract import effect
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.offset import without_common_offset
from cdfscore.numerics.student_t import is_constant, noncentrality_interval
from cdfscore.numerics.types import Array

#: Of the series of gamma(z + 1/2) / gamma(z) / sqrt(z) in 1 / z.
_SERIES = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
#: From here on the gamma function overflows and the series is exact to the last digit.
_LARGE = 160.0


@effect(
    paired=False, method="noncentral t", label="Hedges' g", source="Hedges (1981)", in_unit=False
)
def hedges_g(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the bias-corrected difference of two means in pooled standard deviations.

    g = J (mean(x) - mean(y)) / s with s^2 = ((n-1) var(x) + (m-1) var(y)) / k, k = n + m - 2,
    and J = gamma(k / 2) / (sqrt(k / 2) gamma((k - 1) / 2)).

    Specified in hedges_g.1, hedges_g.2 and effect_size.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m) of independent samples; NaN is omitted.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples; NaN with fewer than 2 scores in one of them, or if
        both are constant except for rounding error, by the rule of R's ``t.test``.

    Raises
    ------
    SignificanceError
        For samples whose leading dimensions do not broadcast, or a level that is not between 0
        and 1.

    Notes
    -----
    Source: Hedges (1981), Distribution theory for Glass's estimator of effect size and related
    estimators, with the exact J and not its approximation 1 - 3 / (4 k - 1). The interval is the
    exact one of the true difference in standard deviations, without J: sqrt(nm / (n + m)) d has the
    noncentral t distribution on k degrees of freedom, where d is g / J. Some programs multiply the
    ends by J; their 95 % interval of 5 and 5 scores covers a true difference of 2 in 93.3 % of
    samples.

    Examples
    --------
    >>> from cdfscore.effect_size import hedges_g
    >>> found = hedges_g([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.732 in -0.650, 2.275
    """
    n, m = x.shape[1], y.shape[1]
    x, y, offset = without_common_offset(x, y)
    k = n + m - 2
    mean_x, sd_x = (column[:, 0] for column in mean_and_sd(x))
    mean_y, sd_y = (column[:, 0] for column in mean_and_sd(y))
    s = np.hypot(sd_x * np.sqrt((n - 1) / k), sd_y * np.sqrt((m - 1) / k))
    root = np.sqrt(n * m / (n + m))
    largest_mean = np.maximum(np.abs(mean_x + offset), np.abs(mean_y + offset))
    constant = is_constant(s / root, largest_mean)
    d = np.where(constant, np.nan, (mean_x - mean_y) / s)
    low, high = noncentrality_interval(d * root, float(k), conf_level)
    return _correction(k) * d, low / root, high / root


def _correction(k: int) -> float:
    """Return gamma(k / 2) / (sqrt(k / 2) gamma((k - 1) / 2))."""
    z = (k - 1) / 2
    if z < _LARGE:
        return math.gamma(z + 0.5) / math.gamma(z) / math.sqrt(k / 2)
    return math.sqrt(z / (z + 0.5)) * sum(c / z**i for i, c in enumerate(_SERIES))
