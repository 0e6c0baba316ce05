"""Exact distribution of Wilcoxon's signed-rank statistic V without ties."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.significance.null.symmetric import tails


@lru_cache(maxsize=32)
def cdf(n: int) -> Array:
    """Return P(V <= v) for v = 0 ... n (n + 1) / 2.

    V is the sum of those of the ranks 1 ... n that a fair coin chooses. Rank after rank,
    p(v) = (p(v) + p(v - rank)) / 2. Halving is exact, so that for n < 50 every number is the
    true one, correctly rounded; no digits cancel for larger n.
    """
    p = np.zeros(n * (n + 1) // 2 + 1)
    p[0] = 1.0
    for rank in range(1, n + 1):
        top = rank * (rank + 1) // 2 + 1
        shifted = p[: top - rank].copy()
        p[rank:top] += shifted
        p[:top] *= 0.5
    total = np.cumsum(p)
    total.flags.writeable = False
    return total


def p_value(v: Array, n: int, alternative: str) -> Array:
    """Return the p value of each V; the upper tail is the lower one of n (n + 1) / 2 - V."""
    return tails(cdf(n), v, alternative)
