"""Means and standard deviations in the order and precision of R.

R adds a vector from left to right in the C type ``long double``, which is `numpy.longdouble`,
and its ``mean`` adds the mean of the residuals in a second pass. Doing the same gives the
same bits as the R of the same machine; `numpy.mean` adds pairwise in double precision and
differs in the last digit for about every second topic, which is enough to break a tie.

`numpy.vecdot` of long doubles adds from left to right (`numpy.sum` adds pairwise).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, IntArray

LongArray = NDArray[np.longdouble]

# Below this the square of a spread has lost bits, or all of them, to underflow.
_SMALLEST_SAFE_VARIANCE = np.finfo(np.float64).tiny / np.finfo(np.float64).eps


def count(scores: Array) -> IntArray:
    """Count the scores of each row that are not NaN; shape (..., n) to (..., 1)."""
    missing = np.isnan(scores)
    n = np.full((*scores.shape[:-1], 1), scores.shape[-1], dtype=np.int64)
    return n - missing.sum(axis=-1, keepdims=True) if missing.any() else n


def total(scores: Array) -> Array:
    """Sum each row as R's ``sum(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _total(_widen(scores)).astype(np.float64)


def single_pass_mean(scores: Array) -> Array:
    """Average each row as R's ``colMeans`` does columns; shape (..., n) to (..., 1)."""
    with np.errstate(invalid="ignore"):
        return (_total(_widen(scores)) / count(scores)).astype(np.float64)


def mean(scores: Array) -> Array:
    """Average each row as R's ``mean(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _mean_and_residuals(scores, _widen(scores))[0]


def mean_and_sd(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each row, as R's ``mean`` and ``sd``.

    Shape (..., n) to two of (..., 1). NaN is passed over; n must be at least 2.
    """
    wide = _widen(scores)
    means, residuals = _mean_and_residuals(scores, wide)
    # R's var() subtracts the mean after it was rounded to double.
    np.subtract(wide, means.astype(np.longdouble), out=residuals)
    _clear_missing(residuals, scores)
    variance = np.vecdot(residuals, residuals)[..., np.newaxis] / (count(scores) - 1)
    with np.errstate(over="ignore", under="ignore"):
        rounded = variance.astype(np.float64)
        sd = np.sqrt(rounded)  # R's sd() takes the root of the rounded variance
        # R gives Inf for a spread above 1e154 and 0 below 1e-162; the long root gives neither.
        lost = (variance > 0) & ~((rounded >= _SMALLEST_SAFE_VARIANCE) & np.isfinite(rounded))
        if lost.any():
            sd[lost] = np.sqrt(variance[lost]).astype(np.float64)
    return means, sd


def _mean_and_residuals(scores: Array, wide: LongArray) -> tuple[Array, LongArray]:
    n = count(scores)
    first = _total(wide) / n
    residuals = wide - first
    _clear_missing(residuals, scores)
    return (first + _total(residuals) / n).astype(np.float64), residuals


def _total(wide: LongArray) -> LongArray:
    ones = np.ones(wide.shape[-1], dtype=np.longdouble)
    sums: LongArray = np.vecdot(wide, ones)[..., np.newaxis]
    return sums


def _widen(scores: Array) -> LongArray:
    wide = scores.astype(np.longdouble)
    _clear_missing(wide, scores)
    return wide


def _clear_missing(wide: LongArray, scores: Array) -> None:
    """Put 0 where a score is missing, which changes no sum."""
    missing = np.isnan(scores)
    if missing.any():
        wide[missing] = 0
