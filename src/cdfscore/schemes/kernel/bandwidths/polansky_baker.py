"""Multistage plug-in bandwidth of Polansky and Baker for the distribution function."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.kernel.bandwidths.rows import rows_of

_PHI_0 = 1 / math.sqrt(2 * math.pi)


def polansky_baker(scores: Array, ordered: Array) -> Array:
    """Return (1 / (-sqrt(pi) psi_2 n))^(1/3), psi_2 by two stages; shape (..., 1).

    Polansky and Baker (2000): h minimizes the leading terms of the integral of (F^ - F)^2 for
    the Gaussian kernel. psi_r, the integral of the r-th derivative of f times f, is estimated
    by sum_ij phi^(r)((x_i - x_j) / g_r) / (n^2 g_r^(r+1)), i = j included, with
    g_r = (-2 phi^(r)(0) / (psi_{r+2} n))^(1/(r+3)) for r = 2 and 4, and psi_6 is that of a
    normal density, -15 / (16 sqrt(pi) sd^7). On large normal samples h is
    4^(1/3) sd n^(-1/3). The numbers are those of ``ks::hpi.kcde(x, binned = FALSE)``, the
    same two stages. Implementations that take min(sd, IQR / 1.349) for sd have no bandwidth
    where the interquartile range is 0.

    With i = j included -psi_2 is the integral of the square of the slope of a kernel density,
    so that every sample that varies has an h, and by Terrell (1990) none above
    1.7 sqrt(sd^2 + g_2^2 / 2) n^(-1/3).
    """
    rows = rows_of(scores, ordered)
    h = np.empty(len(rows.n))
    _two_stages(rows.ordered, rows.n, rows.sd, h)
    return rows.bandwidths(h)


@compiled
def _two_stages(ordered, n, sd, h):
    for row in range(len(n)):
        sample, size = ordered[row, : n[row]], n[row]
        sixth = -15.0 / (16.0 * math.sqrt(math.pi) * sd[row] ** 7)
        fourth = _psi(4, sample, (-6.0 * _PHI_0 / (sixth * size)) ** (1.0 / 7.0))
        second = _psi(2, sample, (2.0 * _PHI_0 / (fourth * size)) ** (1.0 / 5.0))
        h[row] = (-1.0 / (math.sqrt(math.pi) * second * size)) ** (1.0 / 3.0)


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
        return _PHI_0 * (2.0 * total + 3.0 * n) / (float(n) * n * g**5)
    return _PHI_0 * (2.0 * total - n) / (float(n) * n * g**3)
