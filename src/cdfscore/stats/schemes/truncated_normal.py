"""Normal distribution restricted to an interval.

Integrals are taken from the highest point on each side, by 32 nodes of Gauss and Legendre:
differences of normal cdfs have lost all digits where the mean is far outside of the interval.
"""

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes._rows import (
    OnDomain,
    extremes,
    limit_where_constant,
    quantile_where_constant,
)
from cdfscore.stats.schemes.base import MAXIMA, Parameters, refuse_rows

_nodes, _weights = np.polynomial.legendre.leggauss(32)
# On [0, 1].
_NODES, _WEIGHTS = 0.5 + 0.5 * _nodes, 0.5 * _weights
# The density is integrated to exp(-_DEPTH) of its highest value.
_DEPTH = 40.0
_ROOT2 = math.sqrt(2.0)
# An end is far from the mode where the density falls to exp(-_FAR) at least.
_FAR = 20.0
_MOST_STEPS = 200
# A Newton step below this is made of rounding errors where it is no longer halved.
_SMALL = 1e-8


@dataclass(frozen=True)
class TruncatedNormal(OnDomain):
    """Normal distribution of the scores of a topic, restricted to an interval.

    y = (Phi((x - mu) / sigma) - Phi((low - mu) / sigma)) / (Phi((high - mu) / sigma) -
    Phi((low - mu) / sigma)), with the maximum likelihood estimates of mu and sigma over the n
    reference scores; `low` and `high` are in the unit of the score. Cohen (1950); for the
    parameters below, with one end, del Castillo (1994).

    The density is proportional to exp(slope z - curvature z^2 / 2), z = (x - location) / scale,
    where location and scale are mean and standard deviation (with n) of the reference scores. Then
    mu = location + scale slope / curvature, and sigma = scale / sqrt(curvature). If the curvature
    would be 0 or less, mu and sigma do not exist, and the fit is the limit, an exponential or
    uniform distribution on [low, high], with curvature 0. Scores have shape (..., n); slope,
    curvature and y have no unit, and y lies in [0, 1].

    Slope and curvature are within 1e-14 of the maximum. y is computed from integrals of the
    density, which are accurate also if mu is far away or sigma is large: it is within 4e-15 of F
    at the parameters, and within 70 ulp for y down to 1e-10.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is an end. Slope and curvature are given as 0 and are not used.

    Raises `SchemeError` unless `low` and `high` are finite and low < high, and `FitError` for
    a topic with fewer than two reference scores; with scores outside [low, high]; or with a
    spread that is as small as the rounding error of an end.

    Specified in truncated_normal.1 to truncated_normal.3.

    Examples
    --------
    >>> TruncatedNormal().fit([0.1, 0.2, 0.4])([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.423, 1.0]
    """

    low: float = 0.0
    high: float = 1.0

    formula = "y = (Phi(z) - Phi(z_low)) / (Phi(z_high) - Phi(z_low)), z = (x - mu) / sigma"
    source = "Cohen (1950); del Castillo (1994)"
    minimum_scores = 2
    seconds_to_fit = 1.3e-6
    free_parameters = 2
    seconds_in_r = 0.01
    tolerance = Tolerance(128, MAXIMA, floor=1.0)

    def __post_init__(self) -> None:
        low, high = finite_number(self.low), finite_number(self.high)
        if low is None or high is None or not low < high:
            raise SchemeError(
                f"truncated_normal: low={shown(self.low)},high={shown(self.high)} is not accepted; "
                "expected finite numbers with low < high"
            )

    @property
    def domain(self) -> tuple[float, float]:
        return float(self.low), float(self.high)

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        spread = low < high
        found = _parameters(scores.reshape(-1, scores.shape[-1]), *self.domain)
        location, scale, slope, curvature = (found[:, i].reshape(low.shape) for i in range(4))
        refuse_rows(
            (spread & np.isnan(location + scale + slope + curvature))[..., 0],
            f"the reference scores differ so little from one another or from an end of "
            f"[{self.low:g}, {self.high:g}] that their spread is within rounding errors",
        )
        return {
            "location": np.where(spread, location, low),
            "scale": np.where(spread, scale, 1.0),
            "slope": np.where(spread, slope, 0.0),
            "curvature": np.where(spread, curvature, 0.0),
            "min": low,
            "max": high,
        }

    def evaluate(self, x: Array, min: Array, max: Array, **parameters: Array) -> Array:
        y = _cdf(_rows(x, min), _table(parameters), *self.domain)
        return limit_where_constant(y.reshape(x.shape), x, np.equal(min, max), min)

    def inverse(self, p: Array, min: Array, max: Array, **parameters: Array) -> Array:
        q = _quantile(_rows(p, min), _table(parameters), *self.domain)
        return quantile_where_constant(q.reshape(p.shape), p, np.equal(min, max), min)

    def parameter_names(self) -> list[str]:
        return [*_NAMES, "min", "max"]


