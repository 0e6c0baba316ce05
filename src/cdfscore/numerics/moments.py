"""Means and standard deviations in the order and precision of R.

R adds a vector from left to right in the C type ``long double``, which is `numpy.longdouble`,
and its ``mean`` adds the mean of the residuals in a second pass. Doing the same gives the
same bits as the R of the same machine; `numpy.mean` adds pairwise in double precision and
differs in the last digit for about every second topic, which is enough to break a tie.

`numpy.vecdot` of long doubles adds from left to right (`numpy.sum` adds pairwise).
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, IntArray

LongArray = NDArray[np.longdouble]
_Float = TypeVar("_Float", np.float64, np.longdouble)

# Below this the square of a spread has lost bits, or all of them, to underflow.
_SMALLEST_SAFE_VARIANCE = np.finfo(np.float64).tiny / np.finfo(np.float64).eps


def count(scores: Array) -> IntArray:
    """Count the scores of each row that are not NaN; shape (..., n) to (..., 1)."""
    return np.count_nonzero(~np.isnan(scores), axis=-1, keepdims=True).astype(np.int64)


def total(scores: Array) -> Array:
    """Sum each row as R's ``sum(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _total(_without_nan(scores).astype(np.longdouble)).astype(np.float64)


def single_pass_mean(scores: Array) -> Array:
    """Average each row as R's ``colMeans`` and ``rowMeans`` do; shape (..., n) to (..., 1)."""
    sums = _total(_without_nan(scores).astype(np.longdouble))
    with np.errstate(invalid="ignore"):
        return (sums / count(scores)).astype(np.float64)


def mean(scores: Array) -> Array:
    """Average each row as R's ``mean(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _long_mean(*_widen(scores))[0]


def mean_and_sd(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each row, as R's ``mean`` and ``sd``.

    Shape (..., n) to two of (..., 1). NaN is passed over; n must be at least 2.
    """
    wide, n = _widen(scores)
    means, residuals = _long_mean(wide, n)
    # R's var() subtracts the mean after it was rounded to double.
    np.subtract(wide, means.astype(np.longdouble), out=residuals)
    residuals[np.isnan(residuals)] = 0
    variance = np.vecdot(residuals, residuals)[..., np.newaxis] / (n - 1)
    with np.errstate(over="ignore", under="ignore"):
        rounded = variance.astype(np.float64)
        sd = np.sqrt(rounded)  # R's sd() takes the root of the rounded variance
        # R gives Inf for a spread above 1e154 and 0 below 1e-162; the long root gives neither.
        lost = (variance > 0) & ~((rounded >= _SMALLEST_SAFE_VARIANCE) & np.isfinite(rounded))
        if lost.any():
            sd[lost] = np.sqrt(variance[lost]).astype(np.float64)
    return means, sd


def _widen(scores: Array) -> tuple[LongArray, LongArray]:
    return scores.astype(np.longdouble), count(scores).astype(np.longdouble)


def _long_mean(wide: LongArray, n: LongArray) -> tuple[Array, LongArray]:
    first = _total(_without_nan(wide)) / n
    residuals = wide - first
    refined = first + _total(_without_nan(residuals)) / n
    return refined.astype(np.float64), residuals


def _total(wide: LongArray) -> LongArray:
    ones = np.ones(wide.shape[-1], dtype=np.longdouble)
    return np.vecdot(wide, ones)[..., np.newaxis]  # type: ignore[no-any-return]


def _without_nan(values: NDArray[_Float]) -> NDArray[_Float]:
    """Return `values` with 0 for NaN, which changes no sum; the same object without NaN."""
    missing = np.isnan(values)
    return np.where(missing, 0, values) if missing.any() else values
