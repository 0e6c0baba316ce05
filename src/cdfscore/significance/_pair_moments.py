"""Mean and standard deviation of the differences of many pairs of systems.

The numbers are those of `cdfscore.numerics.moments` on each pair's differences: within 1e-14
of them, at a twentieth of the time. Means are differences of the systems' means, each the sum
of two doubles; squares are added by a compiled loop over the differences. No BLAS takes part, so
that the numbers do not depend on its threads. A Gram matrix of the systems would cancel where two
of them are alike.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.blocks import is_compiled
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
# Sums of squares that run side by side.
_LANES = 8
# Differences whose squares NumPy adds in the time that another function takes for a score, and how
# many at a time, which stay in a cache.
_SQUARES, _AT_ONCE = 4, 1 << 15


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


def _sums_of_squares(systems: Array, first: Indices, second: Indices, mean: Array) -> Array:
    """Add the squares of (x - y) - mean of each pair, in eight sums that run side by side."""
    compiled_squares = is_compiled(len(first) * systems.shape[1] // _SQUARES)
    found = (_compiled_squares if compiled_squares else _eight_sums)(systems, first, second, mean)
    a, b, c, d, e, f, g, h = found.T
    result: Array = ((a + b) + (c + d)) + ((e + f) + (g + h))
    return result


def _eight_sums(systems: Array, first: Indices, second: Indices, mean: Array) -> Array:
    """Return the sums of every eighth square of each pair (pairs, 8), with the bits of the others.

    The topics after the last eight belong to the first sum.
    """
    n = systems.shape[1]
    sums, level = np.zeros((len(first), _LANES)), mean[:, np.newaxis]
    step = max(1, _AT_ONCE // n)
    for start in range(0, len(first), step):
        pairs = slice(start, start + step)
        residuals = systems[first[pairs]] - systems[second[pairs]] - level[pairs]
        residuals *= residuals
        for t in range(0, n - n % _LANES, _LANES):
            sums[pairs] += residuals[:, t : t + _LANES]
        for t in range(n - n % _LANES, n):
            sums[pairs, 0] += residuals[:, t]
    return sums


@njit()
def _compiled_squares(systems: Array, first: Indices, second: Indices, mean: Array) -> Array:
    n = systems.shape[1]
    whole = n - n % _LANES
    sums = np.zeros((len(first), _LANES))
    for k in range(len(first)):
        x, y, m, own = systems[first[k]], systems[second[k]], mean[k], sums[k]
        for t in range(0, whole, _LANES):
            for lane in range(_LANES):
                residual = x[t + lane] - y[t + lane] - m
                own[lane] += residual * residual
        for t in range(whole, n):
            residual = x[t] - y[t] - m
            own[0] += residual * residual
    return sums
