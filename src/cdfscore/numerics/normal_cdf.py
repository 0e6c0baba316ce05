"""The standard normal cdf, accurate in the lower tail."""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, ndtr

from cdfscore.numerics.types import Array

# Left of this SciPy's ndtr loses digits: 20 ulp at -3, 134 at -10, 568 at -20.
_TAIL = -1.0
# Phi(-38.5) is the smallest that a double can hold; further left is 0.
_UNDERFLOW = -40.0


def normal_cdf(z: Array) -> Array:
    """Phi(z) = P(Z <= z) for a standard normal Z, elementwise; NaN stays NaN.

    In the lower tail Phi(z) = exp(-z^2 / 2) erfcx(-z / sqrt(2)) / 2. As in Cody's
    algorithm, z is split into q, a multiple of 1/16 whose square is exact, and a rest, so
    that the rounding error of z^2 is not magnified by the exponential. Own code because
    `scipy.special.ndtr` is up to 568 ulp from the true value at z = -20.
    """
    y: Array = ndtr(z)
    tail = z < _TAIL
    if tail.any():
        t = np.maximum(z[tail], _UNDERFLOW)
        q = np.trunc(16.0 * t) / 16.0
        density = np.exp(-0.5 * q * q) * np.exp(-0.5 * (t - q) * (t + q))
        y[tail] = 0.5 * density * erfcx(-np.sqrt(0.5) * t)
    return y
