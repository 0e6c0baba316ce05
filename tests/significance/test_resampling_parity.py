"""Resampling tests against R, where all outcomes are enumerated."""

import numpy as np
import pytest

from cdfscore.stats import significance
from tests.significance.in_r import assert_as_in_r, matrix_in_r, rows_in_r

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES = ["two-sided", "less", "greater"]


def samples(rng, n, rows=12):
    """Continuous scores, scores with ties, and scores of two values, in equal parts."""
    x, y = rng.random((2, rows, n))
    digits = rows // 3
    x[:digits], y[:digits] = x[:digits].round(1), y[:digits].round(1)
    x[digits : 2 * digits] = x[digits : 2 * digits].round()
    return x, y


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("null_value", [0.0, 0.1])
@pytest.mark.parametrize("n", [1, 2, 5, 10, 15])
def test_permutation(r, n, null_value, alternative):
    x, y = samples(np.random.default_rng(n), n)
    settings = {"alternative": alternative, "null_value": null_value, "B": 10, "seed": 0}
    in_r = rows_in_r(r, significance.permutation, settings, x, y)
    assert_as_in_r(significance.permutation, significance.permutation(x, y, **settings), in_r)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("null_value", [0.0, -0.1])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 9), (4, 4), (7, 3), (7, 8)])
def test_permutation_unpaired(r, n, m, null_value, alternative):
    rng = np.random.default_rng(n * m)
    x, y = samples(rng, n)[0], samples(rng, m)[1]
    settings = {"alternative": alternative, "null_value": null_value, "B": 10, "seed": 0}
    in_r = rows_in_r(r, significance.permutation_unpaired, settings, x, y)
    result = significance.permutation_unpaired(x, y, **settings)
    assert_as_in_r(significance.permutation_unpaired, result, in_r)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("null_value", "conf_level"), [(0.0, 0.95), (0.1, 0.5), (-0.2, 0.8)])
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("name", ["bootstrap_shift", "bootstrap_studentized"])
def test_bootstrap(r, name, n, null_value, conf_level, alternative):
    test = getattr(significance, name)
    rng = np.random.default_rng(n)
    x, y = samples(rng, n)
    # Decimals with an offset of all scores or of x, and some whose differences are constant.
    tenths, other = rng.integers(0, 6, (2, 8, n))
    other[6:] = tenths[6:] - 2
    x = np.concatenate([x, (tenths + 10_000) / 10])
    y = np.concatenate([y, (other + 10_000 * (np.arange(8) % 4 > 0)[:, np.newaxis]) / 10])
    settings = {
        "alternative": alternative,
        "null_value": null_value,
        "conf_level": conf_level,
        "B": 10,
        "seed": 0,
    }
    result, in_r = test(x, y, **settings), rows_in_r(r, test, settings, x, y)
    # Of constant differences R stops.
    assert_as_in_r(test, result, in_r, quantities=("p_value",))
    assert_as_in_r(test, result, in_r, np.flatnonzero(~np.isnan(result.p_value)))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("digits", [1, 8])
@pytest.mark.parametrize("topics", [2, 5, 10])
def test_max_t(r, topics, digits, alternative):
    scores = np.random.default_rng(topics).random((topics, 5)).round(digits)
    first, second = np.triu_indices(5, 1)
    settings = {"alternative": alternative, "B": 10, "seed": 0}
    in_r = matrix_in_r(r, significance.max_t, settings, scores, first, second)
    assert_as_in_r(significance.max_t, significance.max_t(scores, **settings), in_r)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("conf_level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("digits", [1, 8])
@pytest.mark.parametrize("topics", [5, 6, 12])
def test_max_t_baseline(r, topics, digits, conf_level, alternative):
    scores = np.random.default_rng(topics).random((topics, 4)).round(digits)
    scores += np.array([0, 0.1, 0.2, 0])
    first, second = np.array([0, 2, 3]), np.array([1, 1, 1])
    settings = {"alternative": alternative, "conf_level": conf_level, "B": 10, "seed": 0}
    in_r = matrix_in_r(r, significance.max_t_baseline, settings, scores, first, second)
    result = significance.max_t_baseline(scores, np.stack([first, second], axis=1), **settings)
    assert_as_in_r(significance.max_t_baseline, result, in_r)


@pytest.mark.parametrize("shape", [(1, 4), (12, 2), (6, 3), (3, 4), (2, 5)])
@pytest.mark.parametrize("digits", [1, 8])
def test_randomized_tukey_hsd(r, shape, digits):
    scores = np.random.default_rng(shape[0]).random(shape).round(digits)
    first, second = np.triu_indices(shape[1], 1)
    settings = {"B": 10, "seed": 0}
    test = significance.randomized_tukey_hsd
    in_r = matrix_in_r(r, test, settings, scores, first, second)
    assert_as_in_r(test, test(scores, **settings), in_r)


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
