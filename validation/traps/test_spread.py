"""Trap: standard deviations that divide by n."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Z
from validation.traps.r_functions import RFunctions

SIZES = (2, 3, 10, 50, 100)


def four_decimals(n: int, rows: int = 400) -> Array:
    return np.random.default_rng(n).integers(0, 10**4, (rows, n)) / 10**4


@pytest.mark.parametrize("n", SIZES)
def test_numpy_and_scipy_divide_by_n(n: int, r: RFunctions) -> None:
    for x in four_decimals(n, 50):
        by_r = r.numbers("sd", x).item()
        assert np.std(x) == pytest.approx(by_r * np.sqrt((n - 1) / n), rel=1e-12)
        z = (x - r.numbers("mean", x)) / by_r
        assert stats.zscore(x) == pytest.approx(z * np.sqrt(n / (n - 1)), rel=1e-9, abs=1e-12)
        assert stats.zscore(x, ddof=1) == pytest.approx(z, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_cdfscore_has_rs_sd_and_z(n: int, r: RFunctions) -> None:
    for x in four_decimals(n, 50):
        by_r = r.numbers("sd", x)
        assert mean_and_sd(x)[1].tolist() == by_r.tolist()
        assert Z().fit(x)(x).tolist() == ((x - r.numbers("mean", x)) / by_r).tolist()


def test_with_n_minus_1_numpy_is_off_in_the_last_bit_for_every_fourth_sample(
    r: RFunctions,
) -> None:
    x = four_decimals(100)
    by_r = np.array([r.numbers("sd", row).item() for row in x])
    by_numpy = np.std(x, axis=1, ddof=1)
    assert by_numpy == pytest.approx(by_r, rel=1e-14)
    assert np.mean(by_numpy != by_r) == pytest.approx(0.25, abs=0.08)
