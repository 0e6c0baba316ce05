"""Standardized mean difference of paired scores, d_z."""

from __future__ import annotations

import numpy as np

from cdfscore.effect_size.contract import effect
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.student_t import is_constant, noncentrality_interval
from cdfscore.numerics.types import Array


@effect(paired=True, method="noncentral t", source="Cohen (1988)", in_unit=False)
def d_z(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the mean difference of paired scores in standard deviations of the differences.

    d_z = mean(d) / sd(d) with d = x - y.

    Specified in d_z.1, d_z.2 and effect_size.3.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples; NaN with fewer than 2 pairs, or if all differences are
        equal except for rounding error, by the rule of R's ``t.test``.

    Raises
    ------
    SignificanceError
        For samples that are not pairs, or a level that is not between 0 and 1.

    Notes
    -----
    Source: Cohen (1988), Statistical power analysis for the behavioral sciences, section 2.3.5.
    The interval is exact for normal differences: sqrt(n) d_z has the noncentral t distribution
    on n - 1 degrees of freedom (Steiger and Fouladi, 1997). The ends of the interval are the
    noncentralities for which the observed t is the lower or the upper quantile, over sqrt(n).

    Examples
    --------
    >>> from cdfscore.effect_size import d_z
    >>> found = d_z([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    1.162 in -0.201, 2.438
    """
    n = x.shape[1]
    mean, sd = (column[:, 0] for column in mean_and_sd(x - y))
    constant = is_constant(sd / np.sqrt(n), np.abs(mean))
    estimate = np.where(constant, np.nan, mean / sd)
    low, high = noncentrality_interval(estimate * np.sqrt(n), float(n - 1), conf_level)
    return estimate, low / np.sqrt(n), high / np.sqrt(n)
