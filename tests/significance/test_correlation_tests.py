"""Tests of a correlation beside R's cor.test, and by definition."""

import itertools
import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cdfscore.comparison.correlation import correlate
from cdfscore.errors import SignificanceError
from cdfscore.experiments.rates import rankings_agree
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import kendall, pearson
from tests.significance.in_r import assert_as_in_r, rows_in_r

ALTERNATIVES = ("two-sided", "less", "greater")
KENDALL = [
    {"alternative": alternative, "exact": exact, "continuity": continuity}
    for alternative, (exact, continuity) in itertools.product(
        ALTERNATIVES, ((None, False), (None, True), (True, False), (False, False), (False, True))
    )
]
PEARSON = [
    {"alternative": alternative, "conf_level": level}
    for alternative, level in itertools.product(ALTERNATIVES, (0.95, 0.5))
]


def samples(n: int, kind: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(n)
    x = rng.random((10, n))
    y = rng.random((10, n)) + rng.choice([0, 0.5, -1], (10, 1)) * x
    if kind == "grid":
        x, y = np.round(x, 1), np.round(y, 1)
    if kind == "missing":
        x[rng.random(x.shape) < 0.1] = np.nan
        y[rng.random(y.shape) < 0.1] = np.nan
    return x, y


@pytest.mark.clause("kendall.1", "kendall.3")
@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ["plain", "grid", "missing"])
@pytest.mark.parametrize("n", [2, 3, 9, 49, 50])
@pytest.mark.parametrize("settings", KENDALL, ids=str)
def test_kendall_is_as_in_r(r: RSession, n: int, kind: str, settings: dict[str, Any]) -> None:
    x, y = samples(n, kind)
    if settings["exact"] and kind == "grid" and n > 10:
        with pytest.raises(SignificanceError, match="pairs and ties in both samples is not acc"):
            kendall(x, y, **settings)
        y = np.random.default_rng(n).random(y.shape)  # ties in one sample
    elif settings["exact"] and kind == "grid":
        x, y = x[::4], y[::4]  # R counts a row in 0.3 s
    result, found = kendall(x, y, **settings), rows_in_r(r, kendall, settings, x, y)
    assert_as_in_r(kendall, result, found)


@pytest.mark.clause("pearson.1", "pearson.2")
@pytest.mark.parametrize("kind", ["plain", "missing"])
@pytest.mark.parametrize("n", [5, 9, 30, 120])
@pytest.mark.parametrize("settings", PEARSON, ids=str)
def test_pearson_is_as_in_r(r: RSession, n: int, kind: str, settings: dict[str, Any]) -> None:
    x, y = samples(n, kind)
    result, found = pearson(x, y, **settings), rows_in_r(r, pearson, settings, x, y)
    for name, numbers in found.numbers.items():
        theirs = np.where(np.isnan(numbers), np.nan, numbers)  # R's NA is a signalling NaN
        ours = getattr(result, name)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs), err_msg=name)
        # Near a perfect correlation R's 1 - r^2 has lost digits.
        condition = 1 / (1 - np.nan_to_num(np.minimum(result.estimate**2, 0.999999)))
        error = np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-2)
        if name == "p_value":
            error = np.abs(ours / theirs - 1) / n
        assert np.nanmax(error / condition, initial=0) < 1e-13, name


@pytest.mark.clause("pearson.3")
def test_samples_on_a_line() -> None:
    x = np.random.default_rng(0).random(20)
    for slope in (1.0, 1e-3, 7.0):
        up, down = pearson(x, slope * x), pearson(x, -slope * x)
        assert (up.estimate, up.statistic, up.p_value) == (1, np.inf, 0)
        assert (down.estimate, down.statistic, down.p_value) == (-1, -np.inf, 0)
        assert up.conf_int.tolist() == [1, 1]
        assert down.conf_int.tolist() == [-1, -1]
        assert pearson(x, slope * x, alternative="less").p_value == 1


@st.composite
def nearly_constant(draw: st.DrawFn) -> tuple[Array, list[int]]:
    """Scores that differ in their last digits, and by how many of these."""
    largest = draw(st.sampled_from((1, 2, 9, 10**6, 10**12)))
    steps = draw(st.lists(st.integers(0, largest), min_size=4, max_size=9))
    assume(len(set(steps)) > 1)
    base = draw(st.sampled_from((0.1, 0.3, 0.7, 1000.1)))
    return base + np.array(steps) * np.spacing(base), steps


