"""Kumaraswamy: the maximum, its cdf in closed form, and what is refused."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Kumaraswamy

TOPIC = st.lists(st.floats(1e-6, 0.999999), min_size=2, max_size=40).filter(
    lambda s: max(s) - min(s) > 0.05
)


def shapes(sample: list[float] | Array) -> tuple[float, float]:
    parameters = Kumaraswamy().fit(sample).parameters
    return float(parameters["a"][0]), float(parameters["b"][0])


def likelihood(sample: Array, a: float, b: float) -> float:
    logs = np.log(sample)
    return float(np.mean(np.log(a * b) + (a - 1) * logs + (b - 1) * np.log(-np.expm1(a * logs))))


@pytest.mark.clause("kumaraswamy.1")
@given(TOPIC, st.floats(-2, 2), st.floats(-2, 2))
def test_no_other_shapes_are_more_likely(sample: list[float], move_a: float, move_b: float) -> None:
    a, b = shapes(sample)
    scores = np.array(sample)
    best = likelihood(scores, a, b)
    for share in (1.0, 0.1, 1e-3):
        other = likelihood(scores, a * np.exp(share * move_a), b * np.exp(share * move_b))
        assert other <= best + 1e-11 * (1 + abs(best))


@pytest.mark.clause("kumaraswamy.1")
@given(st.floats(1e-9, 1), st.floats(0.02, 50), st.floats(0.02, 200))
def test_cdf_is_exact_to_4_ulp(x: float, a: float, b: float) -> None:
    fitted = Kumaraswamy().restore({"a": [a], "b": [b], "min": [0.0], "max": [1.0]})
    with mp.workdps(330):  # 1 - (1 - p) loses the digits before a small p, up to 290 of them
        true = 1 - (1 - mpf(x) ** mpf(a)) ** mpf(b)
    assume(float(true) > 1e-290)
    assert abs(mpf(float(fitted([x])[0])) - true) <= 4 * np.spacing(float(true))


@pytest.mark.clause("kumaraswamy.1")
def test_the_likelihood_has_one_maximum() -> None:
    """Along a, with the best b for each, on samples with many and with no scores between."""
    rng = np.random.default_rng(11)
    for k in range(300):
        n = int(rng.integers(2, 40))
        spread = 10.0 ** rng.uniform(-rng.integers(1, 200), 0, n)
        near_1 = 1 - 10.0 ** rng.uniform(-14, 0, n)
        mixed = np.where(rng.random(n) < 0.5, spread, near_1)
        logs = np.log((spread, near_1, mixed)[k % 3])[:, np.newaxis]
        a = np.exp(np.linspace(-8, np.log(300) - np.log(-logs.max()), 300))
        with np.errstate(divide="ignore"):
            near, far = np.log(-np.expm1(a * logs)), np.log1p(-np.exp(a * logs))
        rest = np.where(a * logs > -0.7, near, far)
        b = -1 / rest.mean(axis=0)
        profile = np.log(a * b) + a * logs.mean() + 1 / b
        rises = np.diff(profile) > 1e-12 * np.abs(profile[1:])
        falls = np.diff(profile) < -1e-12 * np.abs(profile[1:])
        assert not falls[: np.flatnonzero(rises)[-1]].any()
        i = int(profile.argmax())
        assert a[max(i - 1, 0)] <= shapes(np.exp(logs[:, 0]))[0] <= a[min(i + 1, 299)]
