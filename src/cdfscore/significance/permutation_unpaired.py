"""Permutation test of two independent samples, by shuffling their scores."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import mean
from cdfscore.numerics.offset import without_common_offset
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array
from cdfscore.significance._least_p import of_divisions
from cdfscore.significance.contract import DIFFERENCE, Alternative, Rows, Seed, unpaired
from cdfscore.significance.resampling import shuffles
from cdfscore.significance.resampling.common import (
    COUNTED,
    differences,
    rounding,
    summable,
    toward,
)


@unpaired(
    source="Pitman (1937); Efron and Tibshirani (1993), chapter 15",
    label="unpaired permutation test",
    minimum=1,
    tolerances={"p_value": COUNTED},
    drawn=shuffles.drawn,
    least_p=of_divisions,
    in_unit=(*DIFFERENCE, "statistic"),
    null="both samples have the same distribution, except for a shift by `null_value`",
    assumes="equal shape and spread in both samples",
    choose_for="means on different topics that are few, or of skewed scores",
)
def permutation_unpaired(
    x: Array,
    y: Array,
    *,
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
    B: int = 10_000,
    seed: Seed = 0,
) -> Rows:
    """Test by permutation whether two samples differ only by the shift `null_value`.

    T = mean(x) - mean(y). Under the null hypothesis, all divisions of the pooled scores
    x - null_value and y into samples of n and m are equally likely. The p value is the proportion
    of divisions whose T* is at least as far from 0 as T - null_value. All choose(n + m, n)
    divisions are used if they are at most 2^20, and p is exact; otherwise p = (b + 1) / (B + 1) for
    b of B random divisions.

    Specified in permutation_unpaired.1 and permutation_unpaired.2.

    Parameters
    ----------
    x, y
        Scores of shape (..., n) and (..., m); NaN is omitted.
    alternative
        "two-sided", "less" (mean(x) below mean(y) + null_value) or "greater".
    null_value
        The shift of x from y under the null hypothesis.
    B
        The number of random divisions if there are more than 2^20 divisions.
    seed
        The seed of the random divisions. Division k depends on the seed and k alone.

    Returns
    -------
    TestResult
        A value for each pair of samples: statistic and estimate mean(x) - mean(y),
        p_value_stderr the Monte Carlo standard error of the p value, 0 where it is exact.

    Raises
    ------
    SignificanceError
        If a sample of a single pair is empty.

    Notes
    -----
    Source: Pitman (1937), Significance tests which may be applied to samples from any
    populations; Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 15. The
    p value of random divisions is that of Phipson and Smyth (2010).

    A T* that equals T except for rounding error counts. The sums of the shifted scores of x may
    differ by (n + m) 2^-48 times the sum of the distances of all of them from their mean. If all
    scores are equal, p = 1.

    ``scipy.stats.permutation_test`` draws new divisions for each pair of samples. Here the samples
    of a batch share the divisions, and one matrix product gives all sums.

    Examples
    --------
    >>> from cdfscore.significance import permutation_unpaired
    >>> permutation_unpaired([0.5, 0.7, 0.8], [0.4, 0.3, 0.6, 0.2])
    statistic   0.291667
    p_value     0.114286
    estimate    0.291667
    method      all 35 divisions into 3 and 4
    n           3
    null_value  0
    alternative two-sided
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    n, m = x.shape[1], y.shape[1]
    # The median of y is subtracted from all, so that no common offset is left to round.
    offset = np.partition(y, m // 2, axis=1)[:, m // 2, np.newaxis]
    shifted = differences(x, offset, null_value)
    pooled = np.concatenate([shifted, differences(y, offset, 0.0)], axis=1)
    # About the mean, the sum of the first group is n m / (n + m) times the difference of means.
    centred = summable(pooled - pooled.mean(axis=1, keepdims=True))
    bound = toward(centred[:, :n].sum(axis=1), alternative) - rounding(centred)
    extreme = np.zeros(len(pooled))
    for groups in shuffles.divisions(n, m, B, seed):
        extreme += (toward(groups @ centred.T, alternative) >= bound).sum(axis=0)
    p, stderr = p_value(extreme, shuffles.trials(n, m, B), shuffles.enumerable(n, m))
    of_x, of_y, _ = without_common_offset(x, y)
    estimate = (mean(of_x) - mean(of_y))[:, 0]
    return Rows(
        statistic=estimate,
        p_value=p,
        estimate=estimate,
        p_value_stderr=stderr,
        method=shuffles.described(n, m, B, seed),
    )
