"""Maximum likelihood of the beta-binomial distribution, row by row.

Own code because SciPy and R have no fit of it.

For a correlation r the log-likelihood is concave in the mean m, being a sum of logarithms of
linear functions of m. Its highest value over m is a function of r alone, whose slope is
looked at on a grid of r; every maximum between two points is solved for, and the highest of
them wins. At r = 0 and r = 1 nothing is divided by 0.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray

# Grid of the search over r: squares of equidistant numbers, so that there are more small r.
_GRID = 24
_MOST = 200
# Sufficient relative errors of a mean: for a sign, and for a fit.
_ROUGH, _EXACT = 1e-6, 1e-15


def maximize(counts: IntArray) -> tuple[Array, Array]:
    """Return mean and correlation for each row of counts (rows, size + 1) of 0, ..., size.

    The counts are of at least two different numbers; size is 2 or more.
    """
    mean, correlation = np.empty(len(counts)), np.empty(len(counts))
    _maximize_rows(np.ascontiguousarray(counts, dtype=np.float64), mean, correlation)
    return mean, correlation


@compiled
def _maximize_rows(counts, mean, correlation):
    size = counts.shape[1] - 1
    above, below, d = np.empty(size), np.empty(size), np.empty(5)
    for row in range(len(counts)):
        inner = _tails(counts[row], above, below)
        n = above[0] + below[0] - inner
        if inner == 0:  # zeros and wholes only: certain to be equal
            mean[row], correlation[row] = above[0] / n, 1.0
            continue
        m = start = np.sum(above) / (size * n)
        highest, before = -np.inf, 0.0  # 0 at r = 0 makes the binomial a maximum that falls
        for j in range(_GRID + 1):
            r, end = (j / _GRID) ** 2, (max(j - 1, 0) / _GRID) ** 2
            slope = -1.0
            if j < _GRID:
                m = _best_mean(above, below, n, inner, r, m, _ROUGH, d)
                slope = d[1]
            if slope <= 0 and (before > 0 or j == 0):
                at, best = _climb(above, below, n, inner, end, r, start, d)
                value = _value(above, below, n, inner, best, at)
                if value > highest:
                    highest, correlation[row], mean[row] = value, at, best
            before = slope


@compiled
def _tails(counts, above, below):
    """Count the k above i and below size - i, and those between 0 and the size."""
    size = len(above)
    up = down = 0.0
    for i in range(size - 1, -1, -1):
        up += counts[i + 1]
        down += counts[size - 1 - i]
        above[i], below[i] = up, down
    return up + down - np.sum(counts)


@compiled
def _climb(above, below, n, inner, low, high, m, d):
    """Return the maximum between two correlations, by Newton's method in a bracket."""
    r = 0.5 * (low + high)
    for _ in range(_MOST):
        m = _best_mean(above, below, n, inner, r, m, _EXACT, d)
        if d[1] > 0:
            low = r
        else:
            high = r
        # Along the ridge of the best means.
        after = r - d[1] / (d[4] - d[3] * d[3] / d[2])
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - r) <= _EXACT * r:
            break
        r = after
    return r, m


@compiled
def _best_mean(above, below, n, inner, r, m, tolerance, d):
    """Return the mean that is best for a correlation; `d` has the derivatives there."""
    low, high = 0.0, 1.0
    for _ in range(_MOST):
        _derivatives(above, below, n, inner, m, r, d)
        if d[0] > 0:
            low = m
        else:
            high = m
        after = m - d[0] / d[2]
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - m) <= tolerance * m:
            break
        m = after
    return m


@compiled
def _derivatives(above, below, n, inner, m, r, d):
    """Fill d with the slopes by mean and correlation, and the second derivatives.

    These are twice by the mean, by both, and twice by the correlation.
    """
    p, q = m * (1 - r), (1 - m) * (1 - r)
    d[0] = above[0] / m - below[0] / (1 - m)
    d[1] = -inner / (1 - r)
    d[2] = -above[0] / (m * m) - below[0] / ((1 - m) * (1 - m))
    d[3], d[4] = 0.0, -inner / ((1 - r) * (1 - r))
    for i in range(1, len(above)):
        a, b, c = 1 / (p + i * r), 1 / (q + i * r), (i - 1) / (1 - r + i * r)
        u, v = (i - m) * a, (i - 1 + m) * b
        d[0] += (1 - r) * (above[i] * a - below[i] * b)
        d[1] += above[i] * u + below[i] * v - n * c
        d[2] -= (1 - r) ** 2 * (above[i] * a * a + below[i] * b * b)
        # The sum of the slopes: p + i r is m (1 - r) + i r.
        d[3] -= i * (above[i] * a * a - below[i] * b * b)
        d[4] -= above[i] * u * u + below[i] * v * v - n * c * c


@compiled
def _value(above, below, n, inner, m, r):
    """Log-likelihood without the binomial coefficients."""
    p, q = m * (1 - r), (1 - m) * (1 - r)
    value = above[0] * np.log(m) + below[0] * np.log(1 - m) + inner * np.log(1 - r)
    for i in range(1, len(above)):
        value += above[i] * np.log(p + i * r) + below[i] * np.log(q + i * r)
        value -= n * np.log(1 - r + i * r)
    return value
