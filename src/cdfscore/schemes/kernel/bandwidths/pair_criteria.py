"""Criteria of R's ``bw.ucv``, ``bw.bcv`` and ``bw.SJ``, compiled.

They are sums over all pairs of scores, whose distances R rounds to a grid of 1000 steps over 1.01
times the range. Operations stand in R's order; exp and pow are the C library's, as R's.

What R returns is where its search stops: `optimize` and `uniroot`, which are Brent's two
algorithms, with a tolerance of a hundredth of the largest bandwidth. That is up to 1e-2 of
the exact answer away, so that the same number needs the same search on the same criterion.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled

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


@compiled
def criterion(biased, h, n, distances, counts):
    """Return the estimated error of cross-validation, biased or unbiased, at h."""
    return _bcv(h, n, distances, counts) if biased else _ucv(h, n, distances, counts)


@compiled
def _ucv(h, n, distances, counts):
    """Scott (1992), Eq. 6.67."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        total += (math.exp(-delta / 4.0) - math.sqrt(8.0) * math.exp(-delta / 2.0)) * counts[i]
    return (0.5 + total / n) / (n * h * _M_SQRT_PI)


@compiled
def _bcv(h, n, distances, counts):
    """Scott (1992), Eq. 6.69, as R corrects it."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        term = math.exp(-delta / 4.0) * (delta * delta - 12.0 * delta + 12.0)
        total += term * counts[i]
    return (1.0 + total / (32.0 * n)) / (2.0 * n * h * _M_SQRT_PI)


@compiled
def phi4(h, n, distances, counts):
    """Estimate the integral of f'' squared by a kernel of width h."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        total += math.exp(-delta / 2.0) * (delta * delta - 6.0 * delta + 3.0) * counts[i]
    total = 2.0 * total + n * 3.0
    return total / (float(n) * (n - 1) * math.pow(h, 5.0)) * _NORMAL


@compiled
def phi6(h, n, distances, counts):
    """Estimate minus the integral of f''' squared by a kernel of width h."""
    total = 0.0
    for i in range(len(distances)):
        delta = distances[i] / h
        delta *= delta
        if delta >= _FAR:
            break
        term = delta * delta * delta - 15.0 * delta * delta + 45.0 * delta - 15.0
        total += math.exp(-delta / 2.0) * term * counts[i]
    total = 2.0 * total - 15.0 * n
    return total / (float(n) * (n - 1) * math.pow(h, 7.0)) * _NORMAL


@compiled
def excess(h, scale, n, distances, counts):
    """Return the bandwidth from the pilot of h, minus h."""
    fourth = phi4(scale * math.pow(h, 5.0 / 7.0), n, distances, counts)
    return math.pow(1.0 / (2.0 * ROOT_PI * n) / fourth, 1.0 / 5.0) - h


@compiled
def minimum(biased, a, b, tolerance, n, distances, counts):
    """Return the minimizer of a criterion between a and b: Brent (1973), section 5.8.

    Parabolas through the three best points x, w and v, and golden sections where a parabola
    steps outside or no less than half as far as two steps before.
    """
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
    """Return the zero of the excess between a and b: Brent (1973), section 4.6.

    b is the best point, c the other end of the bracket, a the best before b. A step inverts the
    line or parabola through them, and halves the bracket where that steps too far. NaN where
    the excess is not finite.
    """
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
