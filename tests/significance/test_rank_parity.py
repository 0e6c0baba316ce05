"""Rank and sign tests beside R: random samples, ties, zeros, missing scores, all settings."""

import itertools
from typing import Any

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.friedman import friedman
from cdfscore.stats.significance.kolmogorov_smirnov import kolmogorov_smirnov
from cdfscore.stats.significance.mann_whitney import mann_whitney
from cdfscore.stats.significance.sign import sign
from cdfscore.stats.significance.wilcoxon_signed_rank import wilcoxon_signed_rank
from tests.significance.in_r import assert_as_in_r, matrix_in_r, rows_in_r

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES = ("two-sided", "less", "greater")


def samples(rng: np.random.Generator, rows: int, n: int, kind: str) -> Array:
    values = rng.random((rows, n)) ** rng.integers(1, 4)
    if kind == "grid":
        values = np.round(values, 1)  # ties, zeros, and 0.3 - 0.2 beside 0.2 - 0.1
    if kind == "missing":
        values[rng.random(values.shape) < 0.2] = np.nan
    if kind == "far":
        values = values * 1e-3 + 0.01 * rng.integers(0, 2, (rows, 1))
    return values


def agree(test: Any, result: Any, found: Any) -> None:
    assert_as_in_r(test, result, found)
    stopped = np.array(found.stopped)
    assert ((np.atleast_1d(result.reason) != "") >= (stopped != "")).all()


def settings_of(name: str) -> list[dict[str, Any]]:
    alternatives = [{"alternative": alternative} for alternative in ALTERNATIVES]
    if name == "sign":
        return [
            {**a, **b}
            for a, b in itertools.product(
                alternatives, ({}, {"null_value": 0.1, "ties_at": 3}, {"conf_level": 0.6})
            )
        ]
    return [
        {**a, **b}
        for a, b in itertools.product(
            alternatives,
            (
                {},
                {"exact": False, "correct": False},
                {"exact": True},
                {"null_value": -0.1},
                {"null_value": 0.05, "ties_at": 2},
            ),
        )
    ]


@pytest.mark.clause("wilcoxon_signed_rank.3", "mann_whitney.3", "sign.1", "ties_at.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["plain", "grid", "missing", "far"])
@pytest.mark.parametrize("test", [wilcoxon_signed_rank, mann_whitney, sign], ids=lambda t: t.name)
def test_numbers_are_those_of_r(r: RSession, test: Any, kind: str, long: bool) -> None:
    rng = np.random.default_rng(20)
    # Every second of an odd number: each alternative with some settings, and each setting.
    for settings in settings_of(test.name)[:: 1 if long else 2]:
        # R needs seconds for the exact distribution of two samples of 100.
        for n in (1, 2, 7, 30, 49, 50) if settings.get("exact") else (1, 2, 7, 49, 50, 120):
            x, y = samples(rng, 4, n, kind), samples(rng, 4, n, kind)
            result = test(np.stack([x, x]), np.stack([y, y]), **settings)
            found = rows_in_r(r, test, test.settings(settings), x, y)
            first = type(result)(
                **{k: v[0] if isinstance(v, np.ndarray) else v for k, v in vars(result).items()}
            )
            agree(test, first, found)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["plain", "grid", "missing", "far"])
@pytest.mark.parametrize("test", [wilcoxon_signed_rank, mann_whitney], ids=lambda t: t.name)
def test_intervals_are_those_of_r(r: RSession, test: Any, kind: str) -> None:
    rng = np.random.default_rng(25)
    changed: list[dict[str, Any]] = [{}, {"null_value": 0.05, "ties_at": 2}]
    if kind in ("plain", "grid"):
        changed.append({"conf_level": 0.8, "correct": False})
    if kind == "plain":
        changed.append({"exact": False, "conf_level": 0.9})
    for alternative, given in itertools.product(ALTERNATIVES, changed):
        settings = {"alternative": alternative, "conf_int": True, **given}
        for n in (15, 51):
            x, y = samples(rng, 2, n, kind), samples(rng, 2, n, kind)
            found = rows_in_r(r, test, test.settings(settings), x, y)
            assert_as_in_r(test, test(x, y, **settings), found)


@pytest.mark.parametrize("test", [wilcoxon_signed_rank, mann_whitney], ids=lambda t: t.name)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exact_intervals_of_few_scores_are_those_of_r(
    r: RSession, test: Any, alternative: str
) -> None:
    rng = np.random.default_rng(26)
    for n in (1, 2, 3, 5, 8):
        x, y = rng.random((5, n)), rng.random((5, n))
        settings = test.settings({"alternative": alternative, "conf_int": True})
        found = rows_in_r(r, test, settings, x, y)
        agree(test, test(x, y, **settings), found)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["plain", "grid", "missing", "far"])
@pytest.mark.parametrize("exact", [None, True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_kolmogorov_smirnov_is_that_of_r_up_to_its_subtraction_from_1(
    r: RSession, alternative: str, exact: bool | None, kind: str
) -> None:
    rng = np.random.default_rng(21)
    for n, m in ((1, 1), (1, 6), (5, 3), (20, 30), (60, 50), (101, 100)):
        x, y = samples(rng, 5, n, kind), samples(rng, 5, m, kind)
        given = {"alternative": alternative, "exact": exact}
        result = kolmogorov_smirnov(x, y, **given)
        found = rows_in_r(r, kolmogorov_smirnov, given, x, y)
        assert_as_in_r(kolmogorov_smirnov, result, found, quantities=("statistic",))
        # R's exact p is 1 - count / exp(lgamma(...)), and its one-sided one 1 - (1 - p).
        p = found.numbers["p_value"]
        np.testing.assert_allclose(result.p_value, p, rtol=1e-13, atol=1e-12)


@pytest.mark.clause("friedman.1")
@pytest.mark.parametrize(("topics", "systems"), [(2, 2), (3, 5), (50, 4), (40, 110)])
@pytest.mark.parametrize("kind", ["plain", "grid"])
def test_friedman_is_that_of_r(r: RSession, topics: int, systems: int, kind: str) -> None:
    rng = np.random.default_rng(22)
    for effect in (0.0, 0.5, 3.0):
        scores = samples(rng, topics, systems, kind) + effect * np.arange(systems)
        found = matrix_in_r(r, friedman, {}, scores)
        agree(friedman, friedman(scores), found)


def test_a_friedman_p_value_of_1e_300_keeps_its_digits(r: RSession) -> None:
    scores = np.random.default_rng(23).random((700, 3)) + np.arange(3)
    result = friedman(scores)
    assert 1e-307 < result.p_value < 1e-290
    agree(friedman, result, matrix_in_r(r, friedman, {}, scores))


@pytest.mark.parametrize("test", [wilcoxon_signed_rank, sign], ids=lambda t: t.name)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_p_values_far_out_keep_their_digits(r: RSession, test: Any, alternative: str) -> None:
    x = np.random.default_rng(24).random((1, 900)) + 1
    y = np.zeros((1, 900))
    given = test.settings(
        {"alternative": alternative} | ({"exact": True} if test is not sign else {})
    )
    agree(test, test(x, y, **given), rows_in_r(r, test, given, x, y))
    assert test(x, y, **given).p_value < 1e-269
