"""Smallest and largest score of each topic, and the cdf of a topic with equal scores.

Families whose parameters go to infinity with a spread that goes to 0 publish both beside
their parameters, so that a constant topic is told from one with little spread.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, BoolArray


def extremes(scores: Array) -> tuple[Array, Array]:
    """Return minimum and maximum of each row, NaN omitted; (..., n) to two of (..., 1)."""
    low: Array = np.fmin.reduce(scores, axis=-1, keepdims=True)
    high: Array = np.fmax.reduce(scores, axis=-1, keepdims=True)
    return low, high


def all_equal(ordered: Array) -> BoolArray:
    """Tell which rows have equal scores only; (..., n) to (..., 1), sorted, NaN last."""
    high: Array = np.fmax.reduce(ordered, axis=-1, keepdims=True)
    return np.equal(ordered[..., :1], high)


def with_limit(y: Array, x: Array, low: Array, high: Array) -> Array:
    """Return y, and where low equals high the limit: 0 left of it, 1/2 at it, 1 right of it.

    x and y have shape (..., m), low and high (..., 1). NaN stays NaN.
    """
    return limit_where_constant(y, x, np.equal(low, high), low)


def limit_where_constant(y: Array, x: Array, constant: BoolArray, score: Array) -> Array:
    """Return y, and where a topic is constant 0 left of its score, 1/2 at it and 1 right of it."""
    if constant.any():
        step = np.where(x == score, 0.5, x > score)
        y = np.where(constant & ~np.isnan(x), step, y)
    return y


def uniform_crps(y: Array, low: Array, high: Array) -> Array:
    """Return the CRPS of y (..., m) under the uniform distribution on [low, high], each (..., 1).

    The distance of y from the interval, and (z^3 + (1 - z)^3) / 3 of its width, z being the place
    of y within it from 0 to 1; crps_unif of scoringRules.
    """
    width = high - low
    inside = np.clip(y, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(width > 0, (inside - low) / width, 0.0)
    return np.asarray(np.abs(y - inside) + width * (1 / 3 - z * (1 - z)))


def quantile_with_limit(q: Array, p: Array, low: Array, high: Array) -> Array:
    """Return the quantiles q, and where low equals high that score; NaN where p is NaN."""
    return quantile_where_constant(q, p, np.equal(low, high), low)


def quantile_where_constant(q: Array, p: Array, constant: BoolArray, score: Array) -> Array:
    """Return the quantiles q, and where a topic is constant its score; NaN where p is NaN."""
    return np.where(constant & ~np.isnan(p), score, q)
