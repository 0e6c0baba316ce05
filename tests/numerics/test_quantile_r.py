"""Quantiles of type 7: worked by hand, as properties, and against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cdfscore.numerics.quantiles import quantile_r

NAN = float("nan")
score = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.just(0.1))
sample = st.lists(score, min_size=1, max_size=30)
probability = st.one_of(
    st.floats(0, 1), st.builds(lambda k, n: min(k, n) / n, st.integers(0, 12), st.integers(1, 12))
)
# Of 1, 2, 4, 8, worked by hand from Table 1 of Hyndman and Fan (1996).
WORKED = {0.0: 1, 0.2: 1.6, 0.3: 1.9, 0.5: 3, 0.9: 6.8, 1.0: 8}


def test_worked_values() -> None:
    found = quantile_r([8, 2, 4, 1], list(WORKED))
    assert found.tolist() == pytest.approx(list(WORKED.values()), rel=1e-15)


@given(sample, probability)
def test_within_the_sample_and_monotone(scores: list[float], p: float) -> None:
    low, found, high = quantile_r(scores, [p / 2, p, (1 + p) / 2])
    rounding = 2 * np.spacing(max(map(abs, scores)))
    assert min(scores) - rounding <= low <= found + rounding
    assert found - rounding <= high <= max(scores) + rounding


@given(st.floats(allow_nan=False), st.integers(1, 20), probability)
def test_equal_scores_are_returned_as_they_are(s: float, n: int, p: float) -> None:
    assert quantile_r([s] * n, p).tolist() == [s]


@given(sample, st.integers(0, 5), st.randoms(), probability)
def test_order_and_gaps_do_not_matter(
    scores: list[float], gaps: int, random: Any, p: float
) -> None:
    shuffled = [*scores, *[NAN] * gaps]
    random.shuffle(shuffled)
    assert quantile_r(shuffled, p) == quantile_r(sorted(scores), p)


@given(st.lists(sample, min_size=1, max_size=4), st.lists(probability, max_size=5))
def test_a_batch_is_its_rows(rows: list[list[float]], p: list[float]) -> None:
    width = max(map(len, rows))
    table = np.array([row + [NAN] * (width - len(row)) for row in rows])
    found = quantile_r(table[:, np.newaxis], p)
    assert found.shape == (len(rows), 1, len(p))
    for i, row in enumerate(rows):
        assert_array_equal(found[i, 0], quantile_r(row, p))


@given(sample, st.floats(0, 1))
def test_it_is_near_numpys(scores: list[float], p: float) -> None:
    # The fuzz moves a position by up to 4 eps, and the scores are at most 10 apart.
    assert quantile_r(scores, p).item() == pytest.approx(np.quantile(scores, p), abs=1e-13)


def test_infinite_scores() -> None:
    x = [-np.inf, 0, 1, np.inf, np.inf]
    assert quantile_r(x, [0, 0.1, 0.5, 0.6, 0.75, 0.9]).tolist() == [
        *(-np.inf, -np.inf, 1.0, np.inf, np.inf, np.inf)
    ]
    assert np.isnan(quantile_r([-np.inf, np.inf], 0.5)).all()
