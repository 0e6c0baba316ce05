"""Resampling tests beside R on the same outcomes, enumerated or drawn, whatever the sizes."""

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
    settings = test.settings(given)
    result, in_r = test(x, y, **settings), rows_in_r(r, test, settings, x, y)
    # Of constant differences R stops.
    assert_as_in_r(test, result, in_r, quantities=("p_value",))
    assert_as_in_r(test, result, in_r, np.flatnonzero(~np.isnan(result.p_value)))
    return result


@pytest.mark.one_in(5)
@pytest.mark.parametrize("test", OF_ROWS, ids=named)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("digits", [0, 1, 16])
@pytest.mark.parametrize(
    ("n", "conf_level"), [(2, 0.95), (5, 0.5), (10, 0.8), (22, 0.9), (60, 0.5)]
)
def test_rows(r, n, conf_level, digits, alternative, test):
    """All outcomes of few scores, and drawn ones of many."""
    x, y = np.random.default_rng(n).beta(1, 2, (2, 16, n)).round(digits)
    y[:4] = np.where(y[:4] > x[:4] + 0.2, y[:4], x[:4])  # alike, as two runs of one system are
    given = {"alternative": alternative, "B": 700, "seed": 3}
    if "conf_level" in test.defaults:
        given["conf_level"] = conf_level
    if test is significance.permutation_unpaired:
        y = y[:, : n - n // 3]
    else:  # decimals with an offset of all scores or of x, and some whose differences are constant
        x[8:], y[8:] = (x[8:] * 10 + 10_000) / 10, (y[8:] * 10 + 10_000 * (n % 4 > 0)) / 10
        y[14:] = x[14:] - 2
    for null_value in (0.0, 0.1, -0.2):
        result = beside_r(r, test, x, y, null_value=null_value, **given)
    assert ("B = 700" in result.method[0]) == (n > 20 or (n == 10 and "bootstrap" in test.name))


def test_one_score_and_a_second_sample_that_is_longer(r):
    rng = np.random.default_rng(4)
    for alternative in ALTERNATIVES:
        given = {"alternative": alternative, "null_value": 0.1}
        for n, m in [(1, 1), (1, 9), (7, 8)]:
            x, y = rng.random((6, n)).round(1), rng.random((6, m)).round(1)
            beside_r(r, significance.permutation_unpaired, x, y, **given)
        beside_r(r, significance.permutation, *rng.random((2, 6, 1)).round(1), **given)
    matrix_beside_r(r, significance.randomized_tukey_hsd, rng.random((1, 4)))


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
@pytest.mark.parametrize(
    ("shape", "conf_level"),
    [((2, 4), 0.95), ((5, 3), 0.5), ((12, 3), 0.9), ((22, 6), 0.95), ((60, 6), 0.5)],
)
def test_matrices(r, shape, conf_level, digits, alternative, test):
    topics = shape[0]
    few = topics < 20
    scores = np.random.default_rng(topics).beta(1, 2, shape).round(max(few, digits))
    if not few:
        scores[:, 5] = scores[:, 4]  # identical systems
        scores[3:, 3] = scores[3:, 2]
    given = {"alternative": alternative, "conf_level": conf_level, "B": 700, "seed": 3}
    own = {name: value for name, value in given.items() if name in test.defaults}
    drawn = "B = 700" in matrix_beside_r(r, test, scores, **own).method[0]
    assert drawn == (not few or (topics == 12 and test is significance.randomized_tukey_hsd))


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


def far(kind: str, values: np.ndarray) -> np.ndarray:
    """Return whole numbers in another unit, or with an offset, with which all sums are exact."""
    if kind == "decimals":
        return (values * 10 + 10**9) / 100  # tenths, of which no double is one
    return np.ldexp(values, {"large": 1020, "denormal": -1073, "offset": -4}[kind]) + (
        2.0**32 if kind == "offset" else 0.0
    )


@pytest.mark.clause("test.9", "test.13")
@pytest.mark.parametrize("kind", ["large", "denormal", "offset", "decimals"])
@pytest.mark.parametrize("name", ["permutation", "permutation_unpaired", "bootstrap_shift"])
def test_units_and_offsets_of_pairs_in_r(r, name, kind):
    test = getattr(significance, name)
    x, y = np.random.default_rng(5).integers(0, 7, (2, 15, 6)).astype(np.float64)
    settings = test.defaults
    result = test(far(kind, x), far(kind, y))
    in_r = rows_in_r(r, test, settings, far(kind, x), far(kind, y))
    np.testing.assert_array_equal(result.p_value, test(x, y).p_value)
    np.testing.assert_array_equal(in_r.numbers["p_value"], result.p_value)


@pytest.mark.clause("test.9", "test.13")
@pytest.mark.parametrize("kind", ["large", "denormal", "offset", "decimals"])
@pytest.mark.parametrize(
    "name", ["max_t", "max_t_baseline", "randomized_tukey_hsd", "tukey_hsd", "dunnett"]
)
def test_units_and_offsets_of_a_matrix_in_r(r, name, kind):
    test = getattr(significance, name)
    scores = np.random.default_rng(5).integers(0, 7, (8, 3)).astype(np.float64)
    first, second = np.array([0, 1]), np.array([2, 2])
    result = test.over_pairs(far(kind, scores), first, second)
    in_r = matrix_in_r(r, test, test.defaults, far(kind, scores), first, second)
    expected = test.over_pairs(scores, first, second).p_value
    np.testing.assert_allclose(result.p_value, expected, 1e-9)
    np.testing.assert_allclose(in_r.numbers["p_value"], result.p_value, 1e-9)
