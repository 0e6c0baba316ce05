"""Gamma: the likelihood equation, known distributions among its cdfs, and what is refused."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from cdfscore.stats.schemes import Gamma
from cdfscore.stats.schemes.gamma import lower_gamma

TOPIC = st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=40).filter(
    lambda s: max(s) > 1.01 * min(s)
)


@pytest.mark.clause("gamma.1")
@given(TOPIC)
def test_likelihood_equation_holds(sample: list[float]) -> None:
    p = Gamma().fit(sample).parameters
    shape, scale = float(p["shape"][0]), float(p["scale"][0])
    assert shape * scale == pytest.approx(np.mean(sample), rel=1e-14)
    error = np.log(scale) + digamma(shape) - np.mean(np.log(sample))
    assert abs(error) <= 2e-14 * (1 + np.abs(np.log(sample)).max())


@given(st.floats(0.05, 5e4), st.floats(-6, 6))
def test_incomplete_gamma_follows_its_recurrence(shape: float, z: float) -> None:
    """P(a, x) - P(a + 1, x) = x^a exp(-x) / Gamma(a + 1), Abramowitz and Stegun, 6.5.21."""
    from scipy.stats import poisson

    whole = float(round(shape) + 1)
    x = max(whole + z * np.sqrt(whole), whole / 100)
    p, q = (float(lower_gamma(np.array([a]), np.array([x]))[0]) for a in (whole, whole + 1))
    assert p - q == pytest.approx(poisson.pmf(whole, x), abs=1e-15, rel=1e-9)


@pytest.mark.parametrize("shape", [0.01, 4.8, 10.0, 50.0, 110.0, 139.9, 500.0])
def test_right_of_the_mean_and_far_out(shape: float) -> None:
    x = np.array([1.01 * shape, 1.45 * shape, 3 * shape, 7 * shape + 5, 2 * shape + 799])
    far = np.array([2 * shape + 801, 1e10, 1e100, 1e308, np.inf])
    found = lower_gamma(np.array([[shape]]), np.concatenate([x, far])[np.newaxis])[0]
    with mpmath.workdps(40):
        expected = [float(mpmath.gammainc(shape, 0, v, regularized=True)) for v in x.tolist()]
    np.testing.assert_allclose(found[:5], expected, rtol=1e-14)
    assert (found[5:] == 1).all()
