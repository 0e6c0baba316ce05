"""Fractions over one denominator, so that their sums compare exactly."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.errors import CdfscoreError
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument


def common_numerators(numerators: IntArray, denominators: IntArray) -> Array:
    """Return the numerators of the same fractions over one denominator, as exact doubles.

    Sums of columns then compare as the sums of the fractions do. Raises `CdfscoreError` where
    a sum of all rows might not be exact, because the denominators have too little in common.
    """
    common = math.lcm(*(int(d) for d in np.unique(denominators)))
    if common * len(numerators) >= 2**52:  # the division of a sum must not join two of them
        raise CdfscoreError(
            "topics have different numbers of reference scores, so exact means would need the "
            f"common denominator {common}; expected one below 2^52 over the number of topics, as "
            f"without missing scores, or {argument('ties', 'rounded')}"
        )
    return (numerators * (common // denominators)).astype(np.float64)
