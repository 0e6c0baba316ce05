"""Sums of compact kernels over many scores: O(n log n) with sorting, O(n) without.

Of sum_i K((x - x_i) / w), scores left of x - w count 1 each, and those right of x + w not at
all. A score x_i between x and x + w has the distance v = 1 - (x_i - x) / w from where the
kernel ends, and counts p(v). One between x - w and x counts 1 - p(v'), v' being its distance
from the other end, which is the same problem for -x and -x_i.

The scores are cut into segments, each shorter than w and at least w from the first score of
one to that of the next. A window is then the end of one segment, the beginning of the next,
or both. For each score, the moments of the end and of the beginning that it delimits are
kept: of the distances from the segment's last score, or from the score itself. A window is
these moments, shifted by the v of that score. Distances and shifts are never negative, so
that nothing cancels, as it does in differences of sums of powers of the scores.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.kernel.compact_sums import Compact


def window_sums(kernel: Compact, x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return what `compact_sums` returns.

    With a polynomial kernel a sum is within 1e-14 of the true one, relative to it, where the
    scale is at most some ten times the spread of the scores; beyond, and with the cosine,
    relative to the number of scores within the kernel's reach.
    """
    sums = np.empty(x.shape)
    for row in range(len(x)):
        order = np.argsort(x[row])
        ordered, scores = x[row, order], np.ascontiguousarray(sample[row, : n[row]])
        right, at_most = _right(kernel, ordered, scores, scale[row])
        left, at_least = _right(kernel, -ordered[::-1], -scores[::-1], scale[row])
        below = n[row] - at_least[::-1]
        sums[row, order] = (below + at_most) / 2 - left[::-1] + right
    sums[np.isnan(x)] = np.nan
    return sums


def _right(kernel: Compact, x: Array, scores: Array, scale: float) -> tuple[Array, IntArray]:
    """Add K over the scores right of each x, both sorted, and count the other scores.

    Where x is NaN, which sorts last, both may be anything.
    """
    first, last = _segments(scores, scale)
    begins, ends = _windows(x, scores, scale)
    cut = (x, scores, scale, first, last, begins, ends)
    return _polynomial(_in_v(kernel), *cut) if kernel.power else _cosine(*cut), begins


