"""Trap: nine types of quantile, and NumPy's names and last bits for them."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.stats.numerics.quantiles import quantile_r
from validation.traps.r_functions import RFunctions

# R's type, NumPy's method, and the share of quantiles whose last bits differ.
METHODS = [
    (1, "inverted_cdf", 0.0),
    (2, "averaged_inverted_cdf", 0.0001),
    (3, "closest_observation", 0.0),
    (4, "interpolated_inverted_cdf", 0.06),
    (5, "hazen", 0.06),
    (6, "weibull", 0.30),
    (7, "linear", 0.23),
    (8, "median_unbiased", 0.48),
    (9, "normal_unbiased", 0.32),
]


@pytest.mark.parametrize(("type", "method", "share"), METHODS)
def test_numpys_names_of_the_types(type: int, method: str, share: float, r: RFunctions) -> None:
    rng = np.random.default_rng(0)
    differ = []
    for n in range(2, 101):
        x = rng.integers(0, 10**4, n) / 10**4
        p = np.concatenate([np.arange(1, 20) / 20, np.arange(n + 1) / n])
        by_r = r.numbers("quantile_of_type", x, p, type)
        by_numpy = np.quantile(x, p, method=method)  # type: ignore[call-overload]
        assert by_numpy == pytest.approx(by_r, rel=0, abs=1e-14)
        if type == 7:
            assert quantile_r(x, p).tolist() == by_r.tolist()
        differ += (by_numpy != by_r).tolist()
    assert np.mean(differ) == pytest.approx(share, abs=0.03)
    assert share > 0 or not any(differ)


def test_type_7_is_the_default_of_both(r: RFunctions) -> None:
    x = np.random.default_rng(1).random(20)
    by_r = r.numbers("quantile", x, 0.3, names=False)
    assert by_r == quantile_r(x, 0.3) == pytest.approx(np.quantile(x, 0.3), rel=1e-14)


def test_the_types_are_far_apart_on_a_small_sample(r: RFunctions) -> None:
    x, p = np.array([1.0, 2.0, 4.0, 8.0]), 0.9
    by_r = [r.numbers("quantile_of_type", x, p, type).item() for type, *_ in METHODS]
    assert by_r == pytest.approx([8, 8, 8, 6.4, 8, 8, 6.8, 8, 8])


def test_between_equal_infinite_scores(r: RFunctions) -> None:
    x = np.array([0.0, np.inf, np.inf])
    by_r = r.numbers("quantile_of_type", x, 0.75, 7)
    assert by_r.tolist() == quantile_r(x, 0.75).tolist() == [np.inf]
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.quantile(x, 0.75))
