"""Test of Kendall's rank correlation."""

from __future__ import annotations

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.numerics.concordance import counts
from cdfscore.numerics.ranks import sorted_midranks
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance._rank_settings import check_truth_values
from cdfscore.significance.contract import Alternative, Rows, paired
from cdfscore.significance.null import kendall as kendall_exact
from cdfscore.significance.null import normal_tails

#: R takes the exact distribution for fewer pairs than this; and it has none above the other.
_EXACT_BELOW = 50
_MOST_FOR_EXACT = 170


@paired(
    source="Kendall (1938, 1945); R: cor.test(x, y, method = 'kendall')",
    effect="",
    estimates="correlation",
    shows="correlation",
    tolerances={
        "statistic": Tolerance(450, "R computes C - D from a rounded tau", floor=2**-6),
        # What R takes from 1 - p has the digits of 1: 1e-10 of 2^-10 is 1e-13.
        "p_value": Tolerance(450_000, "R computes the upper tail as 1 - p", floor=2**-10),
    },
    null="no correlation of ranks",
    assumes="no particular distribution",
    choose_for="whether two systems rank the topics alike",
)
def kendall(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
    continuity: bool = False,
) -> Rows:
    """Test whether paired scores are uncorrelated, by Kendall's tau_b.

    With C concordant and D discordant pairs of pairs, tau_b = (C - D) / sqrt((N - N_x)
    (N - N_y)), where N_x and N_y of the N = n (n - 1) / 2 pairs are tied in x and in y. The
    statistic is C if the distribution is exact, and z = (C - D) / sd(C - D) otherwise.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    alternative
        "two-sided", "less" (a negative correlation) or "greater".
    exact
        Whether to use the exact distribution, up to 170 pairs; None uses it for fewer than 50.
        With ties, the normal approximation is always used. `method` names the one used.
    continuity
        Whether the normal approximation has a continuity correction: abs(C - D) minus 1.

    Returns
    -------
    TestResult
        A value for each sample: statistic C or z, estimate tau_b.

    Raises
    ------
    SignificanceError
        If there are fewer than 2 pairs, if one sample is constant (R gives NA), or if there are
        2 pairs and the distribution is not exact. In a batch such a row is NaN, and `reason`
        explains why. Also for ``exact=True`` with more than 170 pairs.

    Notes
    -----
    Source: Kendall (1938, 1945); choices and variance with ties as R's ``cor.test``. Exact p
    values are computed from whole numbers and rounded once. R subtracts the upper tail from 1, so
    that its small p values are off by about 1e-14, or 0. `scipy.stats.kendalltau` is exact for up
    to 33 pairs, and for more pairs if C or D is at most 1.

    Examples
    --------
    >>> from cdfscore.significance import kendall
    >>> result = kendall([0.5, 0.3, 0.8, 0.4, 0.6], [0.4, 0.3, 0.5, 0.2, 0.6])
    >>> result
    statistic   8
    p_value     0.233333
    estimate    0.6
    method      Kendall's rank correlation, exact
    n           5
    alternative two-sided
    """
    n = x.shape[1]
    check_truth_values("kendall", exact=exact, continuity=continuity)
    if exact and n > _MOST_FOR_EXACT:
        raise SignificanceError(
            f"kendall: exact=True with {n} pairs is not accepted; expected "
            f"{_MOST_FOR_EXACT} pairs or fewer"
        )
    pairs = n * (n - 1) // 2
    # For each score, how many of its sample are equal to it.
    in_x, in_y = (sorted_midranks(np.sort(sample, axis=1))[1] for sample in (x, y))
    tied_x, tied_y = (in_x - 1).sum(axis=1), (in_y - 1).sum(axis=1)
    excess = counts(x, y).excess()
    untied = (tied_x == 0) & (tied_y == 0)
    by_count = untied & (n < _EXACT_BELOW if exact is None else exact)
    spread = _variance(n, in_x, in_y)
    nearer = excess - np.sign(excess) if continuity else excess
    z = nearer / np.sqrt(spread)
    concordant = (excess + pairs) // 2
    statistic = np.where(by_count, concordant, z)
    p_value = normal_tails.p_value(z, alternative)
    if by_count.any():
        p_value[by_count] = kendall_exact.p_value(concordant[by_count], n, alternative)
    tau = excess / np.sqrt((pairs - tied_x / 2) * (pairs - tied_y / 2))
    constant = np.isnan(tau)
    lost = constant | np.isnan(statistic)
    return Rows(
        statistic=np.where(lost, np.nan, statistic),
        p_value=np.where(lost, np.nan, p_value),
        estimate=tau,
        method=np.where(
            by_count,
            "Kendall's rank correlation, exact",
            "Kendall's rank correlation, normal approximation"
            + (" with continuity correction" if continuity else ""),
        ),
        reason=np.select(
            [constant, lost],
            [
                "the scores of one sample are all equal",
                f"{n} pairs are too few for the normal approximation",
            ],
            "",
        ),
    )


def _variance(n: int, in_x: Array, in_y: Array) -> Array:
    """Return the variance of C - D; sums over tied scores are sums over ties, t at a time."""
    pairs_x, pairs_y = (in_x - 1).sum(axis=1), (in_y - 1).sum(axis=1)
    plain = n * (n - 1) * (2 * n + 5) - sum(
        ((t - 1) * (2 * t + 5)).sum(axis=1) for t in (in_x, in_y)
    )
    threes = np.prod([((t - 1) * (t - 2)).sum(axis=1) for t in (in_x, in_y)], axis=0)
    both = pairs_x * pairs_y / (2 * n * (n - 1))
    variance: Array = plain / 18 + both + threes / np.float64(9 * n * (n - 1) * (n - 2))
    return variance
