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
Missing = tuple[NDArray[np.intp], ...]

# Below this the square of a spread has lost bits, or all of them, to underflow.
_SMALLEST_SAFE_VARIANCE = np.finfo(np.float64).tiny / np.finfo(np.float64).eps
# Scores widened at a time: few enough that the memory is not given back and asked for again.
_BLOCK = 1 << 15
_NONE: Missing = (np.zeros(0, dtype=np.intp),)


def count(scores: Array) -> IntArray:
    """Count the scores of each row that are not NaN; shape (..., n) to (..., 1)."""
    return _count(scores, _missing(scores))


def total(scores: Array) -> Array:
    """Sum each row as R's ``sum(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _total(_widen(scores, _missing(scores))).astype(np.float64)


def single_pass_mean(scores: Array) -> Array:
    """Average each row as R's ``colMeans`` does columns; shape (..., n) to (..., 1)."""
    missing = _missing(scores)
    sums = _total(_widen(scores, missing))
    with np.errstate(invalid="ignore"):
        return (sums / _count(scores, missing)).astype(np.float64)


def mean(scores: Array) -> Array:
    """Average each row as R's ``mean(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    missing = _missing(scores)
    n = _count(scores, missing)
    return _mean_and_residuals(_widen(scores, missing), missing, n)[0]


def mean_and_sd(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each row, as R's ``mean`` and ``sd``.

    Shape (..., n) to two of (..., 1). NaN is omitted; n must be at least 2.
    """
    rows = scores.reshape(-1, scores.shape[-1])
    means, sds = np.empty((2, len(rows), 1))
    step = max(1, _BLOCK // rows.shape[-1])
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        means[block], sds[block] = _mean_and_sd(rows[block])
    shape = (*scores.shape[:-1], 1)
    return means.reshape(shape), sds.reshape(shape)


def _mean_and_sd(scores: Array) -> tuple[Array, Array]:
    missing = _missing(scores)
    n = _count(scores, missing)
    wide = _widen(scores, missing)
    means, residuals = _mean_and_residuals(wide, missing, n)
    # R's var() subtracts the mean after it was rounded to double.
    _residuals(wide, means.astype(np.longdouble), missing, out=residuals)
    variance = np.vecdot(residuals, residuals)[..., np.newaxis] / (n - 1)
    with np.errstate(over="ignore", under="ignore"):
        rounded = variance.astype(np.float64)
        sd = np.sqrt(rounded)  # R's sd() takes the root of the rounded variance
        # R gives Inf for a spread above 1e154 and 0 below 1e-162; the long root gives neither.
        lost = (variance > 0) & ~((rounded >= _SMALLEST_SAFE_VARIANCE) & np.isfinite(rounded))
        if lost.any():
            sd[lost] = np.sqrt(variance[lost]).astype(np.float64)
    return means, sd


def _mean_and_residuals(wide: LongArray, missing: Missing, n: IntArray) -> tuple[Array, LongArray]:
    first = _total(wide) / n
    residuals = _residuals(wide, first, missing, out=np.empty_like(wide))
    return (first + _total(residuals) / n).astype(np.float64), residuals


def _residuals(wide: LongArray, means: LongArray, missing: Missing, out: LongArray) -> LongArray:
    np.subtract(wide, means, out=out)
    if missing[0].size:
        out[missing] = 0  # changes no sum
    return out


def _total(wide: LongArray) -> LongArray:
    ones = np.ones(wide.shape[-1], dtype=np.longdouble)
    sums: LongArray = np.vecdot(wide, ones)[..., np.newaxis]
    return sums


def _widen(scores: Array, missing: Missing) -> LongArray:
    wide = scores.astype(np.longdouble)
    if missing[0].size:
        wide[missing] = 0  # changes no sum
    return wide


def _missing(scores: Array) -> Missing:
    """Return the indices of missing scores; nearly always empty."""
    missing = np.isnan(scores)
    return np.nonzero(missing) if missing.any() else _NONE


def _count(scores: Array, missing: Missing) -> IntArray:
    n = np.full((*scores.shape[:-1], 1), scores.shape[-1], dtype=np.int64)
    return n - np.isnan(scores).sum(axis=-1, keepdims=True) if missing[0].size else n
