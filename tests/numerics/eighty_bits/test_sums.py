"""Sums, means and deviations of rows, bit for bit, beside exact fractions, long doubles and R.

Each is computed in every way there is: few and many rows, and rows that are added again.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mpmath import mp, mpf

from cdfscore.r.session import RSession
from cdfscore.stats.numerics import eighty_bits, moments
from cdfscore.stats.numerics.eighty_bits import whole_numbers
from cdfscore.stats.numerics.moments import mean, mean_and_sd, single_pass_mean, total
from cdfscore.stats.numerics.types import Array
from tests.numerics.eighty_bits.hard_cases import (
    KINDS,
    LONG_DOUBLES,
    needs_long_doubles,
    rounded_to_64_bits,
)


@st.composite
def rows_of_scores(draw: st.DrawFn) -> Array:
    """Draw rows of scores of one kind, sometimes with missing ones, and two in each at least."""
    elements = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    n = draw(st.one_of(st.integers(2, 40), st.sampled_from([2, 3, 5, 9, 17])))
    rows = draw(arrays(np.float64, (draw(st.integers(1, 3)), n), elements=elements))
    if draw(st.booleans()):
        gaps = draw(arrays(np.bool_, (len(rows), n - 2)))
        rows[:, 2:][gaps] = np.nan
    return rows


def in_every_way(rows: Array) -> dict[str, list[Array]]:
    """Sums, column means, means and deviations, by the name of the way."""
    every, found = np.arange(len(rows)), dict[str, list[Array]]()
    for way, many in (("few", False), ("many", True)):
        for has_long_doubles in {False, LONG_DOUBLES}:
            for least in (0, moments._SOME):  # below which nothing is bounded
                with pytest.MonkeyPatch.context() as context:
                    context.setattr(eighty_bits, "HAS_64_BITS", has_long_doubles)
                    context.setattr(moments, "_SOME", least)
                    found[f"{way}, {has_long_doubles}, {least}"] = of(rows, many=many)
    for module in (whole_numbers, *[eighty_bits] * LONG_DOUBLES):
        results = [np.empty(len(rows)) for _ in range(4)]
        with np.errstate(all="ignore"):
            module.totals(rows, every, results[0])
            module.single_pass_means(rows, every, results[1])
            module.means(rows, every, results[2])
            module.sds(rows, every, results[2], results[3])
        found[module.__name__] = results
    return found


def of(rows: Array, *, many: bool) -> list[Array]:
    with np.errstate(all="ignore"):
        return [
            moments._added(rows, many, mean=False),
            moments._added(rows, many, mean=True),
            *moments._means_and_sds(rows, many),
        ]


def by_fractions(row: Array) -> list[float]:
    """The four, each step in whole numbers and rounded to 64 bits."""
    x = [Fraction(score) for score in row[~np.isnan(row)].tolist()]
    s = added(x)
    first = rounded_to_64_bits(s / len(x))
    second = rounded_to_64_bits(added([rounded_to_64_bits(v - first) for v in x]) / len(x))
    m = float(rounded_to_64_bits(first + second))
    squares = [rounded_to_64_bits(rounded_to_64_bits(v - Fraction(m)) ** 2) for v in x]
    variance = rounded_to_64_bits(added(squares) / (len(x) - 1))
    return [float(s), float(first), m, math.sqrt(float(variance))]


def added(x: list[Fraction]) -> Fraction:
    s = Fraction(0)
    for v in x:
        s = rounded_to_64_bits(s + v)
    return s


def in_long_doubles(rows: Array) -> list[Array]:
    """The four of rows without missing scores."""
    n = rows.shape[1]
    wide = rows.astype(np.longdouble)
    s = added_long(wide)
    first = s / n
    m = (first + added_long(wide - first[:, np.newaxis]) / n).astype(np.float64)
    variance = added_long((wide - m[:, np.newaxis]) ** 2) / (n - 1)
    with np.errstate(over="ignore"):
        sd = np.sqrt(variance.astype(np.float64))
        return [s.astype(np.float64), first.astype(np.float64), m, sd]


def added_long(wide: np.ndarray) -> np.ndarray:
    return np.add.accumulate(wide, axis=1)[:, -1]


def assert_same(rows: Array, expected: list[Array]) -> None:
    for way, found in in_every_way(rows).items():
        for what, own, other in zip(("sum", "column", "mean", "sd"), found, expected, strict=True):
            assert np.array_equal(own, other), (way, what, own, other)


@settings(max_examples=60)
@given(rows_of_scores())
def test_beside_fractions(rows: Array) -> None:
    expected = np.array([by_fractions(row) for row in rows]).T
    assert_same(rows, list(expected))


RANDOM = {
    "shares": lambda rng, shape: rng.integers(0, 111, shape) / 110,
    "decimals": lambda rng, shape: rng.beta(0.8, 2.5, shape).round(4),
    "beta": lambda rng, shape: rng.beta(0.3, 3, shape),
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "near 1": lambda rng, shape: 1 + rng.integers(0, 3, shape) * 2.0**-52,
    "0 or 1": lambda rng, shape: rng.integers(0, 2, shape) * 1.0,
    "magnitudes": lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-8, 8, shape),
    "extremes": lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-60, 60, shape),
    "differences": lambda rng, shape: rng.random(shape) - rng.random(shape),
    "constant": lambda rng, shape: np.repeat(rng.random((shape[0], 1)), shape[1], axis=1),
}


@pytest.mark.one_in(3)
@needs_long_doubles
@pytest.mark.parametrize("kind", RANDOM)
@pytest.mark.parametrize("shape", [(500, 2), (500, 7), (500, 110), (33, 129), (10, 1000)])
def test_beside_long_doubles(kind: str, shape: tuple[int, int]) -> None:
    rows = RANDOM[kind](np.random.default_rng([len(kind), *shape]), shape)
    assert_same(rows, in_long_doubles(rows))


@needs_long_doubles
def test_cancelling_rows_beside_long_doubles() -> None:
    """Their sums are exactly 0, or what is left of roundings."""
    half = np.random.default_rng(3).standard_normal((300, 20))
    rows = np.concatenate([half, -half], axis=1)
    assert_same(rows, in_long_doubles(rows))
    assert_same(rows[:, ::-1].copy() / 3, in_long_doubles(rows[:, ::-1] / 3))


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-200, 1e-120, 1e120, 1e200, 1e307])
def test_scales_at_which_doubles_lose_bits(scale: float) -> None:
    """Squares underflow or overflow; long doubles have 15 bits for the exponent."""
    rows = np.random.default_rng(1).standard_normal((20, 12)) * scale
    expected_sum = [by_fractions_of_sum(row) for row in rows]
    for many in (False, True):
        added, _, means, sds = of(rows, many=many)
        assert added.tolist() == expected_sum
        for row, m, sd in zip(rows, means.tolist(), sds.tolist(), strict=True):
            with mp.workdps(60):
                values = [mpf(v) for v in row.tolist()]
                variance = mp.fsum((v - mpf(m)) ** 2 for v in values) / (len(values) - 1)
                assert sd == pytest.approx(float(mp.sqrt(variance)), rel=3e-16, abs=0)
        if LONG_DOUBLES:
            assert means.tolist() == in_long_doubles(rows)[2].tolist()


def by_fractions_of_sum(row: Array) -> float:
    exact = added([Fraction(v) for v in row.tolist()])
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def test_rows_of_zeros_of_one_score_and_of_none() -> None:
    nan, inf = math.nan, math.inf
    rows = np.array(
        [[0.0, -0.0, 0.0], [nan, 0.3, nan], [nan, nan, nan], [1.0, inf, 2.0], [inf, -inf, 1.0]]
    )
    for found in in_every_way(rows).values():
        added, columns, means, sds = found
        np.testing.assert_array_equal(added, [0.0, 0.3, 0.0, inf, nan])
        np.testing.assert_array_equal(columns, [0.0, 0.3, nan, inf, nan])
        np.testing.assert_array_equal(means, [0.0, 0.3, nan, nan, nan])
        np.testing.assert_array_equal(sds, [0.0, nan, nan, nan, nan])


def test_a_sum_begins_at_0_as_in_r() -> None:
    """So that no sum of zeros of either sign is negative."""
    for found in in_every_way(np.array([[-0.0, -0.0, -0.0], [-0.0, np.nan, 0.0]])).values():
        assert not np.signbit(found).any()


def test_any_shape_and_layout_and_many_rows_in_threads() -> None:
    rows = np.random.default_rng(2).random((1300, 110))
    rows[rows < 0.01] = np.nan
    means, sds = mean_and_sd(rows)
    assert np.array_equal(mean(rows), means)
    found = [each[:, 0] for each in (total(rows), single_pass_mean(rows), means, sds)]
    assert np.array_equal(found, of(rows, many=False))
    cube = rows.reshape(13, 100, 110)
    assert np.array_equal(mean(cube), means.reshape(13, 100, 1))
    assert np.array_equal(mean(np.asfortranarray(rows)), means)
    assert mean(rows[0]).shape == (1,)
    assert np.isnan(mean(np.empty((2, 0)))).all()
    assert mean(np.empty((0, 3))).shape == (0, 1)


@settings(max_examples=200)
@given(rows_of_scores(), st.sampled_from([0, -300, 250]))
def test_bounds_of_few_rows_hold(rows: Array, power: int) -> None:
    """What `deviations` returns, beside exact fractions, where the sum of squares is safe."""
    rows = rows * 2.0**power
    with np.errstate(all="ignore"):
        means, squares, n = moments._deviations_on_a_grid(rows)
    for row, own, found, number in zip(rows, means.T, squares.T, n.tolist(), strict=True):
        x = [Fraction(score) for score in row[~np.isnan(row)].tolist()]
        assert number == len(x)
        if not moments._safe(found[0]):
            continue
        mean, left, error = map(Fraction, own.tolist())
        assert abs(mean + left - sum(x) / number) <= error / 2
        high, low, lost, sizes, drift = map(Fraction, found.tolist())
        away = [score - mean for score in x]
        assert abs(high + low - sum(each * each for each in away)) <= lost / 2
        # Where the bounds decide, high is all of the sum but its last bits.
        if lost <= high / 2**60:
            assert sum(accumulate(each * each for each in away)) <= sizes * (1 + Fraction(1, 2**20))
            least = sum(map(abs, accumulate(away)))
            assert least <= drift + number**2 * abs(mean) / 2**50


def test_rows_beside_others_of_every_size_and_near_the_middle_of_two_doubles() -> None:
    """Means and deviations that a last bit decides, in a matrix of rows of all magnitudes."""
    rng = np.random.default_rng(11)
    rows = rng.integers(0, 1 << 20, (400, 16)) * 2.0**-20
    half = 2.0 ** -rng.integers(52, 60, 400)
    rows[:, 1] += half * rng.choice([1.0, 1 + 2.0**-50, 1 - 2.0**-50], 400)
    rows[200:] += 2.0 ** rng.integers(0, 40, (200, 1))
    rows *= 2.0 ** rng.integers(-320, 320, (400, 1))
    assert_same(rows, list(np.array([by_fractions(row) for row in rows]).T))


@pytest.mark.parametrize("rows", [1, 2, 9])
def test_rows_are_added_from_left_to_right(rows: int) -> None:
    """In pairs, the small scores would add up before they meet the first."""
    row = np.array([1.0, *[2.0**-64] * 16, -1.0])
    assert_same(np.tile(row, (rows, 1)), list(np.tile(by_fractions(row), (rows, 1)).T))


@pytest.mark.parametrize(("many", "most"), [(False, (60, 110)), (True, (20, 80))])
def test_few_rows_are_added_again(many: bool, most: tuple[int, int]) -> None:
    """The bounds are near what R's roundings change: of 110 scores in one row of 18 at most."""
    rows = np.random.default_rng(8).beta(0.8, 2.5, (2000, 110))
    with np.errstate(all="ignore"):
        _, certain = moments._deviations(rows, many)
    for own, limit in zip(certain, most, strict=True):
        assert 0 < np.count_nonzero(~own) < limit


@pytest.fixture(scope="module")
def r(rinterface) -> RSession:
    return RSession()


@pytest.mark.parametrize("kind", ["shares", "beta", "normal", "near 1", "magnitudes"])
def test_beside_r(kind: str, r: RSession) -> None:
    rows = RANDOM[kind](np.random.default_rng(len(kind)), (200, 110))
    in_r = [np.array([r.call(name, row)[0] for row in rows]) for name in ("sum", "mean", "sd")]
    assert_same(rows, [in_r[0], r.column_means(rows.T), *in_r[1:]])


def test_sums_of_whole_numbers_above_those_that_doubles_have() -> None:
    """All sums on the way have 64 bits at most, and the last ones have 53."""
    rows = np.array([[2.0**60, 3 * 2.0**61, 2.0**100], [2.0**1000, -(2.0**990), 2.0**980]])
    found = np.empty(2)
    whole_numbers.totals(rows, np.arange(2), found)
    assert found.tolist() == [float(2**100 + 7 * 2**60), float(2**1000 - 2**990 + 2**980)]
    whole_numbers.single_pass_means(rows[:, :2], np.arange(2), found)
    assert found.tolist() == [3.5 * 2.0**60, 2.0**999 - 2.0**989]
