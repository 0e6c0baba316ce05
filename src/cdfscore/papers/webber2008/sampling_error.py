"""Sampling error of results from a sample of random partitions."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array

#: The normal quantile of a 95% interval, and its level.
_LEVEL, _WIDTH = 0.95, 1.959964


def percentile(trials: Array, percent: float) -> float:
    """Return a percentile of the trials, computed as R's ``quantile`` does."""
    return float(quantile_r(trials, percent / 100)[0])


def percentile_interval(trials: Array, percent: float) -> tuple[float, float]:
    r"""Return a 95 % confidence interval of a percentile of rates, from two order statistics.

    The number of n trials below the true percentile p is binomial for every distribution of the
    rates. Let L be its 2.5 % and U its 97.5 % quantile. The interval goes from the trial with rank
    L to that with rank U + 1, and contains the percentile with a probability of at least 95 %. If
    there is no trial with this rank, it ends at 0 or 1, the limits of a rate.

    Source: Conover, Practical Nonparametric Statistics (3rd edition, 1999), Section 3.2.

    Examples
    --------
    >>> percentile_interval(np.arange(1, 1001) / 1000, 97.5)
    (0.965, 0.985)
    """
    from scipy.stats import binom

    ordered = np.concatenate([[0.0], np.sort(trials), [1.0]])
    tail = (1 - _LEVEL) / 2
    low, high = (int(binom.ppf(q, len(trials), percent / 100)) for q in (tail, 1 - tail))
    return float(ordered[low]), float(ordered[high + 1])


def error_of_percentile(trials: Array, percent: float) -> float:
    """Return the standard error of a percentile, from the width of its interval."""
    low, high = percentile_interval(trials, percent)
    return (high - low) / (2 * _WIDTH)


def error_of_mean(trials: Array) -> float:
    """Return the standard error of the mean of trials; NaN for one trial."""
    return float(trials.std(ddof=1) / math.sqrt(len(trials))) if len(trials) > 1 else math.nan


def standard_errors_apart(
    computed: float, covered: tuple[float, float], error: float, trials: int, printed_trials: int
) -> float:
    """Return z: the distance of `computed` from the printed number, in standard errors.

    `covered` is the range of numbers that round to the printed one; inside it, z is 0. `error` is
    the standard error of `computed`, which comes from `trials` trials. The printed number comes
    from `printed_trials` other trials, and the difference has both errors.
    """
    low, high = covered
    distance = computed - min(max(computed, low), high)
    if distance == 0:
        return 0.0
    both = error * math.sqrt(1 + trials / printed_trials)
    return distance / both if both != 0 else math.copysign(math.inf, distance)
