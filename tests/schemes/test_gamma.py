"""Gamma: the likelihood equation, known distributions among its cdfs, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from cdfscore.errors import FitError
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
