"""Beta: likelihood equations, moments, scores at the ends, and what is refused."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Beta

INSIDE = st.floats(1e-6, 1 - 1e-6).map(lambda x: round(x, 9))
TOPIC = st.lists(INSIDE, min_size=2, max_size=40).filter(lambda s: max(s) - min(s) > 0.01)


def shapes(scheme: Beta, sample: list[float] | Array) -> tuple[float, float]:
    parameters = scheme.fit(sample).parameters
    return float(parameters["a"][0]), float(parameters["b"][0])


@pytest.mark.clause("beta.1")
@given(TOPIC)
def test_likelihood_equations_hold(sample: list[float]) -> None:
    """Doubles leave 1e-14 of digamma(a), and of the slope of digamma times the last digit of a."""
    a, b = shapes(Beta(), sample)
    for shape, logs in ((a, np.log(sample)), (b, np.log1p(-np.array(sample)))):
        error = digamma(shape) - digamma(a + b) - np.mean(logs)
        assert abs(error) <= 2e-14 * (1 + np.abs(logs).max() + abs(digamma(shape)))


def test_shapes_of_scores_near_0_against_mpmath() -> None:
    """1 minus such a score has lost half of its digits."""
    sample = 1e-9 * np.arange(1, 9) ** 2
    found = shapes(Beta(), sample)
    with mpmath.workdps(50):
        x = [mpmath.mpf(v) for v in sample.tolist()]
        wanted = [sum(map(f, x)) / len(x) for f in (mpmath.log, lambda v: mpmath.log1p(-v))]
        true = mpmath.findroot(
            lambda *ab: [
                mpmath.psi(0, s) - mpmath.psi(0, sum(ab)) - w
                for s, w in zip(ab, wanted, strict=True)
            ],
            found,
        )
    assert found == pytest.approx([float(v) for v in true], rel=1e-13)


@pytest.mark.clause("beta.2")
@given(TOPIC)
def test_moments_are_those_of_the_sample(sample: list[float]) -> None:
    a, b = shapes(Beta(method="moments"), sample)
    size = a + b
    assert a / size == pytest.approx(np.mean(sample), rel=1e-12)
    assert a * b / (size**2 * (size + 1)) == pytest.approx(np.var(sample), rel=1e-10)