_NAMES = ("location", "scale", "slope", "curvature")


def _rows(values: Array, topics: Array) -> Array:
    return values.reshape(topics.size, values.shape[-1])


def _table(parameters: Parameters) -> Array:
    return np.stack([parameters[name].reshape(-1) for name in _NAMES], axis=-1)


@compiled
def _reach(rate, curvature, length):
    """Return t with exp(-rate t - curvature t^2 / 2) = exp(-_DEPTH), or the length if shorter."""
    root = math.sqrt(rate * rate + 2.0 * _DEPTH * curvature)
    return min(length, 2.0 * _DEPTH / (rate + root))


@compiled
def _integral(rate, curvature, length):
    """Integrate exp(-rate t - curvature t^2 / 2), which falls, from 0 to the length."""
    reach = _reach(rate, curvature, length)
    total = 0.0
    for i in range(len(_NODES)):
        t = reach * _NODES[i]
        total += _WEIGHTS[i] * math.exp(-t * (rate + 0.5 * curvature * t))
    return reach * total


@compiled
def _mode(left, right, slope, curvature):
    """Return the mode of the density, and the rates at which it falls left and right."""
    if slope - curvature * right >= 0.0:
        return right, slope - curvature * right, 0.0
    if slope - curvature * left <= 0.0:
        return left, 0.0, curvature * left - slope
    return slope / curvature, 0.0, 0.0


@compiled
def _moments(left, right, slope, curvature):
    """Return the mean of z, that of z^2, and variances and covariance of z and z^2."""
    mode, fall_left, fall_right = _mode(left, right, slope, curvature)
    total, first, second = 0.0, 0.0, 0.0
    z, mass = np.empty(2 * len(_NODES)), np.empty(2 * len(_NODES))
    for side in range(2):
        rate, sign = (fall_left, -1.0) if side == 0 else (fall_right, 1.0)
        reach = _reach(rate, curvature, mode - left if side == 0 else right - mode)
        for i in range(len(_NODES)):
            t = reach * _NODES[i]
            m = reach * _WEIGHTS[i] * math.exp(-t * (rate + 0.5 * curvature * t))
            k = side * len(_NODES) + i
            z[k], mass[k] = mode + sign * t, m
            total += m
            first += m * z[k]
            second += m * z[k] * z[k]
    first /= total
    second /= total
    v11, v12, v22 = 0.0, 0.0, 0.0
    for k in range(len(z)):
        d, e = z[k] - first, z[k] * z[k] - second
        v11 += mass[k] * d * d
        v12 += mass[k] * d * e
        v22 += mass[k] * e * e
    return first, second, v11 / total, v12 / total, v22 / total


@compiled
def _parameters(scores, low, high):
    """Return location, scale, slope and curvature of each row (k, n), NaN where none is found."""
    parameters = np.full((len(scores), 4), np.nan)
    for k in range(len(scores)):
        n, total, rest, squares = 0, 0.0, 0.0, 0.0
        for x in scores[k]:
            if x == x:
                n += 1
                total += x
        mean = total / n
        for x in scores[k]:
            if x == x:
                rest += x - mean
        mean += rest / n
        for x in scores[k]:
            if x == x:
                squares += (x - mean) * (x - mean)
        scale = math.sqrt(squares / n)
        left, right = (low - mean) / scale, (high - mean) / scale
        if scale > 0.0 and left < 0.0 < right:
            slope = _exponential(left, right)
            curvature = 0.0
            # The likelihood rises with the curvature where the spread is less than that.
            if _moments(left, right, slope, 0.0)[1] > 1.0:
                slope, curvature = _newton(left, right)
            parameters[k] = mean, scale, slope, curvature
    return parameters


