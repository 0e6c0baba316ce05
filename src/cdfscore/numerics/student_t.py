"""Student's t distribution, in relative accuracy in both tails."""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.numerics.types import Array, BoolArray

#: R's t.test takes data for constant if their standard error is below this proportion of the mean.
_CONSTANT = 10 * np.finfo(np.float64).eps


def tail_of(conf_level: float, alternative: str) -> float:
    """Return the probability beyond an end of the interval: half of the rest if two-sided.

    >>> tail_of(0.5, "two-sided"), tail_of(0.5, "less")
    (0.25, 0.5)
    """
    return (1 - conf_level) / (2 if alternative == "two-sided" else 1)


def is_constant(stderr: Array, largest_mean: Array) -> BoolArray:
    """Tell where R's t.test stops: "data are essentially constant"; or where stderr is 0."""
    constant: BoolArray = (stderr < _CONSTANT * largest_mean) | (stderr == 0)
    return constant


def p_value(t: Array, df: Array | float, alternative: str) -> Array:
    """Return the p value of t, each tail separately so that no small one is lost in 1 - p."""
    if alternative == "less":
        return np.asarray(special.stdtr(df, t))
    if alternative == "greater":
        return np.asarray(special.stdtr(df, -t))
    return np.asarray(2 * special.stdtr(df, -np.abs(t)))


def interval(
    estimate: Array, stderr: Array, df: Array | float, alternative: str, conf_level: float
) -> tuple[Array, Array]:
    """Return the confidence interval of an estimate; one end is infinite if one-sided."""
    tail = tail_of(conf_level, alternative)
    # From the lower tail: 1 - tail has no digits to lose where tail is tiny.
    margin = -special.stdtrit(df, tail) * stderr
    infinite = np.full_like(estimate, np.inf)
    low = -infinite if alternative == "less" else estimate - margin
    high = infinite if alternative == "greater" else estimate + margin
    return low, high
