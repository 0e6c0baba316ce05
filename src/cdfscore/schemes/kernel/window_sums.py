"""Sums of compact kernels over many scores: O(n log n) with sorting, O(n) without.

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

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.kernel.compact_sums import Compact
from cdfscore.schemes.kernel.compensated import add
from cdfscore.schemes.kernel.window_cosine import cosine
from cdfscore.schemes.kernel.windows import Part, Segments, Windows, segments_of, windows_of


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
