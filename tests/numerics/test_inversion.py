"""Quantiles by bracketing: the smallest double that reaches p, whatever the cdf."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.quantiles import invert
from cdfscore.stats.numerics.types import Array

P = np.concatenate([np.arange(1, 100) / 100, [1e-300, 1e-12, 1 - 1e-12]])


def steps(x: Array) -> Array:
    return np.clip(np.floor(x * 10), 0, 10) / 10


def plateau(x: Array) -> Array:
    return np.where(x < 0.25, np.clip(2 * x, 0, 0.5), np.clip(x, 0.5, 1.0))


CDFS: dict[str, tuple[Callable[[Array], Array], float, float]] = {
    "normal": (lambda x: normal_cdf(x.copy()), -math.inf, math.inf),
    "far from zero": (lambda x: normal_cdf((x - 1e9) / 1e-3), -math.inf, math.inf),
    "tiny": (lambda x: np.clip(x * 1e300, 0.0, 1.0), -1.0, 1.0),
    "cauchy": (lambda x: 0.5 + np.arctan(x) / math.pi, -math.inf, math.inf),
    "steps": (steps, -math.inf, math.inf),
    "plateau": (plateau, 0.0, 1.0),
    "root": (lambda x: x**0.1, 0.0, 1.0),
}


@pytest.mark.parametrize("name", CDFS)
def test_x_reaches_p_and_its_left_neighbour_does_not(name: str) -> None:
    cdf, low, high = CDFS[name]
    x = invert(cdf, P, low, high)
    assert (cdf(x) >= P).all()
    assert (cdf(np.nextafter(x, -np.inf)) < P).all()


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_any_double_is_found_at_a_step(a: float, b: float) -> None:
    at = np.array([a, b])
    assert invert(lambda x: np.where(x >= at, 1.0, 0.0), np.ones(2), -np.inf, np.inf).tolist() == [
        a,
        b,
    ]


def test_ends_where_p_is_not_crossed() -> None:
    x = invert(lambda x: x, np.array([0.1, 0.2, 0.5, 0.9, np.nan]), 0.2, 0.8)
    np.testing.assert_array_equal(x, [0.2, 0.2, 0.5, 0.8, np.nan])


def test_the_quantile_of_the_normal() -> None:
    from scipy.special import ndtri

    p = np.linspace(0.001, 0.999, 500)
    assert np.abs(
        invert(lambda x: normal_cdf(x.copy()), p, -np.inf, np.inf) / ndtri(p) - 1
    ).max() < (1e-12)


@pytest.mark.parametrize("name", ["normal", "cauchy", "root", "steps"])
def test_a_search_takes_few_evaluations(name: str) -> None:
    cdf, low, high = CDFS[name]
    calls: list[int] = []

    def counted(x: Array) -> Array:
        calls.append(x.size)
        return cdf(x)

    invert(counted, np.array([0.3]), low, high)
    assert len(calls) < 102
