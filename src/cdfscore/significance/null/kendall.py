"""Exact distribution of Kendall's number of concordant pairs, without ties."""

from __future__ import annotations

import functools
import math

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.significance.null.symmetric import tails


@functools.lru_cache(maxsize=64)
def cdf(n: int) -> Array:
    """Return P(T <= q) for q = 0, ..., n (n - 1) / 2, T of n pairs.

    Counted in whole numbers of any size, and divided by n! once: each is the double nearest
    to the true value. A permutation of k has 0 to k - 1 more inversions than the one of
    k - 1 that is left without its largest number.
    """
    counts = np.array([1], dtype=object)
    for k in range(2, n + 1):
        padding = np.zeros(k - 1, dtype=object)
        sums = np.cumsum(np.concatenate([counts, padding]))
        sums[k:] -= np.cumsum(counts)[: len(sums) - k]
        counts = sums
    below, total = np.cumsum(counts), math.factorial(n)
    lower = np.array([int(count) / total for count in below])
    lower.flags.writeable = False
    return lower


def p_value(t: Array, n: int, alternative: str) -> Array:
    """Return the p value of each T; its distribution is symmetric."""
    return tails(cdf(n), t, alternative)
