"""What several families compute: extremes, z-scores, and scores in [0, 1]."""

from typing import Literal

import numpy as np
import scipy

from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.moments import count, mean_and_sd
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Distribution, at_ends, refuse_rows

# --- Smallest and largest score of each topic, and the cdf of a topic with equal scores ---


def extremes(scores: Array) -> tuple[Array, Array]:
    """Return minimum and maximum of each row, NaN omitted; (..., n) to two of (..., 1)."""
    low: Array = np.fmin.reduce(scores, axis=-1, keepdims=True)
    high: Array = np.fmax.reduce(scores, axis=-1, keepdims=True)
    return low, high


def all_equal(ordered: Array) -> BoolArray:
    """Tell which rows have equal scores only; (..., n) to (..., 1), sorted, NaN last."""
    high: Array = np.fmax.reduce(ordered, axis=-1, keepdims=True)
    return np.equal(ordered[..., :1], high)


def limit_where_constant(y: Array, x: Array, constant: BoolArray, score: Array) -> Array:
    """Return y, and where a topic is constant 0 left of its score, 1/2 at it and 1 right of it."""
    if constant.any():
        step = np.where(x == score, 0.5, x > score)
        y = np.where(constant & ~np.isnan(x), step, y)
    return y


class OnDomain(Distribution):
    """Distribution on its domain; the extremes `min` and `max` are two of its parameters."""

    def support(self, min: Array, max: Array, **parameters: Array) -> tuple[Array, Array]:
        low, high = self.domain
        return np.where(min < max, low, min), np.where(min < max, high, max)

    def constant(self, min: Array, max: Array, **parameters: Array) -> BoolArray:
        return np.equal(min, max)


def uniform_crps(y: Array, low: Array, high: Array) -> Array:
    """Return the CRPS of y under the uniform distribution on [low, high]: crps_unif of R."""
    width = high - low
    inside = np.clip(y, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(width > 0, (inside - low) / width, 0.0)
    return np.asarray(np.abs(y - inside) + width * (1 / 3 - z * (1 - z)))


def quantile_where_constant(q: Array, p: Array, constant: BoolArray, score: Array) -> Array:
    """Return the quantiles q, and where a topic is constant its score; NaN where p is NaN."""
    return np.where(constant & ~np.isnan(p), score, q)


# --- z-score, with its limit on constant topics ---


def z_scores(x: Array, mean: Array, sd: Array) -> Array:
    """z = (x - mean) / sd; where sd is 0 its limit: -inf, 0 at the mean, or +inf."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z: Array = x - mean
        z /= sd
    if not np.all(sd):
        z[(x == mean) & (sd == 0)] = 0.0
    return z


# --- Scores of each topic in units of their standard deviation, for fits that iterate ---


def scaled_rows(scores: Array) -> tuple[Array, IntArray, Array, Array, BoolArray, Array]:
    """Return sorted scores, their number, mean and sd (n), which rows vary, and z of those."""
    rows = np.sort(scores, axis=-1).reshape(-1, scores.shape[-1])
    n = count(rows)
    mean, sd = mean_and_sd(rows)
    scale = sd * np.sqrt((n - 1) / n)
    varies = ~all_equal(rows)[:, 0]
    refuse_rows(
        (varies & (scale[:, 0] == 0)).reshape(scores.shape[:-1]),
        "the reference scores differ so little that their standard deviation is 0 in doubles",
    )
    z = (rows[varies] - mean[varies]) / scale[varies]
    return rows, n, mean, scale, varies, z


# --- Scores in [0, 1]: policies for scores at the ends, and the logit ---


Ends = Literal["raise", "shrink"]


def shrunk(scores: Array) -> Array:
    """Return (x (n - 1) + 1/2) / n of each score: Smithson and Verkuilen (2006), p. 55."""
    n = count(scores)
    return (scores * (n - 1) + 0.5) / n


def inside(name: str, scores: Array, ends: Ends, why: str) -> Array:
    """Return scores within (0, 1), if not all are equal; `why` says what is wrong with 0 and 1."""
    if ends == "shrink":
        return shrunk(scores)
    low, high = extremes(scores)
    bad = ((low <= 0) | (high >= 1)) & (low < high)
    if bad.any():
        zeros, ones = (np.sum(scores == end, axis=-1) for end in (0, 1))
        n = count(scores)[..., 0]
        refuse_rows(
            bad[..., 0],
            lambda row: (
                f"{at_ends(int(n.flat[row]), zeros.flat[row], ones.flat[row])}, {why}; "
                "ends=shrink moves the scores into (0, 1)"
                + (f", zero_inflated:family={name} has a mass at 0" * bool(not ones.flat[row]))
            ),
        )
    return scores


def logit(x: Array) -> Array:
    """log(x / (1 - x)), elementwise: -inf at 0 and left of it, inf at 1 and right of it."""
    # SciPy imports its special functions, which takes 0.1 s, where the first one is used.
    return np.asarray(scipy.special.logit(np.clip(x, 0.0, 1.0)))


# --- Equations with the Cholesky factor of a matrix, compiled ---


@compiled
def solve_upper(root: Array, b: Array) -> None:
    """Solve root' z = b in place."""
    for i in range(len(b) - 1, -1, -1):
        for m in range(i + 1, len(b)):
            b[i] -= root[m, i] * b[m]
        b[i] /= root[i, i]


@compiled
def solve_lower(root: Array, b: Array) -> None:
    """Solve root z = b in place."""
    for i in range(len(b)):
        for m in range(i):
            b[i] -= root[i, m] * b[m]
        b[i] /= root[i, i]
