"""Criteria of R's ``bw.ucv``, ``bw.bcv`` and ``bw.SJ``, compiled.

They are sums over all pairs of scores, whose distances R rounds to a grid of 1000 steps over 1.01
times the range. Operations stand in R's order; exp and pow are the C library's, as R's.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled

STEPS = 1000  # R's nb
#: Squared distance, in bandwidths, from which pairs are omitted.
_FAR = 1000.0
ROOT_PI = math.sqrt(math.pi)  # as R computes it; its constant is an ulp above
_M_SQRT_PI = 1.772453850905516
_NORMAL = 0.398942280401432677939946  # 1 / sqrt(2 pi)


@compiled
def pair_counts(ordered):
    """Return the distances of pairs on the grid, in ascending order, and their counts."""
    step = (ordered[-1] - ordered[0]) * 1.01 / STEPS
    places = np.empty(len(ordered), dtype=np.int64)
    held = np.zeros(len(ordered))
    last = -1
    for score in ordered:
        place = np.int64(score / step)
        if last < 0 or place != places[last]:
            last += 1
            places[last] = place
        held[last] += 1.0
    found = np.zeros(STEPS)
    for i in range(last + 1):
        found[0] += held[i] * (held[i] - 1.0) / 2
        for j in range(i):
            found[places[i] - places[j]] += held[i] * held[j]
    occupied = np.flatnonzero(found)  # adding 0 would change no sum
    return occupied * step, found[occupied]


@compiled
def criterion(biased, h, n, distances, counts):
    """Return the estimated error of cross-validation, biased or unbiased, at h."""
    return _bcv(h, n, distances, counts) if biased else _ucv(h, n, distances, counts)


@compiled
def _ucv(h, n, distances, counts):
    """Scott (1992), Eq. 6.67."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        total += (math.exp(-delta / 4.0) - math.sqrt(8.0) * math.exp(-delta / 2.0)) * counts[i]
    return (0.5 + total / n) / (n * h * _M_SQRT_PI)


@compiled
def _bcv(h, n, distances, counts):
    """Scott (1992), Eq. 6.69, as R corrects it."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        term = math.exp(-delta / 4.0) * (delta * delta - 12.0 * delta + 12.0)
        total += term * counts[i]
    return (1.0 + total / (32.0 * n)) / (2.0 * n * h * _M_SQRT_PI)


@compiled
def phi4(h, n, distances, counts):
    """Estimate the integral of f'' squared by a kernel of width h."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        total += math.exp(-delta / 2.0) * (delta * delta - 6.0 * delta + 3.0) * counts[i]
    total = 2.0 * total + n * 3.0
    return total / (float(n) * (n - 1) * math.pow(h, 5.0)) * _NORMAL


@compiled
def phi6(h, n, distances, counts):
    """Estimate minus the integral of f''' squared by a kernel of width h."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        term = delta * delta * delta - 15.0 * delta * delta + 45.0 * delta - 15.0
        total += math.exp(-delta / 2.0) * term * counts[i]
    total = 2.0 * total - 15.0 * n
    return total / (float(n) * (n - 1) * math.pow(h, 7.0)) * _NORMAL


@compiled
def excess(h, scale, n, distances, counts):
    """Return the bandwidth from the pilot of h, minus h."""
    fourth = phi4(scale * math.pow(h, 5.0 / 7.0), n, distances, counts)
    return math.pow(1.0 / (2.0 * ROOT_PI * n) / fourth, 1.0 / 5.0) - h
