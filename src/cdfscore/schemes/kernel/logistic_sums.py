"""Sums of logistic cdfs: the logistic kernel estimate of a cdf, times n."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.kernel.compensated import add

# Right of this, 1 / (1 + exp(-u)) rounds to 1.
LARGEST = 37.5
# Terms below this proportion of the sum change no digit of it, even if there are n of them.
_SHARE = 2.0**-60


def logistic_sums(x: Array, sample: Array, n: IntArray, scale: Array) -> Array:
    """Return sum_i 1 / (1 + exp(-u_i)), u_i = (x - x_i) / scale, as `normal_sums` does.

    x is (t, m), `sample` (t, n) sorted with NaN last, `n` and `scale` (t,). Own code, as
    `scipy.special.expit` has no sum and would take an array of t * m * n values. A sum is
    within 4 ulp of the true one at the arguments u_i as they are in doubles.
    """
    sums = np.empty(x.shape)
    _rows(x, sample, n, scale, sums)
    return sums


@compiled
def _rows(x: Array, sample: Array, n: IntArray, scale: Array, sums: Array) -> None:
    for row in range(len(x)):
        for j in range(x.shape[1]):
            sums[row, j] = _sum(x[row, j], sample[row], n[row], scale[row])


@compiled
def _sum(x: float, sample: Array, n: int, scale: float) -> float:
    """Add from the largest term to the smallest, with compensated rounding errors."""
    if np.isnan(x):
        return x
    total = lost = 0.0
    for i in range(n):
        u = (x - sample[i]) / scale if x != sample[i] else 0.0
        if u > LARGEST:
            total += 1.0
            continue
        power = math.exp(-abs(u))
        term = (1.0 if u > 0 else power) / (1.0 + power)
        if term * n <= _SHARE * total:
            break
        total, lost = add(total, lost, term)
    return total
