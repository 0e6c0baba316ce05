"""Johnson SU distribution, with the lognormal and the normal as its limits.

The parameters of `scipy.stats.johnsonsu` go to infinity there, where its fit stops short.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import quantile_where_constant, scaled_rows, z_scores
from cdfscore.stats.schemes.base import Distribution, Parameters, refuse_rows

_MOST = 2000
# The longest step in skew; a step in tail may also double it.
_LONGEST = 0.1
# Half the distance of two skews, or tails, between which a curvature is taken.
_APART = 1e-5
# What a lognormal distribution keeps of the distance of its end from the nearest score.
_KEPT = 0.1
# Newton's steps are exact enough where they are shorter.
_ARRIVED = 1e-12
# Below this (t u)^2 an integral is taken by Gauss and Legendre's rule, to 1e-19.
_SMALL = 0.01
# Cuts a double into two halves of 26 bits.
_SPLIT = 2.0**27 + 1
# A slope by skew at skew = 0, for each score, that is nearly 0, as it is for symmetric scores.
_LEVEL = 1e-3
# Two maxima are searched only below this skewness of the scores.
_SKEWNESS = 0.2
# Directions uphill.
_BY_SKEW, _BY_TAIL, _BY_BOTH = 0, 1, 2
# Outcomes of a row.
ARRIVED, LOST, TWO_MAXIMA = 0, 1, 2
_NODES, _WEIGHTS = (values.copy() for values in np.polynomial.legendre.leggauss(6))


@dataclass(frozen=True)
class JohnsonSu(Distribution):
    """Johnson SU distribution of the scores of a topic: normal after an inverse hyperbolic sine.

    y = Phi(gamma + delta asinh((x - xi) / lambda)); Johnson (1949), system SU. As delta goes
    to infinity, it goes to a lognormal or the normal distribution, whose parameters are
    infinite. Most scores of effectiveness have such fits. The family here therefore includes
    these limits and has four finite parameters: y = Phi(z(u)), u = (x - location) / scale, z(0) = 0
    and the slope of z is 1 / R with R^2 = (1 - skew u)^2 + tail u^2. tail = 0 is a lognormal
    distribution that ends at location + scale / skew, skew = tail = 0 the normal one; else,
    with t^2 = skew^2 + tail, delta = 1 / t, gamma = delta asinh(skew / sqrt(tail)), lambda =
    scale sqrt(tail) / t^2 and xi = location + scale skew / t^2. `location` is the median and
    `scale` the slope of x by z there. Scores have shape (..., n); y has no unit and lies in [0, 1].

    The likelihood is unbounded, because the density can increase without limit at a single
    score. The log-likelihood is therefore penalized as in `Mixture`, Chen, Tan and Zhang (2008):
    by 1/n times the mean of s^2 / b_i^2 + log(b_i^2 / s^2), where b_i = scale R(u_i) is the slope
    of x by z at score i, and s^2 the mean square of the scores about their mean. At n = 300 the
    penalty changes the parameters by about 1e-5 of their size.

    The fit is a local maximum, found by Newton's method to the last digits, uphill from the normal
    distribution. Higher maxima, with a spike at scores that many systems have in common, are not
    searched; there was one on 1 topic of Robust 2004 for AP and on 12% for P@10. The error of z is
    at most 5 ulp.

    Symmetric scores can have two maxima that are nearly mirror images, so that a rounding error
    would determine the fit. Such a topic cannot be fitted. This happens if the scores form two
    groups with a kurtosis below 15/11, or two groups with a few scores far from both.

    The location is rounded to a double: if the spread of the scores is 1e-6 of their size, y is
    exact to 1e-10.

    Constant topic: as the scale goes to 0, y goes to 0 left of the common score, 1/2 at it
    and 1 right of it.

    Raises `FitError` for a topic with fewer than four reference scores; with scores that differ
    so little that their standard deviation underflows; with two maxima that are nearly mirror
    images; or if Newton's method does not converge.

    Specified in johnson_su.1 to johnson_su.3.

    Examples
    --------
    >>> fitted = JohnsonSu().fit([0.1, 0.12, 0.15, 0.2, 0.3, 0.5])
    >>> fitted([0.1, 0.2, 0.4]).round(3).tolist()
    [0.11, 0.556, 0.879]
    """

    formula = "y = Phi(gamma + delta asinh((x - xi) / lambda))"
    source = "Johnson (1949), system SU, by maximum likelihood"
    minimum_scores = 4
    seconds_to_fit = 6e-6
    free_parameters = 4
    seconds_in_r = 6e-3
    tolerance = Tolerance.absolute(
        1e-12, "two algorithms maximize the likelihood, with two formulas for z"
    )

    def estimate(self, scores: Array) -> Parameters:
        rows, n, center, scale, varies, u = scaled_rows(scores)
        found = np.tile([0.0, 0.0, 0.0, 0.0], (len(rows), 1))
        became = np.full(len(rows), ARRIVED)
        found[varies], became[varies] = maximize(u, n[varies, 0])
        lead = scores.shape[:-1]
        why = {
            TWO_MAXIMA: "has two maxima, one to either side, as the scores are nearly symmetric",
            LOST: "was not maximized",
        }
        refuse_rows(
            (became != ARRIVED).reshape(lead),
            lambda row: f"the likelihood of {self} {why[became[row]]}",
        )
        skew, tail, mean, spread = (found[:, k : k + 1] for k in range(4))
        # From the mean of the scores to the median of the distribution, u = 0 at z = 0.
        median = johnson_x(mean, skew, tail)
        root = np.hypot(1 - skew * median, np.sqrt(tail) * median)
        parts = {
            "location": np.where(varies[:, np.newaxis], center + scale * median, rows[:, :1]),
            "scale": np.where(varies[:, np.newaxis], scale * root * spread, 0.0),
            "skew": (skew * (1 - skew * median) - tail * median) * spread / root,
            "tail": tail * (spread / root) ** 2,
        }
        return {name: part.reshape(*lead, 1) for name, part in parts.items()}

    def evaluate(self, x: Array, location: Array, scale: Array, skew: Array, tail: Array) -> Array:
        return normal_cdf(johnson_z(z_scores(x, location, scale), skew, tail))

    def inverse(self, p: Array, location: Array, scale: Array, skew: Array, tail: Array) -> Array:
        with np.errstate(invalid="ignore"):
            q = location + scale * johnson_x(ndtri(p), skew, tail)
        return quantile_where_constant(q, p, np.equal(scale, 0), location)

    def support(
        self, location: Array, scale: Array, skew: Array, tail: Array
    ) -> tuple[Array, Array]:
        infinity = np.where(scale > 0, np.inf, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            end = location + scale / skew
        low = np.where((tail == 0) & (skew < 0), end, location - infinity)
        return low, np.where((tail == 0) & (skew > 0), end, location + infinity)

    def constant(self, location: Array, scale: Array, skew: Array, tail: Array) -> BoolArray:
        return np.equal(scale, 0)


def johnson_z(u: Array, skew: Array, tail: Array) -> Array:
    """Return z(u) = the integral of 1 / R from 0 to u; infinite beyond the end of a lognormal."""
    shape = np.broadcast_shapes(u.shape, skew.shape)
    flat, skews, tails = (np.broadcast_to(part, shape).ravel() for part in (u, skew, tail))
    z = np.empty(flat.shape)
    _z_of_each(flat, skews, tails, z)
    return z.reshape(shape)


def johnson_x(z: Array, skew: Array, tail: Array) -> Array:
    """Return the u of a z: sinh(t z) / t - skew (cosh(t z) - 1) / t^2, t^2 = skew^2 + tail."""
    t = np.sqrt(skew * skew + tail)
    with np.errstate(all="ignore"):
        # 1 - skew / t and 1 + skew / t; a lognormal has one that is 0, and an end there.
        right = np.where(skew > 0, tail / (t * (t + skew)), (t - skew) / t)
        left = np.where(skew < 0, tail / (t * (t - skew)), (t + skew) / t)
        up = np.where(right > 0, right * np.expm1(t * z), 0.0)
        down = np.where(left > 0, left * np.expm1(-t * z), 0.0)
        u = (up - down) / (2 * t)
    return np.where(t > 0, u, z)


@compiled
def _z_of_each(u, skew, tail, z):
    for i in range(len(u)):
        c, near = _rest(skew[i], u[i])
        if np.isinf(u[i]):
            z[i] = u[i]
        elif tail[i] == 0 and not near:
            z[i] = -math.log(c) / skew[i] if not c <= 0 else np.copysign(np.inf, u[i])
        else:
            root = np.hypot(c, np.sqrt(tail[i]) * u[i])
            z[i] = _z(u[i], skew[i], tail[i], np.sqrt(skew[i] * skew[i] + tail[i]), root)


@compiled
def _rest(skew, u):
    """Return 1 - skew u, rounded once, by Dekker's exact product; and if it is near 1."""
    product = skew * u
    if not 0.25 < product < 1e15:
        return 1 - product, abs(product) <= 0.5
    p, q = _SPLIT * skew, _SPLIT * u
    a, b = p - (p - skew), q - (q - u)
    error = ((a * b - product) + a * (u - b) + (skew - a) * b) + (skew - a) * (u - b)
    return (1 - product) - error, product <= 0.5


