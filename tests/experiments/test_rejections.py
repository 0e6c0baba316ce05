"""Counts of rejected pairs are those of the tests' p values, decided by cells or by the test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cdfscore.experiments import ALPHAS, rates
from cdfscore.experiments.rates import (
    MOST_LEVELS,
    _cells,
    _paired,
    _unpaired,
    paired_tests,
    unpaired_tests,
)
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.welch_t import welch_t

MANY = tuple(np.linspace(0.0005, 0.995, MOST_LEVELS).tolist())
# Powers of two change no digit, and no p value, but squares may underflow or overflow.
SCALES = [1.0, 2.0**-20, 2.0**20, 2.0**-332, 2.0**332, 2.0**-900, 2.0**900]


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    """Scores with, possibly, equal systems, constant ones, and constant differences."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    topics, systems = draw(st.integers(4, 30)), draw(st.integers(2, 7))
    effects = rng.normal(0, draw(st.sampled_from([0.1, 1, 5])), systems)
    scores = effects + rng.normal(0, 1, (topics, 1)) + rng.normal(0, 1, (topics, systems))
    digits = draw(st.sampled_from([None, 0, 1, 4]))
    if digits is not None:
        scores = np.round(scores, digits)
    for kind in draw(st.lists(st.sampled_from(["equal", "shifted", "constant", "nearly"]))):
        scores = np.column_stack([scores, _special(kind, scores, rng)])
    return scores


def _special(kind: str, scores: Array, rng: np.random.Generator) -> Array:
    column = scores[:, rng.integers(scores.shape[1])]
    if kind == "equal":
        return column.copy()
    if kind == "shifted":
        return column + 0.1
    if kind == "constant":
        return np.full(len(scores), np.round(rng.normal(), 2))
    return column + rng.normal(0, 1e-7, len(column))


levels = st.one_of(
    st.sampled_from([(0.05,), ALPHAS, MANY, (1e-12, 0.99)]),
    st.lists(st.floats(1e-4, 0.99), min_size=1, max_size=5, unique=True).map(
        lambda alphas: tuple(sorted(alphas))
    ),
)


def drawn_levels(data: st.DataObject, p: Array) -> tuple[float, ...]:
    """Draw levels, or one that is a p value, with its neighbours."""
    if data.draw(st.booleans()) and ((known := p[(p > 1e-4) & (p < 0.99)]).size):
        level = float(data.draw(st.sampled_from(known.tolist())))
        return (float(np.nextafter(level, 0)), level, float(np.nextafter(level, 1)))
    return data.draw(levels)


def paired_p(scores: Array, rows: IntArray) -> Array:
    i, j = np.triu_indices(scores.shape[1], 1)
    return np.asarray(paired_t(scores[rows][:, i].T, scores[rows][:, j].T).p_value)


def unpaired_p(scores: Array, first: IntArray, second: IntArray) -> Array:
    x, y = scores[first].T[:, np.newaxis], scores[second].T[np.newaxis]
    return np.asarray(welch_t(x, y).p_value)


def assert_counted(found: rates.Tested, p: list[Array], alphas: tuple[float, ...]) -> None:
    assert found.tests.tolist() == [np.count_nonzero(~np.isnan(own)) for own in p]
    expected = [(own[:, np.newaxis] <= np.array(alphas)).sum(axis=0) for own in p]
    assert_array_equal(found.rejected, expected)


@pytest.mark.clause("trial_rates.1")
@given(scores=matrices(), scale=st.sampled_from(SCALES), data=st.data())
def test_rejections_are_those_of_the_tests(
    scores: Array, scale: float, data: st.DataObject
) -> None:
    """Paired, of all pairs; unpaired, of each system with itself, and with others both ways."""
    topics, systems = scores.shape
    scores = scores * scale
    n = data.draw(st.integers(2, topics - 2))
    rows = np.random.default_rng(n).permuted(np.tile(np.arange(topics), (3, 1)), axis=1)
    first, second = rows[:, :n], rows[:, n:]
    p = [paired_p(scores, row) for row in first]
    alphas = drawn_levels(data, np.concatenate(p))
    assert_counted(paired_tests(scores, first, alphas), p, alphas)
    p = [unpaired_p(scores, *each) for each in zip(first, second, strict=True)]
    alphas = drawn_levels(data, np.concatenate(p, axis=None))
    itself: BoolArray = np.eye(systems, dtype=np.bool_)
    own, others = unpaired_tests(scores, first, second, alphas)
    assert_counted(own, [each[itself] for each in p], alphas)
    assert_counted(others, [each[~itself] for each in p], alphas)


@pytest.mark.parametrize("spread", [1e-6, 1e-8, 1e-15])
@pytest.mark.parametrize("size", [2, 50])
def test_little_spread_has_the_counts_of_the_test(size: int, spread: float) -> None:
    """Differences that are constant but for a millionth, and systems that are."""
    scores = np.random.default_rng(size).normal(0, spread, (100, 5)) + np.arange(5) * 0.2
    scores[:, 0] = 0
    rows, others = np.arange(size)[np.newaxis], np.arange(50, 50 + size)[np.newaxis]
    assert_counted(paired_tests(scores, rows, ALPHAS), [paired_p(scores, rows[0])], ALPHAS)
    p = unpaired_p(scores, rows[0], others[0])
    own, found = unpaired_tests(scores, rows, others, ALPHAS)
    assert_counted(own, [np.diag(p)], ALPHAS)
    assert_counted(found, [p[~np.eye(5, dtype=bool)]], ALPHAS)


@pytest.mark.parametrize("variation", [1e-2, 1e-3, 1e-4])
def test_a_level_that_is_the_p_value_of_two_nearly_equal_differences(variation: float) -> None:
    """The variance of such differences loses digits to cancellation."""
    for seed in range(200):
        x = np.random.default_rng(seed).normal(0.5, 0.2, 2)
        scores = np.column_stack([x, x - 0.3 * (1 + variation * np.array([0, 1.1]))])
        (p,) = paired_p(scores, np.arange(2)).tolist()
        for alpha, rejects in ((p, 1), (float(np.nextafter(p, 0)), 0)):
            found = paired_tests(scores, np.arange(2)[np.newaxis], (alpha,))
            assert found.rejected.tolist() == [[rejects]]


def test_cells_decide_nearly_all_pairs() -> None:
    """The cells decide, and the test is for the rest, of which there are few."""
    scores = np.random.default_rng(1).normal(np.arange(40) * 0.05, 1, (200, 40))
    rows = np.random.default_rng(2).permuted(np.tile(np.arange(200), (20, 1)), axis=1)
    first, second = rows[:, :50].copy(), rows[:, 50:100].copy()
    found = [
        _paired(scores, first, _cells(ALPHAS, 49, 49)),
        _unpaired(scores, first, second, _cells(ALPHAS, 49, 98)),
    ]
    for passed, undecided in found:
        assert 0 < len(undecided) < 0.01 * passed.sum()
