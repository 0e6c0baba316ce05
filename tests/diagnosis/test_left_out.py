"""Left-out scores, and where they lie in what was predicted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.diagnosis.histogram import normal_end, pit_histogram, pit_moments, sampling_band
from cdfscore.diagnosis.left_out import left_out
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.types import Array
from cdfscore.schemes import Exponential, Normal

TENTHS = Resolution(0.1, "found")
samples = st.lists(st.integers(0, 10), min_size=4, max_size=20).map(
    lambda numbers: np.array(numbers) / 10
)
intervals = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted), min_size=1, max_size=20
).map(lambda pairs: np.array(pairs).T / 20)


@pytest.mark.clause("left_out.1", "log_score.1")
@given(samples)
def test_each_score_is_predicted_by_the_others(sample: Array) -> None:
    found = left_out(Exponential(), sample, TENTHS)
    for i, score in enumerate(sample):
        others = Exponential().fit(np.delete(sample, i))
        expected = others([score - 0.05, score + 0.05])
        np.testing.assert_allclose([found.lower[i], found.upper[i]], expected, rtol=1e-12)
    assert found.unfitted == {}
    with np.errstate(divide="ignore"):
        logs = np.log(found.upper - found.lower)
    assert found.floored == (logs < -53 * np.log(2)).sum()
    assert found.log_score == pytest.approx(np.maximum(logs, -53 * np.log(2)).mean())


@pytest.mark.clause("left_out.1")
def test_a_score_that_the_others_cannot_predict() -> None:
    found = left_out(Normal(), np.array([0.2, 0.5]), TENTHS)
    assert np.isnan([found.log_score, *found.lower, *found.upper]).all()
    assert found.unfitted.keys() == {0, 1}
    assert "needs at least 2 reference scores and there is 1" in found.unfitted[0]


@pytest.mark.clause("left_out.1")
def test_others_that_are_equal_predict_their_score_only() -> None:
    found = left_out(Normal(), np.array([0.2, 0.2, 0.2, 0.5]), TENTHS)
    assert found.lower[3] == found.upper[3] == 1
    assert found.floored == 1
    assert found.unfitted == {}


@given(intervals, st.integers(2, 12))
def test_every_score_is_in_the_histogram_once(ends: Array, bins: int) -> None:
    counts = pit_histogram(*ends, bins)
    assert counts.sum() == pytest.approx(ends.shape[1])
    assert (counts >= -1e-12).all()


@pytest.mark.clause("pit.1", "pit.2")
@given(intervals)
def test_histogram_and_moments_are_those_of_random_places(ends: Array) -> None:
    lower, upper = ends
    # At the middles of 500 parts of each interval instead of at random.
    places = lower + (upper - lower) * ((np.arange(500)[:, np.newaxis] + 0.5) / 500)
    counts = np.histogram(places, bins=7, range=(0, 1))[0] / 500
    np.testing.assert_allclose(pit_histogram(lower, upper, 7), counts, atol=0.005 * len(lower))
    mean, sd = pit_moments(lower, upper)
    assert (mean, sd) == pytest.approx((places.mean(), places.std()), abs=1e-3)


@pytest.mark.clause("pit.1", "pit.2")
def test_a_right_distribution_of_scores_on_a_grid_is_flat() -> None:
    # All scores 0, ..., 4 as often as they should be, and the cdf of their distribution.
    steps = np.cumsum([0, 0.1, 0.2, 0.3, 0.25, 0.15])
    lower, upper = (np.repeat(ends, [2, 4, 6, 5, 3]) for ends in (steps[:-1], steps[1:]))
    np.testing.assert_allclose(pit_histogram(lower, upper, 10), 2.0)
    assert pit_moments(lower, upper) == pytest.approx((0.5, 12**-0.5))


@pytest.mark.clause("pit.1")
def test_what_lies_at_an_edge_is_in_the_bin_above() -> None:
    at = np.array([0.5])
    assert pit_histogram(at, at, 2).tolist() == [0.0, 1.0]


def test_no_scores() -> None:
    none = np.zeros(0)
    assert pit_histogram(none, none, 4).tolist() == [0, 0, 0, 0]
    assert np.isnan(pit_moments(none, none)).all()


@pytest.mark.clause("pit.3")
def test_the_band_holds_for_independent_uniform_numbers() -> None:
    rng = np.random.default_rng(11)
    low, high = sampling_band(400, 10)
    u = rng.random((2000, 400))
    inside = [((c := pit_histogram(row, row, 10) / 400) >= low) & (c <= high) for row in u]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)  # 0.953 by the binomial


@pytest.mark.clause("pit.3")
@pytest.mark.parametrize("n", [5, 20])
def test_the_ends_of_a_right_normal(n: int) -> None:
    exact = Resolution(1e-9, "assumed")
    samples = np.random.default_rng(n).standard_normal((8000 // n, n))
    ends = [left_out(Normal(), sample, exact) for sample in samples]
    places = np.concatenate([found.lower for found in ends])
    counts = pit_histogram(places, places, 10) * 10 / len(places)
    assert counts[[0, -1]].mean() == pytest.approx(normal_end(n, 10), abs=0.07)
    assert normal_end(n, 10) > 1.1


def test_no_band_and_no_ends_of_nothing() -> None:
    assert np.isnan([*sampling_band(0, 10), normal_end(2, 10)]).all()
    assert normal_end(3, 10) > 1.5
