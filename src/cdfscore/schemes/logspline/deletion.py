"""Choice of the knot that is deleted."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.basis import Fit, prepare
from cdfscore.schemes.logspline.linear_algebra import factorize, solve_lower, solve_upper


@compiled
def without_weakest(x: Array, fit: Fit) -> tuple[Fit, bool]:
    """Delete the knot with the least Wald statistic.

    The coefficients are the best by the quadratic model that have no jump in s''' there. False,
    with the fit as it is, if the covariance has no factor, so that there is no statistic.
    """
    t, theta = fit.t, fit.theta
    k, d = len(t), len(theta)
    root = np.empty((d, d))
    if not factorize(fit.covariance, root):
        return fit, False
    jump, removed, least, weakest = np.empty(d), np.zeros(d), np.inf, 0
    for i in range(k):
        _fill_jump(t, i, jump)
        size = 0.0
        for j in range(d):
            size += jump[j] * theta[j]
        solve_lower(root, jump)
        variance = 0.0
        for j in range(d):
            variance += jump[j] * jump[j]
        if size * size / variance < least:
            least, weakest = size * size / variance, i
            for j in range(d):
                removed[j] = jump[j] * size / variance
    solve_upper(root, removed)
    fewer, coefficients = np.empty(k - 1), np.empty(d - 1)
    # An end takes with it the bend of its neighbor, which is 0 by now.
    gone = min(max(weakest, 1), k - 2)
    for i in range(k - 1):
        fewer[i] = t[i] if i < weakest else t[i + 1]
    for j in range(d - 1):
        kept = j if j < gone else j + 1
        coefficients[j] = theta[kept] - removed[kept]
    return prepare(x, fewer, t[0] - fit.below, t[k - 1] + fit.above, coefficients), True


@compiled
def _fill_jump(t: Array, i: int, jump: Array) -> None:
    """Fill in the coefficients' factors that give the jump of s''' at knot i."""
    k = len(t)
    jump[:] = 0.0
    for side in (-1, 0):
        if 0 <= i + side < k - 1:
            weight = (1.0 if side == 0 else -1.0) / (t[i + side + 1] - t[i + side])
            if 0 < i + side + 1 < k - 1:
                jump[i + side + 1] += weight
            if 0 < i + side < k - 1:
                jump[i + side] -= weight
