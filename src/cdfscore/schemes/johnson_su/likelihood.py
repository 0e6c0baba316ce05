"""Johnson SU family with its limits, the normal and the lognormal, and its likelihood.

Own code because the parameters of `scipy.stats.johnsonsu` go to infinity at the limits, where
its fit stops short, and scores of effectiveness are often there. Here z has the slope 1 / R
with R(u)^2 = (1 - skew u)^2 + tail u^2, which is smooth at all limits: tail = 0 is the
lognormal distribution and skew = tail = 0 the normal one.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray

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


def maximize(u: Array, n: IntArray) -> tuple[Array, IntArray]:
    """Return skew, tail, and mean and sd of z for each row, (rows, 4), and the outcome of each fit.

    `u` (rows, width) is sorted with mean 0 and variance 1 (divisor n), NaN last; `n` (rows,)
    counts its scores. What became of a row is `ARRIVED` at a maximum, `LOST`, or `TWO_MAXIMA`
    where skew = 0 is a minimum between two of them and nearly without a slope.
    """
    found, became = np.empty((len(u), 4)), np.empty(len(u), dtype=np.int64)
    _maximize_rows(np.ascontiguousarray(u), n, found, became)
    return found, became


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
            z[i] = -np.log(c) / skew[i] if not c <= 0 else np.copysign(np.inf, u[i])
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
    return np.copysign(np.log1p(2 * q / denominator) / t, u)


@compiled
def _maximize_rows(u, n, found, became):
    z = np.empty(u.shape[1])
    for row in range(len(u)):
        x = u[row, : n[row]]
        skew, tail, became[row] = _climb(x, z)
        sd = _slopes(x, skew, tail, z)[3]
        found[row] = skew, tail, np.sum(z[: len(x)]) / len(x), sd


@compiled
def _climb(x, z):
    """Maximize uphill from the normal distribution to a lognormal one, and from there to a tail."""
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
        length = min(1.0, _LONGEST / abs(step), max(_LONGEST, tail) / abs(rise))
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
    """Return the penalized log-likelihood, its slopes by skew and tail, and the best sd of z.

    For an sd it is -n log(sd) - sum(log(R)) - sum((z - mean)^2) / (2 sd^2) less the penalty,
    1/n times the mean of 1 / (sd R)^2 + log((sd R)^2); the best sd has a closed form.
    """
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
            logs += np.log(product)
            product = 1.0
    logs += np.log(product)
    mean = total / n
    for i in range(n):
        d = z[i] - mean
        squares += d * d
        s += d * zs[i]
        v += d * zt[i]
    # As for n + 2 / n scores with mean square squares / (n + 2 / n).
    m, weight = n + 2 / n, 1 + 2 / (n * n)
    value = -0.5 * m * np.log(squares) - weight * logs
    return (
        value,
        weight * by_skew - m * s / squares,
        weight * by_tail - m * v / squares,
        (np.sqrt(squares / m)),
    )


@compiled
def _second(u, skew, square):
    """Return the integral of v^2 / R^3 from 0 to u, by quadrature."""
    total = 0.0
    for k in range(len(_NODES)):
        v = 0.5 * u * (1 + _NODES[k])
        r = 1 - 2 * skew * v + square * v * v
        total += _WEIGHTS[k] * v * v / (r * np.sqrt(r))
    return 0.5 * u * total
