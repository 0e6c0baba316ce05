"""Kernels: the integral of each, summed over the scores of a topic.

On [-1, 0] the integral of a compact kernel is written with v = 1 + u and t = -u, both of which are
never negative, so that no digits are lost: v^p (c_0 + c_1 t + ...). On [0, 1] it is 1 minus
that at -u. The cosine kernel's is (v - sin(pi v) / pi) / 2.

Compact kernels of many scores are added in O(n log n) with sorting, and in O(n) without.

Of sum_i K((x - x_i) / w), scores left of x - w count 1 each, and those right of x + w not at
all. A score x_i between x and x + w has the distance v = 1 - (x_i - x) / w from where the
kernel ends, and counts p(v). One between x - w and x counts 1 - p(v'), v' being its distance
from the other end, which is the same problem for -x and -x_i.

For each score, the moments of the end and of the beginning of its segment that it cuts off
are kept: of the distances from the segment's last score, or from the score itself. A window
is these moments, shifted by the v of that score. Distances and shifts are never negative, so
that nothing cancels, as it does in differences of sums of powers of the scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.blocks import is_compiled
from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.moments import count
from cdfscore.numerics.normal_cdf import COEFFICIENTS, normal_cdf
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import PNORM

# Up to this many scores compact kernels are added one by one, which is exact to 4 ulp.
MOST_ONE_BY_ONE = 1000

Sums = Callable[[Array, Array, IntArray, Array], Array]
# Phi(-t) is a Taylor polynomial around the nearest of these steps, up to the end of the table.
_STEPS, _END, _DEGREE = 32, 8, 10
# Pairs of a number and a score that take as long as another function takes for a score; and numbers
# whose sums are added at a time.
_PAIRS, _BLOCK = 8, 1 << 13
# Steps of NumPy in the time of so many pairs: after half a second in all, code is compiled.
_OFTEN = 48
# Right of this, Phi(z) rounds to 1; left of the second number it is below the smallest double.
NORMAL_LARGEST, _NOTHING = 8.3, -39.0
# Terms below this proportion of the sum change no digit of it, even if there are n of them.
_SHARE = 2.0**-60
# Right of this, 1 / (1 + exp(-u)) rounds to 1.
LOGISTIC_LARGEST = 37.5


@compiled
def add(total: float, lost: float, term: float) -> tuple[float, float]:
    """Return total + term, and its rounding error, which is to be subtracted from the next term.

    Kahan's sum. Own code because `math.fsum` cannot be compiled and takes a list of all terms.
    """
    term -= lost
    added = total + term
    return added, (added - total) - term


class Compact(NamedTuple):
    """Kernel on [-1, 1]: v^power times a polynomial in t; no coefficients for the cosine."""

    power: int
    coefficients: tuple[float, ...]


RECTANGULAR = Compact(1, (1 / 2,))
TRIANGULAR = Compact(2, (1 / 2,))
EPANECHNIKOV = Compact(2, (2 / 4, 1 / 4))
BIWEIGHT = Compact(3, (8 / 16, 9 / 16, 3 / 16))
TRIWEIGHT = Compact(4, (16 / 32, 29 / 32, 20 / 32, 5 / 32))
COSINE = Compact(0, ())

# Up to here sin(pi v) is added up from its series, as v - sin(pi v) / pi would cancel.
_SMALL, _TERMS = 0.75, 13


def compact_sums(kernel: Compact, x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i K(u_i), u_i = (x - x_i) / scale, K being the integral of the kernel.

    x is (t, m), `sample` (t, n) sorted with NaN last, `n` and `scale` (t,). Where the scale
    is 0, K is its limit: 0, 1/2, 1. NaN in x gives NaN. A sum is within 4 ulp of the true one
    at the arguments u_i as they are in doubles.
    """
    sums = np.empty(x.shape)
    _compact_rows(kernel.power, np.array(kernel.coefficients), x, sample, n, scale, sums)
    return sums


@compiled
def _compact_rows(
    power: int,
    coefficients: Array,
    x: Array,
    sample: Array,
    n: IntArray,
    scale: Array,
    sums: Array,
) -> None:
    for row in range(len(x)):
        for j in range(x.shape[1]):
            sums[row, j] = _compact_sum(
                power, coefficients, x[row, j], sample[row], n[row], scale[row]
            )


