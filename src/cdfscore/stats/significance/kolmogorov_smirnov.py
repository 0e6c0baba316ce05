"""Two-sample Kolmogorov-Smirnov test."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance.contract import Alternative, Rows, Sizes, unpaired
from cdfscore.stats.significance.resampling import toward

#: From this product of the sizes on R takes the asymptotic distribution.
_MANY = 10_000


def _least_p(sizes: Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value of two cdfs that do not overlap."""
    n, m = sizes.n, sizes.m
    two_sided = settings["alternative"] == "two-sided"
    if is_exact(n, m, settings["exact"]):
        return (2 if two_sided and (n == m or not sizes.tied) else 1) / math.comb(n + m, n)
    scale = n * m / (n + m)
    return float(special.kolmogorov(math.sqrt(scale)) if two_sided else math.exp(-2 * scale))


@unpaired(
    ranks="topics",
    source="Smirnov (1939); R: ks.test(x, y)",
    label="Kolmogorov-Smirnov test",
    minimum=1,
    effect="",
    least_p=_least_p,
    tolerances={
        "statistic": Tolerance(
            450, "Python and R use two algorithms; 1e-13 of the number", floor=1.0
        ),
        "p_value": Tolerance(
            4500,
            "R subtracts a probability from 1, with a rounding error for each score",
            floor=1.0,
        ),
    },
    shifts="scores",
    null="both samples have the same distribution",
    assumes="no particular distribution",
    choose_for="any difference of distributions, such as of their spread",
)
def kolmogorov_smirnov(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
) -> Rows:
    """Test whether two samples have the same distribution, by the distance of their cdfs.

    D = max(abs(F_x - F_y)); one-sided, D+ = max(F_x - F_y) or D- = max(F_y - F_x).

    Specified in kolmogorov_smirnov.1 to kolmogorov_smirnov.4.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m); NaN is omitted.
    alternative
        "two-sided"; "greater" (the cdf of x lies above that of y, so that x tends to be
        *below* y) or "less", as in R.
    exact
        Whether to use the exact distribution of D given the ties, or the asymptotic one; None
        uses the exact one for n m < 10,000, as in R. `method` names the one used.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic D, D+ or D-.

    Raises
    ------
    SignificanceError
        If a sample of a single pair has no score. In a batch such a row is NaN, and `reason`
        explains why. If all scores are equal, D is 0 and p is 1.

    Notes
    -----
    Source: Smirnov (1939); exact with ties by the recursion over lattice paths of Schroeer
    and Trenkler (1995), Exact and randomization distributions of Kolmogorov-Smirnov tests
    for two or three samples, which R has since 4.2.0. For ``alternative = "less"``, R 4.2 uses the
    distribution of D+ instead of D-. With ties and n != m its exact p value is then wrong. The R
    twin calls R with y and x and "greater". R 4.2 is also inaccurate for small p values, and its
    asymptotic series ends early. `scipy.stats.ks_2samp` ignores ties in its exact p value.

    Examples
    --------
    >>> from cdfscore.stats.significance import kolmogorov_smirnov
    >>> kolmogorov_smirnov([0.5, 0.3, 0.8, 0.4], [0.6, 0.7, 0.9])
    statistic   0.75
    p_value     0.228571
    method      exact two-sample Kolmogorov-Smirnov test
    n           4
    alternative two-sided
    """
    n, m = x.shape[1], y.shape[1]
    pooled = np.concatenate([x, y], axis=1)
    order = np.argsort(pooled, axis=1)
    ordered = np.take_along_axis(pooled, order, axis=1)
    ends = np.ones(pooled.shape, dtype=np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=ends[:, :-1])
    # n m (F_x - F_y) in whole numbers, compared where both cdfs have made their whole step.
    gap = np.cumsum(np.where(order < n, float(m), float(-n)), axis=1)
    gap[~ends] = 0  # as after the last score, where both cdfs are 1
    reached = toward(gap, alternative).max(axis=1)
    d = reached / (n * m)
    if is_exact(n, m, exact):
        kind = "exact"
        p = _at_least(reached, ends, n, m, alternative)
    else:
        kind = "asymptotic"
        scale = n * m / (n + m)
        two_sided = alternative == "two-sided"
        p = special.kolmogorov(np.sqrt(scale) * d) if two_sided else np.exp(-2 * scale * d * d)
    return Rows(
        statistic=d,
        p_value=p,
        method=f"{kind} two-sample Kolmogorov-Smirnov test",
    )


def is_exact(n: int, m: int, exact: bool | None) -> bool:
    """Tell whether the distribution for n and m scores is exact."""
    return n * m < _MANY if exact is None else exact


def _at_least(reached: Array, ends: BoolArray, n: int, m: int, alternative: str) -> Array:
    """Return P(D >= d) over all assignments of the pooled scores to samples of n and m, with ties.

    `reached` is n m d; `ends` (rows, n + m) are the last scores of ties, in ascending order.
    """
    # Rows of the same distance and the same ties, all those without a tie, are one path.
    cases, back = np.unique(
        np.column_stack([reached[:, np.newaxis], ends]), axis=0, return_inverse=True
    )
    distance, compared = cases[:, :1], cases[:, 1:].astype(np.bool_)
    u = np.arange(n + 1)
    inside = np.zeros((len(cases), n + 1))
    inside[:, 0] = 1.0
    outside = np.zeros(len(cases))
    for drawn in range(n + m):
        v = drawn - u  # where it is below 0 or above m `inside` is 0: no path gets there
        left = n + m - drawn
        to_x, to_y = (n - u) / left, (m - v) / left
        step = inside * to_y
        step[:, 1:] += inside[:, :-1] * to_x[:-1]
        gap = (u * m - (drawn + 1 - u) * n).astype(np.float64)
        far = (toward(gap, alternative) >= distance) & compared[:, drawn, np.newaxis]
        outside += np.sum(step, axis=1, where=far)
        step[far] = 0.0
        inside = step
    # Near 1 the sum of the paths may be above it by rounding.
    return np.minimum(outside[back.reshape(-1)], 1.0)
