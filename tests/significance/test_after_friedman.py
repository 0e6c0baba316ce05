"""Nemenyi's and Conover's tests: published numbers, their twins, definitions, and ties."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import (
    anova_two_way,
    conover,
    friedman,
    nemenyi,
    studentized_range,
    tukey_hsd,
)
from cdfscore.stats.significance.contract import PairsTogether, significance_tests
from tests.significance.in_r import assert_as_in_r, matrix_in_r

# Ranks of four grasses by twelve homeowners: Conover (1999), section 5.8, example 1, p. 372. Looked
# up in the data set `grass` of R's agricolae, which names that page, as its users print it.
GRASS = np.array(
    [
        [4, 4, 3, 3, 4, 2, 1, 2, 3.5, 4, 4, 3.5],
        [3, 2, 1.5, 1, 2, 2, 3, 4, 1, 1, 2, 1],
        [2, 3, 1.5, 2, 1, 2, 2, 1, 2, 3, 3, 2],
        [1, 1, 4, 4, 3, 4, 4, 3, 3.5, 2, 1, 3.5],
    ]
).T


def matrices() -> list[Array]:
    rng = np.random.default_rng(4)
    shapes = [(3, 3), (2, 9), (9, 3), (30, 8), (60, 21)]
    return [
        *(rng.random(shape) for shape in shapes),
        np.round(rng.random((12, 6)), 1),
        np.repeat(rng.random((8, 2)), 2, axis=1),  # identical systems
        (rng.random((40, 5)) < 0.3) * 1.0,
        rng.random((249, 40)) + np.linspace(0, 3, 40),  # p down to 1e-200 and less
        rng.random((20, 2)),
    ]


def paired(scores: Array) -> tuple[Any, Any]:
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.append(first, second), np.append(second, first)


@pytest.mark.parametrize("test", [nemenyi, conover], ids=lambda t: t.name)
@pytest.mark.parametrize("index", range(len(matrices())))
def test_each_is_as_its_twin(r: RSession, index: int, test: PairsTogether[Any]) -> None:
    scores = matrices()[index]
    found = matrix_in_r(r, test, {}, scores, *paired(scores))
    assert set(found.stopped) == {""}
    assert_as_in_r(test, test.over_pairs(scores, *paired(scores)), found)


@pytest.mark.clause("nemenyi.1", "critical_difference.1")
def test_the_example_of_demsar(shared_data: Path) -> None:
    """Section 3.2.2: CD = 1.25 at 0.05 and 1.12 at 0.10, for four classifiers on 14 data sets."""
    frame = pd.read_csv(shared_data / "leaderboards" / "demsar2006_auc.csv", index_col=0)
    # He ranked scores of more digits than he printed: 0.975 and 0.975 have the ranks 2 and 3.
    scores = frame.to_numpy(np.float64, copy=True)
    scores[frame.index.get_loc("voting"), frame.columns.get_loc("C4.5+cf")] += 1e-6
    result = nemenyi(scores)
    # Table 6: average ranks 3.143, 2.000, 2.893 and 1.964, the best of which is the lowest.
    ranks = np.array([3.143, 2.0, 2.893, 1.964])
    first, second = np.triu_indices(4, 1)
    np.testing.assert_allclose(result.estimate, ranks[second] - ranks[first], atol=1.1e-3)
    for alpha, critical in ((0.05, 1.25), (0.10, 1.12)):
        q = studentized_range.upper_quantile(alpha, 4, np.inf) / np.sqrt(2)
        assert q * result.stderr[0] == pytest.approx(critical, abs=0.006)
        reached = np.abs(result.estimate) >= q * result.stderr
        np.testing.assert_array_equal(reached, result.p_value <= alpha)
    # At 0.05 no difference is found; at 0.10 C4.5 is worse than C4.5+m and C4.5+m+cf.
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    found = [pair for pair, p in zip(pairs, result.p_value, strict=True) if p <= 0.10]
    assert result.p_value.min() > 0.05
    assert found == [(0, 1), (0, 3)]


@pytest.mark.clause("conover.1", "friedman.1")
def test_the_example_of_conover() -> None:
    """What agricolae's `friedman` prints for `grass`.

    Critical value 8.097345, t-Student 2.034515 on 33 degrees, LSD 11.48168, sums of ranks 38 (a),
    34 (ab), 24.5 (b) and 23.5 (b).
    """
    assert friedman(GRASS).statistic == pytest.approx(8.097345, abs=6e-7)
    assert stats.t.isf(0.025, 33) == pytest.approx(2.034515, abs=6e-7)
    assert GRASS.sum(axis=0).tolist() == [38, 23.5, 24.5, 34]
    result = conover(GRASS)
    assert (result.parameter == 33).all()
    critical = stats.t.isf(0.025, 33) * result.stderr * 12
    np.testing.assert_allclose(critical, 11.48168, atol=6e-6)
    np.testing.assert_allclose(12 * result.estimate, [14.5, 13.5, 4, -1, -10.5, -9.5], rtol=1e-13)
    assert (result.p_value <= 0.05).tolist() == [True, True, False, False, False, False]


whole = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=2, max_size=9)


@pytest.mark.clause("conover.1", "conover.2")
@given(whole)
def test_conover_is_the_two_way_t_of_ranks(rows: list[list[int]]) -> None:
    ranks = stats.rankdata(rows, axis=1)
    n, k = ranks.shape
    left = ranks - ranks.mean(axis=0) - ranks.mean(axis=1, keepdims=True) + (k + 1) / 2
    mean_square = np.square(left).sum() / ((n - 1) * (k - 1))
    result = conover(rows)
    if np.allclose(left, 0, atol=1e-12):
        assert set(result.reason) == {"the systems have the same ranks in all topics"}
        assert np.isnan(result.p_value).all()
        return
    first, second = np.triu_indices(k, 1)
    difference = ranks.mean(axis=0)[first] - ranks.mean(axis=0)[second]
    np.testing.assert_allclose(result.estimate, difference, atol=1e-13)
    t = difference / np.sqrt(2 * mean_square / n)
    np.testing.assert_allclose(result.statistic, t, rtol=1e-9, atol=1e-11)
    f = anova_two_way(ranks)
    np.testing.assert_allclose(
        np.square(result.statistic).sum() / (k * (k - 1) / 2), f.statistic, rtol=1e-9, atol=1e-11
    )


@pytest.mark.clause("nemenyi.2", "conover.2", "friedman.2")
def test_nemenyi_of_ties_is_conservative_and_of_ties_alone_1() -> None:
    tied = np.ones((5, 3))
    assert (nemenyi(tied).p_value == 1).all()
    with pytest.raises(SignificanceError, match="tied in every topic"):
        friedman(tied)
    assert set(conover(tied).reason) == {"the systems have the same ranks in all topics"}
    assert (nemenyi(tied[:1]).reason == "1 topic, but at least 2 are needed").all()


# ---- the critical difference: the least difference with p <= alpha, also at its printed values


HAVE_ONE = [
    test
    for test in map(significance_tests.load, significance_tests.names())
    if test.critical_difference is not None
]
# Demsar (2006), Table 5a: q of the Nemenyi test, over sqrt(2), for 2 to 10 classifiers.
TABLE_5A = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


def every_pair(systems: int) -> list[tuple[int, int]]:
    return list(zip(*map(list, np.triu_indices(systems, 1)), strict=True))


def test_tests_of_one_variance_for_all_pairs_have_one() -> None:
    assert [test.name for test in HAVE_ONE] == ["nemenyi", "tukey_hsd"]


@pytest.mark.clause("critical_difference.1")
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-4])
@pytest.mark.parametrize("test", HAVE_ONE, ids=lambda test: test.name)
def test_it_parts_the_pairs_by_their_p_values(test, alpha: float) -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(np.linspace(0, 4, 9), 1, (12, 9))
    found = test(scores, every_pair(9))
    critical = test.critical_difference(found, 9, alpha)
    below = np.abs(found.estimate) < critical
    assert 0 < below.sum() < 36
    np.testing.assert_array_equal(below, found.p_value > alpha)


@pytest.mark.clause("critical_difference.1")
@pytest.mark.parametrize("alpha", TABLE_5A)
def test_the_table_of_demsar(alpha: float) -> None:
    for systems, printed in enumerate(TABLE_5A[alpha], start=2):
        n = 10
        scores = np.random.default_rng(1).uniform(size=(n, systems))
        found = nemenyi(scores, every_pair(systems))
        critical = nemenyi.critical_difference(found, systems, alpha)  # type: ignore[misc]
        stderr = np.sqrt(systems * (systems + 1) / (6 * n))
        assert critical / stderr == pytest.approx(printed, abs=1.1e-3)


@pytest.mark.clause("critical_difference.1")
def test_it_is_undefined_with_the_test() -> None:
    found = tukey_hsd([[0.1, 0.2], [0.2, 0.3]], every_pair(2))
    assert np.isnan(tukey_hsd.critical_difference(found, 2, 0.05))  # type: ignore[misc]
