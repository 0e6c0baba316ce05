"""TruncatedNormal: the moments of the fit, its closure, cdf and quantiles, and refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import truncexpon, truncnorm

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import TruncatedNormal
from cdfscore.stats.schemes.base import Fitted

TOPIC = st.lists(st.floats(0, 1), min_size=2, max_size=40).filter(lambda s: max(s) - min(s) > 0.01)
PROBABILITIES = np.array([0.0, 1e-12, 1e-5, 0.01, 0.3, 0.5, 0.8, 0.999, 1 - 1e-9, 1.0])
# On [0, 1]: nearly normal, half normal, nearly exponential, with mu at -1000, uniform, rising.
SHAPES = {
    "inside": (0.5, 0.05, 0.0, 1.0),
    "half": (0.16, 0.12, -0.47, 0.37),
    "nearly exponential": (0.1, 0.1, -1.0, 1e-9),
    "far mu": (0.5, 0.29, -3.4, 1e-3),
    "exponential": (0.1, 0.1, -1.0, 0.0),
    "uniform": (0.5, 0.29, 0.0, 0.0),
    "rising": (0.8, 0.2, 5.0, 0.5),
    "mode beside low, far from high": (0.0015, 0.0005, -0.003, 0.99),
    "all beside low": (4e-9, 2e-8, -4.5, 0.0),
}


def restored(location: float, scale: float, slope: float, curvature: float) -> Fitted:
    names = ("location", "scale", "slope", "curvature", "min", "max")
    values = (location, scale, slope, curvature, 0.0, 1.0)
    return TruncatedNormal().restore({k: [v] for k, v in zip(names, values, strict=True)})


def fitted_moments(fitted: Fitted) -> tuple[float, float]:
    """Mean and mean square of z under the fit, by a midpoint rule for its quantiles."""
    p = {name: float(v[0]) for name, v in fitted.parameters.items()}
    x = fitted.quantile((np.arange(20_000) + 0.5) / 20_000)
    z = (x - p["location"]) / p["scale"]
    return float(z.mean()), float((z**2).mean())


@pytest.mark.long
@pytest.mark.clause("truncated_normal.1", "truncated_normal.2")
@given(TOPIC)
def test_the_fit_has_the_moments_of_the_sample(sample: list[float]) -> None:
    fitted = TruncatedNormal().fit(sample)
    first, second = fitted_moments(fitted)
    assert abs(first) < 2e-4
    if fitted.parameters["curvature"][0] > 0:
        assert second == pytest.approx(1, abs=2e-3)
    else:  # the closure: not even an exponential distribution has such a spread
        assert second <= 1 + 1e-3


def test_moments_of_many_fits_by_other_nodes() -> None:
    topics = np.random.default_rng(2).beta([[5.0]] * 40 + [[0.3]] * 40, 1.0, (80, 10))
    parameters = TruncatedNormal().fit(topics).parameters
    location, scale, slope, curvature = (
        parameters[name] for name in ("location", "scale", "slope", "curvature")
    )
    nodes, weights = np.polynomial.legendre.leggauss(200)
    z = ((nodes + 1) / 2 - location) / scale
    mass = weights * np.exp(slope * z - curvature * z**2 / 2)
    mass /= mass.sum(axis=1, keepdims=True)
    np.testing.assert_allclose((mass * z).sum(axis=1), 0, rtol=0, atol=1e-11)
    second = (mass * z**2).sum(axis=1)
    assert 20 < np.count_nonzero(curvature) < 80
    np.testing.assert_allclose(second[curvature[:, 0] > 0], 1, rtol=1e-11)
    assert (second[curvature[:, 0] == 0] <= 1 + 1e-11).all()


@pytest.mark.clause("truncated_normal.1", "truncated_normal.2")
@pytest.mark.parametrize("shape", SHAPES)
def test_cdf_is_that_of_scipy(shape: str) -> None:
    """SciPy's truncnorm has 1e-8 where mu is far; its truncexpon is a closed form."""
    location, scale, slope, curvature = SHAPES[shape]
    x = np.linspace(0, 1, 21)
    if curvature > 0:
        mu, sigma = location + scale * slope / curvature, scale / np.sqrt(curvature)
        expected = truncnorm.cdf(x, -mu / sigma, (1 - mu) / sigma, mu, sigma)
    elif slope == 0:
        expected = x
    else:
        expected = truncexpon.cdf(x * -slope / scale, -slope / scale)
    np.testing.assert_allclose(restored(*SHAPES[shape])(x), expected, rtol=1e-7, atol=1e-300)


@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_invert_the_cdf(shape: str) -> None:
    fitted = restored(*SHAPES[shape])
    x = fitted.quantile(PROBABILITIES)
    assert (x[0], x[-1]) == (0, 1)
    assert (np.diff(x) > 0).all()
    np.testing.assert_allclose(fitted(x), PROBABILITIES, rtol=1e-13, atol=1e-15)
    assert (x >= 0).all()
    assert (np.diff(fitted.quantile(10.0 ** -np.linspace(16, 0, 400))) >= 0).all()
    x = np.linspace(0, 1, 101)
    y = fitted(x)
    told = y < 1 - 1e-6  # else 1 - y has lost the digits of x
    np.testing.assert_allclose(fitted.quantile(y)[told], x[told], rtol=0, atol=1e-10)


def test_quantiles_of_tiny_p_where_the_mode_is_beside_low() -> None:
    p = 10.0 ** -np.arange(20, 301, 40)
    for shape in ("far mu", "exponential", "uniform", "mode beside low, far from high"):
        fitted = restored(*SHAPES[shape])
        np.testing.assert_allclose(fitted(fitted.quantile(p)), p, rtol=1e-13)


@pytest.mark.clause("truncated_normal.2")
def test_the_curvature_is_continuous_where_the_closure_begins() -> None:
    """Between two samples, one with a normal fit and one without, y moves by no jump."""
    first, last = np.linspace(0.1, 0.9, 30), np.linspace(0, 1, 30)
    curvatures: list[float] = []
    before: Array | None = None
    for share in np.linspace(0, 1, 41):
        fitted = TruncatedNormal().fit((1 - share) * first + share * last)
        curvatures.append(float(fitted.parameters["curvature"][0]))
        y = fitted(np.linspace(0, 1, 11))
        assert before is None or np.abs(y - before).max() < 0.01
        before = y
    assert curvatures[0] > 0
    assert curvatures[-1] == 0


@pytest.mark.parametrize(
    "sample",
    [[0, 0, 1], [0, 1], [0] * 99 + [1], [0, 1e-150], (1 - 1e-9 * np.arange(1, 30)).tolist()],
)
def test_hard_samples_have_a_fit(sample: list[float]) -> None:
    fitted = TruncatedNormal().fit(sample)
    assert np.isfinite(list(fitted.parameters.values())).all()
    x = fitted.quantile([0.01, 0.5, 0.99])
    assert (np.diff(x) > 0).all()