@compiled
def _z(u, skew, tail, t, root):
    """With t^2 = skew^2 + tail: t z = log(E), and E - 1 = 2 q / (R + 1 - q) for q = t u > 0."""
    if t * abs(u) < 1e-300:
        return u
    if u < 0:
        skew = -skew
    q = t * abs(u)
    # 1 - skew / t and what it leaves where q > skew / t; nothing cancels.
    short = tail / (t * (t + skew)) if skew > 0 else (t - skew) / t
    over = q - skew / t
    denominator = short * (1 + (1 + skew / t) / (root + over)) if over > 0 else root + 1 - q
    return np.copysign(math.log1p(2 * q / denominator) / t, u)


@compiled
def maximize(u, n):
    """Return skew, tail, mean and sd of z for each row, (rows, 4), and the outcomes."""
    found, became = np.empty((len(u), 4)), np.empty(len(u), dtype=np.int64)
    z = np.empty(u.shape[1])
    for row in range(len(u)):
        x = u[row, : n[row]]
        skew, tail, became[row] = _climb(x, z)
        sd = _slopes(x, skew, tail, z)[3]
        total = 0.0
        for i in range(len(x)):
            total += z[i]
        found[row] = skew, tail, total / len(x), sd
    return found, became


@compiled
def _climb(x, z):
    if _lies_between_two_maxima(x, z):
        return 0.0, 0.0, TWO_MAXIMA
    skew, _, became = _uphill(x, 0.0, 0.0, _BY_SKEW, z)
    return _uphill(x, skew, 0.0, _BY_BOTH, z) if became == ARRIVED else (skew, 0.0, became)