@compiled
def _compact_sum(
    power: int, coefficients: Array, x: float, sample: Array, n: int, scale: float
) -> float:
    """Add from the largest term to the smallest, with compensated rounding errors."""
    if np.isnan(x):
        return x
    total = lost = 0.0
    for i in range(n):
        u = (x - sample[i]) / scale if x != sample[i] else 0.0
        if u >= 1:
            total += 1.0
            continue
        if u <= -1:
            break
        lower = _lower(power, coefficients, abs(u))
        total, lost = add(total, lost, lower if u <= 0 else 1.0 - lower)
    return total


@compiled
def _lower(power: int, coefficients: Array, t: float) -> float:
    """Return K(-t) for t in [0, 1]."""
    v = 1.0 - t
    if power == 0:
        return _lower_cosine(v)
    result = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        result = result * t + coefficients[k]
    for _ in range(power):
        result *= v
    return float(result)


@compiled
def _lower_cosine(v: float) -> float:
    if v > _SMALL:
        return (v - math.sin(math.pi * v) / math.pi) / 2
    square = (math.pi * v) ** 2
    series = 1.0
    for k in range(_TERMS, 1, -1):
        series = 1.0 - series * square / (2 * k * (2 * k + 1))
    return v * square / 12 * series


class SmoothingKernel(NamedTuple):
    """Kernel in its usual form, with a standard deviation other than 1.

    Attributes
    ----------
    scale
        What the bandwidth, the standard deviation, is multiplied by to give the scale of the
        usual form.
    sums
        Adds the integral of the usual form; as `normal_sums`.
    reach
        Right of this, the integral rounds to 1.
    tolerance
        How far y may be from R's.
    compact
        The kernel, if it is 1 there, and 0 left of -reach.
    """

    scale: float
    sums: Sums
    reach: float
    tolerance: Tolerance
    compact: Compact | None = None


def _one_by_one_or_by_windows(
    kernel: Compact, x: Array, sample: Array, n: IntArray, scale: Array
) -> Array:
    many = n > MOST_ONE_BY_ONE
    if not many.any():
        return compact_sums(kernel, x, sample, n, scale)
    sums = np.empty(x.shape)
    for rows, added in ((many, window_sums), (~many, compact_sums)):
        sums[rows] = added(kernel, x[rows], sample[rows], n[rows], scale[rows])
    return sums


def summed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return sum_i K((x - x_i) / h), K having the standard deviation 1.

    x is (t, m), `sample` (t, n) sorted with NaN last, `bandwidth` (t, 1), where 0 stands for
    the limit; the sums are (t, m). A row depends on its own scores alone.
    """
    found = KERNELS[kernel]
    scale = bandwidth * found.scale
    return found.sums(x, sample, count(sample)[:, 0], scale[:, 0])


def smoothed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return (1/n) sum_i K((x - x_i) / h): the sums of `summed`, divided by n."""
    y: Array = summed(kernel, x, sample, bandwidth) / count(sample)
    return y


def reach(kernel: str, bandwidth: Array) -> Array:
    """Return the distance from a score beyond which the kernel holds no probability in doubles."""
    found = KERNELS[kernel]
    distance: Array = bandwidth * found.scale * found.reach
    return distance


class Segments(NamedTuple):
    """Sorted scores, the scale of the kernel, and the ends of each score's segment."""

    scores: Array
    scale: float
    first: IntArray
    last: IntArray


class Part(NamedTuple):
    """Part of each window that lies in one of its segments.

    Attributes
    ----------
    score
        The score that cuts the part off from the rest of its segment, or -1 where there is
        no such part.
    v
        The distance, in scales, from where the kernel ends to the part's last score.
    """

    score: IntArray
    v: Array


class Windows(NamedTuple):
    """Window of each x: the beginning of a segment, and the end of the segment before.

    A window has the scores within a kernel's reach to the right of x. Each segment is shorter than
    the scale, and at least the scale is from the first score of one to that of the next. A window
    is then the end of one segment, the beginning of the next, or both.
    """

    beginning: Part
    end: Part


@compiled
def segments_of(scores: Array, scale: float) -> Segments:
    """Cut sorted scores into segments."""
    n = len(scores)
    first, last = np.zeros(n, dtype=np.int64), np.full(n, n - 1)
    for i in range(1, n):
        far = (scores[i] - scores[first[i - 1]]) / scale >= 1
        first[i] = i if far else first[i - 1]
    for i in range(n - 2, -1, -1):
        last[i] = last[i + 1] if first[i] == first[i + 1] else i
    return Segments(scores, scale, first, last)


