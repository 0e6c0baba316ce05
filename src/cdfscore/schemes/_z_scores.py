"""z-score, with its limit on constant topics."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array


def z_scores(x: Array, mean: Array, sd: Array) -> Array:
    """z = (x - mean) / sd, Eq. 1 of Webber et al. (2008); x (..., m), mean and sd (..., 1).

    On a constant topic (sd = 0) it is the limit as sd goes to 0: -inf left of the mean, 0
    at it and +inf right of it.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z: Array = x - mean
        z /= sd
    if not np.all(sd):
        z[(x == mean) & (sd == 0)] = 0.0
    return z