@compiled
def _lies_between_two_maxima(x, z):
    """Tell whether skew = 0, with the tail uphill, is a minimum and level, for small skewness."""
    if abs(_slopes(x, 0.0, 0.0, z)[1]) > 0.5 * _SKEWNESS * len(x):
        return False
    _, tail, became = _uphill(x, 0.0, 0.0, _BY_TAIL, z)
    if became != ARRIVED or abs(_slopes(x, 0.0, tail, z)[1]) > _LEVEL * len(x):
        return False
    return _slopes(x, _APART, tail, z)[1] >= _slopes(x, -_APART, tail, z)[1]


@compiled
def _uphill(x, skew, tail, way, z):
    """Maximize by Newton's method with short steps, tail >= 0, over skew, tail or both."""
    n = len(x)
    for _ in range(_MOST):
        value, a, b, _ = _slopes(x, skew, tail, z)
        step, rise = _newton_step(x, skew, tail, a, b, way, z)
        if abs(step) <= _ARRIVED and abs(rise) <= _ARRIVED * (_LONGEST + tail):
            return skew + step, max(tail + rise, 0.0), ARRIVED
        length = min(1.0, _LONGEST / abs(step)) if step != 0 else 1.0
        length = min(length, max(_LONGEST, tail) / abs(rise)) if rise != 0 else length
        certain = abs(step * a + rise * b) < 1e-9 * n  # the value itself is rounded
        for _ in range(60):
            s, t = skew + length * step, max(tail + length * rise, 0.0)
            if t > 0 or _keeps_its_distance(x, skew, s):
                after = _slopes(x, s, t, z)[0]
                if certain or after > value:
                    break
            length /= 2
        else:
            return skew, tail, LOST
        skew, tail = s, t
    return skew, tail, LOST


