"""Wilcoxon's signed-rank test of paired scores."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from cdfscore.stats.numerics.ranks import sorted_midranks, tie_sum
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance import contract, rank_tests
from cdfscore.stats.significance.rank_tests import (
    TiesAt,
    check_exact,
    differences_at,
    exact_cut,
    labelled,
    median_and_interval,
    normal_cut,
    symmetric_tails,
    zeros_said,
)

#: From this many pairs on R takes the normal approximation.
_MANY = 50
#: The most differences of an exact distribution: 2^-1000 is a double. With ties it is another one
#: for each pair of systems, and takes time that grows with the third power.
_MOST = 1_000
_MOST_TIED = 300
#: How many means of pairs are sorted at a time.
_BLOCK = 1 << 20


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value where all differences have one sign, and all sizes tie if they may."""
    n = sizes.nonzero
    if n == 0:
        return 1.0
    exact = settings["exact"]
    by_count = exact is None and n == sizes.n < _MANY
    one_sign = contract.both_tails(0.5**n, settings)
    if exact or (by_count and (n == 1 or not sizes.tied)):
        return one_sign
    ties = (n**3 - n) / 48 if sizes.tied else 0.0
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties
    z = (n * (n + 1) / 4 - 0.5 * settings["correct"]) / math.sqrt(variance)
    p = contract.both_tails(float(special.ndtr(-z)), settings)
    return min(p, one_sign) if by_count else p


