"""Mean and standard deviation of the differences of many pairs of systems.

The numbers are those of `cdfscore.numerics.moments` on each pair's differences: within 1e-14
of them, at a twentieth of the time. Means are differences of the systems' means, each the sum
of two doubles; squares are added by a compiled loop over the differences. No BLAS takes part, so
that the numbers do not depend on its threads. A Gram matrix of the systems would cancel where two
of them are alike.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import njit
from cdfscore.numerics.moments import mean_and_sd, mean_of_two_doubles
from cdfscore.numerics.types import Array
from cdfscore.significance.contract.base import Indices

#: Below this proportion of the scores and of the spread, a mean difference has lost digits that R,
#: which adds the differences themselves, still has.
_SMALL_MEAN = 1e-3
#: Below this proportion of the mean, a spread may be rounding alone.
_SMALL_SPREAD = 1e-6
#: Below this, sums of squares lose bits to underflow.
_LEAST_SPREAD = 1e-140
# Differences that are added directly at a time; bounds the memory.
_BLOCK = 1 << 20


def pair_moments(scores: Array, first: Indices, second: Indices) -> tuple[Array, Array]:
    """Return mean and standard deviation (n - 1) of the differences of pairs of columns.

    `scores` (topics, systems) has no NaN and 2 topics or more; the results are (pairs,).
    """
    systems = np.ascontiguousarray(scores.T)
    n = systems.shape[1]
    means, rests = mean_of_two_doubles(systems)[..., 0]
    mean = (means[first] - means[second]) + (rests[first] - rests[second])
    sd = np.sqrt(_sums_of_squares(systems, first, second, mean) / (n - 1))
    size = np.abs(systems).max(axis=1, initial=0)
    spread_or_scores = np.maximum(sd, np.maximum(size[first], size[second]))
    safe = (np.abs(mean) > _SMALL_MEAN * spread_or_scores) & (sd > _SMALL_SPREAD * np.abs(mean))
    unsafe = np.flatnonzero(~(safe & (sd > _LEAST_SPREAD)))
    step = max(1, _BLOCK // n)
    for start in range(0, len(unsafe), step):
        directly = unsafe[start : start + step]
        moments = mean_and_sd(systems[first[directly]] - systems[second[directly]])
        mean[directly], sd[directly] = moments[0][:, 0], moments[1][:, 0]
    return mean, sd


@njit()
def _sums_of_squares(systems, first, second, mean):
    """Add the squares of (x - y) - mean of each pair, in eight sums that run side by side."""
    n = systems.shape[1]
    whole = n - n % 8
    result = np.empty(len(first))
    for k in range(len(first)):
        x, y, m = systems[first[k]], systems[second[k]], mean[k]
        a = b = c = d = e = f = g = h = 0.0
        for t in range(0, whole, 8):
            a += (x[t] - y[t] - m) ** 2
            b += (x[t + 1] - y[t + 1] - m) ** 2
            c += (x[t + 2] - y[t + 2] - m) ** 2
            d += (x[t + 3] - y[t + 3] - m) ** 2
            e += (x[t + 4] - y[t + 4] - m) ** 2
            f += (x[t + 5] - y[t + 5] - m) ** 2
            g += (x[t + 6] - y[t + 6] - m) ** 2
            h += (x[t + 7] - y[t + 7] - m) ** 2
        for t in range(whole, n):
            a += (x[t] - y[t] - m) ** 2
        result[k] = ((a + b) + (c + d)) + ((e + f) + (g + h))
    return result
