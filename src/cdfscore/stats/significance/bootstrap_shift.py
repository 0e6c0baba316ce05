"""Shift bootstrap test of paired scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cdfscore.stats.numerics.moments import mean, mean_and_sd
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import bootstrap, contract
from cdfscore.stats.significance._means import is_constant, reason_of_constant
from cdfscore.stats.significance.resampling import COUNTED, least_p_value, rounding, toward

# Means of resamples held at a time.
_BLOCK = 1 << 21


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value of a shift bootstrap that no resample reaches: 0 of all of them."""
    return 0.0 if bootstrap.enumerable(sizes.n) else least_p_value(settings["B"])


@contract.paired(
    source="Efron and Tibshirani (1993), 13.3 and 16.4; Smucker, Allan and Carterette (2007)",
    label="shift bootstrap test",
    tolerances={"p_value": COUNTED},
    drawn=bootstrap.drawn,
    least_p=_least_p,
    level=contract.Level(
        untied={5: 0.165, 8: 0.112, 10: 0.097, 20: 0.071},
        tied={5: 0.132, 8: 0.088, 10: 0.079, 20: 0.062},
        instead="permutation",
    ),
    in_unit=(*contract.DIFFERENCE, "statistic"),
    shifts="topics",
    null="the mean difference is `null_value`",
    assumes="many topics; with 8 it rejects about twice as often as it should",
    choose_for="comparison with earlier work; otherwise prefer permutation",
)
def bootstrap_shift(
    x: Array,
    y: Array,
    *,
    alternative: contract.Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test by the shift bootstrap whether the mean difference is `null_value`.

    T = mean(d) with d = x - y, and T* the mean of n differences drawn with replacement. The
    distribution of T* is shifted to the null hypothesis: the p value is the proportion of resamples
    whose T* - T is at least as far from 0 as T - null_value. All n^n resamples are used if n <= 7;
    otherwise p = (b + 1) / (B + 1) for b of B random resamples. Even with all resamples p is
    approximate, because the bootstrap distribution only estimates the null distribution.

    Specified in bootstrap_shift.1 to bootstrap_shift.3.

    Parameters
    ----------
    x, y, alternative, null_value
        As for `paired_t`.
    conf_level
        The level of the percentile interval: between quantiles of T*.
    B
        The number of random resamples for n > 7.
    seed
        The seed of the random resamples. Resample k depends on the seed and k alone.

    Returns
    -------
    TestResult
        A value for each sample: statistic and estimate mean(d); stderr the bootstrap standard
        error of the mean for infinite B, sqrt(sum (d - mean(d))^2) / n; p_value_stderr the
        Monte Carlo standard error of the p value, 0 where all resamples are enumerated.

    Raises
    ------
    SignificanceError
        For a single pair of samples with fewer than 2 pairs or constant differences, for which
        all resamples are equal. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap: equation 5.12 for
    the standard error, section 13.3 for the percentile interval, 16.4 for the shifted test;
    Smucker, Allan and Carterette (2007), A comparison of statistical significance tests for
    information retrieval evaluation. ``scipy.stats.bootstrap`` gives intervals, but no test.

    At the level 5 %, the test rejects 11 % of true null hypotheses with 8 topics, 7 % with 20 and
    6 % with 50. `permutation` keeps its level.

    Examples
    --------
    >>> from cdfscore.stats.significance import bootstrap_shift
    >>> bootstrap_shift([0.5, 0.3, 0.8, 0.4], [0.4, 0.3, 0.5, 0.2])
    statistic   0.15
    p_value     0.0078125
    estimate    0.15
    stderr      0.0559017
    conf_low    0.05
    conf_high   0.25
    method      bootstrap, shifted, all 4^4
    n           4
    null_value  0
    alternative two-sided
    conf_level  0.95
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    n = x.shape[1]
    difference, apart = bootstrap.differences(x, y, 0.0)
    above = bootstrap.differences(x, y, null_value)[0] if null_value else difference
    offset = np.where(apart[:, 0] == difference[:, 0], 0.0, difference[:, 0])
    estimate = mean(difference)[:, 0]
    centre, sd = mean_and_sd(apart)
    sd = sd[:, 0]
    constant = is_constant(sd / np.sqrt(n), np.abs(estimate))
    size = rounding(apart - centre) / n
    bound = toward(mean(above)[:, 0], alternative) - size
    drawn = bootstrap.resamples(n, B, seed)
    tail = tail_of(conf_level, alternative)
    extreme = np.empty(len(difference))
    low, high = np.full((2, len(difference)), [[-np.inf], [np.inf]])
    step = max(1, _BLOCK // len(drawn.counts))
    for start in range(0, len(difference), step):
        block = slice(start, start + step)
        means = bootstrap.sums(apart[block], drawn.counts) / n
        shifted = toward(means - centre[block], alternative)
        extreme[block] = (shifted >= bound[block, np.newaxis]) @ drawn.weights
        if alternative != "less":
            low[block] = bootstrap.quantile(means, drawn, tail) + offset[block]
        if alternative != "greater":
            high[block] = bootstrap.quantile(means, drawn, 1 - tail) + offset[block]
    p, p_stderr = p_value(extreme, drawn.total, drawn.exact)
    none = np.where(constant, np.nan, 1.0)
    return contract.Rows(
        statistic=estimate,
        p_value=p * none,
        estimate=estimate,
        stderr=sd * np.sqrt((n - 1) / n) / np.sqrt(n) * none,
        conf_low=low * none,
        conf_high=high * none,
        p_value_stderr=p_stderr * none,
        method=f"bootstrap, shifted, {drawn.method}",
        reason=reason_of_constant(constant, estimate),
    )
