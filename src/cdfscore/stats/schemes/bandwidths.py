"""Rules for the bandwidth of a Gaussian kernel.

Examples
--------
>>> import numpy as np
>>> scores = np.array([[0.52, 0.12, 0.3, 0.74, 0.45, 0.31]])
>>> for rule in ("nrd0", "sj", "polansky_baker"):
...     print(rule, RULES[rule](scores, np.sort(scores)).round(4).item())
nrd0 0.0939
sj 0.1603
polansky_baker 0.2231
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from cdfscore.common.catalogue import Part, Parts
from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.moments import count, mean_and_sd
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.quantiles import quantile_of_sorted
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import refuse_rows

# --- Criteria of R's ``bw.ucv``, ``bw.bcv`` and ``bw.SJ``, compiled ---
#
# They are sums over all pairs of scores, whose distances R rounds to a grid of 1000 steps over 1.01
# times the range. Operations stand in R's order, and the searches of `optimize` and `uniroot` stop
# where R's do, up to 1e-2 from the exact answer.

STEPS = 1000  # R's nb
#: Squared distance, in bandwidths, from which pairs are omitted.
_FAR = 1000.0
ROOT_PI = math.sqrt(math.pi)  # as R computes it; its constant is an ulp above
_M_SQRT_PI = 1.772453850905516
_NORMAL = 0.398942280401432677939946  # 1 / sqrt(2 pi)
_EPSILON = 2.0**-52
_GOLDEN = (3.0 - math.sqrt(5.0)) * 0.5


@compiled
def pair_counts(ordered):
    """Return the distances of pairs on the grid, in ascending order, and their counts."""
    step = (ordered[-1] - ordered[0]) * 1.01 / STEPS
    places = np.empty(len(ordered), dtype=np.int64)
    held = np.zeros(len(ordered))
    last = -1
    for score in ordered:
        place = np.int64(score / step)
        if last < 0 or place != places[last]:
            last += 1
            places[last] = place
        held[last] += 1.0
    found = np.zeros(STEPS)
    for i in range(last + 1):
        found[0] += held[i] * (held[i] - 1.0) / 2
        for j in range(i):
            found[places[i] - places[j]] += held[i] * held[j]
    occupied = np.flatnonzero(found)  # adding 0 would change no sum
    return occupied * step, found[occupied]


# What is added over all pairs.
_UCV, _BCV, _PHI_4, _PHI_6 = 0, 1, 2, 3


@compiled
def _sum(kind, h, distances, counts):
    """Add the terms of all pairs, a function of delta, the squared distance in bandwidths."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        if kind == _UCV:
            term = math.exp(-delta / 4.0) - math.sqrt(8.0) * math.exp(-delta / 2.0)
        elif kind == _BCV:
            term = math.exp(-delta / 4.0) * (delta * delta - 12.0 * delta + 12.0)
        elif kind == _PHI_4:
            term = math.exp(-delta / 2.0) * (delta * delta - 6.0 * delta + 3.0)
        else:
            term = delta * delta * delta - 15.0 * delta * delta + 45.0 * delta - 15.0
            term = math.exp(-delta / 2.0) * term
        total += term * counts[i]
    return total


@compiled
def criterion(biased, h, n, distances, counts):
    """Return the estimated error at h: Scott (1992), Eq. 6.67 or, biased, 6.69 as R has it."""
    if biased:
        return (1.0 + _sum(_BCV, h, distances, counts) / (32.0 * n)) / (2.0 * n * h * _M_SQRT_PI)
    return (0.5 + _sum(_UCV, h, distances, counts) / n) / (n * h * _M_SQRT_PI)


@compiled
def phi4(h, n, distances, counts):
    """Estimate the integral of f'' squared by a kernel of width h."""
    total = 2.0 * _sum(_PHI_4, h, distances, counts) + n * 3.0
    return total / (float(n) * (n - 1) * math.pow(h, 5.0)) * _NORMAL


