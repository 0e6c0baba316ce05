"""Lower tail of the normal cdf, compiled: the steps of `cdfscore.numerics.normal_cdf`, in their
order.

The exponential between the two parts is NumPy's, whose last digit another library may not have.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array

# Number of values at a time whose polynomials are computed in parallel.
_SOME = 256


@compiled
def before_exp(t: Array, power: Array, largest: float) -> None:
    """Limit t to the largest one, and fill in -q^2 / 2 for its leading bits q."""
    for i in range(len(t)):
        t[i] = min(t[i], largest)
        q = _leading_bits(t[i])
        power[i] = -0.5 * q * q


@compiled
def after_exp(t: Array, power: Array, coefficients: Array) -> None:
    """Put Phi(-t) in place of t, given exp(-q^2 / 2)."""
    v, rest = np.empty(_SOME), np.empty(_SOME)
    for start in range(0, len(t), _SOME):
        some = t[start : start + _SOME]
        for i in range(len(some)):
            v[i] = (some[i] - 6.0) / (some[i] + 6.0)
            rest[i] = coefficients[-1] * v[i]
        for k in range(len(coefficients) - 2, 0, -1):  # Horner's rule
            for i in range(len(some)):
                rest[i] = (rest[i] + coefficients[k]) * v[i]
        _finish(some, power[start : start + _SOME], rest, coefficients[0])


@compiled
def _finish(t: Array, powers: Array, rests: Array, constant: float) -> None:
    for i in range(len(t)):
        x, power, rest = t[i], powers[i], rests[i]
        leading = constant + rest
        rest -= leading - constant
        q = _leading_bits(x)
        lost = x - q
        inverse = 1.0 / (q + 1.0)
        r = -0.5 * lost * (x + q)
        lost *= inverse
        r -= lost - 0.5 * lost * lost
        rest += leading * (r + r * r * (0.5 + r * (1 / 6)))
        high = _leading_bits(leading * inverse)
        rest += leading - high * (q + 1.0)
        rest = rest * inverse * power
        first = _leading_bits(power)
        rest += high * (power - first)
        t[i] = high * first + rest


@compiled
def _leading_bits(number: float) -> float:
    return np.int64(np.float64(number).view(np.int64) & -(1 << 29)).view(np.float64)
