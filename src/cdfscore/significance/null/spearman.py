"""Exact distribution of Spearman's sum of squared differences of ranks, without ties."""

from __future__ import annotations

import functools
import math

import numpy as np

from cdfscore.numerics.types import Array, IntArray


@functools.lru_cache(maxsize=16)
def counts(n: int) -> IntArray:
    """Return the numbers of permutations of n with S = 0, 2, ..., (n^3 - n) / 3.

    S is the sum of (i - p(i))^2, always even. Permutations are built a place at a time, and
    those that use the same numbers are counted together: 2^n sets rather than n! orders.
    """
    size = (n**3 - n) // 3 + 1
    by_set = {0: np.eye(1, size, dtype=np.int64)[0]}
    for place in range(n):
        longer: dict[int, IntArray] = {}
        for used, count in by_set.items():
            for number in range(n):
                if not used >> number & 1:
                    square = (place - number) ** 2
                    more = longer.setdefault(used | 1 << number, np.zeros(size, dtype=np.int64))
                    more[square:] += count[: size - square]
        by_set = longer
    every: IntArray = by_set[2**n - 1][::2]
    return every


@functools.lru_cache(maxsize=16)
def upper_tail(n: int) -> Array:
    """Return P(S >= s) for s = 0, 2, ..., (n^3 - n) / 3, whole counts divided by n! once."""
    tail: Array = counts(n)[::-1].cumsum()[::-1] / math.factorial(n)
    tail.flags.writeable = False
    return tail