@compiled
def phi6(h, n, distances, counts):
    """Estimate minus the integral of f''' squared by a kernel of width h."""
    total = 2.0 * _sum(_PHI_6, h, distances, counts) - 15.0 * n
    return total / (float(n) * (n - 1) * math.pow(h, 7.0)) * _NORMAL


@compiled
def excess(h, scale, n, distances, counts):
    """Return the bandwidth from the pilot of h, minus h."""
    fourth = phi4(scale * math.pow(h, 5.0 / 7.0), n, distances, counts)
    return math.pow(1.0 / (2.0 * ROOT_PI * n) / fourth, 1.0 / 5.0) - h


@compiled
def minimum(biased, a, b, tolerance, n, distances, counts):
    """Return the minimizer of a criterion between a and b: Brent (1973), section 5.8."""
    x = w = v = a + _GOLDEN * (b - a)
    fx = fw = fv = criterion(biased, x, n, distances, counts)
    step = before = 0.0
    while True:
        middle = (a + b) * 0.5
        least = math.sqrt(_EPSILON) * abs(x) + tolerance / 3.0
        if abs(x - middle) <= least * 2.0 - (b - a) * 0.5:
            return x
        p = q = r = 0.0
        if abs(before) > least:
            r = (x - w) * (fx - fv)
            q = (x - v) * (fx - fw)
            p = (x - v) * q - (x - w) * r
            q = (q - r) * 2.0
            if q > 0.0:
                p = -p
            else:
                q = -q
            r, before = before, step
        if abs(p) < abs(q * 0.5 * r) and p > q * (a - x) and p < q * (b - x):
            step = p / q
            u = x + step
            if u - a < least * 2.0 or b - u < least * 2.0:
                step = -least if x >= middle else least
        else:
            before = b - x if x < middle else a - x
            step = _GOLDEN * before
        u = x + _at_least(least, step)
        fu = criterion(biased, u, n, distances, counts)
        if fu <= fx:
            if u < x:
                b = x
            else:
                a = x
            v, w, x = w, x, u
            fv, fw, fx = fw, fx, fu
        else:
            if u < x:
                a = u
            else:
                b = u
            if fu <= fw or w == x:
                v, w = w, u
                fv, fw = fw, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu


@compiled
def _at_least(least, step):
    if abs(step) >= least:
        return step
    return least if step > 0.0 else -least


@compiled
def zero(a, b, fa, fb, tolerance, scale, n, distances, counts):
    """Return the zero of the excess between a and b, NaN if it is not finite: Brent (1973), 4.6."""
    if fa == 0.0:
        return a
    c, fc = a, fa
    while True:
        previous = b - a
        if abs(fc) < abs(fb):
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        least = 2.0 * _EPSILON * abs(b) + tolerance / 2.0
        step = (c - b) / 2.0
        if abs(step) <= least or fb == 0.0:
            return b
        if abs(previous) >= least and abs(fa) > abs(fb):
            width = c - b
            if a == c:
                p = width * (fb / fa)
                q = 1.0 - fb / fa
            else:
                q, s, t = fa / fc, fb / fc, fb / fa
                p = t * (width * q * (q - s) - (b - a) * (s - 1.0))
                q = (q - 1.0) * (s - 1.0) * (t - 1.0)
            if p > 0.0:
                q = -q
            else:
                p = -p
            if p < 0.75 * width * q - abs(least * q) / 2.0 and p < abs(previous * q / 2.0):
                step = p / q
        a, fa = b, fb
        b += _at_least(least, step)
        fb = excess(b, scale, n, distances, counts)
        if not math.isfinite(fb):
            return math.nan
        if (fb > 0.0 and fc > 0.0) or (fb < 0.0 and fc < 0.0):
            c, fc = a, fa


# --- Input of the compiled rules: rows of sorted scores, on a scale that cannot overflow ---

# Ranges whose seventh power, which the criteria take, is far from the ends of the doubles.
_SMALLEST_RANGE, _LARGEST_RANGE = 1e-20, 1e20


