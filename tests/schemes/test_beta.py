"""Beta: likelihood equations, moments, scores at the ends, and what is refused."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from cdfscore.errors import FitError
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


@pytest.mark.parametrize(
    "sample",
    [
        [1e-300, 0.5, 0.9],
        [1e-12, 1 - 1e-12],
        [1e-6] * 100 + [0.5],
        (1 - 1e-9 * np.arange(1, 30)).tolist(),
        (0.3 + 1e-4 * np.arange(20)).tolist(),
    ],
)
def test_hard_samples_have_a_fit(sample: list[float]) -> None:
    a, b = shapes(Beta(), sample)
    assert a > 0
    assert b > 0
    # The fit puts the sample neither into one tail nor into a point.
    assert 0.2 < Beta().fit(sample)(sample).mean() < 0.8


@pytest.mark.clause("beta.1", "beta.2", "beta.3")
@pytest.mark.parametrize(
    ("scheme", "sample", "fragment"),
    [
        (Beta(), [0, 0, 0.5, 1], "of 4 reference scores 2 are exactly 0 and 1 is exactly 1, where"),
        (Beta(), [0, 0.5, np.nan], "of 2 reference scores 1 is exactly 0, where.*has a mass at 0"),
        (Beta(), [0, 0.5, 0.7], "zero_inflated:family=beta"),
        (Beta(method="moments"), [0, 0, 1], "all reference scores are 0 or 1, and no beta"),
        (Beta(), [0.2, 1.2], r"1\.2, and beta:method=ml,ends=raise is a distribution on \[0, 1\]"),
        (Beta(), [0.5, 0.5 + 1e-9], "differ so little that a shape .* is above 1e\\+10"),
        (Beta(method="moments"), [0.5, 0.5 + 1e-9], "differ so little that a shape"),
    ],
)
def test_refusals(scheme: Beta, sample: list[float], fragment: str) -> None:
    padded = np.full((3, 4), np.nan)
    padded[:, :2] = 0.2, 0.4
    padded[1, : len(sample)] = sample
    with pytest.raises(FitError, match=f"row 1: .*{fragment}") as caught:
        scheme.fit(padded)
    assert list(caught.value.rows) == [1]
