"""Standardized mean difference of paired scores by their average variance, d_av."""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.effect_size.contract import effect
from cdfscore.numerics.moments import mean, mean_and_sd
from cdfscore.numerics.offset import without_offset
from cdfscore.numerics.student_t import is_constant, tail_of
from cdfscore.numerics.types import Array


@effect(
    paired=True, method="normal approximation (Bonett 2008)", source="Bonett (2008)", in_unit=False
)
def d_av(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the mean difference of paired scores in standard deviations of the scores.

    d_av = mean(x - y) / s with s^2 = (var(x) + var(y)) / 2.

    Specified in d_av.1, d_av.2 and effect_size.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples; NaN with fewer than 2 pairs, or if both samples are
        constant except for rounding error, by the rule of R's ``t.test``.

    Raises
    ------
    SignificanceError
        For samples that are not pairs, or a level that is not between 0 and 1.

    Notes
    -----
    Source of the interval: Bonett (2008), Confidence intervals for standardized linear contrasts
    of means. It is d_av -+ z e, with e^2 = d_av^2 (var(x)^2 + var(y)^2 + 2 cov(x, y)^2) /
    (8 (n - 1) s^4) + var(x - y) / ((n - 1) s^2).

    Examples
    --------
    >>> from cdfscore.effect_size import d_av
    >>> found = d_av([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.843 in -0.194, 1.880
    """
    mean_of_d, sd_of_d = (column[:, 0] for column in mean_and_sd(x - y))
    largest = np.maximum(np.abs(mean(x)), np.abs(mean(y)))[:, 0]
    x, y = without_offset(x), without_offset(y)
    mean_x, sd_x = mean_and_sd(x)
    mean_y, sd_y = mean_and_sd(y)
    df = x.shape[1] - 1
    s = np.hypot(sd_x, sd_y)[:, 0] / np.sqrt(2)
    constant = is_constant(s * np.sqrt(2 / x.shape[1]), largest)
    estimate = np.where(constant, np.nan, mean_of_d / s)
    # in units of s, so that no fourth power underflows
    a, b = (x - mean_x) / s[:, np.newaxis], (y - mean_y) / s[:, np.newaxis]
    covariance = np.vecdot(a, b) / df
    fourth = (sd_x[:, 0] / s) ** 4 + (sd_y[:, 0] / s) ** 4 + 2 * covariance**2
    stderr = np.sqrt(estimate**2 * fourth / (8 * df) + (sd_of_d / s) ** 2 / df)
    margin = -special.ndtri(tail_of(conf_level, "two-sided")) * stderr
    return estimate, estimate - margin, estimate + margin
