"""Scores whose sums are hard to round, and a judge in whole numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

LONG_DOUBLES = np.finfo(np.longdouble).nmant == 63
# On ARM long doubles have other widths; there other tests compare with fractions and with R.
needs_long_doubles = pytest.mark.skipif(
    not LONG_DOUBLES, reason="numpy.longdouble has no 64 bits here"
)
SIGNS = st.sampled_from([1.0, -1.0])
# What fits a number of 64 bits but not a double, and what lies at or beside the middle of two.
BITS = [
    *(2.0**-k for k in range(50, 68)),
    *(2.0**-k * (1 + 2.0**-52) for k in range(60, 68)),
    *(2.0**-k * (1 - 2.0**-53) for k in range(60, 68)),
    *(3 * 2.0**-k for k in range(60, 68)),
    *(2.0**-110, 2.0**-116, 1.0, 1 + 2.0**-52, 1 - 2.0**-53, 0.5, 1.5, 2.0, 0.0, -0.0),
]
KINDS = {
    "shares": st.sampled_from([7, 61, 103, 110, 129]).flatmap(
        lambda n: st.integers(0, n).map(lambda k: k / n)
    ),
    "decimals": st.integers(-10_000, 10_000).map(lambda k: k / 10_000),
    "magnitudes": st.builds(
        lambda sign, digits, power: sign * digits * 10.0**power,
        SIGNS,
        st.floats(1, 10),
        st.integers(-12, 11),
    ),
    "powers of two": st.builds(
        lambda sign, power: sign * 2.0**power, SIGNS, st.integers(-100, 100)
    ),
    "bits": st.builds(
        lambda sign, bits: sign * bits, SIGNS, st.one_of(st.just(1.0), st.sampled_from(BITS))
    ),
    "cancelling": st.builds(lambda sign, k: sign * (1 + k * 2.0**-52), SIGNS, st.integers(0, 3)),
}
KINDS["all"] = st.one_of(*KINDS.values())


def rounded_to_64_bits(exact: Fraction) -> Fraction:
    """The nearest number of 64 significant bits; of two, the even one."""
    if not exact:
        return exact
    power = abs(exact.numerator).bit_length() - exact.denominator.bit_length() - 65
    while abs(exact) >= Fraction(2) ** (power + 64):
        power += 1
    unit = Fraction(2) ** power
    return round(exact / unit) * unit
