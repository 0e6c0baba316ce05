"""Kumaraswamy distribution.

With t = -log(x), S(a) = mean(-log(1 - exp(-a t))) and b = 1 / S(a), the slope of the likelihood by
log(a) is R - V, R = mean(u / (exp(u) - 1)) / S(a), V = mean(u / (1 - exp(-u)) - 1), u = a t.
"""

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np

from cdfscore.errors import SchemeError, check_one_of
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes._rows import (
    Ends,
    OnDomain,
    extremes,
    inside,
    limit_where_constant,
    quantile_where_constant,
)
from cdfscore.stats.schemes.base import (
    MAXIMA,
    Parameters,
    no_maximum,
    refuse_rows,
    too_little_spread,
)

_LOG_2 = math.log(2.0)
_MOST_STEPS = 400
# A step of log(a) below this is made of rounding errors where it is no longer halved.
_SMALL = 1e-8
_LONGEST_STEP = 2.0


@dataclass(frozen=True)
class Kumaraswamy(OnDomain):
    """Kumaraswamy distribution of the scores of a topic, between 0 and 1.

    y = 1 - (1 - x^a)^b, Kumaraswamy (1980), with the shapes of maximum likelihood over the n
    reference scores: b = -1 / mean(log(1 - x_i^a)) for each a, and the slope of the likelihood is
    0 at a, Jones (2009), section 3. Such an a exists unless all scores are equal. It is not
    proven to be unique, but is unique in the samples of the tests. Scores have shape (..., n); y
    has no unit and lies in [0, 1].

    The likelihood has no maximum if a score is exactly 0 or 1; `ends` is as of `Beta`. a is within
    1e-14 of the maximum, and y within 4 ulp of F at the shapes.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is 0 or 1. The shapes are given as 1 and are not used.

    Raises `SchemeError` for another policy, and `FitError` for a topic with fewer than two
    reference scores; with scores outside [0, 1]; with a score of 0 or 1 (``ends="raise"``); or
    with so little spread that b overflows (about 0.2% around a score of 0.3).

    Specified in kumaraswamy.1 and kumaraswamy.2.

    Examples
    --------
    >>> Kumaraswamy().fit([0.1, 0.2, 0.4])([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.429, 1.0]
    """

    ends: Ends = "raise"

    formula = "y = 1 - (1 - x^a)^b"
    source = "Kumaraswamy (1980); Jones (2009), section 3"
    minimum_scores = 2
    domain = (0.0, 1.0)
    free_parameters = 2
    tolerance = Tolerance(128, MAXIMA, floor=1.0)

    def __post_init__(self) -> None:
        check_one_of(f"{self.name}: ends", self.ends, get_args(Ends), SchemeError)

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        spread = low < high
        moved = inside(self.name, scores, self.ends, no_maximum(self.name))
        shapes = _shapes(moved.reshape(-1, scores.shape[-1]))
        a, b = (shapes[:, i].reshape(low.shape) for i in (0, 1))
        refuse_rows(
            (spread & ~np.isfinite(a + b))[..., 0],
            too_little_spread(
                "the shape b of the Kumaraswamy distribution is too large for a double"
            ),
        )
        a, b = (np.where(spread, shape, 1.0) for shape in (a, b))
        return {"a": a, "b": b, "min": low, "max": high}

    def evaluate(self, x: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        flat = [np.ascontiguousarray(np.broadcast_to(v, x.shape)).reshape(-1) for v in (x, a, b)]
        return limit_where_constant(_cdf(*flat).reshape(x.shape), x, np.equal(min, max), min)

    def inverse(self, p: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        with np.errstate(divide="ignore"):
            rest = np.log1p(-p) / b
            # The logarithm of 1 - exp(rest), in the form that loses no digits.
            power = np.where(rest > -0.7, np.log(-np.expm1(rest)), np.log1p(-np.exp(rest)))
        return quantile_where_constant(np.exp(power / a), p, np.equal(min, max), min)


@compiled
def _cdf(x, a, b):
    y = np.empty(len(x))
    for i in range(len(x)):
        if x[i] != x[i]:
            y[i] = np.nan
        elif x[i] <= 0.0:
            y[i] = 0.0
        elif x[i] >= 1.0:
            y[i] = 1.0
        else:
            power = math.pow(x[i], a[i])
            if power < 0.5:
                log_rest = math.log1p(-power)
            else:  # 1 - x^a has lost digits
                log_rest = math.log(-math.expm1(a[i] * math.log(x[i])))
            y[i] = -math.expm1(b[i] * log_rest)
    return y


@compiled
def _shapes(scores):
    """Return a and b of maximum likelihood for each row (k, n), NaN where all scores are equal."""
    shapes = np.full((len(scores), 2), np.nan)
    t = np.empty(scores.shape[1])
    for k in range(len(scores)):
        n, total = 0, 0.0
        for x in scores[k]:
            if x == x:
                t[n] = -math.log(x)
                total += t[n]
                n += 1
        mean = total / n
        squares, low, high = 0.0, t[0], t[0]
        for i in range(n):
            squares += (t[i] - mean) * (t[i] - mean)
            low, high = min(low, t[i]), max(high, t[i])
        if low < high:
            # The start is right for large b, where t has a Gumbel distribution.
            start = math.log(math.pi / math.sqrt(6.0 * squares / n))
            a = math.exp(_root(t[:n], low, start))
            shapes[k, 0], shapes[k, 1] = a, math.exp(a * low) / _slope(t[:n], low, a)[2]
    return shapes


@compiled
def _root(t, low, start):
    """Find the log(a) at which the slope is 0, by Newton's method in a shrinking bracket."""
    at, left, right = start, -np.inf, np.inf
    before = np.inf
    for _ in range(_MOST_STEPS):
        slope, bend, _ = _slope(t, low, math.exp(at))
        if slope > 0.0:
            left = at
        else:
            right = at
        step = -slope / bend if bend < 0.0 else math.copysign(_LONGEST_STEP, slope)
        step = min(max(step, -_LONGEST_STEP), _LONGEST_STEP)
        size = abs(step)
        following = at + step
        if following == at or (size < _SMALL and size >= 0.5 * before):
            return at
        if not left < following < right:
            following = 0.5 * (left + right)
        at, before = following, size
    return np.nan


@compiled
def _slope(t, low, a):
    """Return R - V, its derivative by log(a), and S, that one times exp(a min(t))."""
    w, s, v, wv, u_sum = 0.0, 0.0, 0.0, 0.0, 0.0
    scale = math.exp(-a * low)
    for i in range(len(t)):
        u = a * t[i]
        if u < _LOG_2:
            rest = -math.expm1(-u)
            relative = math.exp(a * low) * (1.0 - rest)
            s += math.exp(a * low) * -math.log(rest)
        else:
            relative = math.exp(-a * (t[i] - low))
            power = relative * scale
            rest = 1.0 - power
            s += relative * (-math.log1p(-power) / power if power > 1e-300 else 1.0)
        wi, vi = u * relative / rest, u / rest - 1.0
        w += wi
        v += vi
        wv += wi * vi
        u_sum += u
    n = len(t)
    r = w / s
    return r - v / n, r * r - wv / s - (u_sum - wv * scale) / n, s / n