@dataclass(frozen=True)
class Rows:
    """Rows that are not constant: their sorted scores, times a power of 2, number, and sd."""

    ordered: Array
    n: IntArray
    sd: Array
    _varied: BoolArray
    _exponent: IntArray

    def each(self, function: Callable[..., Any], *numbers: Array) -> Array:
        """Return what a function finds of the scores of each row, and of numbers of the row."""
        found = [
            function(scores[:n], *own)
            for scores, n, *own in zip(self.ordered, self.n, *numbers, strict=True)
        ]
        return np.array(found, dtype=np.float64)

    def bandwidths(self, h: Array) -> Array:
        """Return bandwidths of all rows of the batch, (..., 1), from those of these rows."""
        result = np.zeros(self._varied.shape)
        result[self._varied] = np.ldexp(h, self._exponent)
        return result[..., np.newaxis]

    def marked(self, rows: BoolArray) -> BoolArray:
        """Return a mark for each row of the batch, (...), from marks of these rows."""
        result = np.zeros(self._varied.shape, dtype=np.bool_)
        result[self._varied] = rows
        return result


def rows_of(scores: Array, ordered: Array) -> Rows:
    """Return the rows that vary, on a scale where R's rules do not stop: a power of 2."""
    low, high = (end[..., 0] for end in extremes(ordered))
    varied = low < high
    half = high[varied] / 2 - low[varied] / 2  # the range itself may overflow
    exponent = np.where((half < _SMALLEST_RANGE) | (half > _LARGEST_RANGE), np.frexp(half)[1], 0)
    down = -exponent[:, np.newaxis]
    own, rows = np.ldexp(scores[varied], down), np.ldexp(ordered[varied], down)
    n = count(rows)
    start = _start(rows, n)
    own -= start
    rows -= start
    return Rows(rows, n[:, 0], mean_and_sd(own)[1][:, 0], varied, exponent)


def _start(rows: Array, n: IntArray) -> Array:
    """Return the origin of distances: 0, or the least score where R's grid overflows an int."""
    low, high = extremes(rows)
    farthest = np.maximum(np.abs(low), np.abs(high))
    overflows = (n <= STEPS / 2) & (farthest >= 2.0**31 * ((high - low) * 1.01 / STEPS))
    return np.where(overflows, low, 0.0)


def interquartile_range(ordered: Array) -> Array:
    """Return the difference of R's quartiles (type 7) of each row; shape (..., 1)."""
    quartiles = quantile_of_sorted(ordered, count(ordered), np.array([0.25, 0.75]))
    return np.diff(quartiles, axis=-1)


def power(n: IntArray, exponent: float) -> Array:
    """Return n^exponent by Python's power: NumPy's last digit is not R's for one n in 17."""
    return np.array([size**exponent for size in n.ravel().tolist()]).reshape(n.shape)


def upper_end(spread: Array, n: IntArray) -> Array:
    """Return 1.144 spread n^(-1/5), the largest bandwidth of R's searches; (rows,)."""
    return np.asarray(1.144 * spread * power(n, -1 / 5))


# --- Rules of thumb that are right for normal scores: R's ``bw.nrd0`` and ``bw.nrd`` ---


def nrd0(scores: Array, ordered: Array) -> Array:
    """Return 0.9 min(sd, IQR / 1.34) n^(-1/5), as R's ``bw.nrd0``; shape (..., 1).

    Silverman (1986), Eq. 3.31. As in R, the sd alone counts where the interquartile range is 0.
    """
    sd = mean_and_sd(scores)[1]
    spread = np.minimum(sd, interquartile_range(ordered) / 1.34)
    spread = np.where(spread > 0, spread, sd)
    return 0.9 * spread * power(count(scores), -0.2)


