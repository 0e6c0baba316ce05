"""Tests of Spearman's rank correlation beside R's cor.test, and over all permutations."""

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import spearman
from cdfscore.stats.significance.contract import USUAL
from cdfscore.stats.significance.spearman import _pairings, _upper_tail_in_series
from tests.significance.in_r import rows_in_r

ALTERNATIVES = ("two-sided", "less", "greater")
SETTINGS = [
    {"alternative": alternative, "exact": exact, "continuity": continuity}
    for alternative, exact, continuity in itertools.product(
        ALTERNATIVES, (None, True, False), (False, True)
    )
]
KINDS = ("plain", "grid", "one tie", "missing", "same order")
SERIES = "Spearman's rank correlation, Edgeworth series (AS 89)"
# c_1, c_2, ... of Best and Roberts (1975), after a 0.
COEFFICIENTS = (
    *("0", "0.2274", "0.2531", "0.1745", "0.0758", "0.1033", "0.3932"),
    *("0.0879", "0.0151", "0.0072", "0.0831", "0.0131", "0.00046"),
)
STUDENT = "Spearman's rank correlation, t approximation"


def samples(n: int, kind: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(n)
    x = rng.random((8, n))
    y = 0.4 * rng.random((8, n)) + rng.choice([0, 0.1, -0.1, 1, -1], (8, 1)) * x
    if kind == "grid":
        x, y = np.round(x, 1), np.round(y, 1)
    if kind == "one tie":
        x[:, 0] = x[:, 1]
    if kind == "missing":
        x[rng.random(x.shape) < 0.1] = np.nan
        y[rng.random(y.shape) < 0.1] = np.nan
    if kind == "same order":
        x = np.round(x, rng.integers(0, 3))
        y = x * rng.choice([1.0, -1.0], (8, 1))
    return x, y


@pytest.mark.one_in(6)
@pytest.mark.parametrize("n", [2, 3, 5, 9, 10, 25, 249])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_is_as_in_r(r: RSession, n: int, settings: dict[str, Any]) -> None:
    x, y = (np.concatenate(parts) for parts in zip(*(samples(n, k) for k in KINDS), strict=True))
    if settings["exact"] and n > 10:
        with pytest.raises(SignificanceError, match=r"exact=True with \d+ pairs is not accepted"):
            spearman(x, y, **settings)
        return
    if settings["exact"] and n > 8:  # R counts a row in up to half a second
        x, y = x[::12], y[::12]
    result, found = spearman(x, y, **settings), rows_in_r(r, spearman, settings, x, y)
    theirs = found.numbers
    for name, numbers in theirs.items():
        assert np.array_equal(np.isnan(getattr(result, name)), np.isnan(numbers)), name
    np.testing.assert_allclose(result.estimate, theirs["estimate"], rtol=1e-13, atol=2e-16)
    # R has S from rho, of an absolute error.
    apart = np.abs(result.statistic - theirs["statistic"])
    assert np.nanmax(apart, initial=0) <= 1e-15 * n**3 / 6
    # Where rho is 1 or -1, and t infinite, R may take rounding for a finite t.
    perfect = np.abs(result.estimate) == 1
    by_t = np.char.startswith(result.method.astype(str), STUDENT)
    atol = np.where(perfect & by_t, 1e-22, 0.0)
    # R loses digits of 1 - rho^2, which count n / 2 times over, and of small p in the series.
    condition = n / (1 - np.minimum(np.abs(result.estimate), 0.99))
    error = np.abs(result.p_value - theirs["p_value"]) - atol
    relative = error / (np.where(result.p_value > 0, result.p_value, 1e-300) * condition)
    assert np.nanmax(relative, initial=0) < 1e-13


@pytest.mark.clause("spearman.3", "spearman.4")
@pytest.mark.parametrize("n", [1290, 1291])
def test_the_series_ends_where_it_does_in_r(r: RSession, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.random((2, 3, n))
    result = spearman(x, y)
    found = rows_in_r(r, spearman, spearman.settings({}), x, y)
    np.testing.assert_allclose(result.p_value, found.numbers["p_value"], rtol=1e-12)
    assert set(result.method) == {SERIES if n == 1290 else STUDENT}


def series_by_mpmath(s: int, n: int) -> mpmath.mpf:
    """The series of Best and Roberts (1975), in 50 digits."""
    with mpmath.workdps(50):
        c = [mpmath.mpf(value) for value in COEFFICIENTS]
        b = mpmath.mpf(1) / n
        x = (6 * (s - 1) * b / (n * n - 1) - 1) * mpmath.sqrt(n - 1)
        y = x * x
        inner = c[9] - c[10] * b + y * b * (c[11] - c[12] * y)
        inner = c[5] + c[6] * b - y * (c[7] + c[8] * b - y * inner)
        u = x * b * (c[1] + b * (c[2] + c[3] * b) + y * (-c[4] + b * inner))
        return mpmath.ncdf(-x) + u * mpmath.exp(-y / 2)


@pytest.mark.clause("spearman.3")
@pytest.mark.parametrize("n", [10, 17, 60, 249, 1290])
def test_the_series_keeps_its_digits_in_the_tail(n: int) -> None:
    most = (n**3 - n) // 3
    s = 2 * np.unique(np.linspace(most // 4, most // 2, 60).astype(int))
    for value, ours in zip(s, _upper_tail_in_series(s.astype(float), n), strict=True):
        true = series_by_mpmath(int(value), n)
        if true <= 0:
            assert ours == 0
        elif ours > 1e-300:
            # The tail of the normal and the series nearly cancel where the series ends.
            x = (6 * (value - 1) / (n**3 - n) - 1) * math.sqrt(n - 1)
            size = max(1, float(mpmath.ncdf(-x) / true)) * (1 + x * x)
            assert abs(ours / true - 1) < 1e-15 * size


def true_tail(n: int) -> Array:
    """Return P(S >= s) of s = 0, 2, ..., (n^3 - n) / 3."""
    counts = np.cumsum(_pairings((1,) * n, (1,) * n))[::-1] / math.factorial(n)
    return np.asarray(counts[: (n**3 - n) // 6 + 1])


@pytest.mark.clause("spearman.3")
def test_far_out_the_series_is_cut_off_as_in_r(r: RSession) -> None:
    """It is 0 where the true tail is up to 1e-4, which the docstring says."""
    true = true_tail(10)
    series = _upper_tail_in_series(2.0 * np.arange(len(true)), 10)
    assert 1e-4 < true[series == 0].max() < 1.1e-4
    assert np.abs(series - true).max() == pytest.approx(0.00056, abs=5e-6)
    for n in (10, 20, 50):
        x = np.array([np.arange(float(n))] * 2)
        y = x * [[1], [-1]]
        for alternative in ALTERNATIVES:
            settings = {"alternative": alternative, "exact": None, "continuity": False}
            result = spearman(x, y, **settings)
            theirs = rows_in_r(r, spearman, settings, x, y).numbers["p_value"]
            np.testing.assert_allclose(result.p_value, theirs, rtol=1e-12)
            assert set(result.method) == {SERIES}
    assert spearman(x, y, alternative="less").p_value.tolist() == [1, 0]


@pytest.mark.parametrize("n", [30, 100, 249])
def test_a_statistic_taken_from_rho_is_within_the_tolerance_that_is_stated(n: int) -> None:
    """As R takes it, from a rho that is rounded once: it misses the usual tolerance."""
    x = np.arange(float(n))
    y = x.copy()
    y[[0, 1]] = y[[1, 0]]
    rho = float(1 - Fraction(12, n**3 - n))
    found, from_rho = np.array([[spearman(x, y).statistic], [(n**3 - n) * (1 - rho) / 6]])
    stated, usual = spearman.tolerances["statistic"], USUAL["statistic"]
    assert stated.distance(found, from_rho, np.array([(n**3 - n) / 6]))[0] <= stated.ulp
    assert n == 30 or usual.distance(found, from_rho)[0] > usual.ulp


def test_continuity_with_rho_just_below_0_gives_1(r: RSession) -> None:
    x = np.arange(5.0)
    orders = np.array(list(itertools.permutations(x)))
    s = ((orders - x) ** 2).sum(axis=1)
    # S = 20 is no correlation: R's S of 20 may be above it by rounding.
    y = orders[s != 20]
    x = np.broadcast_to(x, y.shape)
    settings = {"exact": False, "continuity": True, "alternative": "two-sided"}
    theirs = rows_in_r(r, spearman, settings, x, y).numbers["p_value"]
    np.testing.assert_allclose(spearman(x, y, **settings).p_value, theirs, rtol=1e-12, atol=1e-22)
    # With ties S may be between (n^3 - n) / 6 and 1 more: then t is above 0.
    tied, other = np.array([[0.0, 3.0, 1.0, 0.0, 2.0]]), np.array([[4.0, 4.0, 0.0, 3.0, 2.0]])
    assert 20 < spearman(tied, other).statistic < 21
    assert spearman(tied, other, **settings).p_value == 1
    assert rows_in_r(r, spearman, settings, tied, other).numbers["p_value"] == 1


@pytest.mark.clause("spearman.5")
def test_two_pairs_have_no_t() -> None:
    with pytest.raises(SignificanceError, match="2 pairs are too few for the t approximation"):
        spearman([1, 2], [2, 1], exact=False)


@pytest.mark.clause("spearman.1", "test.6")
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=40))
def test_is_the_correlation_of_the_ranks_and_turns_with_y(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return
    up, down = spearman(x, y), spearman(x, -y)
    true = np.corrcoef(stats.rankdata(x), stats.rankdata(y))[0, 1]
    assert up.estimate == pytest.approx(true, abs=1e-13)
    n = len(x)
    assert up.statistic == pytest.approx((n**3 - n) / 6 * (1 - true), abs=1e-13 * n**3)
    assert (up.estimate, up.p_value) == (-down.estimate, down.p_value)
    assert spearman(np.exp(x), y**3).p_value == up.p_value
    one, other = (spearman(x, y * sign, alternative="less") for sign in (1, -1))
    assert one.p_value == spearman(x, -y, alternative="greater").p_value
    both = min(1, 2 * min(one.p_value, other.p_value))
    assert both == pytest.approx(up.p_value, rel=1e-12, abs=0)
