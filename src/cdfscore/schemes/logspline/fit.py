"""Maximum likelihood fits of logsplines: the search for their knots.

The log-likelihood is n (mean of s over the sample - log C), C the integral of exp(s). Its
gradient is n times the means of the functions over the sample minus those under the density,
its Hessian -n times their covariance under the density.

Own loops, and not `np.linalg.cholesky` and `scipy.linalg.solve_triangular`: a matrix that is
not positive definite is an answer here and an exception there, the second is no function of
numba's, and both would add in the order of the LAPACK that is installed, so that a fit would
not have the same bits everywhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.logspline.basis import (
    COEFFICIENTS,
    FIRST,
    MASS,
    MOMENTS,
    POWERS,
    SECOND,
    SLOPE,
    VALUE,
    Fit,
    add_spline,
    dot,
    integrate_cubic,
    integrate_linear,
    last_slope,
    prepare,
)
from cdfscore.schemes.logspline.quadrature import piece_moments, tail_moments

# A step with an expected gain below this is the last, since the next would gain about the square
# of it: during the selection of knots, and for the final fit.
_CLOSE, _CLOSEST = 1e-8, 1e-16
# Steps are halved until they gain this proportion of what Newton's method promises, which is twice
# the gain to come; where that is tiny, rounding would decide.
_LEAST_GAIN, _TINY = 1e-4, 1e-7
_STEPS, _HALVINGS = 100, 40
# The most that the log density may differ between knots, or rise along a tail.
_STEEPEST = 600.0


def fit_logsplines(
    samples: Array, counts: IntArray, low: float, high: float, penalty: float | None
) -> tuple[Array, Array, Array, BoolArray]:
    """Fit each row of `samples`, sorted, whose first `counts` values are scores.

    `penalty` None stands for log n. Returns knots (rows, most_knots(n)) and bends of the same
    shape, filled with NaN, slopes (rows, 1), and whether a maximum was found (rows,).
    """
    rows, width = len(samples), most_knots(samples.shape[1])
    knots, bends = np.full((2, rows, width), np.nan)
    slopes = np.zeros((rows, 1))
    found = np.ones(rows, dtype=np.bool_)
    # The loop is not compiled, which would take seconds and gain nothing.
    for row in range(rows):
        x = samples[row, : counts[row]]
        if x[0] == x[-1]:
            knots[row, 0], bends[row, 0] = x[0], 0.0
            continue
        price = math.log(len(x)) if penalty is None else penalty
        # A power of 2 near the range: no digit changes, and no power of it leaves the doubles.
        scale = math.ldexp(1.0, math.frexp(x[-1] - x[0])[1])
        t, theta, found[row] = _search(x / scale, low / scale, high / scale, price)
        if found[row]:
            k = len(t)
            slopes[row, 0] = theta[0] / scale
            knots[row, :k] = t * scale
            bends[row, :k] = 0.0
            bends[row, 1 : k - 1] = theta[1:] / scale / scale
    return knots, bends, slopes, found


@compiled
def most_knots(n: int) -> int:
    """Return the largest number of knots that the search comes to with n scores."""
    return int(4.0 * float(n) ** 0.2 + 1.0) + 1


@compiled
def _search(x: Array, low: float, high: float, price: float) -> tuple[Array, Array, bool]:
    """Add and delete knots; return those with the least criterion, and their coefficients.

    The last is False if no maximum was found.
    """
    n = len(x)
    distance = int(2.5 * float(n) ** 0.2 + 0.5)
    if n // distance < 10:
        distance = n // 10
    distance = max(distance, 3)
    most = most_knots(n) - 1  # coefficients
    t = first_knots(x, low, high)
    fit = prepare(x, t, low, high, start(x, t))
    if not maximize(x, fit, _CLOSE):
        return fit.t, fit.theta, False
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
        knot = knot_to_add(x, fit, distance)
        if np.isnan(knot):
            break
        larger = with_knot(x, fit, knot)
        if not maximize(x, larger, _CLOSE):
            break
        fit = larger
    while len(fit.t) > 3:  # deleting
        fit, deleted = without_weakest(x, fit)
        if not deleted or not maximize(x, fit, _CLOSE):
            break
        d = len(fit.theta)
        criterion = d * price - 2 * n * fit.gain[0]
        if criterion < least:
            best, least = fit, criterion
        if criterion - least >= price * (d - 2):
            break
    found = maximize(x, best, _CLOSEST)
    return best.t, best.theta, found


@compiled
def _enough(gains: Array, d: int) -> bool:
    """Tell whether the last knots gained less than expected by chance, 1/2 for each."""
    enough = False
    for i in range(2, d - 2):
        enough |= gains[d] - gains[i] < (d - i) / 2 - 0.5
    return enough


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


class Beyond(NamedTuple):
    """Integrals right of each piece against the density, X being x - t_0.

    Attributes
    ----------
    mass, first, second
        Of 1, X and X^2, (pieces,).
    functions, products
        Of each function, and of X times it, (pieces, functions).
    """

    mass: Array
    first: Array
    second: Array
    functions: Array
    products: Array


@compiled
def integrated_beyond(fit: Fit) -> Beyond:
    """Integrate right of each piece: add from the upper tail, piece by piece, to the left."""
    t, d = fit.t, len(fit.theta)
    mass, first, second = np.zeros(d), np.zeros(d), np.zeros(d)
    functions, products = np.zeros((d, d)), np.zeros((d, d))
    far, m, v = t[d] - t[0], fit.upper, np.empty(COEFFICIENTS)
    mass[d - 1], first[d - 1] = m[MASS], far * m[MASS] + m[FIRST]
    second[d - 1] = far * far * m[MASS] + 2 * far * m[FIRST] + m[SECOND]
    for j in range(d):
        integrate_linear(fit.ends[j], m, v)
        functions[d - 1, j], products[d - 1, j] = v[MASS], far * v[MASS] + v[FIRST]
    for i in range(d - 1, 0, -1):
        near, h, m = t[i] - t[0], t[i + 1] - t[i], fit.inner[i]
        mass[i - 1] = mass[i] + m[MASS]
        first[i - 1] = first[i] + (near * m[MASS] + h * m[FIRST])
        second[i - 1] = second[i] + (
            near * near * m[MASS] + 2 * near * h * m[FIRST] + h * h * m[SECOND]
        )
        for j in range(d):
            functions[i - 1, j], products[i - 1, j] = functions[i, j], products[i, j]
        for j in range(min(d, i + 2)):
            integrate_cubic(fit.pieces[i, j], m, v)
            functions[i - 1, j] += v[MASS]
            products[i - 1, j] += near * v[MASS] + h * v[FIRST]
    return Beyond(mass, first, second, functions, products)


@compiled
def rao(x: Array, fit: Fit, root: Array, beyond: Beyond, i: int, knot: float) -> float:
    """Return the statistic for another knot, in piece i.

    `root` is the Cholesky factor of the covariance of the functions. The new
    function G has G'' = 1 at the knot, 0 at t_i and t_i+1 and linear between.
    """
    t = fit.t
    n, d = len(x), len(fit.theta)
    h, left, right = t[i + 1] - t[i], knot - t[i], t[i + 1] - knot
    part = left / h
    first, second = np.zeros(COEFFICIENTS), np.zeros(COEFFICIENTS)
    first[3] = left * left / 6
    second[0], second[1] = left * left / 6, left * right / 2
    second[2], second[3] = right * right / 2, -right * right / 6
    rise = (left + right) / 2
    end = left * left / 6 + left * right / 2 + right * right / 3
    total = 0.0
    at_knot, at_end = np.searchsorted(x, knot), np.searchsorted(x, t[i + 1])
    for at in range(np.searchsorted(x, t[i], side="right"), at_knot):
        w = (x[at] - t[i]) / left
        total += first[3] * w * w * w
    for at in range(at_knot, at_end):
        w = (x[at] - knot) / right
        total += second[0] + w * (second[1] + w * (second[2] + w * second[3]))
    for at in range(at_end, n):
        total += end + rise * (x[at] - t[i + 1])
    # Beyond the piece, G = base + rise X.
    base = end - rise * (t[i + 1] - t[0])
    mean = base * beyond.mass[i] + rise * beyond.first[i]
    square = (
        base * base * beyond.mass[i]
        + 2 * base * rise * beyond.first[i]
        + rise * rise * beyond.second[i]
    )
    product = np.empty(d)
    for j in range(d):
        product[j] = base * beyond.functions[i, j] + rise * beyond.products[i, j]
    q, cut, m, v = (
        np.zeros(COEFFICIENTS),
        np.empty(COEFFICIENTS),
        np.empty(POWERS),
        np.empty(COEFFICIENTS),
    )
    near = min(d, i + 2)  # the other functions are 0 up to the end of the piece
    add_spline(fit, i, q)
    q[VALUE] -= fit.log_c[0]
    for half in range(2):
        begin, length = (0.0, part) if half == 0 else (part, 1 - part)
        g = first if half == 0 else second
        _cut(q, begin, length, cut)
        piece_moments(cut, length * h, m)
        integrate_cubic(g, m, v)
        mean += v[MASS]
        square += dot(g, v)
        for j in range(near):
            _cut(fit.pieces[i, j], begin, length, cut)
            product[j] += dot(cut, v)
    for j in range(d):
        product[j] -= mean * fit.mean[j]
    solve_lower(root, product)
    variance = square - mean * mean
    for j in range(d):
        variance -= product[j] * product[j]
    return float((total - n * mean) ** 2 / (n * variance))


@compiled
def _cut(p: Array, begin: float, length: float, cut: Array) -> None:
    """Fill `cut` with the coefficients of p(begin + length w) in w."""
    cut[0] = p[0] + begin * (p[1] + begin * (p[2] + begin * p[3]))
    cut[1] = length * (p[1] + begin * (2 * p[2] + 3 * begin * p[3]))
    cut[2] = length * length * (p[2] + 3 * begin * p[3])
    cut[3] = length * length * length * p[3]


@compiled
def first_knots(x: Array, low: float, high: float) -> Array:
    """Place the first knots at quantiles of the sample, which is sorted.

    Their proportions are even if both ends are given, and else closer together towards both
    ends, or towards the one that is given, as the package has it for `low`.
    """
    n = len(x)
    k = max(3, int(2.5 * float(n) ** 0.2 + 1.0))
    proportions = _proportions(k, n, low > -np.inf, high < np.inf)
    values, middles = np.empty(n), np.empty(n)
    m, before = 0, 0
    for i in range(1, n + 1):
        if i == n or x[i] != x[i - 1]:
            values[m], middles[m] = x[i - 1], (before + i) / 2
            before, m = i, m + 1
    t = np.empty(k)
    t[0], t[k - 1] = x[0], x[n - 1]
    places = (middles[:m] - middles[0]) / (middles[m - 2] - middles[0])
    for i in range(1, k - 1):
        j = np.searchsorted(places[1 : m - 2], proportions[i], side="right")
        part = (proportions[i] - places[j]) / (places[j + 1] - places[j])
        t[i] = part * values[j + 1] + (1 - part) * values[j]
    return t


@compiled
def _proportions(k: int, n: int, from_low: bool, to_high: bool) -> Array:
    """Return the proportions of the sample to the left of each of k knots."""
    proportions = np.empty(k)
    one_end = from_low != to_high
    grown = _grown(2 * k - 1, 2 * n) if one_end else _grown(k, n)
    for i in range(k):
        if from_low and to_high:
            proportions[i] = i / (k - 1)
        elif from_low:
            proportions[i] = 2 * grown[i]
        elif to_high:
            proportions[i] = 1 - 2 * grown[k - 1 - i]
        else:
            proportions[i] = grown[i]
    return proportions


@compiled
def _grown(k: int, n: int) -> Array:
    """Return k ranks as proportions of n, whose distances grow by ratios from both ends."""
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


@compiled
def start(x: Array, t: Array) -> Array:
    """Start from a parabola, as for a normal density, with linear tails that fall."""
    n, k, mean, variance = len(x), len(t), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        variance += (value - mean) ** 2 / n
    theta = np.full(k - 1, -1 / variance)
    fall = (t[k - 1] + t[k - 2] - t[1] - t[0]) / 2 / variance
    theta[0] = min(max((mean - t[0]) / variance, 0.1 * fall), 0.9 * fall)
    return theta


@compiled
def maximize(x: Array, fit: Fit, last: float) -> bool:
    """Maximize the likelihood, in place, by Newton's method; tell whether there is a maximum.

    A step that promises no more than `last` is the last.
    """
    theta = fit.theta
    n, d = len(x), len(theta)
    _integrate(fit)
    if fit.log_c[0] == np.inf:
        parabola = start(x, fit.t)
        for j in range(d):
            theta[j] = parabola[j]
        _integrate(fit)
    root, step, origin = np.empty((d, d)), np.empty(d), np.empty(d)
    for _ in range(_STEPS):
        if fit.log_c[0] == np.inf or not factorize(fit.covariance, root):
            return False
        for j in range(d):
            step[j] = fit.sample[j] - fit.mean[j]
        solve_lower(root, step)
        solve_upper(root, step)
        promised = 0.0
        for j in range(d):
            promised += n * (fit.sample[j] - fit.mean[j]) * step[j]
            origin[j] = theta[j]
        previous, proportion = fit.gain[0], _proportion_within(fit, step)
        for _ in range(_HALVINGS):
            for j in range(d):
                theta[j] = origin[j] + proportion * step[j]
            _integrate(fit)
            gain = n * (fit.gain[0] - previous)
            if gain >= _LEAST_GAIN * proportion * promised or promised < _TINY:
                break
            proportion /= 2
        else:
            return False
        if promised <= last:
            return True
    return False


@compiled
def _proportion_within(fit: Fit, step: Array) -> float:
    """Return the largest proportion of a step, up to 1, that leaves both tails falling."""
    proportion = 1.0
    if fit.below == np.inf and step[0] < 0:
        proportion = min(proportion, 0.9 * fit.theta[0] / -step[0])
    if fit.above == np.inf:
        move = last_slope(fit, step)
        if move > 0:
            proportion = min(proportion, 0.9 * -last_slope(fit, fit.theta) / move)
    return proportion


@compiled
def _integrate(fit: Fit) -> None:
    """Fill in the values that depend on the coefficients; log C is infinite without a density."""
    t, theta = fit.t, fit.theta
    lower, inner, upper = fit.lower, fit.inner, fit.upper
    d = len(theta)
    q, end, rise = _log_density(fit)
    level, least = 0.0, 0.0
    for i in range(1, d):
        level, least = max(level, q[i, VALUE]), min(least, q[i, VALUE])
    level, least = max(level, end), min(least, end)
    if not (
        level - least < _STEEPEST
        and (theta[0] > 0 if fit.below == np.inf else -theta[0] * fit.below < _STEEPEST)
        and (rise < 0 if fit.above == np.inf else rise * fit.above < _STEEPEST)
    ):
        fit.log_c[0] = np.inf
        fit.gain[0] = -np.inf
        return
    tail_moments(theta[0], fit.below, math.exp(-level), lower)
    tail_moments(-rise, fit.above, math.exp(end - level), upper)
    upper[FIRST] = -upper[FIRST]
    c = lower[MASS] + upper[MASS]
    for i in range(d):
        q[i, VALUE] -= level
        piece_moments(q[i], t[i + 1] - t[i], inner[i])
        c += inner[i, MASS]
    for power in range(MOMENTS):
        lower[power] /= c
        upper[power] /= c
    for i in range(d):
        for power in range(POWERS):
            inner[i, power] /= c
    fit.log_c[0] = math.log(c) + level
    fit.gain[0] = -fit.log_c[0]
    for j in range(d):
        fit.gain[0] += theta[j] * fit.sample[j]
    _fill_covariance(fit)


@compiled
def _log_density(fit: Fit) -> tuple[Array, float, float]:
    """Return s on each piece, by powers of u, and its value and slope at the last knot."""
    theta = fit.theta
    d = len(theta)
    q, end = np.zeros((d, COEFFICIENTS)), 0.0
    for i in range(d):
        add_spline(fit, i, q[i])
    for j in range(d):
        end += theta[j] * fit.ends[j, VALUE]
    return q, end, last_slope(fit, theta)


@compiled
def _fill_covariance(fit: Fit) -> None:
    """Fill in the means and covariances of the functions from the moments of the density."""
    pieces, ends, mean, covariance = fit.pieces, fit.ends, fit.mean, fit.covariance
    d = len(mean)
    v = np.empty(COEFFICIENTS)
    for j in range(d):
        # All functions but the first are 0 in the lower tail, and all are linear in the upper.
        integrate_linear(ends[j], fit.upper, v)
        mean[j] = v[MASS]
        for m in range(j + 1):
            covariance[j, m] = ends[m, VALUE] * v[MASS] + ends[m, SLOPE] * v[FIRST]
        for i in range(max(0, j - 1), d):
            integrate_cubic(pieces[i, j], fit.inner[i], v)
            mean[j] += v[MASS]
            for m in range(j + 1):
                covariance[j, m] += dot(pieces[i, m], v)
    mean[0] += fit.lower[FIRST]
    covariance[0, 0] += fit.lower[SECOND]
    for j in range(d):
        for m in range(j + 1):
            covariance[j, m] -= mean[j] * mean[m]
            covariance[m, j] = covariance[j, m]


@compiled
def factorize(a: Array, root: Array) -> bool:
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
