"""Exact distribution of the Mann-Whitney statistic W without ties."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.significance.null.symmetric import tails


def cdf(n: int, m: int) -> Array:
    """Return P(W <= w) for w = 0 ... n m, each number the true one, correctly rounded."""
    return _cdf(min(n, m), max(n, m))


# Missing scores give samples of very many sizes.
@lru_cache(maxsize=256)
def _cdf(n: int, m: int) -> Array:
    """Return the same for n <= m.

    The numbers of arrangements are the coefficients of the Gaussian binomial, the product
    of (1 - q^(m + i)) / (1 - q^i) for i = 1 ... n, in whole numbers of any size: its
    subtractions would lose digits of a double. Only half of them: W is symmetric.
    """
    half = n * m // 2 + 1
    counts = np.zeros(half, dtype=object)
    counts[0] = 1
    for i in range(1, n + 1):
        if m + i < half:
            counts[m + i :] = counts[m + i :] - counts[: half - m - i]
        # Division by 1 - q^i: sums in steps of i.
        padded = np.zeros(-(-half // i) * i, dtype=object)
        padded[:half] = counts
        counts = np.cumsum(padded.reshape(-1, i), axis=0).ravel()[:half]
    total = comb(n + m, n)
    lower = np.cumsum(counts)
    below = [count / total for count in lower]
    # P(W <= w) = 1 - P(W <= n m - w - 1), from whole numbers as well.
    above = [(total - int(lower[n * m - w - 1])) / total for w in range(half, n * m)]
    table = np.array([*below, *above, 1.0][: n * m + 1])
    table.flags.writeable = False
    return table


def p_value(w: Array, n: int, m: int, alternative: str) -> Array:
    """Return the p value of each W; the upper tail is the lower one of n m - W."""
    return tails(cdf(n, m), w, alternative)
