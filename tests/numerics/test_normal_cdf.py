"""The normal cdf against mpmath at 50 digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.stats.numerics.normal_cdf import COEFFICIENTS, normal_cdf
from cdfscore.stats.numerics.types import Array
from validation.normal_cdf_coefficients import coefficients

# z with the largest errors among some million random ones, 2.5 to 3 ulp, and z where an
# earlier polynomial was off by more than 4.
HARD = [
    *(-37.391729956052885, -35.335413778911644, -29.126150791246385, -26.71903680863255),
    *(-18.491073000097764, -6.121891327746852, -2.1827223012555894, -1.8699047344181807),
    *(-1.5860506263824896, -36.8525681745646, -27.786657785830148, -21.464004214320834),
    *(-16.842187523967194, -7.246045693711362, -3.8676192402151357, -1.1759858196768656),
]


def errors(z: Array) -> list[float]:
    """Distance from the true value in units in the last place of the result."""
    with mp.workdps(50):
        return [
            float(abs(mpf(y) - mp.ncdf(mpf(t))) / mpf(float(np.spacing(y))))
            for t, y in zip(z.tolist(), normal_cdf(z.copy()).tolist(), strict=True)
        ]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-38.5, -37.5),  # subnormal results, which R's pnorm gives as 0
        (-37.5, -20.0),
        (-20.0, -10.0),
        (-10.0, -5.0),
        (-5.0, -2.0),
        (-2.0, -0.6745),
        (-0.6745, 0.0),
        (0.0, 2.0),
        (2.0, 9.0),
    ],
)
def test_error_is_at_most_4_ulp(low: float, high: float) -> None:
    z = np.random.default_rng(38).uniform(low, high, 800)
    assert max(errors(np.concatenate([z, [low, high]]))) <= 4


def test_error_is_at_most_4_ulp_where_it_is_largest() -> None:
    assert max(errors(np.array(HARD))) <= 4


@given(st.floats(-38.5, 9))
def test_error_is_at_most_4_ulp_anywhere(z: float) -> None:
    assert max(errors(np.array([z]))) <= 4


def test_ends_and_missing() -> None:
    z = np.array([-np.inf, -1e308, -39.0, -38.6, 0.0, -0.0, 9.0, 1e308, np.inf, np.nan])
    expected = [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0]
    y = normal_cdf(z)
    assert y[:-1].tolist() == expected
    assert np.isnan(y[-1])
    assert 0 < normal_cdf(np.array([-38.4])).item() < np.finfo(float).tiny


def test_lower_and_upper_tail_add_to_1_around_the_switch() -> None:
    z = -0.6745 + np.linspace(-1e-9, 1e-9, 1001)
    y = normal_cdf(z.copy())
    assert (np.diff(y) > -1e-15).all()
    np.testing.assert_allclose(y + normal_cdf(-z), 1, rtol=0, atol=4e-16)


def test_result_takes_the_place_of_z_whatever_the_shape() -> None:
    z = np.linspace(-10, 10, 40_000).reshape(2, 4, 5_000)  # three blocks
    row = normal_cdf(z[1, 2].copy())
    y = normal_cdf(z)
    assert y.shape == (2, 4, 5_000)
    assert np.array_equal(y[1, 2], row)
    assert np.shares_memory(y, z)
    assert normal_cdf(np.empty((3, 0))).shape == (3, 0)


def test_coefficients_are_those_of_the_script() -> None:
    assert tuple(coefficients()) == COEFFICIENTS