@contract.paired(
    source="Wilcoxon (1945); R: wilcox.test(x, y, paired = TRUE)",
    label="Wilcoxon signed-rank test",
    minimum=1,
    effect="rank_biserial_paired",
    ranks="differences",
    least_p=_least_p,
    in_unit=contract.DIFFERENCE,
    shifts="topics",
    null="the differences of the two systems are symmetric about `null_value`",
    assumes="symmetric differences, for a conclusion about their center",
    choose_for="differences with outliers; it tests ranks of differences, not means",
)
def wilcoxon_signed_rank(
    x: Array,
    y: Array,
    *,
    alternative: contract.Alternative = "two-sided",
    null_value: float = 0.0,
    exact: bool | None = None,
    correct: bool = True,
    ties_at: TiesAt = "resolution",
    conf_int: bool = False,
    conf_level: float = 0.95,
) -> contract.Rows:
    """Test whether paired differences are symmetric about `null_value`.

    V is the sum of the ranks of abs(d) over d > 0, where d = x - y - null_value without
    zeros; tied values share the mean of their ranks.

    Specified in wilcoxon_signed_rank.1 to wilcoxon_signed_rank.5.

    Parameters
    ----------
    x, y
        Scores of shape (..., n), a pair in each place; a pair with a NaN is omitted.
    alternative
        "two-sided", "less" (x tends to be below y + null_value) or "greater".
    null_value
        The centre of the differences under the null hypothesis.
    exact
        True: the exact distribution of V, given the zeros and the ties. False: its normal
        approximation. None: as R, the exact one for fewer than 50 pairs without a zero or a tie,
        and otherwise the approximation. `method` names the one used.
    ties_at
        "resolution": if all scores and `null_value` are whole multiples of 1 / q, the differences
        are compared as whole numbers, so that 0.3 - 0.2 and 0.2 - 0.1 tie. Other differences tie
        if their sizes are equal to 12 digits. "all_digits" is R's default; the rounding errors of
        the differences break such ties. A number is the number of decimals to which the differences
        are rounded first. `method` names the multiples, digits or decimals.
    correct, conf_int, conf_level
        As for `mann_whitney`.

    Returns
    -------
    TestResult
        A value for each sample: statistic V; the estimate is the pseudomedian of x - y, the
        median of the means of all pairs of differences that are not `null_value`.

    Raises
    ------
    SignificanceError
        For a single pair of samples without a pair, or whose differences are all 0. In a
        batch such a row is NaN, and `reason` explains why. Also for ``exact=True`` with more
        than 1,000 differences other than 0, or more than 300 if some of them tie.

    Notes
    -----
    Source: Wilcoxon (1945), Individual comparisons by ranking methods; variance with ties
    as in R's ``wilcox.test``. `scipy.stats.wilcoxon` has other rules: in a two-sided test its V is
    the smaller sum. It uses the exact distribution for up to 50 pairs, not 49, and all sign flips
    for up to 13 pairs with a tie or a zero.

    If `conf_level` cannot be reached (fewer than six differences at 95 %), the interval is the
    whole range of the means, and `method` ends with "interval: the whole range, conf_level cannot
    be reached".

    Differences of 0 count neither in the test nor in the interval, as in R. `method` has the number
    of the others, "6 of 51 differences are not 0". The interval can leave out `null_value` though
    most differences are equal to it.

    Examples
    --------
    >>> from cdfscore.stats.significance import wilcoxon_signed_rank
    >>> wilcoxon_signed_rank([0.5, 0.3, 0.8, 0.4, 0.9], [0.4, 0.6, 0.3, 0.2, 0.5])
    statistic   12
    p_value     0.3125
    method      Wilcoxon signed rank exact test; ties at multiples of 1/10
    n           5
    null_value  0
    alternative two-sided
    conf_level  0.95
    """
    difference, ties_said = differences_at(
        "wilcoxon_signed_rank", x, y, null_value, ties_at, ranked=True
    )
    size = np.abs(difference)
    order = np.argsort(size, axis=1)
    ordered = np.take_along_axis(size, order, axis=1)
    positive = np.take_along_axis(difference, order, axis=1) > 0
    ranks, ties = sorted_midranks(ordered)
    zeros = np.count_nonzero(ordered == 0, axis=1)
    # Zeros come first and tie with one another only; what follows is ranked without them.
    v = np.vecdot(ranks, positive.astype(np.float64)) - zeros * np.count_nonzero(positive, axis=1)
    tied = tie_sum(ties) - (zeros**3 - zeros)
    size_n = difference.shape[1]
    n = (size_n - zeros).astype(np.float64)
    z = v - n * (n + 1) / 4
    sigma = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - tied / 48)
    correction = {"two-sided": np.sign(z) * 0.5, "greater": 0.5, "less": -0.5}[alternative]
    p = rank_tests.normal_p_value((z - correction if correct else z) / sigma, alternative)
    plain = (zeros == 0) & (tied == 0)
    by_count = plain & (size_n < _MANY) if exact is None else np.full_like(plain, exact)
    with_ties = by_count & (tied > 0)
    check_exact("wilcoxon_signed_rank", "differences", n[by_count], _MOST)
    check_exact("wilcoxon_signed_rank", "differences with ties", n[with_ties], _MOST_TIED)
    for count in np.unique(n[by_count & ~with_ties]):
        rows = by_count & ~with_ties & (n == count)
        p[rows] = symmetric_tails(_untied_cdf(int(count)), v[rows], alternative)
    for row in np.flatnonzero(with_ties):
        # Twice the ranks, which are whole, without the zeros.
        doubled = (2 * (ranks[row, zeros[row] :] - zeros[row])).astype(np.int64)
        step = int(np.gcd.reduce(doubled))
        below = _cdf(tuple((doubled // step).tolist()))
        p[row] = symmetric_tails(below, 2 * v[row : row + 1] / step, alternative)[0]
    empty = n == 0
    estimate, low, high = np.full((3, len(v)), np.nan)
    short = np.zeros(len(v), dtype=np.bool_)
    if conf_int:
        found, short = _intervals(difference, by_count, alternative, conf_level, 0.5 * correct)
        estimate, low, high = null_value + found
    approximate = "Wilcoxon signed rank test" + " with continuity correction" * correct
    return contract.Rows(
        statistic=np.where(empty, np.nan, v),
        p_value=np.where(empty, np.nan, p),
        estimate=estimate,
        conf_low=low,
        conf_high=high,
        method=labelled(
            np.strings.add(
                np.where(by_count, "Wilcoxon signed rank exact test", approximate),
                np.strings.add(ties_said, zeros_said(zeros, size_n)),
            ),
            short & ~np.isnan(low + high),
        ),
        reason=np.where(empty, "all differences are 0", ""),
    )


@lru_cache(maxsize=32)
def _cdf(ranks: tuple[int, ...]) -> Array:
    """Return P(V <= v) for v = 0 ... sum of the ranks, of which a fair coin chooses some."""
    counts = np.zeros(sum(ranks) + 1)
    counts[0] = 1.0
    top = 1
    for rank in ranks:
        counts[rank : top + rank] += counts[:top].copy()
        top += rank
    below = np.minimum(np.cumsum(counts) * 0.5 ** len(ranks), 1.0)
    below.flags.writeable = False
    return below


def _untied_cdf(n: int) -> Array:
    return _cdf(tuple(range(1, n + 1)))


def _intervals(
    difference: Array, exact: BoolArray, alternative: str, conf_level: float, correction: float
) -> tuple[Array, BoolArray]:
    """Return estimate, lower and upper end of each row, (3, rows), and which miss the level."""
    tail = tail_of(conf_level, alternative)
    z = -special.ndtri(tail)
    found = np.full((3, len(difference)), np.nan)
    short = np.zeros(len(difference), dtype=np.bool_)
    counts = np.count_nonzero(difference, axis=1)
    # Rows that have equally many differences other than 0, as many as the memory allows.
    for n in (int(count) for count in np.unique(counts) if count):
        size = n * (n + 1) // 2
        rows = np.flatnonzero(counts == n)
        for part in np.split(rows, range(0, len(rows), max(1, _BLOCK // size))[1:]):
            d = difference[part]
            d = d[d != 0].reshape(-1, n)
            # Shifted data tie where the differences themselves do, not their sizes.
            tied = tie_sum(sorted_midranks(np.sort(d, axis=1))[1])
            sigma = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - tied / 48)
            cut, short[part] = normal_cut(size, sigma, correction, z)
            if (by_count := exact[part]).any():
                cut[by_count], short[part[by_count]] = exact_cut(_untied_cdf(n), tail)
            i, j = np.triu_indices(n)
            averages = np.sort((d[:, i] + d[:, j]) / 2, axis=1)
            found[:, part] = median_and_interval(averages, cut, exact[part], alternative)
    return found, short
