"""What each family promises beyond the contract: identities, limits and known values."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import stats

from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.tolerance import ulp_distance
from cdfscore.numerics.types import Array
from cdfscore.schemes import (
    Empirical,
    Exponential,
    FromScipy,
    Kernel,
    Minmax,
    Normal,
    Sum,
    Uniform,
    Z,
    z,
)

EPS = 2.0**-52
# Scores of 4 decimals, as measures are printed, on which no sample is nearly constant.
score = st.integers(0, 10**4).map(lambda k: k / 10**4)
samples = st.lists(score, min_size=2, max_size=60).filter(lambda s: np.ptp(s) > 0.01).map(np.array)
distinct = st.lists(score, min_size=1, max_size=60, unique=True).map(np.array)
points = st.lists(st.integers(-5000, 15000).map(lambda k: k / 10**4), min_size=1, max_size=20).map(
    np.array
)


def check_mean_0_and_sd_1(y: Array) -> None:
    assert math.fsum(y) / len(y) == pytest.approx(0, abs=1e-12)
    assert statistics.stdev(y.tolist()) == pytest.approx(1, rel=1e-12)


@pytest.mark.clause("z.1", "normal.3")
@given(samples)
def test_z_of_the_reference_has_mean_0_and_sd_1(sample: Array) -> None:
    check_mean_0_and_sd_1(Z().fit(sample)(sample))


@pytest.mark.clause("z.1", "normal.1")
def test_z_with_n_instead_of_n_minus_1_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def divided_by_n(scores: Array) -> tuple[Array, Array]:
        mean, sd = mean_and_sd(scores)
        return mean, sd * np.sqrt(1 - 1 / scores.shape[-1])

    monkeypatch.setattr(z, "mean_and_sd", divided_by_n)
    sample = np.array([0.1, 0.2, 0.4])
    with pytest.raises(AssertionError):
        check_mean_0_and_sd_1(Z().fit(sample)(sample))


@pytest.mark.clause("uniform.1")
@given(samples, points, st.floats(0.01, 2), st.floats(0, 1))
def test_uniform_is_az_plus_b_clipped(sample: Array, x: Array, a: float, b: float) -> None:
    expected = np.clip(a * Z().fit(sample)(x) + b, 0, 1)
    found = Uniform(A=a, B=b).fit(sample)(x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4 * EPS)


@pytest.mark.clause("normal.1")
@given(samples, points)
def test_normal_is_phi_of_z(sample: Array, x: Array) -> None:
    found = Normal().fit(sample)(x)
    with mp.workdps(50):
        phi = [float(mp.ncdf(mpf(t))) for t in Z().fit(sample)(x).tolist()]
    assert ulp_distance(found, phi).max() <= 5


@pytest.mark.clause("minmax.1")
@given(samples, points)
def test_minmax_is_the_uniform_cdf_on_the_range(sample: Array, x: Array) -> None:
    low, high = sample.min(), sample.max()
    found = Minmax().fit(sample)(x)
    assert np.array_equal(found, stats.uniform(low, high - low).cdf(x))
    assert np.array_equal(found, FromScipy(dist="uniform").fit(sample)(x))


@pytest.mark.clause("empirical.1", "empirical.4")
@given(distinct)
def test_empirical_of_distinct_scores_is_1_to_n_over_n(sample: Array) -> None:
    n = len(sample)
    fitted = Empirical().fit(sample)
    assert np.sort(fitted(sample)).tolist() == [k / n for k in range(1, n + 1)]
    numerators, denominators = fitted.ratio(sample)
    mean = Fraction(int(numerators.sum()), int(denominators.item())) / n
    assert mean == Fraction(n + 1, 2 * n)


@pytest.mark.clause("empirical.2")
@given(samples)
def test_conventions_of_empirical_add_up(sample: Array) -> None:
    """weak(x) = 1 - strict(-x) of the mirrored sample, and mid is half way, as fractions."""
    weak, strict, mid = (Empirical(c).fit(sample).ratio(sample) for c in ("weak", "strict", "mid"))
    assert (mid[0] == weak[0] + strict[0]).all()
    assert mid[1].tolist() == (2 * weak[1]).tolist()
    mirrored = Empirical("strict").fit(-sample).ratio(-sample)[0]
    assert (weak[0] == len(sample) - mirrored).all()


@pytest.mark.clause("kernel.1")
@given(samples)
def test_kernel_of_a_small_bandwidth_is_the_empirical_cdf(sample: Array) -> None:
    kernel = Kernel(bandwidth=1e-7).fit(sample)  # scores differ by 1e-4 or not at all
    atol = len(sample) * EPS
    at = kernel(sample)
    np.testing.assert_allclose(at, Empirical("mid").fit(sample)(sample), rtol=0, atol=atol)
    off = np.concatenate([sample - 4e-5, sample + 4e-5])
    np.testing.assert_allclose(kernel(off), Empirical().fit(sample)(off), rtol=0, atol=atol)


@given(samples)
def test_kernel_of_a_large_bandwidth_is_one_half(sample: Array) -> None:
    np.testing.assert_allclose(Kernel(bandwidth=1e9).fit(sample)(sample), 0.5, rtol=0, atol=1e-9)


@pytest.mark.clause("sum.1")
@given(samples)
def test_sum_of_the_reference_adds_to_1(sample: Array) -> None:
    y = Sum().fit(sample)(sample)
    assert math.fsum(y) == pytest.approx(1, rel=len(sample) * EPS)
    assert y.min() == 0


@pytest.mark.clause("exponential.1")
@given(samples, st.floats(0, 30))
def test_exponential_at_multiples_of_its_scale(sample: Array, k: float) -> None:
    fitted = Exponential().fit(sample)
    low, scale = fitted.parameters["min"].item(), fitted.parameters["scale"].item()
    assert scale == pytest.approx(math.fsum(sample - low) / len(sample), rel=4 * EPS)
    found = fitted(np.array([low, low + k * scale]))
    assert found[0] == 0
    assert found[1] == pytest.approx(-math.expm1(-k), rel=1e-12, abs=EPS * (low + 1) / scale)


@pytest.mark.clause("from_scipy.1")
@given(samples, points)
def test_from_scipy_norm_is_normal_with_n_for_n_minus_1(sample: Array, x: Array) -> None:
    n = len(sample)
    found = FromScipy().fit(sample)(x)
    z_n = Z().fit(sample)(x) * math.sqrt(n / (n - 1))
    np.testing.assert_allclose(found, stats.norm.cdf(z_n), rtol=1e-9, atol=1e-14)


@pytest.mark.clause("empirical.7")
def test_empirical_quantile_of_k_over_n_is_the_kth_score() -> None:
    """Also where n times k/n is rounded up past k, as for n = 25 and k = 7."""
    for n in range(1, 201):
        sample = np.arange(1.0, n + 1)
        quantiles = Empirical().fit(sample).quantile(np.arange(1, n + 1) / n)
        np.testing.assert_array_equal(quantiles, sample)
