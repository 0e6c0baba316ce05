"""Plug-in bandwidth of Altman and Leger for the distribution function."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes._extremes import extremes
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.rows import power, rows_of

_ROOT_2_PI = math.sqrt(2 * math.pi)


def altman_leger(scores: Array, ordered: Array) -> Array:
    """Return (D2 / (sqrt(pi) D3 n))^(1/3); shape (..., 1).

    Altman and Leger (1995): the h = (V2 / (4 B3 n))^(1/3) that minimizes the leading terms of
    the integral of (F^ - F)^2 dF, with V2 = D2 / sqrt(pi) and B3 = D3 / 4 for the Gaussian
    kernel. D2 = sum_{i != j} phi((x_i - x_j) / a) / (n (n - 1) a) estimates the integral of
    f^2, and D3 = mean(f^'(x_i)^2), f^' = sum_j phi'((x - x_j) / a) / (n a^2), that of f'^2 f,
    both by a pilot bandwidth a = sd n^(-0.3); their weight function is 1. On large normal
    samples h is sqrt(3) sd n^(-1/3).

    Raises `FitError` for a row with h above the range of the scores: the estimated slope of the
    density is about 0 at every score, for example if there are few different values, far apart.
    """
    rows = rows_of(scores, ordered)
    ratio = np.empty(len(rows.n))
    pilot = rows.sd * power(rows.n, -0.3)
    _ratios(rows.ordered, rows.n, pilot, ratio)
    h = np.cbrt(ratio / (math.sqrt(math.pi) * rows.n))
    low, high = (end[:, 0] for end in extremes(rows.ordered))
    refuse_rows(
        rows.marked(~(h <= high - low)),
        "bandwidth rule altman_leger: h is above the range of the scores; the estimated density "
        "has no slope at the scores, for example because few values are far apart",
    )
    return rows.bandwidths(h)


@compiled
def _ratios(ordered, n, pilot, ratio):
    """Fill ratio with D2 / D3 of each row."""
    for row in range(len(n)):
        size, a = n[row], pilot[row]
        slopes = np.zeros(size)  # times -n a^2 sqrt(2 pi)
        pairs = 0.0
        for i in range(size):
            part = 0.0
            for j in range(i):
                u = (ordered[row, i] - ordered[row, j]) / a
                bell = math.exp(-0.5 * u * u)
                part += bell
                slopes[i] += u * bell
                slopes[j] -= u * bell
            pairs += part
        squares = 0.0
        for slope in slopes:
            squares += slope * slope
        second = 2.0 * pairs / (float(size) * (size - 1) * a * _ROOT_2_PI)
        third = squares / (float(size) * size * size * a**4 * 2.0 * math.pi)
        ratio[row] = second / third
