"""Permutation test of two independent samples, by shuffling their scores."""

import math
from collections.abc import Iterator, Mapping
from itertools import chain, combinations, islice
from typing import Any

import numpy as np

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract, resampling

# --- Divisions of pooled scores into two groups: random ones, or all of them ---

# Scores that are divided at a time.
_BLOCK = 1 << 18


def enumerable(n: int, m: int) -> bool:
    """Tell whether the divisions into n and m are few enough to be enumerated."""
    return math.comb(n + m, n) <= resampling.MOST_ENUMERATED


def described(n: int, m: int, B: int, seed: int) -> str:
    """Describe the divisions that `divisions` yields."""
    if enumerable(n, m):
        return f"all {math.comb(n + m, n)} divisions into {n} and {m}"
    return f"shuffles, B = {B}, seed {seed}"


def trials(n: int, m: int, B: int) -> int:
    """Return the number of divisions that `divisions` yields."""
    return math.comb(n + m, n) if enumerable(n, m) else B


def divisions(n: int, m: int, B: int, seed: int) -> Iterator[Array]:
    """Yield blocks of divisions, (trials, n + m): 1 in the first group (of n), 0 in the second."""
    total, step = trials(n, m, B), max(1, _BLOCK // (n + m))
    every = combinations(range(n + m), n)
    for start in range(0, total, step):
        size = min(step, total - start)
        if enumerable(n, m):
            flat = chain.from_iterable(islice(every, size))
            members = np.fromiter(flat, dtype=np.intp, count=n * size).reshape(size, n)
        else:
            # The places of the n smallest of n + m random words are a random subset, each as
            # likely as another but for words of 64 bits that are equal.
            keys = resampling.words(seed, start, start + size, n + m)
            members = np.argpartition(keys, n - 1, axis=1)[:, :n]
        groups = np.zeros((size, n + m))
        np.put_along_axis(groups, members, 1.0, axis=1)
        yield groups


def drawn(sizes: contract.NumbersOfTopics, B: int, seed: int) -> contract.Draws | None:
    """Return the random divisions into two sizes: 1 in the first group, 0 in the second."""
    n, m = sizes
    if enumerable(n, m):
        return None
    return contract.Draws(B, n + m, 1, lambda: divisions(n, m, B, seed))


# --- The test ---


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    n, m = sizes.n, sizes.m
    if not enumerable(n, m):
        return resampling.least_p_value(settings["B"])
    one = 1 / math.comb(n + m, n)
    return contract.both_tails(one, settings) if n == m else one


@contract.unpaired(
    source="Pitman (1937); Efron and Tibshirani (1993), chapter 15",
    label="unpaired permutation test",
    minimum=1,
    tolerances={"p_value": resampling.COUNTED},
    drawn=drawn,
    least_p=_least_p,
    in_unit=(*contract.DIFFERENCE, "statistic"),
    shifts="scores",
    null="both samples have the same distribution, except for a shift by `null_value`",
    assumes="equal shape and spread in both samples",
    choose_for="means on different topics that are few, or of skewed scores",
)
def permutation_unpaired(
    x: Array,
    y: Array,
    *,
    alternative: contract.Alternative = "two-sided",
    null_value: float = 0.0,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test by permutation whether two samples differ only by the shift `null_value`.

    T = mean(x) - mean(y). Under the null hypothesis, all divisions of the pooled scores
    x - null_value and y into samples of n and m are equally likely. The p value is the proportion
    of divisions whose T* is at least as far from 0 as T - null_value. All choose(n + m, n)
    divisions are used if they are at most 2^20, and p is exact; otherwise p = (b + 1) / (B + 1) for
    b of B random divisions.

    Specified in permutation_unpaired.1 and permutation_unpaired.2.

    Parameters
    ----------
    x, y, alternative
        As for `welch_t`.
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
    populations; Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 15.

    Examples
    --------
    >>> from cdfscore.stats.significance import permutation_unpaired
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
    shifted = resampling.differences(x, offset, null_value)
    pooled = np.concatenate([shifted, resampling.differences(y, offset, 0.0)], axis=1)
    # About the mean, the sum of the first group is n m / (n + m) times the difference of means.
    centred = resampling.summable(pooled - pooled.mean(axis=1, keepdims=True))
    bound = resampling.toward(centred[:, :n].sum(axis=1), alternative) - resampling.rounding(
        centred
    )
    extreme = np.zeros(len(pooled))
    for groups in divisions(n, m, B, seed):
        extreme += (resampling.toward(groups @ centred.T, alternative) >= bound).sum(axis=0)
    p, stderr = p_value(extreme, trials(n, m, B), enumerable(n, m))
    estimate = (mean(x - offset) - mean(y - offset))[:, 0]
    return contract.Rows(
        statistic=estimate,
        p_value=p,
        estimate=estimate,
        p_value_stderr=stderr,
        method=described(n, m, B, seed),
    )
