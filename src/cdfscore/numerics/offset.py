"""Common offsets of scores, subtracted where they would round away what the scores differ by."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array


def without_offset(values: Array, near: float = 2.0**-10) -> Array:
    """Return values (..., n), with the first value subtracted from nearly constant rows.

    Those are rows whose range is at most `near` times their largest size. The mean of values that
    differ in their last digits only is rounded by as much as they differ, and residuals from it
    are of another centre. The subtraction is exact for values so near one another, and changes no
    difference. Other rows keep every bit.

    >>> without_offset(np.array([[0.1, 0.3, 0.2], [3.0, 3.25, 2.875]]), near=0.125)
    array([[ 0.1  ,  0.3  ,  0.2  ],
           [ 0.   ,  0.25 , -0.125]])
    """
    size = np.abs(values).max(axis=-1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):  # a range that is infinite is not near
        alike = np.ptp(values, axis=-1, keepdims=True) <= near * size
        return np.where(alike, values - values[..., :1], values)


def without_common_offset(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return samples x (rows, n) and y (rows, m) without the offset of both, and it (rows,)."""
    n = x.shape[1]
    pooled = without_offset(np.concatenate([x, y], axis=1))
    return pooled[:, :n], pooled[:, n:], x[:, 0] - pooled[:, 0]
