"""The rank-biserial correlation of two independent samples."""

from __future__ import annotations

import numpy as np

from cdfscore.effect_size._measure import effect
from cdfscore.effect_size.rank_biserial_paired import fisher_interval
from cdfscore.numerics.types import Array


@effect(paired=False, minimum=1, method="Fisher z")
def rank_biserial(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return how much more often a score of x is above one of y than below it.

    r = 2 U / (n m) - 1, with U the pairs of scores in which that of x is larger, ties counted
    one half. It is equal to Cliff's delta.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m) of independent samples; NaN is passed over.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples, from -1 to 1; NaN where a sample is empty. The interval
        is NaN where r is -1 or 1, because Fisher's z is infinite there.

    Raises
    ------
    SignificanceError
        For samples whose leading dimensions do not broadcast, or a level that is not between 0
        and 1.

    Notes
    -----
    Source: Kerby (2014), The simple difference formula: an approach to teaching nonparametric
    correlation. The interval is tanh(atanh(r) -+ z e) with e the standard error of r under the
    null hypothesis without ties, e^2 = (n + m + 1) / (3 n m): an approximation.

    Examples
    --------
    >>> from cdfscore.effect_size import rank_biserial
    >>> found = rank_biserial([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.750 in 0.049, 0.956
    """
    from scipy import stats

    n, m = x.shape[1], y.shape[1]
    ranks = stats.rankdata(np.concatenate([x, y], axis=1), axis=1)
    u = ranks[:, :n].sum(axis=1) - n * (n + 1) / 2
    estimate = 2 * u / (n * m) - 1
    return estimate, *fisher_interval(estimate, np.sqrt((n + m + 1) / (3 * n * m)), conf_level)
