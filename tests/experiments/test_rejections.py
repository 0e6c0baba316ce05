"""Counts of rejected pairs beside the p values of SciPy; what is near is left undecided."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from cdfscore.experiments import ALPHAS
from cdfscore.experiments.rates import (
    MOST_LEVELS,
    Rejections,
    counts_by_level,
    paired_rejections,
    paired_tests,
    t_levels,
    unpaired_rejections,
    unpaired_tests,
)
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.welch_t import welch_t
from tests import a_tenth

Pairs = dict[tuple[int, int], float]
MANY = tuple(np.linspace(0.0005, 0.995, MOST_LEVELS).tolist())
# Powers of two change no digit, and no p value. At 1e-100, SciPy's degrees of freedom underflow.
SCALES = [1.0, 2.0**-20, 2.0**20, 2.0**-332, 2.0**332]


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


alphas_of_any_number = st.one_of(
    st.sampled_from([(0.05,), ALPHAS, MANY]),
    st.lists(st.floats(1e-4, 0.99), min_size=1, max_size=5, unique=True).map(
        lambda alphas: tuple(sorted(alphas))
    ),
)


def paired_p(scores: Array, rows: IntArray) -> Pairs:
    """P values of the pairs that are not equal, by SciPy."""
    x = scores[rows]
    i, j = np.triu_indices(x.shape[1], 1)
    with warnings.catch_warnings(action="ignore"):  # of precision, which is the point
        p = stats.ttest_rel(x[:, i], x[:, j]).pvalue
    equal = (x[:, i] == x[:, j]).all(axis=0)
    return {
        (int(a), int(b)): float(p[k])
        for k, (a, b) in enumerate(zip(i, j, strict=True))
        if not equal[k]
    }


def unpaired_p(scores: Array, first: IntArray, second: IntArray) -> Pairs:
    x, y = scores[first][:, :, np.newaxis], scores[second][:, np.newaxis]
    with warnings.catch_warnings(action="ignore"):
        p = stats.ttest_ind(x, y, equal_var=False).pvalue
    return {pair: float(p[pair]) for pair in product(range(scores.shape[1]), repeat=2)}


def assert_counts(
    found: Rejections,
    p_values: list[Pairs],
    alphas: tuple[float, ...],
    little: list[set[tuple[int, int]]],
) -> None:
    """All pairs are in a count or undecided; counts are true, and undecided ones have a reason.

    Pairs in `little` have a variance with too few digits.
    """
    for k, p in enumerate(p_values):
        undecided = [(int(i), int(j)) for s, i, j in found.undecided if s == k]
        assert len(set(undecided)) == len(undecided)
        assert set(undecided) <= set(p)
        assert found.passed[k].sum() == len(p) - len(undecided)
        decided = np.array([p[pair] for pair in p if pair not in undecided])
        expected = (decided[:, np.newaxis] <= np.array(alphas)).sum(axis=0)
        assert_array_equal(counts_by_level(found.passed)[k], expected)
        for pair in undecided:
            near = np.abs(p[pair] / np.array(alphas) - 1).min()
            assert near < 1e-6 or pair in little[k] or np.isnan(p[pair])


def little_spread_paired(scores: Array, rows: IntArray, pairs: Pairs) -> set[tuple[int, int]]:
    x = (scores - scores.mean(axis=1, keepdims=True))[rows]
    least = 1.01e-6 * np.add.outer(squares := (x**2).sum(axis=0), squares)
    return {(i, j) for i, j in pairs if np.var(x[:, i] - x[:, j]) < least[i, j]}


def little_spread_unpaired(
    scores: Array, first: IntArray, second: IntArray, pairs: Pairs
) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i, j in pairs
        if np.var(x := scores[first, i]) + np.var(y := scores[second, j])
        < 1.1e-5 * max(np.mean(x**2), np.mean(y**2))
    }


@given(
    scores=matrices(),
    scale=st.sampled_from(SCALES),
    alphas=alphas_of_any_number,
    data=st.data(),
)
def test_paired_beside_scipy(
    scores: Array, scale: float, alphas: tuple[float, ...], data: st.DataObject
) -> None:
    topics = len(scores)
    size = data.draw(st.integers(2, topics))
    rng = np.random.default_rng(size)
    rows = rng.permuted(np.tile(np.arange(topics), (3, 1)), axis=1)[:, :size]
    found = paired_rejections(scores * scale, rows, t_levels(alphas, size - 1, size - 1))
    p_values = [paired_p(scores, row) for row in rows]
    little = [little_spread_paired(scores, *each) for each in zip(rows, p_values, strict=True)]
    assert_counts(found, p_values, alphas, little)


@given(scores=matrices(), scale=st.sampled_from([*SCALES, 2.0**-900, 2.0**900]), data=st.data())
def test_rejections_are_those_of_the_test(scores: Array, scale: float, data: st.DataObject) -> None:
    """Of all pairs that have a p value, whether they are decided by cells or by the test itself."""
    systems, size = scores.shape[1], data.draw(st.integers(2, len(scores)))
    rows = np.random.default_rng(size).permuted(np.arange(len(scores)))[np.newaxis, :size]
    i, j = np.triu_indices(systems, 1)
    x = scores[rows[0]].T * scale
    p = paired_t(x[i], x[j]).p_value
    alphas = data.draw(alphas_of_any_number)
    if data.draw(st.booleans()) and ((known := p[(p > 1e-4) & (p < 0.99)]).size):
        level = float(data.draw(st.sampled_from(known.tolist())))
        alphas = tuple(sorted({level, np.nextafter(level, 0), np.nextafter(level, 1)}))
    found = paired_tests(scores * scale, rows, alphas)
    assert found.tests.tolist() == [np.count_nonzero(~np.isnan(p))]
    expected = (p[:, np.newaxis] <= np.array(alphas)).sum(axis=0)
    assert found.rejected.tolist() == [expected.tolist()]


@a_tenth
@given(
    scores=matrices(),
    scale=st.sampled_from(SCALES),
    alphas=alphas_of_any_number,
    data=st.data(),
)
def test_unpaired_beside_scipy(
    scores: Array, scale: float, alphas: tuple[float, ...], data: st.DataObject
) -> None:
    """Each system against itself, and each against all others both ways."""
    topics = len(scores)
    n = data.draw(st.integers(2, topics - 2))
    m = data.draw(st.integers(2, topics - n))
    rows = np.random.default_rng(n).permuted(np.tile(np.arange(topics), (3, 1)), axis=1)
    first, second = rows[:, :n], rows[:, n : n + m]
    levels = t_levels(alphas, min(n, m) - 1, n + m - 2)
    p_values = [unpaired_p(scores, *each) for each in zip(first, second, strict=True)]
    samples = zip(first, second, p_values, strict=True)
    little = [little_spread_unpaired(scores, *each) for each in samples]
    tested = unpaired_rejections(scores * scale, first, second, levels)
    for own, found in zip((True, False), tested, strict=True):
        of_own = [{(i, j): p for (i, j), p in k.items() if (i == j) == own} for k in p_values]
        assert_counts(found, of_own, alphas, little)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scale", SCALES, ids="{:.0e}".format)
@pytest.mark.parametrize("size", [2, 3, 20, 50])
def test_a_level_that_is_a_p_value(size: int, scale: float) -> None:
    """t^2 is at the critical value except for rounding: the pair is undecided, on both sides."""
    scores = np.random.default_rng(size).normal(0.3, 1, (100, 6))
    rows, others = np.arange(size)[np.newaxis], np.arange(50, 50 + size)[np.newaxis]
    for pair, p in paired_p(scores, rows[0]).items():
        for alpha in (p, np.nextafter(p, 0), np.nextafter(p, 1)):
            levels = t_levels([alpha], size - 1, size - 1)
            found = paired_rejections(scores * scale, rows, levels)
            assert found.undecided.tolist() == [[0, *pair]]
    for (i, j), p in unpaired_p(scores, rows[0], others[0]).items():
        levels = t_levels([p], size - 1, 2 * size - 2)
        own, found = unpaired_rejections(scores * scale, rows, others, levels)
        assert (own if i == j else found).undecided.tolist() == [[0, i, j]]
        assert len((found if i == j else own).undecided) == 0


def test_what_has_no_spread_is_undecided() -> None:
    """Constant differences and constant systems are; systems that are equal are in no count."""
    x = np.array([0.1, 0.2, 0.4, 0.7])
    scores = np.column_stack([x, x, x + 0.1, np.full(4, 0.3), np.full(4, 0.6)])
    rows = np.arange(4)[np.newaxis]
    found = paired_rejections(scores, rows, t_levels(ALPHAS, 3, 3))
    assert found.undecided.tolist() == [[0, 0, 2], [0, 1, 2], [0, 3, 4]]
    assert found.passed.sum() == 10 - 1 - 3
    own, others = unpaired_rejections(scores, rows, rows, t_levels(ALPHAS, 3, 6))
    assert own.undecided.tolist() == [[0, 3, 3], [0, 4, 4]]
    assert others.undecided.tolist() == [[0, 3, 4], [0, 4, 3]]
    assert others.passed.sum() == 20 - 2


@pytest.mark.parametrize("spread", [1e-6, 1e-8, 1e-15])
@pytest.mark.parametrize("size", [2, 50])
def test_what_has_little_spread_is_undecided(size: int, spread: float) -> None:
    """Differences that are constant but for a millionth, and systems that are."""
    scores = np.random.default_rng(size).normal(0, spread, (100, 5)) + np.arange(5) * 0.2
    scores[:, 0] = 0
    rows, others = np.arange(size)[np.newaxis], np.arange(50, 50 + size)[np.newaxis]
    assert len(paired_rejections(scores, rows, t_levels(ALPHAS, size - 1, size - 1))[1]) == 10
    levels = t_levels(ALPHAS, size - 1, 2 * size - 2)
    own, found = unpaired_rejections(scores, rows, others, levels)
    assert (len(own.undecided), len(found.undecided)) == (5, 20)


@pytest.mark.clause("trial_rates.1")
def test_undecided_pairs_are_decided_by_the_test() -> None:
    """At a level that is a p value, p <= alpha; below it, not. No p value is no test."""
    rng = np.random.default_rng(7)
    scores = np.round(rng.normal(0.2, 1, (40, 4)), 2)
    scores = np.column_stack([scores, scores[:, 0] + 0.25, np.full(40, 0.3), np.full(40, 0.3)])
    x, y = np.arange(20), np.arange(20, 40)
    i, j = np.triu_indices(7, 1)
    p = paired_t(scores[x][:, i].T, scores[x][:, j].T).p_value
    assert np.isnan(p).sum() == 2  # two systems are equal, two have a constant difference
    for alpha in p[(p > 1e-6) & (p < 1)]:
        for level in (float(alpha), float(np.nextafter(alpha, 0))):
            found = paired_tests(scores, x[np.newaxis], (level,))
            assert found.tests.tolist() == [(~np.isnan(p)).sum()]
            assert found.rejected.tolist() == [[(p <= level).sum()]]
    own = np.eye(7, dtype=bool)
    p = welch_t(scores[x].T[:, np.newaxis], scores[y].T[np.newaxis]).p_value
    has_p = ~np.isnan(p)
    for alpha in p[(p > 1e-6) & (p < 1)]:
        for level in (float(alpha), float(np.nextafter(alpha, 0))):
            for which, found in zip(
                (own, ~own),
                unpaired_tests(scores, x[np.newaxis], y[np.newaxis], (level,)),
                strict=True,
            ):
                assert found.tests.tolist() == [has_p[which].sum()]
                assert found.rejected.tolist() == [[(p[which] <= level).sum()]]


def test_squares_that_overflow_are_undecided() -> None:
    scores = np.random.default_rng(1).normal(0.3, 1, (20, 4)) * 1e160
    rows, others = np.arange(10)[np.newaxis], np.arange(10, 20)[np.newaxis]
    found = paired_rejections(scores, rows, t_levels(ALPHAS, 9, 9))
    assert (len(found.undecided), found.passed.sum()) == (6, 0)
    own, different = unpaired_rejections(scores, rows, others, t_levels(ALPHAS, 9, 18))
    assert (len(own.undecided), len(different.undecided)) == (4, 12)
    assert own.passed.sum() == different.passed.sum() == 0


@pytest.mark.parametrize("variation", [1e-2, 1e-3, 1e-4])
def test_a_level_that_is_the_p_value_of_two_nearly_equal_differences(variation: float) -> None:
    """The variance of such differences loses digits to cancellation."""
    for seed in range(200):
        x = np.random.default_rng(seed).normal(0.5, 0.2, 2)
        scores = np.column_stack([x, x - 0.3 * (1 + variation * np.array([0, 1.1]))])
        p = paired_p(scores, np.arange(2))[0, 1]
        found = paired_rejections(scores, np.arange(2)[np.newaxis], t_levels([p], 1, 1))
        assert len(found.undecided) == 1
