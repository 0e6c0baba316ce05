"""Distance between doubles in units in the last place."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cdfscore.numerics.types import Array


def ulp_distance(a: ArrayLike, b: ArrayLike) -> Array:
    """Count the doubles that lie between `a` and `b`, elementwise.

    0 means equal (0.0 and -0.0 are), 1 means neighbours. Two NaN are equal; NaN and a
    number are infinitely far apart. Infinity is the neighbour of the largest double.

    Examples
    --------
    >>> import numpy as np
    >>> float(ulp_distance(1.0, 1.0 + 2**-52))
    1.0
    """
    left, right = (np.asarray(v, dtype=np.float64) for v in (a, b))
    left, right = np.broadcast_arrays(left, right)
    distance = np.abs(_ordinal(left) - _ordinal(right)).astype(np.float64)
    unlike = np.isnan(left) != np.isnan(right)
    both_nan = np.isnan(left) & np.isnan(right)
    return np.where(unlike, np.inf, np.where(both_nan, 0.0, distance))


def _ordinal(values: Array) -> NDArray[np.longdouble]:
    """Number the doubles in their order, zero at 0.0; exact while differences are small."""
    bits = values.copy().view(np.int64)
    magnitude = (bits & np.int64(2**63 - 1)).astype(np.longdouble)
    return np.where(bits < 0, -magnitude, magnitude)