def nrd(scores: Array, ordered: Array) -> Array:
    """Return 1.06 min(sd, IQR / 1.34) n^(-1/5), as R's ``bw.nrd``; shape (..., 1).

    Scott (1992), section 6.2.

    Raises `FitError` for a row with an interquartile range of 0 that is not constant, where R's
    result is 0.
    """
    sd, iqr = mean_and_sd(scores)[1], interquartile_range(ordered)
    refuse_rows(
        ((iqr == 0) & (sd > 0))[..., 0],
        "bandwidth rule nrd: the interquartile range is 0 and the scores are not constant; "
        "nrd0 uses the standard deviation instead",
    )
    return 1.06 * np.minimum(sd, iqr / 1.34) * power(count(scores), -0.2)


# --- Plug-in bandwidth of Altman and Leger for the distribution function ---

_ROOT_2_PI = math.sqrt(2 * math.pi)


def altman_leger(scores: Array, ordered: Array) -> Array:
    """Return (D2 / (sqrt(pi) D3 n))^(1/3); shape (..., 1).

    Altman and Leger (1995), for the Gaussian kernel. D2 estimates the integral of f^2 and D3 that
    of f'^2 f, by a pilot bandwidth sd n^(-0.3).

    Raises `FitError` for a row with h above the range of the scores: the estimated slope of the
    density is about 0 at every score, for example if there are few different values, far apart.
    """
    rows = rows_of(scores, ordered)
    ratio = rows.each(_ratio, rows.sd * power(rows.n, -0.3))
    h = np.cbrt(ratio / (math.sqrt(math.pi) * rows.n))
    low, high = (end[:, 0] for end in extremes(rows.ordered))
    refuse_rows(
        rows.marked(~(h <= high - low)),
        "bandwidth rule altman_leger: h is above the range of the scores; the estimated density "
        "has no slope at the scores, for example because few values are far apart",
    )
    return rows.bandwidths(h)


@compiled
def _ratio(sample, a):
    """Return the estimate of D2 over that of D3, with the pilot bandwidth a."""
    n = len(sample)
    slopes = np.zeros(n)  # times -n a^2 sqrt(2 pi)
    pairs = 0.0
    for i in range(n):
        part = 0.0
        for j in range(i):
            u = (sample[i] - sample[j]) / a
            bell = math.exp(-0.5 * u * u)
            part += bell
            slopes[i] += u * bell
            slopes[j] -= u * bell
        pairs += part
    squares = 0.0
    for slope in slopes:
        squares += slope * slope
    second = 2.0 * pairs / (float(n) * (n - 1) * a * _ROOT_2_PI)
    third = squares / (float(n) * n * n * (a * a * (a * a)) * 2.0 * math.pi)
    return second / third


# --- Multistage plug-in bandwidth of Polansky and Baker for the distribution function ---

_PHI_0 = 1 / math.sqrt(2 * math.pi)


def polansky_baker(scores: Array, ordered: Array) -> Array:
    """Return (1 / (-sqrt(pi) psi_2 n))^(1/3), psi_2 by two stages; shape (..., 1).

    Polansky and Baker (2000), as ``ks::hpi.kcde`` of R: psi_r is the mean of phi^(r) over all
    pairs, i = j included, at the width of the next stage; psi_6 is that of a normal density.
    """
    rows = rows_of(scores, ordered)
    return rows.bandwidths(rows.each(_by_two_stages, rows.sd))


@compiled
def _by_two_stages(sample, sd):
    n = len(sample)
    square = sd * sd
    sixth = -15.0 / (16.0 * math.sqrt(math.pi) * (sd * square * (square * square)))
    fourth = _psi(4, sample, (-6.0 * _PHI_0 / (sixth * n)) ** (1.0 / 7.0))
    second = _psi(2, sample, (2.0 * _PHI_0 / (fourth * n)) ** (1.0 / 5.0))
    return (-1.0 / (math.sqrt(math.pi) * second * n)) ** (1.0 / 3.0)


