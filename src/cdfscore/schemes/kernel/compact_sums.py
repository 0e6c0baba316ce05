"""Sums of kernels with a compact support, integrated: the kernel estimate of a cdf, times n.

On [-1, 0] the integral of each kernel is written with v = 1 + u and t = -u, both of which are
never negative, so that no digits are lost: v^p (c_0 + c_1 t + ...). On [0, 1] it is 1 minus
that at -u. The cosine kernel's is (v - sin(pi v) / pi) / 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray


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
    _rows(kernel.power, np.array(kernel.coefficients), x, sample, n, scale, sums)
    return sums


@compiled
def _rows(
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
            sums[row, j] = _sum(power, coefficients, x[row, j], sample[row], n[row], scale[row])


@compiled
def _sum(power: int, coefficients: Array, x: float, sample: Array, n: int, scale: float) -> float:
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
