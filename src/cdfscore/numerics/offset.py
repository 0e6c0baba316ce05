"""Taking off what nearly constant values have in common, before their mean is rounded."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array

# A mean is rounded by up to eps / 2 of the largest value: by 4 eps of this part of it.
_NEAR = 1 / 8


def without_offset(values: Array) -> Array:
    """Return values (..., n), nearly constant rows less their first value.

    The mean of values that differ in their last digits only is rounded by as much as they
    differ, and residuals from it are of another centre. The subtraction is exact for values so
    near one another, and changes no correlation. Other rows keep every bit.

    >>> without_offset(np.array([[0.1, 0.3, 0.2], [3.0, 3.25, 2.875]]))
    array([[ 0.1  ,  0.3  ,  0.2  ],
           [ 0.   ,  0.25 , -0.125]])
    """
    size = np.abs(values).max(axis=-1, keepdims=True)
    near = np.ptp(values, axis=-1, keepdims=True) <= _NEAR * size
    return np.where(near, values - values[..., :1], values)
