"""First knots, from which the search starts."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array


@compiled
def first_knots(x: Array, low: float, high: float) -> Array:
    """Place the first knots at quantiles of the sample, which is sorted.

    Their proportions are even if both ends are given, and else closer together towards both
    ends, or towards the one that is given, as the package has it for `low`.
    """
    n = len(x)
    k = max(3, int(2.5 * float(n) ** 0.2 + 1.0))
    proportions = _proportions(k, n, low > -np.inf, high < np.inf)
    values, middles = np.empty(n), np.empty(n)
    m, before = 0, 0
    for i in range(1, n + 1):
        if i == n or x[i] != x[i - 1]:
            values[m], middles[m] = x[i - 1], (before + i) / 2
            before, m = i, m + 1
    t = np.empty(k)
    t[0], t[k - 1] = x[0], x[n - 1]
    places = (middles[:m] - middles[0]) / (middles[m - 2] - middles[0])
    for i in range(1, k - 1):
        j = np.searchsorted(places[1 : m - 2], proportions[i], side="right")
        part = (proportions[i] - places[j]) / (places[j + 1] - places[j])
        t[i] = part * values[j + 1] + (1 - part) * values[j]
    return t


@compiled
def _proportions(k: int, n: int, from_low: bool, to_high: bool) -> Array:
    """Return the proportions of the sample to the left of each of k knots."""
    proportions = np.empty(k)
    one_end = from_low != to_high
    grown = _grown(2 * k - 1, 2 * n) if one_end else _grown(k, n)
    for i in range(k):
        if from_low and to_high:
            proportions[i] = i / (k - 1)
        elif from_low:
            proportions[i] = 2 * grown[i]
        elif to_high:
            proportions[i] = 1 - 2 * grown[k - 1 - i]
        else:
            proportions[i] = grown[i]
    return proportions


@compiled
def _grown(k: int, n: int) -> Array:
    """Return k ranks as proportions of n, whose distances grow by ratios from both ends."""
    ranks = np.zeros(k)
    ranks[0], ranks[k - 1] = 1.0, float(n)
    half, middle = (k - 1) // 2, int((k - 1) / 2 + 0.99)
    below = min(0.0, 4.0 - ((n - 1) / 4.0) ** (1.0 / (middle - 1.0)))
    above = 3.0
    turn = 0
    while turn < 100 and (turn == 0 or above - below > 0.0001):
        epsilon = (below + above) / 2
        rank, gap = 1.0, 4.0
        for i in range(1, half + 1):
            rank += gap
            ranks[i], ranks[k - i - 1] = rank, n + 1.0 - rank
            gap *= max(1.0, 4.0 - i * epsilon)
        if 2 * middle == k:
            rank += gap / 2
        else:
            ranks[middle] = (n + 1) / 2
        if 2 * rank >= n + 1:
            below = epsilon
        else:
            above = epsilon
        turn += 1
    for i in range(k):
        ranks[i] = (ranks[i] - 1) / (n - 1.0)
    return ranks
