"""Distances of samples from a cdf: published examples, SciPy, and the definition itself."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from cdfscore.diagnosis.criteria import Resolution, statistics
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Exponential, Normal

samples = st.lists(st.integers(-100, 100), min_size=3, max_size=40, unique=True).map(
    lambda numbers: np.sort(np.array(numbers) / 100)
)
on_a_grid = st.lists(st.integers(0, 10), min_size=3, max_size=40).map(
    lambda numbers: np.sort(np.array(numbers) / 10)
)


def _exact(sample: Array) -> Array:
    z = Normal().fit(sample)(sample)
    return statistics(z, z)


@pytest.mark.clause("goodness_of_fit.1")
def test_the_weights_of_chicks() -> None:
    # D'Agostino and Stephens (1986), Table 4.1, the test of normality
    weights = [156, 162, 168, 182, 186, 190, 190, 196, 202, 210]
    weights += [214, 220, 226, 230, 230, 236, 236, 242, 246, 270]
    assert _exact(np.array(weights, dtype=np.float64)).round(3).tolist() == [0.104, 0.214, 0.034]


@pytest.mark.clause("goodness_of_fit.1")
@settings(max_examples=8)
@given(samples)
def test_scipy_has_the_same_for_exact_scores(sample: Array) -> None:
    mean, sd = sample.mean(), sample.std(ddof=1)
    expected = [
        stats.kstest(sample, stats.norm(mean, sd).cdf).statistic,
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


@pytest.mark.clause("goodness_of_fit.1")
@given(on_a_grid)
def test_ks_is_the_largest_distance_between_cells(sample: Array) -> None:
    fitted, tenths = Exponential().fit(sample), Resolution(0.1, "found")
    ends = np.arange(-2, 14) / 10 - 0.05
    distances = np.abs(fitted(ends) - Empirical().fit(sample)(ends))
    found = statistics(*tenths.cells(fitted, sample))[0]
    assert found == pytest.approx(distances.max(), abs=1e-15)


cells = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=6)


@pytest.mark.clause("goodness_of_fit.1")
@settings(max_examples=8)
@given(cells, st.sampled_from([1e-12, 1e-6, 0.01, 0.3, 1.0]))
def test_integrals_are_those_of_mpmath(steps: list[tuple[int, int]], shrunk: float) -> None:
    # Cells side by side, each with some scores spread evenly; all shrunk towards their middles.
    ends = np.cumsum([0, *(width for width, _ in steps)]) / sum(width for width, _ in steps)
    counts = np.array([count for _, count in steps])
    assume(counts.any())
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2 * shrunk
    lower, upper = (np.repeat(middle + side * half, counts).tolist() for side in (-1, 1))
    n, knots = len(lower), sorted({0.0, 1.0, *lower, *upper})
    spread = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(lower, upper, strict=True)]

    def distance(u: mpmath.mpf) -> mpmath.mpf:
        return sum(min(max((u - a) / (b - a), 0), 1) for a, b in spread) / n - u

    with mpmath.workdps(25):
        found = statistics(np.array(lower), np.array(upper))
        ad = sum(
            mpmath.quad(lambda u: distance(u) ** 2 / (u * (1 - u)), piece)
            for piece in pairwise(knots)
        )
        cvm = sum(mpmath.quad(lambda u: distance(u) ** 2, piece) for piece in pairwise(knots))
    assert found[1] == pytest.approx(float(n * ad), rel=1e-9)
    assert found[2] == pytest.approx(float(n * cvm), rel=1e-9)


@pytest.mark.clause("goodness_of_fit.1")
def test_scores_without_probability_count_a_lot_but_not_infinitely() -> None:
    z = np.array([[0.0, 0.0, 0.5, 1.0], [0.2, 0.4, 0.6, 0.8]])
    ks, ad, cvm = statistics(z, z)
    assert np.isfinite(ad).all()
    assert ad[0] > 20 > ad[1]
    assert ks[0] == 0.5
    assert cvm[0] == pytest.approx(1 / 48 + (1 / 8) ** 2 + (3 / 8) ** 2 + (1 / 8) ** 2 * 2)
