"""Sums of normal cdfs: the Gaussian kernel estimate of a cdf, times n."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.normal_cdf import COEFFICIENTS, normal_cdf
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.kernel.compensated import add

# Phi(-t) is a Taylor polynomial around the nearest of these steps, up to the end of the table.
_STEPS, _END, _DEGREE = 32, 8, 10
# Right of this, Phi(z) rounds to 1; left of the second number it is below the smallest double.
LARGEST, _NOTHING = 8.3, -39.0
# Terms below this proportion of the sum change no digit of it, even if there are n of them.
_SHARE = 2.0**-60


def normal_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i Phi((x - x_i) / scale) for rows x (t, m) and sorted samples (t, n).

    `n` (t,) counts the scores of each row, NaN being last, and `scale` is (t,). Where it is
    0, Phi is its limit: 0, 1/2, 1. NaN in x gives NaN.

    Own code, because a call of `scipy.special.ndtr` for each pair takes thrice as long, and
    is 568 ulp off in the lower tail. A sum is within 4 ulp of the true one at the arguments
    (x - x_i) / scale as they are in doubles.
    """
    sums = np.empty(x.shape)
    _rows(x, sample, n, scale, _table(), np.array(COEFFICIENTS), sums)
    return sums


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
        if z > LARGEST:
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
