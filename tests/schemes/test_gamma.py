"""Gamma: the likelihood equation, known distributions among its cdfs, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import chi2

from cdfscore.errors import FitError
from cdfscore.schemes import Exponential, Gamma
from cdfscore.schemes._shape_likelihood import gamma_shapes
from cdfscore.schemes.gamma import lower_gamma
from cdfscore.testing import check_distribution, check_twin

TOPIC = st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=40).filter(
    lambda s: max(s) > 1.01 * min(s)
)


def test_contract() -> None:
    check_distribution(Gamma())
    check_distribution(Gamma(), within=(3.0, 700.0))


@pytest.mark.usefixtures("rinterface")
def test_twin() -> None:
    check_twin(Gamma())
    check_twin(Gamma(), within=(3.0, 700.0))


@pytest.mark.clause("gamma.1")
@given(TOPIC)
def test_likelihood_equation_holds(sample: list[float]) -> None:
    p = Gamma().fit(sample).parameters
    shape, scale = float(p["shape"][0]), float(p["scale"][0])
    assert shape * scale == pytest.approx(np.mean(sample), rel=1e-14)
    error = np.log(scale) + digamma(shape) - np.mean(np.log(sample))
    assert abs(error) <= 2e-14 * (1 + np.abs(np.log(sample)).max())


def test_the_mean_of_many_scores_has_all_digits() -> None:
    sample = np.random.default_rng(1).random(20_000) + 1e-3
    mean = math.fsum(sample) / len(sample)
    assert abs(gamma_shapes(sample[np.newaxis])[0, 1] - mean) <= np.spacing(mean)


@given(TOPIC, st.integers(-30, 30))
def test_shape_is_free_of_the_unit(sample: list[float], power: int) -> None:
    one, other = Gamma().fit(sample), Gamma().fit(np.array(sample) * 2.0**power)
    assert one.parameters["shape"] == other.parameters["shape"]
    assert one.parameters["scale"] * 2.0**power == other.parameters["scale"]


def test_is_near_the_approximation_of_thom() -> None:
    """Thom's approximation is within 1.5% of the maximum: Thom (1958), Eq. 22."""
    sample = np.array([0.2, 0.4, 0.7, 1.1, 1.9, 3.0])
    gap = np.log(sample.mean()) - np.log(sample).mean()
    thom = (1 + np.sqrt(1 + 4 * gap / 3)) / (4 * gap)
    assert float(Gamma().fit(sample).parameters["shape"][0]) == pytest.approx(thom, rel=0.015)


@pytest.mark.clause("gamma.1")
def test_shape_1_is_exponential_and_half_integers_are_chi_squared() -> None:
    x = np.array([0.0, 1e-3, 0.3, 2.0, 9.0, 40.0])
    ends = {"min": [0.0], "max": [1.0]}
    one = Gamma().restore({"shape": [1.0], "scale": [0.7], **ends})
    exponential = Exponential().restore({"min": [0.0], "scale": [0.7]})
    np.testing.assert_allclose(one(x), exponential(x), rtol=2e-15)
    for df in (1, 7, 60):
        half = Gamma().restore({"shape": [df / 2], "scale": [2.0], **ends})
        np.testing.assert_allclose(half(x), chi2.cdf(x, df), rtol=3e-14)


@given(st.floats(0.05, 5e4), st.floats(-6, 6))
def test_incomplete_gamma_follows_its_recurrence(shape: float, z: float) -> None:
    """P(a, x) - P(a + 1, x) = x^a exp(-x) / Gamma(a + 1), Abramowitz and Stegun, 6.5.21."""
    from scipy.stats import poisson

    whole = float(round(shape) + 1)
    x = max(whole + z * np.sqrt(whole), whole / 100)
    p, q = (float(lower_gamma(np.array([a]), np.array([x]))[0]) for a in (whole, whole + 1))
    assert p - q == pytest.approx(poisson.pmf(whole, x), abs=1e-15, rel=1e-9)


def test_incomplete_gamma_does_not_fall() -> None:
    for shape in (0.02, 0.9, 9.99, 10.01, 139.0, 141.0, 5e4):
        x = shape + np.sqrt(shape) * np.linspace(-4, 4, 2001)
        x = np.sort(np.concatenate([x, np.nextafter(x, np.inf), [shape + 1]]))
        x = x[x > 0]
        y = lower_gamma(np.array([shape]), x)
        assert (np.diff(y) >= -8 * np.spacing(y[1:])).all()


def test_recovers_the_parameters_it_simulates_with() -> None:
    true = Gamma().restore({"shape": [0.6], "scale": [0.2], "min": [0.0], "max": [1.0]})
    p = Gamma().fit(true.quantile(np.random.default_rng(7).random(40_000))).parameters
    assert (float(p["shape"][0]), float(p["scale"][0])) == pytest.approx((0.6, 0.2), rel=0.03)


@pytest.mark.clause("gamma.2")
@pytest.mark.parametrize("score", [0.0, 0.25, 3.0])
def test_constant_topics_have_their_limit(score: float) -> None:
    fitted = Gamma().fit([score] * 3)
    assert fitted.constant
    assert fitted([score - 0.1, score, score + 0.1]).tolist() == [0, 0.5, 1]


@pytest.mark.clause("gamma.1")
@pytest.mark.parametrize(
    ("sample", "fragment"),
    [
        (
            [0, 0, 0.5],
            "of 3 reference scores 2 are exactly 0, where the likelihood of gamma has no maximum",
        ),
        ([0, 0.5], "zero_inflated:family=gamma has a mass at 0"),
        ([-0.1, 0.5], r"-0\.1, and gamma is a distribution on \[0, infinity\)"),
        ([0.5, 0.501], r"the shape of the gamma distribution is above 200000"),
    ],
)
def test_refusals(sample: list[float], fragment: str) -> None:
    padded = np.full((3, 3), np.nan)
    padded[:, :2] = 0.2, 0.4
    padded[1, : len(sample)] = sample
    with pytest.raises(FitError, match=f"row 1: .*{fragment}") as caught:
        Gamma().fit(padded)
    assert list(caught.value.rows) == [1]
