"""Step-down max-T test of pairs of systems, by sign flips."""

import numpy as np

from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract, sign_flips
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.resampling import COUNTED, toward


@contract.simultaneous(
    source="Westfall and Young (1993), step-down max-T; Ge et al. (2003), section 4",
    label="step-down max-T test",
    tolerances={"p_value": COUNTED},
    drawn=sign_flips.drawn,
    least_p=sign_flips.least_p,
    in_unit=contract.DIFFERENCE,
    shifts="topics",
    null="the differences of a pair are symmetric about 0: either sign is as likely on each topic",
    assumes="differences symmetric about 0 where systems do not differ; their variances may differ",
    choose_for="all pairs, or pairs with baselines, without normal differences or a correction",
)
def max_t(
    scores: Array,
    first: contract.Indices,
    second: contract.Indices,
    *,
    alternative: contract.Alternative = "two-sided",
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test a family of pairs by Westfall-Young step-down max-T, with sign flips.

    t is the paired t statistic of each pair. Under the null hypothesis, the differences of each
    topic are equally likely with all signs reversed. A flip reverses the differences of all pairs
    on a topic together, so that it keeps the dependence of the pairs. The pairs are ordered by t,
    the most extreme first. The p value of a pair is the proportion of flips whose most extreme t*,
    among this pair and all later ones, reaches its t; it is not less than the p value of the pair
    before. All 2^n flips are used if n <= 20, and p is exact; otherwise B random flips are used,
    and p = (b + 1) / (B + 1) if b of them reach t.

    The familywise error rate is at most the level, whichever systems differ (strong control), if
    the differences of all pairs without a true difference are jointly symmetric about 0.

    Specified in max_t.1 and max_t.2.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing.
    first, second
        The pairs of systems, which are the family.
    alternative
        "two-sided", "less" (the first system below the second) or "greater".
    B
        The number of random flips for more than 20 topics.
    seed
        The seed of the random flips. Flip k depends on the seed and k alone.

    Returns
    -------
    TestResult
        A value for each pair: statistic t, parameter n - 1, estimate and stderr as `paired_t`,
        and adjusted p values that need no further correction; p_value_stderr their Monte Carlo
        standard error, 0 where they are exact.

    Raises
    ------
    SignificanceError
        For a matrix with a missing score.

    Notes
    -----
    Source: Westfall and Young (1993), Resampling-based multiple testing; Ge, Dudoit and Speed
    (2003), Resampling-based multiple testing for microarray data analysis.

    A pair with constant differences has no t (`paired_t`): its row is NaN with the reason, and
    the pair is removed from the family. Neither SciPy nor statsmodels has the test.

    Examples
    --------
    >>> from cdfscore.stats.significance import max_t
    >>> scores = [[0.5, 0.4, 0.1], [0.3, 0.3, 0.2], [0.8, 0.5, 0.3], [0.7, 0.6, 0.2]]
    >>> max_t(scores).p_value.tolist()
    [0.25, 0.125, 0.125]
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    n = len(scores)
    t = paired_t.over_pairs(scores, first, second, alternative=alternative)
    family = np.flatnonzero(t.reason == "")
    units, size = sign_flips.units(scores.T[first[family]], scores.T[second[family]])
    observed = toward(units.sum(axis=1), alternative)
    bound = observed - size
    # From the least extreme pair on, so that the maximum over later pairs is a running one.
    order = np.argsort(observed)
    units, bound = units[order], bound[order]
    extreme = np.zeros(len(family))
    for signs in sign_flips.signs(n, B, seed, len(family)):
        flipped = toward(signs @ units.T, alternative)
        np.maximum.accumulate(flipped, axis=1, out=flipped)
        extreme += (flipped >= bound).sum(axis=0)
    extreme = np.maximum.accumulate(extreme[::-1])[::-1]
    p, p_stderr = np.full((2, len(first)), np.nan)
    p[family[order]], p_stderr[family[order]] = p_value(
        extreme, sign_flips.trials(n, B), sign_flips.enumerable(n)
    )
    return contract.Rows(
        statistic=t.statistic,
        parameter=t.parameter,
        p_value=p,
        estimate=t.estimate,
        stderr=t.stderr,
        p_value_stderr=p_stderr,
        method=f"step-down max-T, {sign_flips.described(n, B, seed)}",
        reason=t.reason,
    )
