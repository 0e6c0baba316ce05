"""Tails and quantiles of a symmetric statistic on whole numbers, from its cdf."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array

# R's qsignrank and qwilcox take a probability for reached that lacks this much.
_FUZZ = 10 * np.finfo(np.float64).eps


def tails(below: Array, statistic: Array, alternative: str) -> Array:
    """Return p values from the cdf `below` of a symmetric statistic on 0 ... len(below) - 1."""
    place = statistic.astype(np.int64)
    if alternative == "less":
        return below[place]
    if alternative == "greater":
        return below[len(below) - 1 - place]
    return np.minimum(2 * below[np.minimum(place, len(below) - 1 - place)], 1.0)


def quantile(below: Array, probability: float) -> int:
    """Return the smallest value whose cdf reaches the probability, as R's ``q`` functions."""
    return int(np.searchsorted(below, probability - _FUZZ))
