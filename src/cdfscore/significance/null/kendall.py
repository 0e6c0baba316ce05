"""Exact distribution of Kendall's number of concordant pairs, without ties."""

from __future__ import annotations

import functools
import math

import numpy as np

from cdfscore.numerics.types import Array


@functools.lru_cache(maxsize=64)
def tails(n: int) -> tuple[Array, Array]:
    """Return P(T <= q) and P(T >= q) for q = 0, ..., n (n - 1) / 2, T of n pairs.

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
    return lower, lower[::-1]  # the distribution is symmetric
