"""Cross-validated bandwidth of Bowman, Hall and Prvan for the distribution function.

With d = |x_i - x_j|, all integrals of the criterion have closed forms for the Gaussian kernel:
those of (F - G)^2 are E|X - Y| - E|X - X'| / 2 - E|Y - Y'| / 2 of independent X, X' from F and
Y, Y' from G, and E|d + s Z| = d + B(d, s) with B(d, s) = 2 s (phi(d/s) - d/s Phi(-d/s)). Up to
a constant, and with sums over the n (n - 1) / 2 pairs,

    CV(h) = 2 sum B(d, h) / (n (n - 1)) - (n - 2) sum B(d, sqrt(2) h) / (n (n - 1)^2)
            - h / ((n - 1) sqrt(pi)),

which is 0 at h = 0. As dB/ds = 2 phi(d/s), its slope, times (n - 1) sqrt(pi), is

    2 sqrt(2) / n sum q^2 - 2 (n - 2) / (n (n - 1)) sum q - 1,   q = exp(-(d / 2h)^2).
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.rows import rows_of

# The grid: a quarter of an octave a point, 20 octaves down. Sums at q^2 are those two on.
_POINTS = 81
# Sums that run side by side, and pairs that are added before their sum is.
_LANES, _BLOCK = 64, 1024
# Squarings after which q is computed anew; 2^16 ulp are too few to turn a sign that matters.
_SQUARINGS = 16
# Squares of smaller numbers, some of them subnormal, on which processors are slow, count as 0.
_SMALLEST = 2.0**-500


def bowman_hall_prvan(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes mean_i of the integral of (1(x_i <= x) - F^_-i(x))^2; (..., 1).

    Bowman, Hall and Prvan (1998): CV(h), the cross-validation criterion of the distribution
    function. F^_-i is the estimate without x_i. The integral is over all x and is exact.

    The least of all minima, each to the last digits: the slope of CV is above 0 beyond
    range / sqrt(log 2), so that a grid from 1.25 ranges down brackets the zeros of the slope; h
    below 2^-20 of that counts as 0. On large normal samples h is near 4^(1/3) sd n^(-1/3). All
    n (n - 1) / 2 distances of a row are held in memory.

    Raises `FitError` for a row with the smallest CV at h = 0, for example if many scores are tied.
    """
    rows = rows_of(scores, ordered)
    h = np.empty(len(rows.n))
    _least(rows.ordered, rows.n, h)
    refuse_rows(
        rows.marked(h == 0),
        "bandwidth rule bowman_hall_prvan: cross-validation is best without smoothing, at h = 0, "
        "for example because many scores are tied",
    )
    return rows.bandwidths(h)


@compiled
def _least(ordered, n, h):
    for row in range(len(n)):
        distances = _distances(ordered[row, : n[row]])
        widest = 1.25 * (ordered[row, n[row] - 1] - ordered[row, 0])
        slopes = _slopes_on_grid(distances, widest, n[row])
        brackets = np.flatnonzero((slopes[1:] < 0.0) & (slopes[:-1] >= 0.0))
        # CV falls from h = 0 to the only minimum.
        only = len(brackets) == 1 and slopes[-1] < 0.0
        lowest = 0.0  # CV at h = 0
        h[row] = 0.0
        for k in brackets:
            low, high = _grid_point(widest, k + 1), _grid_point(widest, k)
            found = _stationary(distances, n[row], low, high)
            value = -1.0 if only else _criterion(distances, n[row], found)
            if value < lowest:
                lowest, h[row] = value, found


@compiled
def _distances(sample):
    n = len(sample)
    distances = np.empty(n * (n - 1) // 2)
    k = 0
    for i in range(n):
        for j in range(i):
            distances[k] = sample[i] - sample[j]
            k += 1
    return distances


@compiled
def _grid_point(widest, k):
    return widest * 2.0 ** (-0.25 * k)


@compiled
def _slope(n, q, squares):
    """Return the slope of CV, times (n - 1) sqrt(pi), from the sums of q and of q^2."""
    return 2.0 * math.sqrt(2.0) / n * squares - 2.0 * (n - 2.0) / (n * (n - 1.0)) * q - 1.0


@compiled
def _slopes_on_grid(distances, widest, n):
    """Return the slope at each point: q of a point squared is q two points on."""
    sums = np.zeros((_POINTS + 2, _LANES))
    q = np.empty(_LANES)
    for start in range(0, len(distances), _LANES):
        block = distances[start : start + _LANES]
        for first in range(2):
            for k in range(first, _POINTS + 2, 2):
                if (k // 2) % _SQUARINGS == 0:
                    twice = 2.0 * _grid_point(widest, k)
                    q[len(block) :] = 0.0
                    for i in range(len(block)):
                        u = block[i] / twice
                        q[i] = math.exp(-u * u)
                else:
                    for i in range(_LANES):
                        kept = q[i] if q[i] > _SMALLEST else 0.0
                        q[i] = kept * kept
                for i in range(_LANES):
                    sums[k, i] += q[i]
    totals = sums.sum(axis=1)
    slopes = np.empty(_POINTS)
    for k in range(_POINTS):
        slopes[k] = _slope(n, totals[k], totals[k + 2])
    return slopes


@compiled
def _stationary(distances, n, low, high):
    """Return the zero of the slope: Newton's steps, or bisection if one leaves the bracket."""
    h = 0.5 * (low + high)
    while True:
        q = squares = of_q = of_squares = 0.0
        for start in range(0, len(distances), _BLOCK):
            part = part_of_squares = 0.0
            for distance in distances[start : start + _BLOCK]:
                t = distance / (2.0 * h)
                t *= t
                bell = math.exp(-t)
                part += bell
                part_of_squares += bell * bell
                of_q += t * bell
                of_squares += t * bell * bell
            q += part
            squares += part_of_squares
        slope = _slope(n, q, squares)
        curvature = (_slope(n, 2.0 * of_q, 4.0 * of_squares) + 1.0) / h
        if slope < 0.0:
            low = h
        else:
            high = h
        following = h - slope / curvature
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - h) <= 2.0**-50 * h or slope == 0.0:
            return h if slope == 0.0 else following
        h = following


@compiled
def _criterion(distances, n, h):
    """Return CV(h) - CV(0)."""
    narrow = wide = 0.0
    for distance in distances:
        narrow += _smoothed(distance, h)
        wide += _smoothed(distance, math.sqrt(2.0) * h)
    total = 2.0 * narrow - (n - 2.0) / (n - 1.0) * wide
    return total / (n * (n - 1.0)) - h / ((n - 1.0) * math.sqrt(math.pi))


@compiled
def _smoothed(d, s):
    """Return B(d, s) = E|d + s Z| - d."""
    u = d / s
    density = math.exp(-0.5 * u * u) / math.sqrt(2.0 * math.pi)
    return 2.0 * s * (density - 0.5 * u * math.erfc(u / math.sqrt(2.0)))
