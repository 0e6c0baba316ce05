"""Rounding to decimals beside R's `round`."""

from types import ModuleType

import numpy as np
import pytest

from cdfscore.stats.significance.rank_tests import rounded


@pytest.mark.clause("ties_at.2")
@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 6, 10, 12])
def test_it_is_the_one_of_r(rinterface: ModuleType, decimals: int) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate(
        [
            rng.normal(size=500) * 10.0 ** rng.integers(-20, 2, 500),
            np.arange(-151, 151, 2) / 2 / 10.0**decimals,  # halfway
            rng.integers(-(10**6), 10**6, 500) / 1e5 - rng.integers(0, 2, 500) / 3,
            [0.0, -0.0, 5e-324, 0.15, 2.5, 99.99, 1e300],
        ]
    )
    r_round = rinterface.baseenv["round"]
    vector = rinterface.FloatSexpVector(values.tolist())
    np.testing.assert_array_equal(
        rounded(values, decimals), np.array(r_round(vector, float(decimals)))
    )


@pytest.mark.clause("ties_at.2")
def test_a_decimal_below_the_half_goes_down() -> None:
    assert rounded(np.array([0.15, 0.25, 0.35, 1e-17, 0.30000000000000004]), 1).tolist() == [
        0.1,
        0.2,
        0.3,
        0.0,
        0.3,
    ]