@compiled
def _exponential(left, right):
    """Solve for the slope with which exp(slope z) on [left, right] has the mean 0."""
    slope, before = 1.0 / left + 1.0 / right, np.inf
    under, over = 1.0 / left, 1.0 / right
    for _ in range(_MOST_STEPS):
        mean, _, variance, _, _ = _moments(left, right, slope, 0.0)
        if mean > 0.0:
            over = slope
        else:
            under = slope
        step = mean / variance
        size = abs(step) * math.sqrt(variance)
        following = slope - step
        if following == slope or (size < _SMALL and size >= 0.5 * before):
            return slope
        slope = following if under < following < over else 0.5 * (under + over)
        before = size
    return np.nan


@compiled
def _newton(left, right):
    """Maximize the log-likelihood of scores with mean 0 and variance 1."""
    slope, curvature, before = 0.0, 1.0, np.inf
    first, second, v11, v12, v22 = _moments(left, right, slope, curvature)
    for _ in range(_MOST_STEPS):
        # Slopes of the likelihood by slope and curvature, -mean z and (mean z^2 - 1) / 2.
        a, b = -first, 0.5 * (second - 1.0)
        determinant = 0.25 * (v11 * v22 - v12 * v12)
        da = (0.25 * v22 * a + 0.5 * v12 * b) / determinant
        db = (0.5 * v12 * a + v11 * b) / determinant
        promised = a * da + b * db
        size = math.sqrt(abs(promised))
        length = 1.0
        while curvature + length * db < 0.0:
            length *= 0.5
        for _ in range(60):
            new_slope, new_curvature = slope + length * da, curvature + length * db
            first, second, v11, v12, v22 = _moments(left, right, new_slope, new_curvature)
            # Beyond the maximum along the step the slope is negative: not far beyond.
            ahead = -first * da + 0.5 * (second - 1.0) * db
            if size < _SMALL or ahead >= -0.5 * promised:
                break
            length *= 0.5
        same = new_slope == slope and new_curvature == curvature
        slope, curvature = new_slope, new_curvature
        if same or (size < _SMALL and size >= 0.5 * before):
            return slope, curvature
        before = size
    return np.nan, np.nan


@compiled
def _below(t, d, to_mode, fall_left, fall_right, curvature):
    """Integrate from the left end to a point, t right of the mode and d of the end."""
    if t <= 0.0:
        height = math.exp(t * (fall_left - 0.5 * curvature * t))
        return height * _integral(fall_left - curvature * t, curvature, d)
    part = _integral(fall_right, curvature, t)
    return part + _integral(fall_left, curvature, to_mode) if to_mode > 0.0 else part


@compiled
def _sides(left, right, slope, curvature):
    """Return the mode, what `_below` takes from either end, and the integral over all."""
    mode, fall_left, fall_right = _mode(left, right, slope, curvature)
    from_left = mode - left, fall_left, fall_right, curvature
    from_right = right - mode, fall_right, fall_left, curvature
    total = _below(0.0, mode - left, *from_left) + _below(0.0, right - mode, *from_right)
    return mode, from_left, from_right, total


@compiled
def _cdf(x, parameters, low, high):
    y = np.empty_like(x)
    for k in range(len(x)):
        location, scale, slope, curvature = parameters[k]
        left, right = (low - location) / scale, (high - location) / scale
        mode, from_left, from_right, total = _sides(left, right, slope, curvature)
        for j in range(x.shape[1]):
            v = x[k, j]
            if v != v:
                y[k, j] = np.nan
            elif v <= low:
                y[k, j] = 0.0
            elif v >= high:
                y[k, j] = 1.0
            else:
                to_left, to_right = (v - low) / scale, (high - v) / scale
                if mode == left:
                    t = to_left
                elif mode == right:
                    t = -to_right
                else:
                    t = (v - location) / scale - mode
                y[k, j] = _below(t, to_left, *from_left) / total
                if y[k, j] > 0.5:
                    y[k, j] = 1.0 - _below(-t, to_right, *from_right) / total
    return y


