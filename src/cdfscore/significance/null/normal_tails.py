"""p values of a standard normal statistic, each tail computed separately."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.types import Array


def p_value(z: Array, alternative: str) -> Array:
    """Return the p value of z, without the loss of digits of a subtraction from 1."""
    if alternative == "less":
        return normal_cdf(z.copy())
    if alternative == "greater":
        return normal_cdf(-z)
    return 2 * normal_cdf(-np.abs(z))