def _in_v(kernel: Compact) -> Array:
    """Return the coefficients of v^power (c_0 + c_1 (1 - v) + ...) by rising power of v."""
    v = np.polynomial.Polynomial([0.0, 1.0])
    expanded = v**kernel.power * np.polynomial.Polynomial(kernel.coefficients)(1 - v)
    return np.asarray(expanded.coef, dtype=np.float64)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _segments(scores, scale):
    """Return where the segment of each score begins, and where it ends."""
    n = len(scores)
    first, last = np.zeros(n, dtype=np.int64), np.full(n, n - 1)
    for i in range(1, n):
        far = (scores[i] - scores[first[i - 1]]) / scale >= 1
        first[i] = i if far else first[i - 1]
    for i in range(n - 2, -1, -1):
        last[i] = last[i + 1] if first[i] == first[i + 1] else i
    return first, last


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _windows(x, scores, scale):
    """Return the first and the last score of each window; the last first, where it is empty."""
    begins, ends = np.empty(len(x), dtype=np.int64), np.empty(len(x), dtype=np.int64)
    begin = end = 0
    for j in range(len(x)):
        while begin < len(scores) and scores[begin] <= x[j]:
            begin += 1
        end = max(begin, end)
        while end < len(scores) and (scores[end] - x[j]) / scale < 1:
            end += 1
        begins[j], ends[j] = begin, end - 1
    return begins, ends


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _polynomial(p, x, scores, scale, first, last, begins, ends):
    of_end = _moments_of_ends(len(p), scores, scale, last)
    of_beginning = _moments_of_beginnings(len(p), scores, scale, first)
    sums, taylor = np.zeros(len(x)), np.empty(len(p))
    for j in range(len(x)):
        begin, end = begins[j], ends[j]
        if end < begin:
            continue
        beginning = first[end] >= begin
        if beginning:
            v = 1.0 - (scores[end] - x[j]) / scale
            sums[j] += _shifted(p, of_beginning[end], v, taylor)
        if not beginning or first[begin] < first[end]:
            v = 1.0 - (scores[last[begin]] - x[j]) / scale
            sums[j] += _shifted(p, of_end[begin], v, taylor)
    return sums


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _shifted(p, moments, v, taylor):
    """Add p(v + d) over all distances d: p is expanded around v, in `taylor`."""
    taylor[:] = p
    total = 0.0
    for k in range(len(p)):
        for i in range(len(p) - 2, k - 1, -1):
            taylor[i] += taylor[i + 1] * v
        total += moments[k] * taylor[k]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _moments_of_ends(size, scores, scale, last):
    """Add the powers of the distances of each score, and later ones, from the segment's last."""
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
            moments[i, k] = _add(before, power, lost, k)
            power *= distance
    return moments


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _moments_of_beginnings(size, scores, scale, first):
    """Add the powers of the distances of each score, and earlier ones, from the score.

    The distances from the next score are longer by the step between both, and powers of sums
    are sums of powers: sum (d + step)^k = sum_j (k over j) step^(k - j) sum d^j.
    """
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
            moments[i, k] = _add(moments[i - 1, k], more, lost, k)
    return moments


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(total, term, lost, k):
    """Return total + term, with what was rounded off before; Kahan's sum."""
    term -= lost[k]
    added = total + term
    lost[k] = (added - total) - term
    return added


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _cosine(x, scores, scale, first, last, begins, ends):
    """Add (v - sin(pi v) / pi) / 2; the moments are count, sum, and sums of cosine and sine."""
    of_end, of_beginning = _angles(scores, scale, first, last)
    sums = np.zeros(len(x))
    for j in range(len(x)):
        begin, end = begins[j], ends[j]
        if end < begin:
            continue
        beginning = first[end] >= begin
        if beginning:
            v = 1.0 - (scores[end] - x[j]) / scale
            turned = v + (scores[end] - scores[first[end]]) / scale
            sums[j] += _turned(of_beginning[end], v, turned)
        if not beginning or first[begin] < first[end]:
            v = 1.0 - (scores[last[begin]] - x[j]) / scale
            sums[j] += _turned(of_end[begin], v, v)
    return sums


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _turned(moments, v, turned):
    """Add (v + d - sin(pi (turned + a)) / pi) / 2 over all distances d and half turns a."""
    sine, cosine = math.sin(math.pi * turned), math.cos(math.pi * turned)
    sines = sine * moments[2] + cosine * moments[3]
    return (moments[0] * v + moments[1] - sines / math.pi) / 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _angles(scores, scale, first, last):
    """Return the moments of ends and beginnings; half turns count from a segment's own end."""
    n = len(scores)
    of_end, of_beginning = np.empty((n, 4)), np.empty((n, 4))
    lost, before = np.zeros(4), np.zeros(4)
    for i in range(n):
        if first[i] == i:
            before, lost = np.zeros(4), np.zeros(4)
            step = 0.0
        else:
            step = (scores[i] - scores[i - 1]) / scale
        angle = math.pi * (scores[i] - scores[first[i]]) / scale
        terms = (1.0, before[0] * step, math.cos(angle), -math.sin(angle))
        for k in range(4):
            of_beginning[i, k] = _add(before[k], terms[k], lost, k)
        before = of_beginning[i]
    for i in range(n - 1, -1, -1):
        if last[i] == i:
            before, lost = np.zeros(4), np.zeros(4)
        distance = (scores[last[i]] - scores[i]) / scale
        angle = math.pi * distance
        terms = (1.0, distance, math.cos(angle), math.sin(angle))
        for k in range(4):
            of_end[i, k] = _add(before[k], terms[k], lost, k)
        before = of_end[i]
    return of_end, of_beginning
