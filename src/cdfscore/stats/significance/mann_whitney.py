"""Mann-Whitney test, or Wilcoxon's rank-sum test, of two independent samples."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from cdfscore.stats.numerics.ranks import midranks
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance import contract, rank_tests
from cdfscore.stats.significance.rank_tests import (
    TiesAt,
    check_exact,
    exact_cut,
    labelled,
    median_and_interval,
    normal_cut,
    shifted_at,
    symmetric_tails,
    tails,
    untied_cdf,
)

#: From this many scores on in either sample R takes the normal approximation.
_MANY = 50
#: The most scores of both samples of an exact distribution. With ties it is another one for each
#: pair of samples.
_MOST = 400
_MOST_TIED = 100
#: How many differences are sorted at a time.
_BLOCK = 1 << 20


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value of two samples that do not overlap, with ties of each if they may tie."""
    n, m = sizes.n, sizes.m
    total = n + m
    by_count = settings["exact"] is None and max(n, m) < _MANY
    one = 1 / math.comb(total, n)
    if settings["exact"] and sizes.tied and n != m:
        return one
    exact = contract.both_tails(one, settings)
    if settings["exact"] or (by_count and not sizes.tied):
        return exact
    tied = (n**3 - n + m**3 - m) / (total * (total - 1)) if sizes.tied else 0.0
    variance = n * m / 12 * (total + 1 - tied)
    z = (n * m / 2 - 0.5 * settings["correct"]) / math.sqrt(variance)
    p = contract.both_tails(float(special.ndtr(-z)), settings)
    return min(p, exact) if by_count else p


