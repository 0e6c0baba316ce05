"""Choice of the score that becomes the next knot."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.basis import Fit, prepare
from cdfscore.schemes.logspline.linear_algebra import factorize
from cdfscore.schemes.logspline.rao import Beyond, integrated_beyond, rao


@compiled
def knot_to_add(x: Array, fit: Fit, distance: int) -> float:
    """Return a score with a large Rao statistic as a knot, or NaN if there is none.

    There is none without room for it, or where the covariance has no factor.

    The middle score of each piece is tried, and from the best one its neighbors, halfway
    to the ends, as long as one is better. A knot has at least `distance` scores between
    it and the next.
    """
    d = len(fit.theta)
    root = np.empty((d, d))
    if not factorize(fit.covariance, root):
        return np.nan
    beyond = integrated_beyond(fit)
    largest, best, least, most, piece = _best_piece(x, fit, root, beyond, distance)
    if best < 0:
        return np.nan
    while x[most] > x[least]:
        up, down = _upwards(x, best, most), _downwards(x, best, least)
        above = below = largest
        if up >= 0:
            above = rao(x, fit, root, beyond, piece, x[up])
        if down >= 0:
            below = rao(x, fit, root, beyond, piece, x[down])
        if below > largest:
            most, best, largest = best, down, below
        elif above > largest:
            least, best, largest = best, up, above
        else:
            break
    return float(x[best])


# A separate function, so that numba compiles `rao` once: literal integers have types of their own.
@compiled
def _best_piece(
    x: Array, fit: Fit, root: Array, beyond: Beyond, distance: int
) -> tuple[float, int, int, int, int]:
    """Return the largest statistic of a middle score, its index, and those of the piece.

    The indices are -1 and 0 if no piece has room.
    """
    t = fit.t
    largest, best, least, most, piece = -1.0, -1, 0, 0, 0
    for i in range(len(t) - 1):
        first = np.searchsorted(x, t[i], side="right") - 1
        last = np.searchsorted(x, t[i + 1])
        if last - first < 2 * distance + 1:
            continue
        first, last = first + distance + 1, last - distance - 1
        middle = (first + last) // 2
        statistic = rao(x, fit, root, beyond, i, x[middle])
        if statistic > largest:
            largest, best, least, most, piece = statistic, middle, first, last, i
    return largest, best, least, most, piece


@compiled
def _upwards(x: Array, best: int, most: int) -> int:
    """Return the index halfway up to a larger score, or -1 if there is none."""
    if x[best] == x[most]:
        return -1
    half = (best + most + 1) // 2
    if x[half] != x[best]:
        return half
    half = (half + most) // 2
    return half if x[half] != x[best] else most


@compiled
def _downwards(x: Array, best: int, least: int) -> int:
    """Return the index halfway down to a smaller score, or -1 if there is none."""
    if x[best] == x[least]:
        return -1
    half = (best + least - 1) // 2
    if x[half] != x[best]:
        return half
    half = (half + least) // 2
    return half if x[half] != x[best] else least


@compiled
def with_knot(x: Array, fit: Fit, knot: float) -> Fit:
    """Return the same spline with another knot."""
    t, theta, k = fit.t, fit.theta, len(fit.t)
    i = np.searchsorted(t, knot)
    left = theta[i - 1] if i > 1 else 0.0
    right = theta[i] if i < k - 1 else 0.0
    part = (knot - t[i - 1]) / (t[i] - t[i - 1])
    more, coefficients = np.empty(k + 1), np.empty(k)
    for j in range(k + 1):
        more[j] = t[j] if j < i else t[j - 1]
    for j in range(k):
        coefficients[j] = theta[j] if j < i else theta[j - 1]
    more[i], coefficients[i] = knot, (1 - part) * left + part * right
    return prepare(x, more, t[0] - fit.below, t[k - 1] + fit.above, coefficients)
