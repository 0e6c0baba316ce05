"""Single-step max-T test of systems against one baseline, by sign flips."""

import numpy as np

from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import contract, sign_flips
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.resampling import COUNTED, order_statistic, toward

_FLIPPED = Tolerance(
    2e7, "the quantile can be a t of nearly equal differences, which has few correct digits"
)


@contract.simultaneous(
    source="Westfall and Young (1993), single-step max-T",
    label="single-step max-T test",
    one_baseline=True,
    tolerances={"p_value": COUNTED, "conf_low": _FLIPPED, "conf_high": _FLIPPED},
    drawn=sign_flips.drawn,
    least_p=sign_flips.least_p,
    in_unit=contract.DIFFERENCE,
    shifts="topics",
    null="differences from the baseline are symmetric about 0: either sign is as likely on a topic",
    assumes="differences symmetric about 0 where systems do not differ; their variances may differ",
    choose_for="several systems and one baseline, with simultaneous intervals",
)
def max_t_baseline(
    scores: Array,
    first: contract.Indices,
    second: contract.Indices,
    *,
    alternative: contract.Alternative = "two-sided",
    conf_level: float = 0.95,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test systems against one baseline by single-step max-T, with sign flips.

    t is the paired t statistic of each system and the baseline. A sign flip reverses the
    differences of a topic for all systems together. The p value of a system is the proportion of
    flips whose most extreme t* of all systems reaches its t. All 2^n flips are used if n <= 20, and
    p is exact; otherwise p = (b + 1) / (B + 1) for b of B random flips. The familywise error rate
    is at most the level, whichever systems differ from the baseline (strong control), if the
    differences of the systems without a true difference are jointly symmetric about 0.

    Specified in max_t_baseline.1 to max_t_baseline.3.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing.
    first
        The systems that are compared.
    second
        The baseline, the same system in all pairs.
    alternative
        "two-sided", "less" (the systems below the baseline) or "greater".
    conf_level
        The level of the simultaneous intervals: all of them together cover the mean
        differences with this probability.
    B, seed
        As for `max_t`.

    Returns
    -------
    TestResult
        A value for each pair: statistic t, parameter n - 1, estimate and stderr as `paired_t`,
        adjusted p values that need no further correction, and simultaneous intervals;
        p_value_stderr the Monte Carlo standard error of the p value, 0 where it is exact.

    Raises
    ------
    SignificanceError
        For pairs with several second systems, and for a matrix with a missing score.

    Notes
    -----
    Source: Westfall and Young (1993), Resampling-based multiple testing, single-step max-T.
    `dunnett` tests the same differences for normal scores. `max_t` is a step-down test for any
    family of pairs. Its p values are not larger than here, but it has no intervals.

    The interval is estimate - c stderr to estimate + c stderr, c the quantile of the most
    extreme t* at place ceil(conf_level (B + 1)) of B, or ceil(conf_level 2^n) of all: infinite
    if that place is beyond B. 0 is in it if and only if p > 1 - conf_level. It assumes that
    (estimate - truth) / stderr has the distribution of the flipped t. This is exact if no system
    differs from the baseline, and approximate otherwise. A pair with constant differences has no t
    (`paired_t`): its row is NaN with the reason, and the pair is removed from the family.

    Examples
    --------
    >>> from cdfscore.stats.significance import max_t_baseline
    >>> scores = [[0.5, 0.4, 0.1], [0.3, 0.3, 0.2], [0.8, 0.5, 0.3], [0.7, 0.6, 0.2]]
    >>> max_t_baseline(scores, [(0, 2), (1, 2)]).p_value.tolist()
    [0.125, 0.125]
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    n = len(scores)
    t = paired_t.over_pairs(scores, first, second, alternative=alternative)
    family = np.flatnonzero(t.reason == "")
    units, size = sign_flips.units(scores.T[first[family]], scores.T[second[family]])
    observed = toward(units.sum(axis=1), alternative)
    largest = np.sort(
        np.concatenate(
            [
                toward(signs @ units.T, alternative).max(axis=1, initial=-1.0)
                for signs in sign_flips.signs(n, B, seed, len(family))
            ]
        )
    )
    exact = sign_flips.enumerable(n)
    extreme = len(largest) - np.searchsorted(largest, observed - size).astype(np.float64)
    p, p_stderr, margin = np.full((3, len(first)), np.nan)
    p[family], p_stderr[family] = p_value(extreme, len(largest), exact)
    place = order_statistic(conf_level, len(largest) + (not exact))
    quantile = largest[place - 1] if place <= len(largest) else np.inf
    margin[family] = sign_flips.t_of(quantile, n) * t.stderr[family]
    # Where the quantile ties with t the end is 0: rounding must not exclude what p does not.
    tied = family[np.abs(quantile - observed) <= size]
    margin[tied] = toward(t.estimate[tied], alternative)
    none = np.where(np.isnan(margin), np.nan, np.inf)
    return contract.Rows(
        statistic=t.statistic,
        parameter=t.parameter,
        p_value=p,
        estimate=t.estimate,
        stderr=t.stderr,
        conf_low=-none if alternative == "less" else t.estimate - margin,
        conf_high=none if alternative == "greater" else t.estimate + margin,
        p_value_stderr=p_stderr,
        method=f"max-T against one baseline, {sign_flips.described(n, B, seed)}",
        reason=t.reason,
    )