@contract.unpaired(
    ranks="topics",
    source="Mann and Whitney (1947); R: wilcox.test(x, y)",
    label="Mann-Whitney test",
    minimum=1,
    effect="rank_biserial",
    least_p=_least_p,
    in_unit=contract.DIFFERENCE,
    shifts="scores",
    null="both samples have the same distribution, except for a shift by `null_value`",
    assumes="equal shape and spread, for a conclusion about a shift",
    choose_for="scores with outliers, different topics; it tests order, not means",
)
def mann_whitney(
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
    """Test whether two samples have the same distribution, shifted by `null_value`.

    W is the number of pairs of a score of x - null_value and a score of y in which the first is
    larger; a tie counts 1/2.

    Specified in mann_whitney.1 to mann_whitney.5.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m); NaN is omitted.
    alternative
        "two-sided", "less" (x tends to be below y + null_value) or "greater".
    null_value
        The shift of x against y under the null hypothesis.
    exact
        True: the exact distribution of W, given the ties. False: its normal approximation. None:
        as R, the exact one if both samples have fewer than 50 scores without a tie, and otherwise
        the approximation. `method` names the one used.
    correct
        Whether the normal approximation has a continuity correction.
    ties_at
        "resolution": if all scores and `null_value` are whole multiples of 1 / q, they are
        compared as whole numbers, so that 0.3 - 0.1 ties with 0.2. Other pairs of samples are
        compared in all digits. "all_digits" is R's default; the rounding error of
        x - null_value breaks such ties. A number is the number of decimals to which both
        samples are rounded first. `method` names the multiples or decimals. If `null_value` is
        0, both words give the same numbers, because scores are compared as they are.
    conf_int
        Whether to compute the estimate and its interval. They take far longer than the test. If
        false, they are NaN; R leaves them out.
    conf_level
        The level of the confidence interval.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic W; the estimate is the shift, the median
        of all differences between a score of x and one of y.

    Raises
    ------
    SignificanceError
        If a sample of a single pair has no score, or if all its scores are equal. In a batch
        such a row is NaN, and `reason` explains why. Also for ``exact=True`` with more than 400
        scores in both samples together, or more than 100 if some of them tie.

    Notes
    -----
    Source: Mann and Whitney (1947), On a test of whether one of two random variables is
    stochastically larger than the other; variance with ties as in R's ``wilcox.test``,
    which takes the approximation with ties even if ``exact = TRUE``. The exact p values of ties are
    those of ``wilcox_test`` of R's coin. `scipy.stats.mannwhitneyu` has other rules: it is exact if
    one sample has 8 scores or fewer.

    Samples of three cannot reach 95 %: see `wilcoxon_signed_rank` for such an interval. In the
    approximation it is NaN if all differences are equal; R stops there.

    Examples
    --------
    >>> from cdfscore.stats.significance import mann_whitney
    >>> mann_whitney([0.5, 0.3, 0.8, 0.4], [0.45, 0.6, 0.9])
    statistic   3
    p_value     0.4
    method      Wilcoxon rank sum exact test; ties at multiples of 1/20
    n           4
    null_value  0
    alternative two-sided
    conf_level  0.95
    """
    n, m = x.shape[1], y.shape[1]
    first, second, ties_said = shifted_at("mann_whitney", x, y, null_value, ties_at)
    ranks, tied = midranks(np.concatenate([first, second], axis=1))
    w = ranks[:, :n].sum(axis=1) - n * (n + 1) / 2
    z = w - n * m / 2
    sigma = np.sqrt((n * m / 12) * ((n + m + 1) - tied / ((n + m) * (n + m - 1))))
    correction = {"two-sided": np.sign(z) * 0.5, "greater": 0.5, "less": -0.5}[alternative]
    p = rank_tests.normal_p_value((z - correction if correct else z) / sigma, alternative)
    untied = tied == 0
    by_count = untied & (max(n, m) < _MANY) if exact is None else np.full_like(untied, exact)
    with_ties = by_count & (tied > 0)
    check_exact("mann_whitney", "scores", by_count * (n + m), _MOST)
    check_exact("mann_whitney", "scores with ties", with_ties * (n + m), _MOST_TIED)
    plain = by_count & ~with_ties
    if plain.any():
        p[plain] = symmetric_tails(untied_cdf((min(n, m), max(n, m))), w[plain], alternative)
    for row in np.flatnonzero(with_ties):
        counts = _counts(tuple(np.sort(2 * ranks[row]).astype(np.int64).tolist()), n)
        # Twice W is on 0 ... 2 n m, and its mean is n m.
        p[row] = tails(counts, 2 * n * m, alternative)[round(2 * w[row])]
    estimate, low, high = np.full((3, len(w)), np.nan)
    short = np.zeros(len(w), dtype=np.bool_)
    if conf_int:
        found, short = _intervals(first, second, by_count, alternative, conf_level, 0.5 * correct)
        estimate, low, high = null_value + found
    equal = tied == (n + m) ** 3 - (n + m)
    approximate = "Wilcoxon rank sum test" + " with continuity correction" * correct
    return contract.Rows(
        statistic=np.where(equal, np.nan, w),
        p_value=np.where(equal, np.nan, p),
        estimate=np.where(equal, np.nan, estimate),
        conf_low=np.where(equal, np.nan, low),
        conf_high=np.where(equal, np.nan, high),
        method=labelled(
            np.strings.add(
                np.where(by_count, "Wilcoxon rank sum exact test", approximate), ties_said
            ),
            short & ~equal & ~np.isnan(low + high),
        ),
        reason=np.where(equal, "all scores are equal", ""),
    )


@lru_cache(maxsize=256)
def _counts(doubled: tuple[int, ...], n: int) -> Array:
    """Return how many choices of n of the pooled scores have twice a W of 0 ... 2 n m."""
    total = len(doubled)
    counts = np.zeros((n + 1, sum(doubled[total - n :]) + 1))
    counts[0, 0] = 1.0
    for seen, rank in enumerate(doubled):
        # Choices of k of the ranks so far, of which enough are left for n.
        least, most = max(0, n - (total - seen)), min(n, seen + 1)
        end = sum(doubled[max(0, seen - most + 1) : seen]) + 1
        counts[least + 1 : most + 1, rank : rank + end] += counts[least:most, :end]
    found = counts[n, n * (n + 1) :].copy()
    found.flags.writeable = False
    return found


def _intervals(
    x: Array,
    y: Array,
    exact: BoolArray,
    alternative: str,
    conf_level: float,
    correction: float,
) -> tuple[Array, BoolArray]:
    """Return estimate, lower and upper end of each row, (3, rows), and which miss the level."""
    tail = tail_of(conf_level, alternative)
    z = -special.ndtri(tail)
    n, m = x.shape[1], y.shape[1]
    # Shifted data tie where the scores of one sample do, not those of both.
    tied = midranks(x)[1] + midranks(y)[1]
    sigma = np.sqrt((n * m / 12) * ((n + m + 1) - tied / ((n + m) * (n + m - 1))))
    cut, short = normal_cut(n * m, sigma, correction, z)
    if exact.any():
        cut[exact], short[exact] = exact_cut(untied_cdf((n, m)), tail)
    found = np.empty((3, len(x)))
    step = max(1, _BLOCK // (n * m))  # as many rows as the memory allows
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        differences = x[part, :, np.newaxis] - y[part, np.newaxis, :]
        ordered = np.sort(differences.reshape(len(differences), -1), axis=1)
        found[:, part] = median_and_interval(ordered, cut[part], exact[part], alternative)
    return found, short
