"""Standardized scores do not change under x -> a x + b with a > 0.

With a = 1/R this says that standardized average precision equals the standardized sum of
precisions, for any number R of relevant documents.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import schemes

# Of the catalogue, those whose parameters scale with the scores. raw and centered have the unit of
# x.
# A family on [0, 1] has the unit of x too. Samples here have two scores or more.
SCALED = [
    name
    for name in schemes.names()
    if name not in ("raw", "centered")
    and np.isinf(schemes.load(name)().domain).all()
    and schemes.load(name)().minimum_scores <= 2
]
SCALED += ["empirical:convention=strict", "empirical:convention=mid", "uniform:A=0.3,B=0.4"]
# Those that are computed from differences of scores, or from comparisons, alone.
SHIFTED = [
    name for name in SCALED if name.startswith(("empirical", "minmax", "sum", "exponential"))
]

# Multiples of 1/1024 with 20 bits, so that 2^j x + b is exact for b on the same grid.
dyadic = st.lists(st.integers(0, 2**20).map(lambda k: k / 1024), min_size=2, max_size=40)
dyadic_samples = dyadic.filter(lambda s: max(s) > min(s)).map(np.array)
scores = st.lists(st.integers(0, 1000).map(lambda k: k / 1000), min_size=2, max_size=40)
samples = scores.filter(lambda s: max(s) - min(s) >= 0.05).map(np.array)


def points(sample: Array) -> Array:
    """The scores themselves, points half way between, and some outside."""
    s = np.sort(sample)
    return np.concatenate([sample, (s[1:] + s[:-1]) / 2, [s[0] - 1, s[-1] + 1]])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spelling", SHIFTED)
@given(sample=dyadic_samples, exponent=st.integers(-30, 30), shift=st.integers(-(2**20), 2**20))
def test_exact_affine_map_changes_no_bit(
    spelling: str, sample: Array, exponent: int, shift: int
) -> None:
    scheme, a, x = schemes.parse(spelling), 2.0**exponent, points(sample)
    b = a * shift / 1024
    assert np.array_equal(scheme.fit(a * sample + b)(a * x + b), scheme.fit(sample)(x))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spelling", SCALED)
@given(sample=samples, a=st.floats(1e-3, 1e3), share=st.floats(-10, 10))
def test_any_affine_map_changes_y_by_rounding_only(
    spelling: str, sample: Array, a: float, share: float
) -> None:
    """b is up to 10 a, so that rounding a x + b moves z by less than 1e-13 n."""
    scheme, b, x = schemes.parse(spelling), share * a, points(sample)
    found, expected = scheme.fit(a * sample + b)(a * x + b), scheme.fit(sample)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
