"""Maximum likelihood fits of logsplines, and the search for their knots.

The log of the density is a natural cubic spline s on knots t_0 < ... < t_k-1. Its second
derivative is linear between the knots and 0 at both ends, so that s is told by its slope left
of t_0 and by s'' at the inner knots, the bends: k - 1 numbers, a constant apart, that the
density integrating to 1 decides. s = slope (x - t_0) + sum_j bend_j H_j(x), where H_j'' is 1
at t_j, 0 at the other knots and linear between them, and H_j is 0 left of t_j-1.

The log-likelihood is n (mean of s over the sample - log C), C the integral of exp(s). Its
gradient is n times the means of the functions over the sample minus those under the density,
its Hessian -n times their covariance under the density. Between knots all is a polynomial in
u = (x - t_i) / (t_i+1 - t_i), whose integrals against the density are sums over
Gauss-Legendre nodes, good to double precision; in the tails they are closed forms.

All kernels stand in one file: numba compiles again what is cached when the file changes, and
does not look at the files that it imports.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
# How much the log density may vary from the middle of a piece, for 20 nodes to be exact.
_VARIATION = 3.0
# Steps are halved until they gain this share of what Newton's method promises, which is twice
# the gain to come; where that is tiny, rounding would decide.
_LEAST_GAIN, _TINY = 1e-4, 1e-7
# A step that promises no more than this leaves about the square, and is the last: while knots
# are chosen, and for those that are.
_CLOSE, _CLOSEST = 1e-8, 1e-16
_STEPS, _HALVINGS = 100, 40
# The most that the log density may differ between knots, or rise along a tail.
_STEEPEST = 600.0


class _Fit(NamedTuple):
    """A logspline on given knots."""

    t: Array
    below: float  # how far the tails reach, infinite where there is no bound
    above: float
    pieces: Array  # coefficients of 1, u, u^2, u^3: (pieces, functions, 4); 0 for j > i + 1
    ends: Array  # values and slopes at the last knot: (functions, 2)
    sample: Array  # means over the sample: (functions,)
    theta: Array  # the coefficients: the slope, and the bends
    gain: Array  # the log-likelihood of a score: (1,), since what changes is an array
    log_c: Array  # (1,)
    moments: Array
    mean: Array  # under the density: (functions,)
    covariance: Array


@numba.njit(cache=True, nogil=True, error_model="numpy")
def fit_logsplines(
    samples: Array, counts: IntArray, low: float, high: float, penalty: float, width: int
) -> tuple[Array, Array, Array, BoolArray]:
    """Fit each row of `samples`, sorted, of which the first `counts` are scores.

    A negative penalty stands for log n. Returns knots (rows, width) and bends of the same
    shape, filled with NaN, slopes (rows, 1), and whether a maximum was found (rows,).
    """
    rows = len(samples)
    knots, bends = np.full((rows, width), np.nan), np.full((rows, width), np.nan)
    slopes = np.zeros((rows, 1))
    found = np.ones(rows, dtype=np.bool_)
    for row in range(rows):
        x = samples[row, : counts[row]]
        if x[0] == x[-1]:
            knots[row, 0], bends[row, 0] = x[0], 0.0
            continue
        price = math.log(len(x)) if penalty < 0 else penalty
        # A power of 2 near the range: no digit changes, and no power of it leaves the doubles.
        scale = math.ldexp(1.0, math.frexp(x[-1] - x[0])[1])
        fit, found[row] = _search(x / scale, low / scale, high / scale, price)
        if found[row]:
            slopes[row, 0] = fit.theta[0] / scale
            for i in range(len(fit.t)):
                knots[row, i] = fit.t[i] * scale
                bends[row, i] = fit.theta[i] / scale / scale if 0 < i < len(fit.theta) else 0.0
    return knots, bends, slopes, found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _search(x: Array, low: float, high: float, price: float) -> tuple[_Fit, bool]:
    """Add knots and delete them, and return the fit on those of least criterion."""
    n = len(x)
    distance = int(2.5 * float(n) ** 0.2 + 0.5)
    if n // distance < 10:
        distance = n // 10
    distance = max(distance, 3)
    most = int(4.0 * float(n) ** 0.2 + 1.0)
    t = _first_knots(x, low, high)
    fit = _prepare(x, t, low, high, _start(x, t))
    if not _maximize(x, fit, _CLOSE):
        return fit, False
    best, least = fit, np.inf
    gains = np.full(most + 1, -np.inf)
    while True:  # adding
        d = len(fit.theta)
        gains[d] = n * fit.gain[0]
        criterion = d * price - 2 * gains[d]
        if criterion < least:
            best, least = fit, criterion
        if d >= most or _enough(gains, d):
            break
        knot = _knot_to_add(x, fit, distance)
        if np.isnan(knot):
            break
        larger = _with_knot(x, fit, knot)
        if not _maximize(x, larger, _CLOSE):
            break
        fit = larger
    while len(fit.t) > 3:  # deleting
        fit = _without_weakest(x, fit)
        if not _maximize(x, fit, _CLOSE):
            break
        d = len(fit.theta)
        criterion = d * price - 2 * n * fit.gain[0]
        if criterion < least:
            best, least = fit, criterion
        if criterion - least >= price * (d - 2):
            break
    return best, _maximize(x, best, _CLOSEST)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _enough(gains: Array, d: int) -> bool:
    """Tell whether the last knots gained less than chance, 1/2 for each, would let expect."""
    enough = False
    for i in range(2, d - 2):
        enough |= gains[d] - gains[i] < (d - i) / 2 - 0.5
    return enough


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _first_knots(x: Array, low: float, high: float) -> Array:
    """Place the first knots at quantiles of the sample.

    Their shares are even if both ends are given, and else closer together towards both
    ends, or towards the one that is given, as the package has it for `low`.
    """
    n = len(x)
    k = max(3, int(2.5 * float(n) ** 0.2 + 1.0))
    shares, bounds = np.empty(k), (low > -np.inf) + (high < np.inf)
    grown = _shares(k, n) if bounds == 0 else _shares(2 * k - 1, 2 * n)
    for i in range(k):
        if bounds == 0:
            shares[i] = grown[i]
        elif bounds == 2:
            shares[i] = i / (k - 1)
        elif low > -np.inf:
            shares[i] = 2 * grown[i]
        else:
            shares[i] = 1 - 2 * grown[k - 1 - i]
    values, middles = np.empty(n), np.empty(n)
    m, before = 0, 0
    for i in range(1, n + 1):
        if i == n or x[i] != x[i - 1]:
            values[m], middles[m] = x[i - 1], (before + i) / 2
            before, m = i, m + 1
    t = np.empty(k)
    t[0], t[k - 1] = x[0], x[n - 1]
    span = middles[m - 2] - middles[0]
    for i in range(1, k - 1):
        j = 0
        while j < m - 3 and (middles[j + 1] - middles[0]) / span <= shares[i]:
            j += 1
        left, right = (middles[j] - middles[0]) / span, (middles[j + 1] - middles[0]) / span
        part = (shares[i] - left) / (right - left)
        t[i] = part * values[j + 1] + (1 - part) * values[j]
    return t


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _shares(k: int, n: int) -> Array:
    """Return k ranks as shares of n, whose distances grow by ratios from both ends."""
    ranks = np.zeros(k)
    ranks[0], ranks[k - 1] = 1.0, float(n)
    half, middle = (k - 1) // 2, int((k - 1) / 2 + 0.99)
    below = min(0.0, 4.0 - ((n - 1) / 4.0) ** (1.0 / (middle - 1.0)))
    above = 3.0
    turn = 0
    while turn < 100 and (turn == 0 or above - below > 0.0001):
        epsilon = (below + above) / 2
        rank, gap = 1.0, 4.0
        for i in range(1, half + 1):
            rank += gap
            ranks[i], ranks[k - i - 1] = rank, n + 1.0 - rank
            gap *= max(1.0, 4.0 - i * epsilon)
        if 2 * middle == k:
            rank += gap / 2
        else:
            ranks[middle] = (n + 1) / 2
        if 2 * rank >= n + 1:
            below = epsilon
        else:
            above = epsilon
        turn += 1
    for i in range(k):
        ranks[i] = (ranks[i] - 1) / (n - 1.0)
    return ranks


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _start(x: Array, t: Array) -> Array:
    """Start from a parabola, as of a normal density, with linear tails that fall."""
    n, k, mean, variance = len(x), len(t), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        variance += (value - mean) ** 2 / n
    theta = np.full(k - 1, -1 / variance)
    fall = (t[k - 1] + t[k - 2] - t[1] - t[0]) / 2 / variance
    theta[0] = min(max((mean - t[0]) / variance, 0.1 * fall), 0.9 * fall)
    return theta


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _prepare(x: Array, t: Array, low: float, high: float, theta: Array) -> _Fit:
    """Return the fit that has these knots and coefficients, the density not yet integrated."""
    d = len(theta)
    pieces, ends, sample = _basis(x, t)
    return _Fit(
        t,
        t[0] - low,
        high - t[-1],
        pieces,
        ends,
        sample,
        theta,
        np.empty(1),
        np.empty(1),
        np.empty((d + 2, 7)),
        np.empty(d),
        np.empty((d, d)),
    )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _basis(x: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return the pieces, the ends and the means over the sample for these knots."""
    n, k = len(x), len(t)
    pieces, ends = np.zeros((k - 1, k - 1, 4)), np.zeros((k - 1, 2))
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        pieces[i, 0, 0], pieces[i, 0, 1] = t[i] - t[0], h
        for j in range(1, k - 1):
            if i == j - 1:
                pieces[i, j, 3] = h * h / 6
                ends[j, 0], ends[j, 1] = h * h / 6, h / 2
            elif i >= j:
                pieces[i, j, 0], pieces[i, j, 1] = ends[j, 0], ends[j, 1] * h
                ends[j, 0] += ends[j, 1] * h
                if i == j:
                    pieces[i, j, 2], pieces[i, j, 3] = h * h / 2, -h * h / 6
                    ends[j, 0] += h * h / 3
                    ends[j, 1] += h / 2
    ends[0, 0], ends[0, 1] = t[k - 1] - t[0], 1.0
    means, powers = np.zeros(k - 1), np.zeros(4)
    at = 0
    while at < n and x[at] < t[0]:
        means[0] += x[at] - t[0]
        at += 1
    for i in range(k - 1):
        for power in range(4):
            powers[power] = 0.0
        h = t[i + 1] - t[i]
        while at < n and x[at] < t[i + 1]:
            u = (x[at] - t[i]) / h
            powers[0] += 1.0
            powers[1] += u
            powers[2] += u * u
            powers[3] += u * u * u
            at += 1
        for j in range(min(k - 1, i + 2)):
            for power in range(4):
                means[j] += pieces[i, j, power] * powers[power]
    while at < n:
        for j in range(k - 1):
            means[j] += ends[j, 0] + ends[j, 1] * (x[at] - t[k - 1])
        at += 1
    for j in range(k - 1):
        means[j] /= n
    return pieces, ends, means


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _maximize(x: Array, fit: _Fit, last: float) -> bool:
    """Maximize the likelihood, in place, by Newton's method; tell whether there is a maximum.

    A step that promises no more than `last` is the last.
    """
    theta = fit.theta
    n, d = len(x), len(theta)
    _integrate(fit)
    if fit.log_c[0] == np.inf:
        start = _start(x, fit.t)
        for j in range(d):
            theta[j] = start[j]
        _integrate(fit)
    root, step, origin = np.empty((d, d)), np.empty(d), np.empty(d)
    for _ in range(_STEPS):
        if fit.log_c[0] == np.inf or not _factorize(fit.covariance, root):
            return False
        for j in range(d):
            step[j] = fit.sample[j] - fit.mean[j]
        _solve_lower(root, step)
        _solve_upper(root, step)
        promised = 0.0
        for j in range(d):
            promised += n * (fit.sample[j] - fit.mean[j]) * step[j]
            origin[j] = theta[j]
        previous, share = fit.gain[0], _share_within(fit, step)
        for _ in range(_HALVINGS):
            for j in range(d):
                theta[j] = origin[j] + share * step[j]
            _integrate(fit)
            gain = n * (fit.gain[0] - previous)
            if gain >= _LEAST_GAIN * share * promised or promised < _TINY:
                break
            share /= 2
        else:
            return False
        if promised <= last:
            return True
    return False


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _share_within(fit: _Fit, step: Array) -> float:
    """Return the share of a step, at most 1, that leaves both tails a tenth of their slopes."""
    share = 1.0
    if fit.below == np.inf and step[0] < 0:
        share = min(share, 0.9 * fit.theta[0] / -step[0])
    if fit.above == np.inf:
        slope, move = 0.0, 0.0
        for j in range(len(step)):
            slope += fit.theta[j] * fit.ends[j, 1]
            move += step[j] * fit.ends[j, 1]
        if move > 0:
            share = min(share, 0.9 * -slope / move)
    return share


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _integrate(fit: _Fit) -> None:
    """Fill in what depends on the coefficients; log C is infinite where there is no density.

    Rows 1, 2, ... of `moments` are of the pieces, row 0 of the lower tail, in x - t_0, and
    the last of the upper, in x - t_k-1; all are divided by C.
    """
    t, pieces, ends, theta, moments = fit.t, fit.pieces, fit.ends, fit.theta, fit.moments
    d, k = len(theta), len(t)
    q = np.zeros((k, 4))  # log densities; row k - 1 is right of the last knot
    level, least = 0.0, 0.0
    for i in range(k - 1):
        for j in range(min(d, i + 2)):
            for power in range(4):
                q[i, power] += theta[j] * pieces[i, j, power]
    for j in range(d):
        q[d, 0] += theta[j] * ends[j, 0]
        q[d, 1] += theta[j] * ends[j, 1]
    for i in range(1, k):
        level, least = max(level, q[i, 0]), min(least, q[i, 0])
    rise = q[d, 1]
    if not (
        level - least < _STEEPEST
        and (theta[0] > 0 if fit.below == np.inf else -theta[0] * fit.below < _STEEPEST)
        and (rise < 0 if fit.above == np.inf else rise * fit.above < _STEEPEST)
    ):
        fit.log_c[0] = np.inf
        fit.gain[0] = -np.inf
        return
    _tail_moments(theta[0], fit.below, math.exp(-level), moments[0])
    _tail_moments(-rise, fit.above, math.exp(q[d, 0] - level), moments[k])
    moments[k, 1] = -moments[k, 1]
    c = moments[0, 0] + moments[k, 0]
    for i in range(k - 1):
        q[i, 0] -= level
        _piece_moments(q[i], t[i + 1] - t[i], moments[i + 1])
        c += moments[i + 1, 0]
    for i in range(k + 1):
        for power in range(7):
            moments[i, power] /= c
    fit.log_c[0] = math.log(c) + level
    fit.gain[0] = -fit.log_c[0]
    for j in range(d):
        fit.gain[0] += theta[j] * fit.sample[j]
    _fill_covariance(fit)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _fill_covariance(fit: _Fit) -> None:
    """Fill in the means and covariances of the functions from the moments of the density."""
    pieces, ends, moments = fit.pieces, fit.ends, fit.moments
    mean, covariance = fit.mean, fit.covariance
    d = len(mean)
    upper = moments[d + 1]
    v = np.empty(4)
    for j in range(d):
        # All functions but the first are 0 in the lower tail, and all are linear in the upper.
        v[0] = ends[j, 0] * upper[0] + ends[j, 1] * upper[1]
        v[1] = ends[j, 0] * upper[1] + ends[j, 1] * upper[2]
        mean[j] = v[0]
        for m in range(j + 1):
            covariance[j, m] = ends[m, 0] * v[0] + ends[m, 1] * v[1]
        for i in range(max(0, j - 1), d):
            _applied(moments[i + 1], pieces[i, j], v)
            mean[j] += v[0]
            for m in range(j + 1):
                p = pieces[i, m]
                covariance[j, m] += p[0] * v[0] + p[1] * v[1] + p[2] * v[2] + p[3] * v[3]
    mean[0] += moments[0, 1]
    covariance[0, 0] += moments[0, 2]
    for j in range(d):
        for m in range(j + 1):
            covariance[j, m] -= mean[j] * mean[m]
            covariance[m, j] = covariance[j, m]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _applied(moments: Array, p: Array, v: Array) -> None:
    """Fill v with the integrals of p(u), u p(u), u^2 p(u), u^3 p(u) against the density."""
    for power in range(4):
        v[power] = (
            p[0] * moments[power]
            + p[1] * moments[power + 1]
            + p[2] * moments[power + 2]
            + p[3] * moments[power + 3]
        )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _piece_moments(q: Array, h: float, moments: Array) -> None:
    """Integrate exp(q(u)) u^power h over 0 <= u <= 1, for the powers 0 to 6."""
    for power in range(7):
        moments[power] = 0.0
    steps = _parts(q)
    for part in range(steps):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / steps
            mass = _WEIGHTS[node] * math.exp(q[0] + u * (q[1] + u * (q[2] + u * q[3])))
            for power in range(7):
                moments[power] += mass
                mass *= u
    for power in range(7):
        moments[power] *= h / steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _parts(q: Array) -> int:
    """Return into how many parts a piece is cut, for the nodes to integrate exp(q) exactly."""
    first, second, third = q[1] + q[2] + 0.75 * q[3], q[2] + 1.5 * q[3], q[3]
    return 1 + int((abs(first) / 2 + abs(second) / 4 + abs(third) / 8) / _VARIATION)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _tail_moments(slope: float, length: float, height: float, moments: Array) -> None:
    """Integrate height exp(slope w) w^power over -length <= w <= 0, for the powers 0, 1, 2."""
    for power in range(7):
        moments[power] = 0.0
    if length == np.inf:
        moments[0] = height / slope
        moments[1] = -moments[0] / slope
        moments[2] = -2 * moments[1] / slope
    elif abs(slope * length) < 2 * _VARIATION:
        for node in range(len(_NODES)):
            w = -length * _NODES[node]
            mass = height * length * _WEIGHTS[node] * math.exp(slope * w)
            moments[0] += mass
            moments[1] += mass * w
            moments[2] += mass * w * w
    else:
        far = height * math.exp(-slope * length)
        moments[0] = (height - far) / slope
        moments[1] = (length * far - moments[0]) / slope
        moments[2] = -(length * length * far + 2 * moments[1]) / slope


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _factorize(a: Array, root: Array) -> bool:
    """Fill `root` with the Cholesky factor of a; return False if a is not positive definite."""
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j]
            for m in range(j):
                rest -= root[i, m] * root[j, m]
            if i > j:
                root[i, j] = rest / root[j, j]
            elif rest > 0 and rest < np.inf:
                root[i, i] = math.sqrt(rest)
            else:
                return False
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _solve_upper(root: Array, b: Array) -> None:
    """Solve root' z = b in place."""
    for i in range(len(b) - 1, -1, -1):
        for m in range(i + 1, len(b)):
            b[i] -= root[m, i] * b[m]
        b[i] /= root[i, i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _solve_lower(root: Array, b: Array) -> None:
    """Solve root z = b in place."""
    for i in range(len(b)):
        for m in range(i):
            b[i] -= root[i, m] * b[m]
        b[i] /= root[i, i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _with_knot(x: Array, fit: _Fit, knot: float) -> _Fit:
    """Return the same spline with another knot."""
    t, theta, k = fit.t, fit.theta, len(fit.t)
    i = _below(t, knot)
    left = theta[i - 1] if i > 1 else 0.0
    right = theta[i] if i < k - 1 else 0.0
    part = (knot - t[i - 1]) / (t[i] - t[i - 1])
    more, coefficients = np.empty(k + 1), np.empty(k)
    for j in range(k + 1):
        more[j] = t[j] if j < i else t[j - 1]
    for j in range(k):
        coefficients[j] = theta[j] if j < i else theta[j - 1]
    more[i], coefficients[i] = knot, (1 - part) * left + part * right
    return _prepare(x, more, t[0] - fit.below, t[k - 1] + fit.above, coefficients)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _knot_to_add(x: Array, fit: _Fit, distance: int) -> float:
    """Return the score whose knot has a large Rao statistic, or NaN where none has room.

    The middle score of each piece is tried, and from the best one its neighbours, halfway
    to the ends, as long as one is better. A knot has at least `distance` scores between
    it and the next.
    """
    t, k, d = fit.t, len(fit.t), len(fit.theta)
    root = np.empty((d, d))
    _factorize(fit.covariance, root)
    beyond = _beyond(fit)
    largest, best, least, most, piece = -1.0, -1, 0, 0, 0
    for i in range(k - 1):
        first, last = _at_most(x, t[i]) - 1, _below(x, t[i + 1])
        if last - first < 2 * distance + 1:
            continue
        first, last = first + distance + 1, last - distance - 1
        middle = (first + last) // 2
        rao = _rao(x, fit, root, beyond, i, x[middle])
        if rao > largest:
            largest, best, least, most, piece = rao, middle, first, last, i
    if best < 0:
        return np.nan
    while x[most] > x[least]:
        up, down = _upwards(x, best, most), _downwards(x, best, least)
        above = below = largest
        if up >= 0:
            above = _rao(x, fit, root, beyond, piece, x[up])
        if down >= 0:
            below = _rao(x, fit, root, beyond, piece, x[down])
        if below > largest:
            most, best, largest = best, down, below
        elif above > largest:
            least, best, largest = best, up, above
        else:
            break
    return float(x[best])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _below(x: Array, value: float) -> int:
    """Count the numbers, sorted, that are less."""
    n = 0
    while n < len(x) and x[n] < value:
        n += 1
    return n


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _at_most(x: Array, value: float) -> int:
    """Count the numbers, sorted, that are not more."""
    n = 0
    while n < len(x) and x[n] <= value:
        n += 1
    return n


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _upwards(x: Array, best: int, most: int) -> int:
    """Return the place halfway up of a larger score, or -1 if there is none."""
    if x[best] == x[most]:
        return -1
    half = (best + most + 1) // 2
    if x[half] != x[best]:
        return half
    half = (half + most) // 2
    return half if x[half] != x[best] else most


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _downwards(x: Array, best: int, least: int) -> int:
    """Return the place halfway down of a smaller score, or -1 if there is none."""
    if x[best] == x[least]:
        return -1
    half = (best + least - 1) // 2
    if x[half] != x[best]:
        return half
    half = (half + least) // 2
    return half if x[half] != x[best] else least


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _beyond(fit: _Fit) -> Array:
    """Integrate right of each piece 1, X, X^2, B_j and X B_j; X = x - t_0.

    Shape (k - 1, 3 + 2 functions).
    """
    t, pieces, ends, moments = fit.t, fit.pieces, fit.ends, fit.moments
    k, d = len(t), len(fit.theta)
    sums = np.zeros((d, 3 + 2 * d))
    far, m, v = t[k - 1] - t[0], moments[k], np.empty(4)
    sums[d - 1, 0], sums[d - 1, 1] = m[0], far * m[0] + m[1]
    sums[d - 1, 2] = far * far * m[0] + 2 * far * m[1] + m[2]
    for j in range(d):
        v[0] = ends[j, 0] * m[0] + ends[j, 1] * m[1]
        v[1] = ends[j, 0] * m[1] + ends[j, 1] * m[2]
        sums[d - 1, 3 + j], sums[d - 1, 3 + d + j] = v[0], far * v[0] + v[1]
    for i in range(d - 1, 0, -1):
        near, h, m = t[i] - t[0], t[i + 1] - t[i], moments[i + 1]
        for j in range(3 + 2 * d):
            sums[i - 1, j] = sums[i, j]
        sums[i - 1, 0] += m[0]
        sums[i - 1, 1] += near * m[0] + h * m[1]
        sums[i - 1, 2] += near * near * m[0] + 2 * near * h * m[1] + h * h * m[2]
        for j in range(min(d, i + 2)):
            _applied(m, pieces[i, j], v)
            sums[i - 1, 3 + j] += v[0]
            sums[i - 1, 3 + d + j] += near * v[0] + h * v[1]
    return sums


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _rao(x: Array, fit: _Fit, root: Array, beyond: Array, i: int, knot: float) -> float:
    """Return Rao's score statistic for another knot, in piece i.

    The new function G has G'' = 1 at the knot, 0 at t_i and t_i+1 and linear between.
    """
    t, pieces = fit.t, fit.pieces
    n, d = len(x), len(fit.theta)
    h, left, right = t[i + 1] - t[i], knot - t[i], t[i + 1] - knot
    share = left / h
    first, second = np.zeros(4), np.zeros(4)
    first[3] = left * left / 6
    second[0], second[1] = left * left / 6, left * right / 2
    second[2], second[3] = right * right / 2, -right * right / 6
    rise = (left + right) / 2
    end = left * left / 6 + left * right / 2 + right * right / 3
    total = 0.0
    for at in range(_at_most(x, t[i]), n):
        if x[at] < knot:
            w = (x[at] - t[i]) / left
            total += first[3] * w * w * w
        elif x[at] < t[i + 1]:
            w = (x[at] - knot) / right
            total += second[0] + w * (second[1] + w * (second[2] + w * second[3]))
        else:
            total += end + rise * (x[at] - t[i + 1])
    # Beyond the piece, G = base + rise X.
    base = end - rise * (t[i + 1] - t[0])
    mean = base * beyond[i, 0] + rise * beyond[i, 1]
    square = (
        base * base * beyond[i, 0] + 2 * base * rise * beyond[i, 1] + rise * rise * beyond[i, 2]
    )
    product = np.empty(d)
    for j in range(d):
        product[j] = base * beyond[i, 3 + j] + rise * beyond[i, 3 + d + j]
    q, cut, m, v = np.zeros(4), np.empty(4), np.empty(7), np.empty(4)
    near = min(d, i + 2)  # the other functions are 0 up to the end of the piece
    for j in range(near):
        for power in range(4):
            q[power] += fit.theta[j] * pieces[i, j, power]
    q[0] -= fit.log_c[0]
    for half in range(2):
        start, length = (0.0, share) if half == 0 else (share, 1 - share)
        g = first if half == 0 else second
        _cut(q, start, length, cut)
        _piece_moments(cut, length * h, m)
        _applied(m, g, v)
        mean += v[0]
        square += g[0] * v[0] + g[1] * v[1] + g[2] * v[2] + g[3] * v[3]
        for j in range(near):
            _cut(pieces[i, j], start, length, cut)
            product[j] += cut[0] * v[0] + cut[1] * v[1] + cut[2] * v[2] + cut[3] * v[3]
    for j in range(d):
        product[j] -= mean * fit.mean[j]
    _solve_lower(root, product)
    variance = square - mean * mean
    for j in range(d):
        variance -= product[j] * product[j]
    return float((total - n * mean) ** 2 / (n * variance))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _cut(p: Array, start: float, length: float, cut: Array) -> None:
    """Fill `cut` with the coefficients of p(start + length w) in w."""
    cut[0] = p[0] + start * (p[1] + start * (p[2] + start * p[3]))
    cut[1] = length * (p[1] + start * (2 * p[2] + 3 * start * p[3]))
    cut[2] = length * length * (p[2] + 3 * start * p[3])
    cut[3] = length * length * length * p[3]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _without_weakest(x: Array, fit: _Fit) -> _Fit:
    """Take out the knot of the least Wald statistic.

    The coefficients are the best by the quadratic model that have no jump in s''' there.
    """
    t, theta = fit.t, fit.theta
    k, d = len(t), len(theta)
    root = np.empty((d, d))
    _factorize(fit.covariance, root)
    jump, removed, least, weakest = np.empty(d), np.zeros(d), np.inf, 0
    for i in range(k):
        for j in range(d):
            jump[j] = 0.0
        for side in (-1, 0):
            if 0 <= i + side < k - 1:
                weight = (1.0 if side == 0 else -1.0) / (t[i + side + 1] - t[i + side])
                if 0 < i + side + 1 < k - 1:
                    jump[i + side + 1] += weight
                if 0 < i + side < k - 1:
                    jump[i + side] -= weight
        size = 0.0
        for j in range(d):
            size += jump[j] * theta[j]
        _solve_lower(root, jump)
        variance = 0.0
        for j in range(d):
            variance += jump[j] * jump[j]
        if size * size / variance < least:
            least, weakest = size * size / variance, i
            for j in range(d):
                removed[j] = jump[j] * size / variance
    _solve_upper(root, removed)
    fewer, coefficients = np.empty(k - 1), np.empty(d - 1)
    # An end takes with it the bend of its neighbour, which is 0 by now.
    gone = min(max(weakest, 1), k - 2)
    for i in range(k - 1):
        fewer[i] = t[i] if i < weakest else t[i + 1]
    for j in range(d - 1):
        kept = j if j < gone else j + 1
        coefficients[j] = theta[kept] - removed[kept]
    return _prepare(x, fewer, t[0] - fit.below, t[k - 1] + fit.above, coefficients)
