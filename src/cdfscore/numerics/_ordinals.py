"""Numbers of the doubles, in their order."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, IntArray

_MAGNITUDE = np.int64(2**63 - 1)


def ordinals(values: Array) -> IntArray:
    """Number the doubles in their order, 0 at zero."""
    bits = np.array(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, -(bits & _MAGNITUDE), bits)


def doubles_of(ordinals: IntArray) -> Array:
    """Return the doubles of these numbers."""
    bits = np.where(ordinals < 0, -ordinals | ~_MAGNITUDE, ordinals)
    return bits.view(np.float64)
