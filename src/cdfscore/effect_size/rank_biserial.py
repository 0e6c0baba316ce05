"""Rank-biserial correlation of two independent samples."""

from __future__ import annotations

import numpy as np

from cdfscore.effect_size.contract import effect
from cdfscore.effect_size.rank_biserial_paired import METHOD, below, fisher_interval
from cdfscore.numerics.types import Array


@effect(
    paired=False,
    minimum=1,
    method=METHOD.format("DeLong"),
    label="rank-biserial correlation",
    source="Kerby (2014)",
    ranks_topics=True,
)
def rank_biserial(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the rank-biserial correlation (Cliff's delta), P(x > y) - P(x < y).

    r = 2 U / (n m) - 1, where U is the number of pairs of a score of x and a score of y in which
    the score of x is larger; a tie counts 1/2.

    Specified in rank_biserial.1 and rank_biserial.2.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m) of independent samples; NaN is omitted.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    EffectSize
        A value for each pair of samples, from -1 to 1; NaN if a sample is empty. If r is not -1 or
        1, the interval is NaN if all scores are equal, and if a sample has only one score.

    Raises
    ------
    SignificanceError
        For samples whose leading dimensions do not broadcast, or a level that is not between 0
        and 1.

    Notes
    -----
    Source: Kerby (2014), The simple difference formula: an approach to teaching nonparametric
    correlation. The standard error is that of DeLong, DeLong and Clarke-Pearson (1988), Comparing
    the areas under two or more correlated receiver operating characteristic curves, for
    r = 2 AUC - 1, after Sen (1960): e^2 = var(a) / n + var(b) / m, with a_i the mean of
    sign(x_i - y_j) over j, and b_j the mean over i. The interval is
    tanh(atanh(r) -+ z e / (1 - r^2)).

    If all scores of x are above those of y, r = 1, and Fisher's z is infinite. Pohar Perme and
    Manevski (2019), Confidence intervals for the Mann-Whitney test, show that this needs a
    correction. Here the low end is 2 (alpha / 2)^(1 / min(n, m)) - 1, for every distribution:
    min(n, m) pairs of scores have no score in common, so that r = 1 has a probability of at most
    P(x > y)^min(n, m).

    Coverage was simulated for normal scores, for normal scores with twice the sd in x, and for
    scores like P@10, with r of 0, 0.3, 0.6 and 0.8. For the level 90 % (95 %) it is 88.3 to 91.4 %
    (93.9 to 96.1 %) for n = m = 20, 89.8 to 90.6 % (94.8 to 95.5 %) for 60, and 89.6 to 90.3 %
    (94.8 to 95.3 %) for 250. The lowest coverage is 86 % (91 %), for n = 20 with twice the sd,
    m = 60 and r = 0.8. Samples with r = 1 were not counted; they are at most 0.4 %.

    Examples
    --------
    >>> from cdfscore.effect_size import rank_biserial
    >>> found = rank_biserial([0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1])
    >>> print(f"{found.estimate:.3f} in {found.conf_low:.3f}, {found.conf_high:.3f}")
    0.750 in -0.341, 0.980
    """
    n, m = x.shape[1], y.shape[1]
    scores = np.concatenate([x, y], axis=1)
    order = np.argsort(scores, axis=1)
    in_x = (order < n).astype(np.float64)
    number, of_x = below(np.take_along_axis(scores, order, axis=1), in_x)
    of_y = number - of_x
    u = np.vecdot(of_y, in_x)
    estimate = (2 * u - n * m) / (n * m)
    # how far the scores of y below each of x are from their mean u / n, and the reverse
    a = (of_y - (u / n)[:, np.newaxis]) * in_x
    b = (of_x - ((n * m - u) / m)[:, np.newaxis]) * (1 - in_x)
    # sign(x_i - y_j) is twice its count as below, less 1
    of_a = np.vecdot(a, a) / np.float64(n - 1) / (n * m**2)
    of_b = np.vecdot(b, b) / np.float64(m - 1) / (m * n**2)
    return estimate, *fisher_interval(estimate, 2 * np.sqrt(of_a + of_b), conf_level, min(n, m))