@given(nearly_constant(), st.sampled_from((0.1, 0.3, 0.6, 9.7)), st.sampled_from((-2.0, -1.0, 1.0)))
def test_nearly_constant_samples_on_a_line(
    sample: tuple[Array, list[int]], base: float, slope: float
) -> None:
    x, steps = sample
    y = base + slope * np.array(steps) * np.spacing(base)
    sign = np.sign(slope)
    result = pearson(x, y)
    assert (result.estimate, result.statistic) == (sign, sign * np.inf)
    assert rankings_agree(x[np.newaxis], y[np.newaxis])["r"] == pytest.approx(sign, rel=1e-15)


@given(nearly_constant(), st.sampled_from((0.1, 9.7)), st.sampled_from((-2.0, 1.0)))
def test_nearly_constant_rankings_on_a_line(
    sample: tuple[Array, list[int]], base: float, slope: float
) -> None:
    x, steps = sample
    y = base + slope * np.array(steps) * np.spacing(base)
    systems = list(map(str, range(len(x))))
    a, b = (pd.DataFrame([values], columns=systems) for values in (x, y))
    measured = correlate(a, b).table.set_index("measure")["value"]
    assert measured["pearson"] == pytest.approx(np.sign(slope), rel=1e-15)


@pytest.mark.clause("pearson.1")
@given(nearly_constant(), nearly_constant())
def test_nearly_constant_samples_have_the_correlation_of_exact_arithmetic(
    one: tuple[Array, list[int]], other: tuple[Array, list[int]]
) -> None:
    n = min(len(one[1]), len(other[1]))
    x, y = one[0][:n], other[0][:n]
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    u, v = ([Fraction(s) - sum(map(Fraction, sample)) / n for s in sample] for sample in (x, y))
    uv, uu, vv = (sum(map(operator.mul, *both)) for both in ((u, v), (u, u), (v, v)))
    exact = float(uv) / (float(uu) * float(vv)) ** 0.5
    assert pearson(x, y).estimate == pytest.approx(exact, abs=1e-15 * n)
    assert rankings_agree(x[np.newaxis], y[np.newaxis])["r"] == pytest.approx(exact, abs=1e-15 * n)


def test_nearly_constant_samples_are_as_in_the_twin(r: RSession) -> None:
    rng = np.random.default_rng(8)
    x, y = (b + rng.integers(0, 9, (20, 6)) * np.spacing(b) for b in (0.1, 0.3))
    x[0, 0] = np.nan
    result, found = pearson(x, y), rows_in_r(r, pearson, pearson.settings({}), x, y)
    for name, theirs in found.numbers.items():
        np.testing.assert_allclose(getattr(result, name), theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.clause("pearson.3", "kendall.4")
@pytest.mark.parametrize("test", [kendall, pearson], ids=str)
def test_constant_samples_have_no_correlation(r: RSession, test: Any) -> None:
    x, y = np.full((2, 6), 0.1), np.random.default_rng(0).random((2, 6))
    x[1] = y[1]
    with pytest.raises(SignificanceError, match="the scores of one sample are all equal"):
        test(x[0], y[0])
    with pytest.raises(SignificanceError, match="all equal"):
        test(y[0], x[0])
    result = test(x, y)
    assert result.reason.tolist() == ["the scores of one sample are all equal", ""]
    assert np.isnan([result.p_value[0], result.statistic[0], result.estimate[0]]).all()
    found = rows_in_r(r, test, test.settings({}), x, y)
    assert np.isnan(found.numbers["p_value"][0])


@pytest.mark.clause("kendall.2", "kendall.4")
def test_two_pairs_have_no_z_and_many_no_exact_distribution() -> None:
    with pytest.raises(SignificanceError, match="2 pairs are too few for the normal approximation"):
        kendall([1, 2], [2, 1], exact=False)
    with pytest.raises(SignificanceError, match="171 pairs is not accepted; expected 170 or fewer"):
        kendall(range(171), range(171), exact=True)
