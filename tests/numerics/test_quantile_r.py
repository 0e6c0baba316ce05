"""Quantiles of the nine types: worked by hand, as properties, and against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cdfscore.errors import CdfscoreError, FitError
from cdfscore.numerics.quantile_r import TYPES, quantile_r

NAN = float("nan")
score = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.just(0.1))
sample = st.lists(score, min_size=1, max_size=30)
probability = st.one_of(
    st.floats(0, 1), st.builds(lambda k, n: min(k, n) / n, st.integers(0, 12), st.integers(1, 12))
)
types = st.sampled_from(TYPES)

# Positions of p among 1, 2, 4, 8, worked by hand from Table 1 of Hyndman and Fan (1996).
WORKED = {
    1: {0.0: 1, 0.25: 1, 0.3: 2, 0.5: 2, 0.9: 8, 1.0: 8},
    2: {0.0: 1, 0.25: 1.5, 0.3: 2, 0.5: 3, 0.9: 8, 1.0: 8},
    3: {0.0: 1, 0.3: 1, 0.375: 2, 0.5: 2, 0.625: 2, 0.9: 8, 1.0: 8},
    4: {0.0: 1, 0.2: 1, 0.3: 1.2, 0.5: 2, 0.9: 6.4, 1.0: 8},
    5: {0.0: 1, 0.1: 1, 0.3: 1.7, 0.5: 3, 0.9: 8, 1.0: 8},
    6: {0.0: 1, 0.2: 1, 0.3: 1.5, 0.5: 3, 0.8: 8, 1.0: 8},
    7: {0.0: 1, 0.2: 1.6, 0.3: 1.9, 0.5: 3, 0.9: 6.8, 1.0: 8},
    8: {0.0: 1, 0.1: 1, 0.3: 49 / 30, 0.5: 3, 0.9: 8, 1.0: 8},
    9: {0.0: 1, 0.1: 1, 0.3: 1.65, 0.5: 3, 0.9: 8, 1.0: 8},
}
NUMPY = {
    4: "interpolated_inverted_cdf",
    5: "hazen",
    6: "weibull",
    7: "linear",
    8: "median_unbiased",
    9: "normal_unbiased",
}


@pytest.mark.parametrize("type", TYPES)
def test_worked_values(type: int) -> None:
    found = quantile_r([8, 2, 4, 1], list(WORKED[type]), type)
    assert found.tolist() == pytest.approx(list(WORKED[type].values()), rel=1e-15)


def test_type_2_averages_at_a_step_though_the_product_is_rounded() -> None:
    assert quantile_r(np.arange(1, 11), np.arange(1, 10) / 10, 2).tolist() == [
        k + 0.5 for k in range(1, 10)
    ]


@given(sample, probability, types)
def test_within_the_sample_and_monotone(scores: list[float], p: float, type: int) -> None:
    low, found, high = quantile_r(scores, [p / 2, p, (1 + p) / 2], type)
    rounding = 2 * np.spacing(max(map(abs, scores)))
    assert min(scores) - rounding <= low <= found + rounding
    assert found - rounding <= high <= max(scores) + rounding


@given(st.floats(allow_nan=False), st.integers(1, 20), probability, types)
def test_equal_scores_are_returned_as_they_are(s: float, n: int, p: float, type: int) -> None:
    assert quantile_r([s] * n, p, type).tolist() == [s]


@given(sample, st.integers(0, 5), st.randoms(), probability, types)
def test_order_and_gaps_do_not_matter(
    scores: list[float], gaps: int, random: Any, p: float, type: int
) -> None:
    shuffled = [*scores, *[NAN] * gaps]
    random.shuffle(shuffled)
    assert quantile_r(shuffled, p, type) == quantile_r(sorted(scores), p, type)


@given(st.lists(sample, min_size=1, max_size=4), st.lists(probability, max_size=5), types)
def test_a_batch_is_its_rows(rows: list[list[float]], p: list[float], type: int) -> None:
    width = max(map(len, rows))
    table = np.array([row + [NAN] * (width - len(row)) for row in rows])
    found = quantile_r(table[:, np.newaxis], p, type)
    assert found.shape == (len(rows), 1, len(p))
    for i, row in enumerate(rows):
        assert_array_equal(found[i, 0], quantile_r(row, p, type))


@given(sample, st.floats(0, 1), st.sampled_from(list(NUMPY)))
def test_continuous_types_are_near_numpys(scores: list[float], p: float, type: int) -> None:
    expected = np.quantile(scores, p, method=NUMPY[type])  # type: ignore[call-overload]
    # The fuzz moves a position by up to 4 eps, and the scores are at most 10 apart.
    assert quantile_r(scores, p, type).item() == pytest.approx(expected, abs=1e-13)


def test_infinite_scores() -> None:
    x = [-np.inf, 0, 1, np.inf, np.inf]
    assert quantile_r(x, [0, 0.1, 0.5, 0.6, 0.75, 0.9]).tolist() == [
        *(-np.inf, -np.inf, 1.0, np.inf, np.inf, np.inf)
    ]
    assert np.isnan(quantile_r([-np.inf, np.inf], 0.5)).all()


@pytest.mark.parametrize(
    ("x", "p", "type", "message"),
    [
        ([1.0], 0.5, 0, "type=0 is unknown; expected a number from 1 to 9"),
        ([1.0], 0.5, 10, "type=10 is unknown"),
        ([1.0], 0.5, "linear", "type='linear' is unknown"),
        ([1.0], 0.5, 7.5, "type=7.5 is unknown"),
        ([1.0], 1.5, 7, "p=1.5 is not accepted; expected 0 <= p <= 1"),
        ([1.0], [0.5, -0.1], 7, "p=-0.1 is not accepted"),
        ([1.0], NAN, 7, "p=nan is not accepted"),
        ([1.0], "half", 7, "p='half' is not accepted; expected numbers"),
        ([1.0], [[0.5]], 7, r"p has shape \(1, 1\); expected a number or one dimension"),
        ([], 0.5, 7, "row 0 has no score; expected at least 1"),
        ([[1.0], [NAN]], 0.5, 1, "row 1 has no score"),
    ],
)
def test_bad_input(x: Any, p: Any, type: Any, message: str) -> None:
    with pytest.raises(CdfscoreError, match=f"^quantile_r: {message}"):
        quantile_r(x, p, type)


def test_the_row_without_scores_is_named() -> None:
    with pytest.raises(FitError) as caught:
        quantile_r([[1.0, 2.0], [NAN, NAN]], 0.5)
    assert caught.value.row == 1