@compiled
def _keeps_its_distance(x, before, after):
    """Tell whether the end of a lognormal distribution stays beyond all scores."""
    least = min(1 - after * x[0], 1 - after * x[-1])
    return least > _KEPT * min(1.0, max(0.0, min(1 - before * x[0], 1 - before * x[-1])))


@compiled
def _newton_step(x, skew, tail, a, b, way, z):
    """Return Newton's step in skew and tail, along the edge tail = 0 if the slope points out."""
    p = 0.0
    if tail == 0 and b <= 0:
        if way == _BY_TAIL:
            return 0.0, 0.0
        way = _BY_SKEW
    h, k = _APART, _APART * (_LONGEST + tail)
    low = tail - min(k, tail)
    if way != _BY_TAIL:
        up, down = _slopes(x, skew + h, tail, z), _slopes(x, skew - h, tail, z)
        p = (up[1] - down[1]) / (2 * h)
        if way == _BY_SKEW:
            return (-a / p if p < 0 else np.copysign(_LONGEST, a)), 0.0
    up, down = _slopes(x, skew, tail + k, z), _slopes(x, skew, low, z)
    q = (up[1] - down[1]) / (tail + k - low)
    r = (up[2] - down[2]) / (tail + k - low)
    if way == _BY_TAIL:
        return 0.0, (-b / r if r < 0 else np.copysign(max(_LONGEST, tail), b))
    # Curvatures upwards are turned downwards, so that the step leads uphill.
    middle, half = 0.5 * (p + r), np.hypot(0.5 * (p - r), q)
    first, second = middle + half, middle - half
    if first >= 0:
        cosine, sine = 0.5 * (p - r) / half, q / half  # of twice the angle of the first axis
        one, two = 1 / abs(first), 1 / abs(second)
        even, odd = 0.5 * (one + two), 0.5 * (one - two)
        return (even + odd * cosine) * a + odd * sine * b, odd * sine * a + (
            even - odd * cosine
        ) * b
    det = p * r - q * q
    return (q * b - r * a) / det, (q * a - p * b) / det


@compiled
def _slopes(x, skew, tail, z):
    """Return the penalized log-likelihood at the best sd of z, its slopes, and that sd."""
    n = len(x)
    t = np.sqrt(skew * skew + tail)
    total = by_skew = by_tail = logs = 0.0
    squares = s = v = 0.0  # of the penalty first
    product = 1.0
    zs, zt = np.empty(n), np.empty(n)
    for i in range(n):
        u = x[i]
        c = 1 - skew * u
        square = c * c + tail * u * u
        root = np.sqrt(square)
        z[i] = _z(u, skew, tail, t, root)
        total += z[i]
        both = root + c if c >= 0 else tail * u * u / (root - c)  # R + 1 - skew u
        # The integrals of v / R^3 and v^2 / R^3 from 0 to u.
        first = u * u / (root * both)
        if t * t * u * u < _SMALL:
            second = _second(u, skew, t * t)
        else:
            cube = u * (root + 1 + skew * u + skew * skew * u * u / both) / ((root + 1) * root)
            second = (z[i] - cube + 2 * skew * first) / (t * t)
        zs[i], zt[i] = first - skew * second, -0.5 * second
        by_skew += u * c / square
        by_tail -= 0.5 * u * u / square
        squares += 2 / (n * n) / square
        s += 2 / (n * n) * u * c / (square * square)
        v -= 1 / (n * n) * u * u / (square * square)
        product *= root
        if not 1e-100 < product < 1e100:
            logs += math.log(product)
            product = 1.0
    logs += math.log(product)
    mean = total / n
    for i in range(n):
        d = z[i] - mean
        squares += d * d
        s += d * zs[i]
        v += d * zt[i]
    # As for n + 2 / n scores with mean square squares / (n + 2 / n).
    m, weight = n + 2 / n, 1 + 2 / (n * n)
    value = -0.5 * m * math.log(squares) - weight * logs
    return (
        value,
        weight * by_skew - m * s / squares,
        weight * by_tail - m * v / squares,
        (np.sqrt(squares / m)),
    )


@compiled
def _second(u, skew, square):
    total = 0.0
    for k in range(len(_NODES)):
        v = 0.5 * u * (1 + _NODES[k])
        r = 1 - 2 * skew * v + square * v * v
        total += _WEIGHTS[k] * v * v / (r * np.sqrt(r))
    return 0.5 * u * total
