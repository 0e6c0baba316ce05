"""Resampling tests beside R on the same random draws: equal counts, whatever the sizes."""

from pathlib import Path

import numpy as np
import pytest

from cdfscore import read_scores
from cdfscore.stats import significance
from cdfscore.stats.significance.contract import Simultaneous, TwoSamples, significance_tests
from tests.significance.in_r import assert_as_in_r, matrix_in_r, rows_in_r

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES = ["two-sided", "less", "greater"]
DRAWING = [test for test in map(significance_tests.load, significance_tests.names()) if test.draws]
OF_ROWS = [test for test in DRAWING if isinstance(test, TwoSamples)]
OF_MATRICES = [test for test in DRAWING if isinstance(test, Simultaneous)]


def named(test):
    return test.name


def beside_r(r, test, x, y, **given):
    """Compare all numbers of rows with R's, and the counts of the p values exactly."""
    settings = test.settings(given)
    result, in_r = test(x, y, **settings), rows_in_r(r, test, settings, x, y)
    assert_as_in_r(test, result, in_r)
    counts = np.stack([result.p_value, in_r.numbers["p_value"]]) * (settings["B"] + 1) - 1
    ours, theirs = np.rint(counts[:, np.isfinite(counts).all(axis=0)])
    assert ours.size
    np.testing.assert_array_equal(ours, theirs)
    return result


@pytest.mark.one_in(5)
@pytest.mark.parametrize("test", OF_ROWS, ids=named)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("digits", [0, 1, 16])
@pytest.mark.parametrize("n", [22, 60])
def test_rows(r, n, digits, alternative, test):
    x, y = np.random.default_rng(n).beta(1, 2, (2, 8, n)).round(digits)
    y[:4] = np.where(y[:4] > x[:4] + 0.2, y[:4], x[:4])  # alike, as two runs of one system are
    given = {"alternative": alternative, "B": 700, "seed": 3}
    beside_r(r, test, x, y, **given)
    result = beside_r(r, test, x, y, null_value=0.1, **given)
    assert "B = 700" in result.method[0]


@pytest.mark.parametrize("test", OF_ROWS, ids=named)
def test_missing_scores_give_draws_of_every_size(r, test):
    rng = np.random.default_rng(4)
    x, y = rng.random((2, 9, 26)).round(2)
    x[rng.random(x.shape) < 0.1] = y[rng.random(y.shape) < 0.1] = np.nan
    result = beside_r(r, test, x, y, B=300)
    assert len(set(zip(result.n.tolist(), result.n_y.tolist(), strict=True))) >= 4


def matrix_beside_r(r, test, scores, **given):
    settings = test.settings(given)
    first, second = np.triu_indices(scores.shape[1], 1)
    if test is significance.max_t_baseline:
        first, second = np.arange(1, scores.shape[1]), np.zeros(scores.shape[1] - 1, dtype=int)
    result = test.over_pairs(scores, first, second, **given)
    assert_as_in_r(test, result, matrix_in_r(r, test, settings, scores, first, second))
    return result


@pytest.mark.one_in(5)
@pytest.mark.parametrize("test", OF_MATRICES, ids=named)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("digits", [0, 1, 16])
@pytest.mark.parametrize("topics", [22, 60])
def test_matrices(r, topics, digits, alternative, test):
    scores = np.random.default_rng(topics).beta(1, 2, (topics, 6)).round(digits)
    scores[:, 5] = scores[:, 4]  # identical systems
    scores[3:, 3] = scores[3:, 2]
    given = {"B": 700, "seed": 3}
    if "alternative" in test.defaults:
        given["alternative"] = alternative
    assert "B = 700" in matrix_beside_r(r, test, scores, **given).method[0]


def test_an_interval_of_max_t_baseline_is_infinite_where_b_is_small(r):
    scores = np.random.default_rng(1).random((30, 4))
    result = matrix_beside_r(r, significance.max_t_baseline, scores, B=10)
    assert np.isinf(result.conf_high).all()


@pytest.mark.long
@pytest.mark.parametrize("systems", [2, 300])
def test_shuffles_of_2_and_of_300_systems(r, systems):
    scores = np.random.default_rng(2).random((25, systems)).round(2)
    matrix_beside_r(r, significance.randomized_tukey_hsd, scores, B=150)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("measure", ["ap", "p10"])
@pytest.mark.parametrize("test", DRAWING, ids=named)
def test_real_scores(r, test, measure, shared_data: Path):
    scores = read_scores(shared_data / "robust2004" / f"robust2004_{measure}.csv").to_numpy()
    if isinstance(test, Simultaneous):
        matrix_beside_r(r, test, scores[:, ::4], B=1000)
    else:
        systems = np.ascontiguousarray(scores.T)
        beside_r(r, test, systems[1:], np.broadcast_to(systems[0], systems[1:].shape), B=5000)


@pytest.mark.parametrize("test", DRAWING, ids=named)
def test_the_twin_stops_without_the_draws_of_its_size(r, test, monkeypatch):
    monkeypatch.setattr(test, "drawn", lambda sizes, B, seed: None)
    scores = np.random.default_rng(1).random((30, 3))
    if isinstance(test, Simultaneous):
        pairs = np.array([1]), np.array([0])
        stopped = matrix_in_r(r, test, test.settings({}), scores, *pairs).stopped
    else:
        stopped = rows_in_r(r, test, test.settings({}), scores.T, scores.T[::-1] ** 2).stopped
    assert stopped[0].startswith("there are no draws for samples of size 30")
