"""Rounding to decimals as R does since version 4.0.0."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array

# Decimal digits that a double holds whatever the number.
_DIGITS = 15


def rounded(values: Array, decimals: int) -> Array:
    """Round to the nearer of the two neighbours that have `decimals` decimals, as R's ``round``.

    Both neighbours are doubles, and an equal distance decides for the even last digit.
    `numpy.round` rounds the product with 10^decimals and so takes 0.15 for 0.2, although the
    double is below 0.15. A number that would still have more than 15 digits is
    returned as it is; R draws that line elsewhere, at 14 to 16, by the power of 2.
    """
    power = 10.0**decimals
    # Zero has the logarithm -inf, and a product that overflows is not asked for.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scaled = values * power
        below, above = np.floor(scaled), np.ceil(scaled)
        low, high = below / power, above / power
        to_low, to_high = values - low, high - values
        down = (to_low < to_high) | ((to_low == to_high) & (below % 2 == 0))
        whole = np.ceil(np.log10(np.abs(values)))
    return np.where(decimals > _DIGITS - whole, values, np.where(down, low, high))