@compiled
def windows_of(x: Array, begins: IntArray, segments: Segments) -> Windows:
    """Find the windows of sorted x; `begins` are the first scores of the windows."""
    scores, scale, first, last = segments
    n = len(x)
    beginning = Part(np.full(n, -1), np.empty(n))
    end = Part(np.full(n, -1), np.empty(n))
    beyond = 0  # the first score that is out of reach
    for j in range(n):
        begin = begins[j]
        beyond = max(begin, beyond)
        while beyond < len(scores) and (scores[beyond] - x[j]) / scale < 1:
            beyond += 1
        if begin == beyond:
            continue
        least = first[beyond - 1]
        if least >= begin:
            beginning.score[j] = beyond - 1
            beginning.v[j] = 1.0 - (scores[beyond - 1] - x[j]) / scale
        if least < begin or first[begin] < least:
            end.score[j] = begin
            end.v[j] = 1.0 - (scores[last[begin]] - x[j]) / scale
    return Windows(beginning, end)


def window_sums(kernel: Compact, x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return the same as `compact_sums`.

    With a polynomial kernel a sum is within 1e-14 of the true one, relative to it, where the
    scale is at most some ten times the spread of the scores; beyond, and with the cosine,
    relative to the number of scores within the kernel's reach.
    """
    sums = np.full(x.shape, np.nan)
    for row in range(len(x)):
        order = np.argsort(x[row])[: np.count_nonzero(~np.isnan(x[row]))]  # NaN is last
        ordered, scores = x[row, order], np.ascontiguousarray(sample[row, : n[row]])
        right, at_most = _right(kernel, ordered, scores, scale[row])
        left, at_least = _right(kernel, -ordered[::-1], -scores[::-1], scale[row])
        below = n[row] - at_least[::-1]
        sums[row, order] = (below + at_most) / 2 - left[::-1] + right
    return sums


def _right(kernel: Compact, x: Array, scores: Array, scale: float) -> tuple[Array, IntArray]:
    """Add K over the scores right of each x, both sorted, and count the other scores."""
    begins = np.searchsorted(scores, x, side="right")
    segments = segments_of(scores, scale)
    windows = windows_of(x, begins, segments)
    if kernel.power:
        return _polynomial(_in_v(kernel), segments, windows), begins
    return cosine(segments, windows), begins


def _in_v(kernel: Compact) -> Array:
    """Return the coefficients of v^power (c_0 + c_1 (1 - v) + ...) by rising power of v."""
    v = np.polynomial.Polynomial([0.0, 1.0])
    expanded = v**kernel.power * np.polynomial.Polynomial(kernel.coefficients)(1 - v)
    return np.asarray(expanded.coef, dtype=np.float64)


@compiled
def _polynomial(p: Array, segments: Segments, windows: Windows) -> Array:
    """Add p(v)."""
    sums = np.zeros(len(windows.end.v))
    _add_shifted(p, windows.beginning, _moments_of_beginnings(len(p), segments), sums)
    _add_shifted(p, windows.end, _moments_of_ends(len(p), segments), sums)
    return sums


@compiled
def _add_shifted(p: Array, part: Part, moments: Array, sums: Array) -> None:
    """Add p(v + d) over all distances d, to the sum of each window: p is expanded around v."""
    taylor = np.empty(len(p))
    for j in range(len(sums)):
        if part.score[j] < 0:
            continue
        taylor[:] = p
        total = 0.0
        for k in range(len(p)):
            for i in range(len(p) - 2, k - 1, -1):
                taylor[i] += taylor[i + 1] * part.v[j]
            total += moments[part.score[j], k] * taylor[k]
        sums[j] += total


@compiled
def _moments_of_ends(size: int, segments: Segments) -> Array:
    """Add the powers of the distances of each score, and later ones, from the segment's last."""
    scores, scale, _, last = segments
    n = len(scores)
    moments, lost = np.empty((n, size)), np.zeros(size)
    for i in range(n - 1, -1, -1):
        new = last[i] == i
        if new:
            lost[:] = 0.0
        distance = (scores[last[i]] - scores[i]) / scale
        power = 1.0
        for k in range(size):
            before = 0.0 if new else moments[i + 1, k]
            moments[i, k], lost[k] = add(before, lost[k], power)
            power *= distance
    return moments


@compiled
def _moments_of_beginnings(size: int, segments: Segments) -> Array:
    """Add the powers of the distances of each score, and earlier ones, from the score.

    The distances from the next score are longer by the step between both, and powers of sums
    are sums of powers: sum (d + step)^k = sum_j (k over j) step^(k - j) sum d^j.
    """
    scores, scale, first, _ = segments
    n = len(scores)
    moments, lost, binomial = np.zeros((n, size)), np.zeros(size), np.ones((size, size))
    for k in range(1, size):
        for j in range(1, k):
            binomial[k, j] = binomial[k - 1, j - 1] + binomial[k - 1, j]
    for i in range(n):
        if first[i] == i:
            lost[:] = 0.0
            moments[i, 0] = 1.0
            continue
        step = (scores[i] - scores[i - 1]) / scale
        moments[i, 0] = moments[i - 1, 0] + 1.0
        for k in range(1, size):
            more = 0.0
            for j in range(k):  # Horner's rule in the step
                more = (more + binomial[k, j] * moments[i - 1, j]) * step
            moments[i, k], lost[k] = add(moments[i - 1, k], lost[k], more)
    return moments


def normal_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i Phi((x - x_i) / scale) for rows x (t, m) and sorted samples (t, n).

    `n` (t,) counts the scores of each row, NaN being last, and `scale` is (t,). Where it is
    0, Phi is its limit: 0, 1/2, 1. NaN in x gives NaN.

    Own code, because a call of `scipy.special.ndtr` for each pair takes thrice as long, and
    is 568 ulp off in the lower tail. A sum is within 4 ulp of the true one at the arguments
    (x - x_i) / scale as they are in doubles.
    """
    sums = np.empty(x.shape)
    if is_compiled(x.size * sample.shape[1] // _PAIRS, _OFTEN):
        _rows(x, sample, n, scale, _table(), np.array(COEFFICIENTS), sums)
        return sums
    step = max(1, _BLOCK // max(1, x.shape[1]))
    for start in range(0, len(x), step):
        some = slice(start, start + step)
        sums[some] = _sums_of_few(x[some], sample[some], n[some, np.newaxis], scale[some])
    return sums


def _sums_of_few(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Add the terms of all x, one score after another, with the steps and the bits of `_sum`."""
    table = np.ascontiguousarray(_table().T)
    total, lost = np.zeros(x.shape), np.zeros(x.shape)
    going = ~np.isnan(x)
    with np.errstate(all="ignore"):  # scales of 0
        for i in range(int(n.max(initial=0))):
            going &= i < n
            score = sample[:, i, np.newaxis]
            z = np.where(going & (x != score), (x - score) / scale[:, np.newaxis], 0.0)
            t = np.abs(z)
            k = np.floor(np.minimum(t, _END) * _STEPS + 0.5)
            beyond, at = t - k / _STEPS, k.astype(np.intp)
            term = table[_DEGREE].take(at)
            for coefficients in table[-2::-1]:
                term *= beyond
                term += coefficients.take(at)
            np.subtract(1.0, term, out=term, where=z > 0)
            if (far := z <= -_END).any():
                term[far] = _far_tails(-z[far])
                going &= ~(far & (term * n <= _SHARE * total))
            whole = z > NORMAL_LARGEST
            term -= lost
            added = total + term
            np.copyto(lost, (added - total) - term, where=going & ~whole)
            np.copyto(total, np.where(whole, total + 1.0, added), where=going)
    return np.where(np.isnan(x), x, total)


def _far_tails(t: Array) -> Array:
    """Return `_far_tail` of each t, 0 past the smallest double, with the functions of C."""
    is_nothing, t = t >= -_NOTHING, np.minimum(t, -_NOTHING)
    v = (t - 6.0) / (t + 6.0)
    p = np.full(t.shape, COEFFICIENTS[-1])
    for coefficient in COEFFICIENTS[-2::-1]:
        p = p * v + coefficient
    q = np.floor(t * 4096.0 + 0.5) / 4096.0
    lost = t - q
    log = np.array([math.log1p(each) for each in (lost / (q + 1.0)).tolist()])
    power = -0.5 * lost * (t + q) - log
    p += p * np.array([math.expm1(each) for each in power.tolist()])
    found = np.array([math.exp(each) for each in (-0.5 * q * q).tolist()]) * (p / (q + 1.0))
    return np.where(is_nothing, 0.0, found)


@cache
def _table() -> Array:
    """Return the Taylor coefficients of Phi(-t) around each step; (steps, degree + 1)."""
    t = np.arange(_END * _STEPS + 1) / _STEPS
    density = np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    table = np.empty((len(t), _DEGREE + 1))
    table[:, 0] = normal_cdf(-t)
    # The k-th derivative is (-1)^k density He_(k-1)(t), with Hermite's polynomials.
    before, hermite = np.zeros_like(t), np.ones_like(t)
    for k in range(1, _DEGREE + 1):
        table[:, k] = (-1) ** k * density * hermite / math.factorial(k)
        before, hermite = hermite, t * hermite - (k - 1) * before
    return table


@compiled
def _rows(
    x: Array,
    sample: Array,
    n: IntArray,
    scale: Array,
    table: Array,
    coefficients: Array,
    sums: Array,
) -> None:
    for row in range(len(x)):
        for j in range(x.shape[1]):
            sums[row, j] = _sum(x[row, j], sample[row], n[row], scale[row], table, coefficients)


@compiled
def _sum(x: float, sample: Array, n: int, scale: float, table: Array, coefficients: Array) -> float:
    """Add from the largest term to the smallest, with compensated rounding errors."""
    if np.isnan(x):
        return x
    total = lost = 0.0
    for i in range(n):
        z = (x - sample[i]) / scale if x != sample[i] else 0.0
        if z > NORMAL_LARGEST:
            total += 1.0
            continue
        if z > -_END:
            t = abs(z)
            k = np.uint64(t * _STEPS + 0.5) if t < _END else np.uint64(_END * _STEPS)
            term = table[k, _DEGREE]
            for degree in range(_DEGREE - 1, -1, -1):
                term = term * (t - k / _STEPS) + table[k, degree]
            if z > 0:
                term = 1.0 - term
        else:
            term = _far_tail(-z, coefficients) if z > _NOTHING else 0.0
            if term * n <= _SHARE * total:
                break
        total, lost = add(total, lost, term)
    return total


@compiled
def _far_tail(t: float, coefficients: Array) -> float:
    """Return Phi(-t) = exp(-t^2 / 2) P(v) / (t + 1), as in `cdfscore.numerics.normal_cdf`.

    That one takes arrays, which it changes in place, and is not compiled: who needs no kernel
    does not wait for numba.
    """
    v = (t - 6.0) / (t + 6.0)
    p = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        p = p * v + coefficients[k]
    # t^2 and t + 1 would be rounded, so that they are those of q, which are exact.
    q = math.floor(t * 4096.0 + 0.5) / 4096.0
    lost = t - q
    p += p * math.expm1(-0.5 * lost * (t + q) - math.log1p(lost / (q + 1.0)))
    return float(math.exp(-0.5 * q * q) * (p / (q + 1.0)))


@compiled
def cosine(segments: Segments, windows: Windows) -> Array:
    """Add the cosine kernel over the windows: (v - sin(pi v) / pi) / 2 for each score.

    The moments are the count, the sum of the distances, and sums of cosines and sines of the
    angles, which turn by half for a distance of 1 and count from a segment's own end.
    """
    scores, scale, first, _ = segments
    sums, turns = np.zeros(len(windows.end.v)), np.empty(len(scores))
    for i in range(len(scores)):
        turns[i] = (scores[i] - scores[first[i]]) / scale
    _add_turned(windows.beginning, turns, _cosine_moments_of_beginnings(segments), sums)
    turns[:] = 0.0
    _add_turned(windows.end, turns, _cosine_moments_of_ends(segments), sums)
    return sums


@compiled
def _add_turned(part: Part, turns: Array, moments: Array, sums: Array) -> None:
    """Add (v + d - sin(pi (v + turn + a)) / pi) / 2 over all distances d and half turns a."""
    for j in range(len(sums)):
        i, v = part.score[j], part.v[j]
        if i < 0:
            continue
        angle = math.pi * (v + turns[i])
        sines = math.sin(angle) * moments[i, 2] + math.cos(angle) * moments[i, 3]
        sums[j] += (moments[i, 0] * v + moments[i, 1] - sines / math.pi) / 2


@compiled
def _cosine_moments_of_beginnings(segments: Segments) -> Array:
    """Return the moments of each score and earlier ones, whose distances are from the score."""
    scores, scale, first, _ = segments
    n = len(scores)
    moments, lost = np.empty((n, 4)), np.zeros(4)
    for i in range(n):
        new = first[i] == i
        if new:
            lost[:] = 0.0
        step = 0.0 if new else (scores[i] - scores[i - 1]) / scale
        longer = 0.0 if new else moments[i - 1, 0] * step
        angle = math.pi * (scores[i] - scores[first[i]]) / scale
        terms = (1.0, longer, math.cos(angle), -math.sin(angle))
        for k in range(4):
            before = 0.0 if new else moments[i - 1, k]
            moments[i, k], lost[k] = add(before, lost[k], terms[k])
    return moments


@compiled
def _cosine_moments_of_ends(segments: Segments) -> Array:
    """Return the moments of each score and later ones, whose distances are from the last."""
    scores, scale, _, last = segments
    n = len(scores)
    moments, lost = np.empty((n, 4)), np.zeros(4)
    for i in range(n - 1, -1, -1):
        new = last[i] == i
        if new:
            lost[:] = 0.0
        distance = (scores[last[i]] - scores[i]) / scale
        angle = math.pi * distance
        terms = (1.0, distance, math.cos(angle), math.sin(angle))
        for k in range(4):
            before = 0.0 if new else moments[i + 1, k]
            moments[i, k], lost[k] = add(before, lost[k], terms[k])
    return moments


def logistic_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i 1 / (1 + exp(-u_i)), u_i = (x - x_i) / scale, as `normal_sums` does.

    x is (t, m), `sample` (t, n) sorted with NaN last, `n` and `scale` (t,). Own code, as
    `scipy.special.expit` has no sum and would take an array of t * m * n values. A sum is
    within 4 ulp of the true one at the arguments u_i as they are in doubles.
    """
    sums = np.empty(x.shape)
    _logistic_rows(x, sample, n, scale, sums)
    return sums


@compiled
def _logistic_rows(x: Array, sample: Array, n: IntArray, scale: Array, sums: Array) -> None:
    for row in range(len(x)):
        for j in range(x.shape[1]):
            sums[row, j] = _logistic_sum(x[row, j], sample[row], n[row], scale[row])


@compiled
def _logistic_sum(x: float, sample: Array, n: int, scale: float) -> float:
    """Add from the largest term to the smallest, with compensated rounding errors."""
    if np.isnan(x):
        return x
    total = lost = 0.0
    for i in range(n):
        u = (x - sample[i]) / scale if x != sample[i] else 0.0
        if u > LOGISTIC_LARGEST:
            total += 1.0
            continue
        power = math.exp(-abs(u))
        term = (1.0 if u > 0 else power) / (1.0 + power)
        if term * n <= _SHARE * total:
            break
        total, lost = add(total, lost, term)
    return total


_MEAN = "the terms of the mean are added in another order"
# Of many scores, `window_sums` is off in the tails.
_COMPACT = Tolerance(
    8,
    "R computes terms by other formulas, and in large sums each error is relative to the largest y",
    floor=1.0,
)


def _compact(kernel: Compact, scale: float) -> SmoothingKernel:
    return SmoothingKernel(scale, partial(_one_by_one_or_by_windows, kernel), 1.0, _COMPACT, kernel)


#: Every kernel by its name. The compact ones are on [-1, 1] in their usual form, so that the
#: scale is 1 over the standard deviation there. "cosine" is R's: (1 + cos(pi u)) / 2.
KERNELS: dict[str, SmoothingKernel] = {
    "gaussian": SmoothingKernel(
        1.0, normal_sums, NORMAL_LARGEST, Tolerance(13, f"{PNORM}; {_MEAN}", floor=1e-292)
    ),
    "epanechnikov": _compact(EPANECHNIKOV, math.sqrt(5)),
    "biweight": _compact(BIWEIGHT, math.sqrt(7)),
    "triweight": _compact(TRIWEIGHT, 3.0),
    "triangular": _compact(TRIANGULAR, math.sqrt(6)),
    "rectangular": _compact(RECTANGULAR, math.sqrt(3)),
    "cosine": _compact(COSINE, 1 / math.sqrt(1 / 3 - 2 / math.pi**2)),
    "logistic": SmoothingKernel(
        math.sqrt(3) / math.pi, logistic_sums, LOGISTIC_LARGEST, Tolerance(8, _MEAN, floor=1e-292)
    ),
}