@compiled
def _quantile(p, parameters, low, high):
    q = np.empty_like(p)
    for k in range(len(p)):
        location, scale, slope, curvature = parameters[k]
        left, right = (low - location) / scale, (high - location) / scale
        mode, from_left, from_right, total = _sides(left, right, slope, curvature)
        top = low if mode == left else high if mode == right else location + scale * mode
        for j in range(p.shape[1]):
            if p[k, j] != p[k, j]:
                q[k, j] = np.nan
            elif p[k, j] <= 0.0:
                q[k, j] = low
            elif p[k, j] >= 1.0:
                q[k, j] = high
            elif p[k, j] <= 0.5:
                v, at_mode = _solved(p[k, j] * total, right - left, *from_left)
                q[k, j] = min(max((top if at_mode else low) + scale * v, low), high)
            else:
                v, at_mode = _solved((1.0 - p[k, j]) * total, right - left, *from_right)
                q[k, j] = min(max((top if at_mode else high) - scale * v, low), high)
    return q


@compiled
def _solved(wanted, length, to_mode, fall_left, fall_right, curvature):
    """Find the point with a given mass below it, by Halley's method, and if it is from the mode."""
    at_mode = to_mode * max(fall_left, math.sqrt(curvature)) > _FAR
    origin = to_mode if at_mode else 0.0
    under, over = -origin, length - origin
    v = _start(wanted, to_mode, fall_left, fall_right, curvature) + (0.0 if at_mode else to_mode)
    if v <= under:  # the density at the left end, which rises, is that of more
        v = wanted * math.exp(to_mode * (fall_left + 0.5 * curvature * to_mode)) - origin
    for _ in range(_MOST_STEPS):
        if not under < v < over:
            v = 0.5 * (under + over)
        if v <= -origin:  # next to the left end there is more than the given mass
            break
        t = v if at_mode else v - to_mode
        below = _below(t, v + origin, to_mode, fall_left, fall_right, curvature)
        if below >= wanted:
            over = v
        else:
            under = v
        rise = fall_left - curvature * t if t <= 0.0 else -fall_right - curvature * t
        fall = 0.5 * (rise + (fall_left if t <= 0.0 else -fall_right))
        rate = math.exp(t * fall) / below
        excess = math.log(below / wanted)
        newton = v - excess / rate
        v -= excess / (rate - 0.5 * excess * (rise - rate))
        if abs(excess) < 1e-5:
            break
        if not under < v < over:
            v = newton  # from the left it does not pass the point, the logarithm being concave
    return min(max(v, -origin), length - origin), at_mode


@compiled
def _start(wanted, to_mode, fall_left, fall_right, curvature):
    """Return an approximate point for a given mass, by normal or exponential cdfs from the mode."""
    if curvature > 0.0 and fall_left == fall_right == 0.0:
        root = math.sqrt(curvature)
        p = wanted * root / math.sqrt(2.0 * math.pi) + 0.5 * math.erfc(to_mode * root / _ROOT2)
        # Abramowitz and Stegun (1964), 26.2.23: within 4.5e-4 of the quantile.
        t = math.sqrt(-2.0 * math.log(min(p, 1.0 - p)))
        top = 2.515517 + t * (0.802853 + t * 0.010328)
        t -= top / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
        return math.copysign(t, p - 0.5) / root
    if fall_left * to_mode > 1e-6:
        return math.log(wanted * fall_left + math.exp(-fall_left * to_mode)) / fall_left
    if 0.0 < wanted * fall_right < 0.999:
        return -math.log1p(-wanted * fall_right) / fall_right
    return wanted - to_mode
