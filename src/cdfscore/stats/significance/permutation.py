"""Permutation test of paired scores, by sign flips."""

from typing import Any

import numpy as np

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract, resampling, sign_flips

# Pairs counted at a time, so that their sums stay in the cache.
_PAIRS = 64
# Systems are near each other if their scores have more than this times the size of their
# differences: then sums of the scores have rounding errors above half of what is a tie.
_NEAR = 8.0


@contract.paired(
    source="Fisher (1935); Smucker, Allan and Carterette (2007)",
    label="paired permutation test",
    minimum=1,
    tolerances={"p_value": resampling.COUNTED},
    drawn=sign_flips.drawn,
    least_p=sign_flips.least_p,
    in_unit=(*contract.DIFFERENCE, "statistic"),
    shifts="topics",
    null="the differences of the two systems are symmetric about `null_value`",
    assumes="differences symmetric about 0 if the systems do not differ",
    choose_for="the mean difference of few topics, or of skewed scores",
)
def permutation(
    x: Array,
    y: Array,
    *,
    alternative: contract.Alternative = "two-sided",
    null_value: float = 0.0,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test by sign flips whether paired differences are symmetric around `null_value`.

    T = mean(d) with d = x - y. Under the null hypothesis, d - null_value and its negative are
    equally likely on each topic. The p value is the proportion of flips whose T* is at least as far
    from null_value as T: of all 2^n flips if n <= 20, which is exact; otherwise (b + 1) / (B + 1)
    for b of B random flips.

    Specified in permutation.1 and permutation.2.

    Parameters
    ----------
    x, y, alternative
        As for `paired_t`.
    null_value
        The centre of the differences under the null hypothesis.
    B
        The number of random flips for n > 20. If it is not given, `compare` uses more flips if its
        level alpha and its correction need more to find a difference.
    seed
        The seed of the random flips. Flip k depends on the seed and k alone, so all pairs of
        systems with n topics have the same flips.

    Returns
    -------
    TestResult
        A value for each sample: statistic and estimate mean(d), p_value_stderr the Monte
        Carlo standard error of the p value, 0 where it is exact.

    Raises
    ------
    SignificanceError
        For a single pair of samples without any pair.

    Notes
    -----
    Source: Fisher (1935), The design of experiments, section 21; in retrieval Smucker, Allan
    and Carterette (2007). The p value of random flips is that of Phipson and Smyth (2010).

    Examples
    --------
    >>> from cdfscore.stats.significance import permutation
    >>> permutation([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    statistic   0.15
    p_value     0.25
    estimate    0.15
    method      all 2^4 sign flips
    n           4
    null_value  0
    alternative two-sided
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    difference = resampling.summable(resampling.differences(x, y, null_value))
    n = difference.shape[1]
    bound = resampling.toward(difference.sum(axis=1), alternative) - resampling.rounding(difference)
    if sign_flips.enumerable(n):
        extreme = sign_flips.count_all(difference, bound)
        if alternative == "two-sided":  # the flips come in pairs of opposite sums
            extreme = np.minimum(2 * extreme, 2.0**n)
    else:
        extreme = np.zeros(len(difference))
        for signs in sign_flips.signs(n, B, seed, len(difference)):
            extreme += (resampling.toward(signs @ difference.T, alternative) >= bound).sum(axis=0)
    return _rows(mean(x - y)[:, 0], extreme, n, B, seed)


@permutation.for_pairs
def _pairs(
    scores: Array, first: contract.Indices, second: contract.Indices, **settings: Any
) -> contract.Rows:
    """Flip the signs of the systems once for all pairs: sums of differences subtract."""
    n = len(scores)
    systems = np.ascontiguousarray(scores.T)
    if sign_flips.enumerable(n):
        return permutation.function(systems[first], systems[second], **settings)
    alternative, null_value = settings["alternative"], settings["null_value"]
    difference = resampling.summable(
        resampling.differences(systems[first], systems[second], null_value)
    )
    bound = resampling.toward(difference.sum(axis=1), alternative) - resampling.rounding(difference)
    extreme = np.zeros(len(first))
    # The mean of each topic cancels in a difference, and its rounding with it.
    apart = systems - systems.mean(axis=0)
    size, whole = (resampling.size_of(each, null_value / 2) for each in (apart, systems))
    near = size[first] + size[second] > _NEAR * np.abs(difference).sum(axis=1)
    near |= resampling.exceed(whole[first] + whole[second], difference)
    near, far = np.flatnonzero(near), np.flatnonzero(~near)
    of_near = difference[near]
    # The null value goes with the first system of a pair, the second has none.
    for signs in sign_flips.signs(n, settings["B"], settings["seed"], len(near)):
        sums = apart @ signs.T
        shifted = sums - null_value * signs.sum(axis=1)
        for start in range(0, len(far), _PAIRS):
            block = far[start : start + _PAIRS]
            flipped = resampling.toward(shifted[first[block]] - sums[second[block]], alternative)
            extreme[block] += (flipped >= bound[block, np.newaxis]).sum(axis=1)
        flipped = resampling.toward(of_near @ signs.T, alternative)
        extreme[near] += (flipped >= bound[near, np.newaxis]).sum(axis=1)
    estimate = mean(systems[first] - systems[second])[:, 0]
    return _rows(estimate, extreme, n, settings["B"], settings["seed"])


def _rows(estimate: Array, extreme: Array, n: int, B: int, seed: int) -> contract.Rows:
    p, stderr = p_value(extreme, sign_flips.trials(n, B), sign_flips.enumerable(n))
    return contract.Rows(
        statistic=estimate,
        p_value=p,
        estimate=estimate,
        p_value_stderr=stderr,
        method=sign_flips.described(n, B, seed),
    )
