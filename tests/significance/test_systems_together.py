"""Tukey's test and the analysis of variance beside R, and what they are by definition."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import anova_two_way, paired_t, tukey_hsd
from tests.significance.in_r import assert_as_in_r, matrix_in_r

# Fixed scores, and what R 4.2 prints for them.
SCORES = np.array(
    [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5], [0.7, 0.6, 0.1]]
)
PERFECT = np.add.outer([0.1, 0.2, 0.7, 0.45], [0.0, 0.05, 0.1])


def matrices() -> list[Array]:
    rng = np.random.default_rng(4)
    shapes = [(2, 2), (3, 2), (2, 3), (2, 9), (9, 3), (30, 8), (60, 21)]
    plain = [rng.random(shape) for shape in shapes]
    return [
        *plain,
        np.round(rng.random((12, 6)), 1),
        np.repeat(rng.random((8, 2)), 2, axis=1),  # identical systems
        (rng.random((40, 5)) < 0.3) * 1.0,
        1e-9 * rng.random((20, 6)),
        1e6 + rng.random((20, 6)),
        rng.normal(size=(249, 1)) + 0.01 * rng.normal(size=(249, 30)),  # topics differ most
        rng.random((50, 1)) + 1e-3 * rng.random((50, 6)) + [0, 0, 1, 2, 3, 0],  # p near 1e-100
        1e3 * rng.normal(size=(12, 1)) + rng.normal(size=(12, 4)),
        1e6 * rng.normal(size=(12, 1)) + rng.normal(size=(12, 4)),
        rng.normal([0, 0, 0, 1e6], 1, (12, 4)),
        rng.normal([1e6, 0, 0, 0], 1, (12, 4)),
    ]


def pairs(scores: Array) -> tuple[Any, Any]:
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.append(first, second), np.append(second, first)


@pytest.mark.clause("tukey_hsd.1", "tukey_hsd.2")
@pytest.mark.one_in(12)
@pytest.mark.parametrize("index", range(len(matrices())))
def test_tukey_is_as_in_r(r: RSession, index: int) -> None:
    scores = matrices()[index]
    first, second = pairs(scores)
    conf_level = [0.95, 0.5, 0.999][index % 3]
    result = tukey_hsd.over_pairs(scores, first, second, conf_level=conf_level)
    found = matrix_in_r(r, tukey_hsd, {"conf_level": conf_level}, scores, first, second)
    assert set(found.stopped) == {""}
    assert_as_in_r(tukey_hsd, result, found)


@pytest.mark.clause("anova_two_way.1")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("index", range(len(matrices())))
def test_the_analysis_of_variance_is_as_in_r(r: RSession, index: int) -> None:
    scores = matrices()[index]
    result = anova_two_way(scores)
    found = matrix_in_r(r, anova_two_way, {}, scores)
    assert found.stopped == [""]
    assert_as_in_r(anova_two_way, result, found)


def exact_f(scores: Array) -> tuple[Fraction, Fraction, list[Fraction]]:
    """Return F, MSE and the means of systems in fractions."""
    cells = [[Fraction(float(value)) for value in row] for row in scores]
    n, k = scores.shape
    topics = [sum(row) / k for row in cells]
    systems = [sum(row[j] for row in cells) / n for j in range(k)]
    mean = sum(systems) / k
    error = sum(
        (cells[i][j] - topics[i] - systems[j] + mean) ** 2 for i in range(n) for j in range(k)
    )
    mean_square = Fraction(error) / ((n - 1) * (k - 1))
    between = n * sum((m - mean) ** 2 for m in systems) / (k - 1)
    return Fraction(between) / mean_square, mean_square, systems


@pytest.mark.clause("anova_two_way.1", "tukey_hsd.2")
@pytest.mark.parametrize("index", range(len(matrices())))
def test_f_and_q_are_those_of_exact_arithmetic(index: int) -> None:
    """Also where topics, or one system, are a million standard deviations from the others."""
    scores = matrices()[index]
    f, mean_square, means = exact_f(scores)
    assert anova_two_way(scores).statistic == pytest.approx(float(f), rel=1e-14)
    stderr = (2 * float(mean_square) / len(scores)) ** 0.5
    found = tukey_hsd(scores)
    assert found.stderr == pytest.approx(stderr, rel=1e-14)
    first, second = np.triu_indices(scores.shape[1], 1)
    estimate = [float(means[i] - means[j]) for i, j in zip(first, second, strict=True)]
    assert found.estimate == pytest.approx(estimate, rel=1e-14, abs=1e-14 * stderr)


@pytest.mark.clause("anova_two_way.1", "tukey_hsd.1", "tukey_hsd.2")
def test_known_values() -> None:
    """`summary(aov(...))` and `TukeyHSD(aov(...), "system")` of R 4.2, with 8 degrees."""
    f = anova_two_way(SCORES)
    assert f.statistic == pytest.approx(1.08928571428571, rel=1e-14)
    assert f.p_value == pytest.approx(0.381603749525981, rel=1e-14)
    assert f.parameter == 2
    result = tukey_hsd(SCORES, [(1, 0), (2, 0), (2, 1)])
    np.testing.assert_allclose(result.estimate, [-0.18, -0.08, 0.1], rtol=1e-14)
    np.testing.assert_allclose(
        result.p_value, [0.352543742251, 0.795064901429, 0.702861788480], rtol=0, atol=2e-8
    )
    np.testing.assert_allclose(
        result.conf_low, [-0.529185460369, -0.429185460369, -0.249185460369], rtol=0, atol=1e-5
    )
    assert (result.parameter == 8).all()


@pytest.mark.clause("anova_two_way.1", "tukey_hsd.1")
def test_of_two_systems_both_are_the_paired_t_test() -> None:
    scores = np.random.default_rng(1).random((25, 2))
    t = paired_t(scores[:, 0], scores[:, 1])
    f, q = anova_two_way(scores), tukey_hsd(scores)
    assert f.statistic == pytest.approx(t.statistic**2, rel=1e-13)
    assert f.p_value == pytest.approx(t.p_value, rel=1e-12)
    np.testing.assert_allclose(q.statistic, [abs(t.statistic) * 2**0.5], rtol=1e-13)
    np.testing.assert_allclose(q.p_value, [t.p_value], rtol=1e-12)
    np.testing.assert_allclose(q.conf_int, [t.conf_int], rtol=1e-11)


@pytest.mark.clause("tukey_hsd.2")
def test_the_interval_excludes_0_where_the_p_value_is_below_alpha() -> None:
    scores = np.random.default_rng(3).random((40, 12)) + np.linspace(0, 0.5, 12)
    result = tukey_hsd(scores, conf_level=0.99)
    excluded = (result.conf_low > 0) | (result.conf_high < 0)
    np.testing.assert_array_equal(excluded, result.p_value < 0.01)
    assert 0 < excluded.sum() < len(excluded)


@pytest.mark.clause("anova_two_way.2", "tukey_hsd.3")
@pytest.mark.parametrize(
    "scores", [PERFECT, np.zeros((3, 4)), np.full((5, 2), 0.1), PERFECT * 1e-9]
)
def test_no_residuals_give_no_number(r: RSession, scores: Array) -> None:
    with pytest.raises(SignificanceError, match="the residuals are 0, except for rounding"):
        anova_two_way(scores)
    assert "residuals are 0" in matrix_in_r(r, anova_two_way, {}, scores).stopped[0]
    result = tukey_hsd(scores)
    assert set(result.reason) == {"the residuals are 0, except for rounding"}
    for numbers in (result.p_value, result.statistic, result.stderr, result.conf_int):
        assert np.isnan(numbers).all()
    first, second = np.triu_indices(scores.shape[1], 1)
    found = matrix_in_r(r, tukey_hsd, {"conf_level": 0.95}, scores, first, second)
    assert "residuals are 0" in found.stopped[0]