@compiled
def _psi(order, sample, g):
    n = len(sample)
    total = 0.0
    for i in range(n):
        part = 0.0  # n sums of n terms: equal terms of a grid are rounded alike
        for j in range(i):
            u = (sample[i] - sample[j]) / g
            s = u * u
            part += math.exp(-0.5 * s) * (s * s - 6.0 * s + 3.0 if order == 4 else s - 1.0)
        total += part
    if order == 4:
        return _PHI_0 * (2.0 * total + 3.0 * n) / (float(n) * n * (g * (g * g * (g * g))))
    return _PHI_0 * (2.0 * total - n) / (float(n) * n * (g * g * g))


# --- Cross-validation of the density: R's ``bw.ucv`` and ``bw.bcv`` ---


def ucv(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes unbiased cross-validation UCV(h), as R's ``bw.ucv``; (..., 1).

    Scott (1992), Eq. 6.67.

    Raises `FitError` for a row if the search stops at an end of the interval, where R warns. This
    is common: with 110 scores, the search stops at the upper end in more than half of normal
    samples for `ucv`, and in most samples of any kind for `bcv`; if scores are tied, it stops at
    the lower end.
    """
    return _cross_validated("ucv", scores, ordered)


def bcv(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes biased cross-validation BCV(h), as R's ``bw.bcv``; (..., 1).

    Scott (1992), Eq. 6.69 as R corrects it.

    Raises `FitError` for a row if the search stops at an end of the interval.
    """
    return _cross_validated("bcv", scores, ordered)


def _cross_validated(name: str, scores: Array, ordered: Array) -> Array:
    rows = rows_of(scores, ordered)
    largest = upper_end(rows.sd, rows.n)
    h, at_end = search(name == "bcv", rows.ordered, rows.n, largest)
    for end, below in (("lower", True), ("upper", False)):
        refuse_rows(
            rows.marked(at_end & ((h < 0.5 * largest) == below)),
            f"bandwidth rule {name}: the criterion is least at the {end} end of the "
            "range that R searches, 0.1 to 1 times 1.144 sd n^(-1/5), so that there is no minimum "
            "in it (R warns); nrd0, sj or a number may be chosen instead",
        )
    return rows.bandwidths(h)


@compiled
def search(biased, ordered, n, largest):
    """Return the end point of the search in each row, and whether it is an end of the range."""
    h, at_end = np.empty(len(n)), np.empty(len(n), dtype=np.bool_)
    for row in range(len(n)):
        distances, counts = pair_counts(ordered[row, : n[row]])
        high = largest[row]
        low = 0.1 * high
        tolerance = 0.1 * low
        x = minimum(biased, low, high, tolerance, n[row], distances, counts)
        h[row] = x
        at_end[row] = x < low + tolerance or x > high - tolerance
    return h, at_end


# --- Plug-in bandwidths of Sheather and Jones for the density: R's ``bw.SJ`` ---


def sj(scores: Array, ordered: Array) -> Array:
    """Return the solution of h = (2 sqrt(pi) n S(gamma(h)))^(-1/5), as R's ``bw.SJ(x)``; (..., 1).

    Sheather and Jones (1991), "ste", R's default method.

    Raises `FitError` for a row without a solution, where R stops too: the interquartile range is 0
    and the scores are not constant, or it is so far below the range of the scores that the
    estimated derivatives of the density are not finite.
    """
    return _sheather_jones("sj", scores, ordered)


def sj_dpi(scores: Array, ordered: Array) -> Array:
    """Return (2 sqrt(pi) n S(g))^(-1/5), as R's ``bw.SJ(x, method = "dpi")``; shape (..., 1).

    Sheather and Jones (1991): the direct plug-in bandwidth, two stages, in closed form.

    Raises `FitError` as `sj` does.
    """
    return _sheather_jones("sj_dpi", scores, ordered)


def _sheather_jones(name: str, scores: Array, ordered: Array) -> Array:
    rows = rows_of(scores, ordered)
    n, iqr = rows.n, interquartile_range(rows.ordered)[:, 0]
    refuse_rows(
        rows.marked(iqr == 0),
        f"bandwidth rule {name}: the interquartile range is 0 and the scores are not constant",
    )
    spread: Array = np.minimum(rows.sd, iqr / 1.349)
    a, b = 1.24 * spread * power(n, -1 / 7), 1.23 * spread * power(n, -1 / 9)
    h = rows.each(partial(_plugged_in, name == "sj_dpi"), a, b, upper_end(spread, n))
    refuse_rows(
        rows.marked(~(h > 0)),
        f"bandwidth rule {name}: the interquartile range is too far below the range of the scores "
        "to estimate derivatives of the density",
    )
    return rows.bandwidths(h)


@compiled
def _plugged_in(directly, sample, a, b, largest):
    """Return the direct bandwidth, or the solution of the equation; NaN for none."""
    n = len(sample)
    distances, counts = pair_counts(sample)
    sixth = -phi6(b, n, distances, counts)
    if not (math.isfinite(sixth) and sixth > 0.0):
        return math.nan
    if directly:
        width = math.pow(2.394 / (n * sixth), 1.0 / 7.0)
        fourth = phi4(width, n, distances, counts)
        return math.pow(1.0 / (2.0 * ROOT_PI * n) / fourth, 1.0 / 5.0)
    ratio = phi4(a, n, distances, counts) / sixth
    scale = 1.357 * math.pow(ratio, 1.0 / 7.0)
    if not math.isfinite(scale):
        return math.nan
    return _solve(largest, scale, n, distances, counts)


@compiled
def _solve(largest, scale, n, distances, counts):
    """Bracket the zero of the excess as ``bw.SJ`` does, and find it; NaN where there is none."""
    low, high = 0.1 * largest, largest
    for attempt in range(1, 101):
        at_low = excess(low, scale, n, distances, counts)
        at_high = excess(high, scale, n, distances, counts)
        product = at_low * at_high
        if math.isnan(product):
            break
        if product <= 0.0:
            return zero(low, high, at_low, at_high, 0.1 * low, scale, n, distances, counts)
        if attempt % 2:
            high *= 1.2
        else:
            low /= 1.2
    return math.nan


# --- Cross-validated bandwidth of Bowman, Hall and Prvan for the distribution function ---
#
# With B(d, s) = E|d + s Z| - d = 2 s (phi(d/s) - d/s Phi(-d/s)), d = |x_i - x_j|, and sums over the
# n (n - 1) / 2 pairs, the criterion is up to a constant
#
#     CV(h) = 2 sum B(d, h) / (n (n - 1)) - (n - 2) sum B(d, sqrt(2) h) / (n (n - 1)^2)
#             - h / ((n - 1) sqrt(pi)),
#
# which is 0 at h = 0. As dB/ds = 2 phi(d/s), its slope, times (n - 1) sqrt(pi), is
#
#     2 sqrt(2) / n sum q^2 - 2 (n - 2) / (n (n - 1)) sum q - 1,   q = exp(-(d / 2h)^2).

# The grid: a quarter of an octave a point, 20 octaves down. Sums at q^2 are those two on.
_POINTS = 81
# Pairs that are added before their sum is.
_BLOCK = 1024
# Squarings after which q is computed anew; 2^16 ulp are too few to turn a sign that matters.
_SQUARINGS = 16
# Smaller numbers, some of them subnormal, on which processors are slow, count as 0.
_NEGLIGIBLE = 2.0**-500


def bowman_hall_prvan(scores: Array, ordered: Array) -> Array:
    """Return the h that minimizes mean_i of the integral of (1(x_i <= x) - F^_-i(x))^2; (..., 1).

    Bowman, Hall and Prvan (1998).

    Raises `FitError` for a row with the smallest CV at h = 0, for example if many scores are tied.
    """
    rows = rows_of(scores, ordered)
    h = rows.each(_least_of_all)
    refuse_rows(
        rows.marked(h == 0),
        "bandwidth rule bowman_hall_prvan: cross-validation is best without smoothing, at h = 0, "
        "for example because many scores are tied",
    )
    return rows.bandwidths(h)


@compiled
def _least_of_all(sample):
    n = len(sample)
    distances = np.empty(n * (n - 1) // 2)
    for i in range(n):
        for j in range(i):
            distances[i * (i - 1) // 2 + j] = sample[i] - sample[j]
    widest = 1.25 * (sample[-1] - sample[0])
    slopes = _slopes_on_grid(distances, widest, n)
    brackets = np.flatnonzero((slopes[1:] < 0.0) & (slopes[:-1] >= 0.0))
    # CV falls from h = 0 to the only minimum.
    only = len(brackets) == 1 and slopes[-1] < 0.0
    h = lowest = 0.0  # CV at h = 0
    for k in brackets:
        low, high = _grid_point(widest, k + 1), _grid_point(widest, k)
        found = _stationary(distances, n, low, high)
        value = -1.0 if only else _criterion(distances, n, found)
        if value < lowest:
            lowest, h = value, found
    return h


@compiled
def _grid_point(widest, k):
    return widest * 2.0 ** (-0.25 * k)


@compiled
def _slope(n, q, squares):
    """Return the slope of CV, times (n - 1) sqrt(pi), from the sums of q and of q^2."""
    return 2.0 * math.sqrt(2.0) / n * squares - 2.0 * (n - 2.0) / (n * (n - 1.0)) * q - 1.0


@compiled
def _slopes_on_grid(distances, widest, n):
    """Return the slope at each point: q of a point squared is q two points on."""
    sums = np.zeros(_POINTS + 2)
    for distance in distances:
        for first in range(2):
            q = 1.0
            for k in range(first, _POINTS + 2, 2):
                q *= q
                if (k // 2) % _SQUARINGS == 0:
                    u = distance / (2.0 * _grid_point(widest, k))
                    q = math.exp(-u * u)
                if q <= _NEGLIGIBLE:
                    break
                sums[k] += q
    return _slope(n, sums[:-2], sums[2:])


@compiled
def _stationary(distances, n, low, high):
    """Return the zero of the slope: Newton's steps, or bisection if one leaves the bracket."""
    h = 0.5 * (low + high)
    while True:
        q = squares = of_q = of_squares = 0.0
        for start in range(0, len(distances), _BLOCK):
            part = part_of_squares = 0.0
            for distance in distances[start : start + _BLOCK]:
                t = distance / (2.0 * h)
                t *= t
                bell = math.exp(-t)
                part += bell
                part_of_squares += bell * bell
                of_q += t * bell
                of_squares += t * bell * bell
            q += part
            squares += part_of_squares
        slope = _slope(n, q, squares)
        curvature = (_slope(n, 2.0 * of_q, 4.0 * of_squares) + 1.0) / h
        if slope < 0.0:
            low = h
        else:
            high = h
        following = h - slope / curvature
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - h) <= 2.0**-50 * h or slope == 0.0:
            return h if slope == 0.0 else following
        h = following


@compiled
def _criterion(distances, n, h):
    """Return CV(h) - CV(0)."""
    narrow = wide = 0.0
    for distance in distances:
        narrow += _smoothed(distance, h)
        wide += _smoothed(distance, math.sqrt(2.0) * h)
    total = 2.0 * narrow - (n - 2.0) / (n - 1.0) * wide
    return total / (n * (n - 1.0)) - h / ((n - 1.0) * math.sqrt(math.pi))


@compiled
def _smoothed(d, s):
    """Return B(d, s) = E|d + s Z| - d."""
    u = d / s
    density = math.exp(-0.5 * u * u) / math.sqrt(2.0 * math.pi)
    return 2.0 * s * (density - 0.5 * u * math.erfc(u / math.sqrt(2.0)))


# --- The rules by name ---


@dataclass(frozen=True, eq=False)
class BandwidthRule(Part):
    """Rule for the bandwidth: the `function` of the scores of a topic, or a rule of all rows."""

    in_r = "bandwidth_rule"

    tolerance: Tolerance | None = None
    of_rows: Callable[[Array, Array], Array] | None = None

    def __call__(self, scores: Array, ordered: Array) -> Array:
        """Return h (..., 1) of scores (..., n), NaN where missing, and the same sorted, NaN last.

        A row has at least two scores; h is 0 for equal ones.
        """
        if self.of_rows is not None:
            return self.of_rows(scores, ordered)
        rows = ordered.reshape(-1, ordered.shape[-1])
        h, reasons = np.zeros(len(rows)), [""] * len(rows)
        for row, (own, n) in enumerate(zip(rows, count(rows)[:, 0], strict=True)):
            if own[0] < own[n - 1]:
                try:
                    h[row] = self._of(own[:n].copy())
                except FitError as error:
                    reasons[row] = f"bandwidth rule {self.name}: {error}"
        refuse_rows(np.array([*map(bool, reasons)]), lambda row: reasons[row])
        return h.reshape(*ordered.shape[:-1], 1)

    def _of(self, scores: Array) -> float:
        assert self.function is not None
        found = self.function(scores)
        h = finite_number(found)
        if h is None or not h > 0:
            raise SchemeError(
                f"bandwidth rule {self.name}: {self.whose} gives {shown(found)} for {len(scores)} "
                f"scores from {scores[0]:g} to {scores[-1]:g}; expected a number above 0, or "
                "FitError with the reason why there is none"
            )
        return h


_SUMMED = (
    "sums over pairs of scores have another order, so that bandwidths differ in the last digits"
)
_OF_PAIRS = {
    altman_leger: Tolerance(64, _SUMMED, floor=1.0),
    bowman_hall_prvan: Tolerance(1000, _SUMMED, floor=1.0),
    polansky_baker: Tolerance(64, _SUMMED, floor=1.0),
}

#: Every rule by its name.
RULES = Parts("cdfscore.bandwidths", "bandwidth rule", SchemeError)
for _rule in (nrd0, nrd, ucv, bcv, sj, sj_dpi, *_OF_PAIRS):
    RULES.add(BandwidthRule(_rule.__name__, None, _OF_PAIRS.get(_rule), _rule))


def check_tolerance(decorator: str, tolerance: Tolerance) -> None:
    """Raise `SchemeError` for a tolerance of a decorator that is not one."""
    fault = tolerance.fault if isinstance(tolerance, Tolerance) else "expected a Tolerance"
    if fault:
        raise SchemeError(f"{decorator}: tolerance={tolerance!r} is not accepted; {fault}")


_Rule = TypeVar("_Rule", bound=Callable[[Array], float])


def bandwidth_rule(*, tolerance: Tolerance | None = None) -> Callable[[_Rule], _Rule]:
    """Return a decorator that makes a function of a topic's scores a rule for ``bandwidth``.

    The function gets the scores (n,) of one topic in ascending order, on the scale that is
    smoothed, without missing ones: two or more that are not all equal. It returns h, the standard
    deviation of the scaled kernel, in their unit, so that h(a x) = a h(x). It is called once a
    topic. The decorator returns it unchanged. The rule has its name, and the R twin is the file of
    that name beside the module: it defines ``bandwidth_rule <- function(x)``.

    `tolerance` is that of y against R's, if h differs in its last digits.

    The function raises `FitError` with the reason for a topic without a bandwidth. Raises
    `SchemeError` if the function has no name of its own, if another package has a rule of that
    name or `tolerance` is not one; and where the rule is used, if the function gives no number
    above 0, or raises another error.

    Specified in bandwidth.3.

    Examples
    --------
    >>> from cdfscore.schemes import Kernel
    >>> @bandwidth_rule()
    ... def half_range(scores):
    ...     return (scores[-1] - scores[0]) / 2
    >>> print(Kernel("half_range").fit([0.1, 0.2, 0.5]).parameters["bandwidth"])
    [0.2]
    """

    if tolerance is not None:
        check_tolerance("bandwidth_rule", tolerance)

    def add(function: _Rule) -> _Rule:
        RULES.add(BandwidthRule(getattr(function, "__name__", ""), function, tolerance))
        return function

    return add
