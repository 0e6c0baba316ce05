"""Distances of samples from a cdf: published examples, SciPy, and the definition itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore.diagnosis.goodness_of_fit import statistics
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.distributions import Empirical, Exponential, Normal
from cdfscore.numerics.types import Array

samples = st.lists(st.integers(-100, 100), min_size=3, max_size=40, unique=True).map(
    lambda numbers: np.sort(np.array(numbers) / 100)
)
on_a_grid = st.lists(st.integers(0, 10), min_size=3, max_size=40).map(
    lambda numbers: np.sort(np.array(numbers) / 10)
)


def _exact(sample: Array) -> Array:
    z = Normal().fit(sample)(sample)
    return statistics(z, z)


def test_the_weights_of_chicks() -> None:
    # D'Agostino and Stephens (1986), Table 4.1, the test of normality
    weights = [156, 162, 168, 182, 186, 190, 190, 196, 202, 210]
    weights += [214, 220, 226, 230, 230, 236, 236, 242, 246, 270]
    assert _exact(np.array(weights, dtype=np.float64)).round(3).tolist() == [0.104, 0.214, 0.034]


@given(samples)
def test_scipy_has_the_same_for_exact_scores(sample: Array) -> None:
    mean, sd = sample.mean(), sample.std(ddof=1)
    expected = [
        stats.kstest(sample, "norm", (mean, sd)).statistic,
        stats.goodness_of_fit(
            stats.norm,
            sample,
            known_params={"loc": mean, "scale": sd},
            statistic="ad",
            n_mc_samples=1,
            rng=1,
        ).statistic,
        stats.cramervonmises(sample, "norm", (mean, sd)).statistic,
    ]
    np.testing.assert_allclose(_exact(sample), expected, rtol=1e-9, atol=1e-13)


@given(on_a_grid)
def test_ks_is_the_largest_distance_between_cells(sample: Array) -> None:
    fitted, tenths = Exponential().fit(sample), Resolution(0.1, "given")
    ends = np.arange(-2, 14) / 10 - 0.05
    distances = np.abs(fitted(ends) - Empirical().fit(sample)(ends))
    found = statistics(*tenths.cells(fitted, sample))[0]
    assert found == pytest.approx(distances.max(), abs=1e-15)


@given(samples)
def test_no_statistic_depends_on_which_end_is_up(sample: Array) -> None:
    np.testing.assert_allclose(_exact(sample), _exact(-sample[::-1]), rtol=1e-9, atol=1e-13)


def test_scores_without_probability_count_a_lot_but_not_infinitely() -> None:
    z = np.array([[0.0, 0.0, 0.5, 1.0], [0.2, 0.4, 0.6, 0.8]])
    ks, ad, cvm = statistics(z, z)
    assert np.isfinite(ad).all()
    assert ad[0] > 20 > ad[1]
    assert ks[0] == 0.5
    assert cvm[0] == pytest.approx(1 / 48 + (1 / 8) ** 2 + (3 / 8) ** 2 + (1 / 8) ** 2 * 2)


def test_a_batch_has_the_numbers_of_each_sample() -> None:
    lower = np.sort(np.random.default_rng(3).random((2, 4, 9)), axis=-1)
    upper = np.minimum(lower + 0.05, 1)
    together = statistics(lower, upper)
    assert together.shape == (3, 2, 4)
    for row in np.ndindex(2, 4):
        assert together[(slice(None), *row)].tolist() == statistics(lower[row], upper[row]).tolist()
