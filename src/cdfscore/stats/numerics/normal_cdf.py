"""Standard normal cdf, accurate in the lower tail."""

import numpy as np
from scipy.special import ndtr

from cdfscore.stats.numerics.types import Array

# Left of the lower quartile SciPy's ndtr loses digits: about 9 ulp at -2, 134 at -10, 568 at -20.
_LOWER_QUARTILE = -0.6745
# Phi(-39) is below the smallest double, so that nothing is lost by stopping there.
_LARGEST = 39.0
_LEADING = np.int64(-(1 << 29))  # 53 - 24 zeros at the end
# Values at a time: few enough that the temporaries stay in the processor's cache.
_BLOCK = 1 << 15

# (t + 1) Phi(-t) exp(t^2 / 2) as a polynomial in v = (t - 6) / (t + 6), by ascending power;
# computed at 50 digits by validation/normal_cdf_coefficients.py.
COEFFICIENTS = (
    0.45345520027112796,
    -0.0850253623057707,
    0.03981142456242972,
    -0.0043733867795958045,
    -0.01614151733218966,
    0.02259246706286397,
    -0.01976647922017405,
    0.01324686415284735,
    -0.007059819418465962,
    0.0029356555271674674,
    -0.0008689946842763221,
    0.00011948961115356217,
    3.779498276053905e-05,
    -2.635325739020347e-05,
    4.412183482468256e-06,
    1.783544743793883e-06,
    -9.992112921829805e-07,
    -1.0271235559947225e-10,
    1.3197548003488e-07,
    -2.0255827277318846e-08,
    -1.5417568053519787e-08,
    3.0122819163431583e-09,
    1.5179033825702512e-09,
)


def normal_cdf(z: Array) -> Array:
    """Phi(z) in place of z, within 4 ulp, where `scipy.special.ndtr` is 568 ulp off at -20."""
    flat = z.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        block = flat[start : start + _BLOCK]
        tail = np.flatnonzero(block < _LOWER_QUARTILE)
        t = -block[tail]
        block[tail] = 0.0  # where ndtr is quick
        ndtr(block, out=block)
        if tail.size:
            block[tail] = _phi_of_minus(t)
    return flat.reshape(z.shape)


def _phi_of_minus(t: Array) -> Array:
    """Return Phi(-t) for t above the quartile, overwriting t: exp(-t^2 / 2) P(v) / (t + 1)."""
    np.minimum(t, _LARGEST, out=t)
    v = t - 6.0
    v /= t + 6.0
    rest = COEFFICIENTS[-1] * v
    for coefficient in COEFFICIENTS[-2:0:-1]:  # Horner's rule, in place
        rest += coefficient
        rest *= v
    # The polynomial is leading + rest with more digits than a double holds (Dekker's sum).
    leading = COEFFICIENTS[0] + rest
    rest -= leading - COEFFICIENTS[0]
    # Both t^2 and t + 1 would be rounded, so that they are those of q, the leading bits of t,
    # which are exact. What is lost is a factor exp(r), |r| being below 2e-4: three terms.
    q = _leading_bits(t)
    lost = t - q
    inverse = 1.0 / (q + 1.0)
    r = -0.5 * lost * (t + q)
    lost *= inverse
    r -= lost - 0.5 * lost * lost  # log(1 + lost)
    rest += leading * (r + r * r * (0.5 + r * (1 / 6)))
    # The quotient and the exponential in two parts, whose first ones have an exact product.
    high = _leading_bits(leading * inverse)
    rest += leading - high * (q + 1.0)
    rest *= inverse
    power = np.exp(-0.5 * q * q)
    rest *= power
    first = _leading_bits(power)
    power -= first
    rest += high * power
    high *= first
    high += rest
    return high


def _leading_bits(values: Array) -> Array:
    """Cut doubles off after 24 bits, so that a product of two is exact."""
    return (values.view(np.int64) & _LEADING).view(np.float64)
