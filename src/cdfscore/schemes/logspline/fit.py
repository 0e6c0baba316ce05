"""Maximum likelihood fits of logsplines: the search for their knots."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.logspline.basis import (
    Fit,
    add_spline,
    dot,
    integrate_cubic,
    integrate_linear,
    prepare,
)
from cdfscore.schemes.logspline.likelihood import (
    factorize,
    maximize,
    solve_lower,
    solve_upper,
    start,
)
from cdfscore.schemes.logspline.places import (
    COEFFICIENTS,
    FIRST,
    MASS,
    POWERS,
    SECOND,
    VALUE,
)
from cdfscore.schemes.logspline.quadrature import piece_moments

# A step with an expected gain below this is the last, since the next would gain about the square
# of it: during the selection of knots, and for the final fit.
_CLOSE, _CLOSEST = 1e-8, 1e-16


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
