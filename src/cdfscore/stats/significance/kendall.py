"""Test of Kendall's rank correlation."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from cdfscore.stats.numerics.ranks import counts, sorted_midranks
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance import rank_tests
from cdfscore.stats.significance.contract import Alternative, Rows, paired
from cdfscore.stats.significance.rank_tests import (
    check_exact,
    pairings,
    patterns,
    symmetric_tails,
    tails,
    untied_cdf,
)

#: R takes the exact distribution for fewer pairs than this; and it has none above the other.
_EXACT_BELOW = 50
_MOST = 170
#: The most pairs of an exact distribution with ties in both samples.
_MOST_TIED = 10


@paired(
    ranks="topics",
    source="Kendall (1938, 1945); R: cor.test(x, y, method = 'kendall')",
    label="test of Kendall's correlation",
    effect="",
    estimates="correlation",
    shows="correlation",
    tolerances={
        "statistic": Tolerance(450, "R computes C - D from a rounded tau", floor=2**-6),
        # What R takes from 1 - p has the digits of 1: 1e-10 of 2^-10 is 1e-13.
        "p_value": Tolerance(450_000, "R computes the upper tail as 1 - p", floor=2**-10),
    },
    shifts="systems",
    null="the two systems rank the topics independently (tau = 0)",
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

    Specified in kendall.1 to kendall.4.

    Parameters
    ----------
    x, y, alternative
        As for `pearson`.
    exact
        True: the exact distribution over all pairings, given the ties. False: the normal
        approximation. None: as R, the exact one for fewer than 50 pairs without ties, and otherwise
        the approximation. `method` names the one used.
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
        explains why. Also for ``exact=True`` with more than 170 pairs, or more than 10 if scores
        tie in both samples.

    Notes
    -----
    Source: Kendall (1938, 1945); choices and variance with ties as R's ``cor.test``, which takes
    the approximation with ties even if ``exact = TRUE``. `scipy.stats.kendalltau` is exact for up
    to 33 pairs, and for more pairs if C or D is at most 1.

    Examples
    --------
    >>> from cdfscore.stats.significance import kendall
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
    pairs = n * (n - 1) // 2
    # For each score, how many of its sample are equal to it.
    in_x, in_y = (sorted_midranks(np.sort(sample, axis=1))[1] for sample in (x, y))
    tied_x, tied_y = (in_x - 1).sum(axis=1), (in_y - 1).sum(axis=1)
    counted = counts(x, y)
    excess = counted.excess()
    untied = (tied_x == 0) & (tied_y == 0)
    by_count = untied & (n < _EXACT_BELOW) if exact is None else np.full_like(untied, exact)
    by_count &= np.maximum(tied_x, tied_y) < 2 * pairs  # neither is constant
    check_exact("kendall", "pairs", by_count * n, _MOST)
    both_tied = by_count & (tied_x > 0) & (tied_y > 0)
    check_exact("kendall", "pairs and ties in both samples", both_tied * n, _MOST_TIED)
    spread = _variance(n, in_x, in_y)
    nearer = excess - np.sign(excess) if continuity else excess
    z = nearer / np.sqrt(spread)
    concordant = counted.concordant.sum(axis=-1)
    statistic = np.where(by_count, concordant, z)
    p_value = rank_tests.normal_p_value(z, alternative)
    for of_x, of_y, found in patterns(x[by_count], y[by_count]):
        rows = np.flatnonzero(by_count)[found]
        if max(of_x) == 1 or max(of_y) == 1:
            below = untied_cdf(tuple(sorted(of_x if max(of_y) == 1 else of_y)))
            p_value[rows] = symmetric_tails(below, concordant[rows], alternative)
        else:
            orders = _both_tied(of_x, of_y)
            middle = len(orders) // 2  # where C - D is 0
            p_value[rows] = tails(orders, 2 * middle, alternative)[excess[rows] + middle]
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
    return np.asarray(plain / 18 + both + threes / np.float64(9 * n * (n - 1) * (n - 2)))


@lru_cache(maxsize=1024)
def _both_tied(in_x: tuple[int, ...], in_y: tuple[int, ...]) -> IntArray:
    """Return how many pairings of tied scores have each C - D, of -m ... m with m pairs."""
    if prod(t + 1 for t in in_x) < prod(t + 1 for t in in_y):
        in_x, in_y = in_y, in_x

    def gain(i: int, j: int, taken: Sequence[int]) -> int:
        # C - D with those before, and their number, so that it is not negative.
        return 2 * sum(taken[:j]) + taken[j]

    found = pairings(in_x, in_y, gain)
    n = sum(in_x)
    most = (n * n - sum(t * t for t in in_x)) // 2
    orders = np.zeros(2 * most + 1, dtype=np.int64)
    orders[: len(found)] = found
    return orders
