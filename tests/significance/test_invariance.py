"""No test and no effect size depends on the unit of the scores, or on what all of them share."""

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdfscore import compare
from cdfscore.errors import SignificanceError
from cdfscore.stats import effect_size, significance
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import (
    QUANTITIES,
    AllSystems,
    OneSample,
    PairsTogether,
    SignificanceTest,
    TwoSamples,
    Unpaired,
    significance_tests,
)
from tests import a_tenth

TESTS: list[SignificanceTest[Any]] = [
    significance_tests.load(name) for name in significance_tests.names()
]
EFFECTS = [effect_sizes.load(name) for name in effect_sizes.names()]
SETTINGS = {"B": 99, "null_value": 0.25, "margin": 0.5, "centre": 0.125, "conf_int": True}
SEEDS = st.integers(0, 2**32)


def named(item: Any) -> str:
    return str(item.name)


def scores(rng: np.random.Generator) -> Array:
    """Return a matrix (topics, 4) of multiples of a power of 2, with ties or with many digits."""
    topics = int(rng.choice([5, 7, 23]))
    bits = int(rng.choice([2, 8, 26]))
    whole = rng.integers(-(2**bits), 2**bits, (topics, 4))
    whole[:, 1] += 2 ** (bits - 1)
    return np.ldexp(whole.astype(np.float64), -bits)


def settings_of(test: SignificanceTest[Any], unit: int = 0) -> dict[str, Any]:
    given = {name: value for name, value in SETTINGS.items() if name in test.setting_names}
    in_unit = {"null_value", "margin", "centre"} - ({"null_value"} if of_ratio(test) else set())
    return {k: np.ldexp(v, unit) if k in in_unit else v for k, v in given.items()}


def of_ratio(test: SignificanceTest[Any]) -> bool:
    return test.name == "variance_ratio"


def outcome(test: Any, matrix: Array, unit: int = 0) -> dict[str, Array]:
    """Return the numbers of a test of systems 0 and 1, or of a matrix, by their names."""
    given = settings_of(test, unit)
    systems = np.ascontiguousarray(matrix.T)
    if isinstance(test, AllSystems):
        found = test(matrix[np.newaxis], **given)
    elif isinstance(test, PairsTogether):
        pairs = np.array([(1, 0), (2, 0), (3, 0)])
        found = test.over_pairs(matrix, *pairs.T, **given)
    elif isinstance(test, OneSample):
        found = test(systems, **given)
    elif isinstance(test, Unpaired):
        found = test(systems[:1], systems[1:2, :-1], **given)
    else:
        found = test(systems[:1], systems[1:2], **given)
    numbers = {name: np.atleast_1d(getattr(found, name)) for name in (*QUANTITIES, "reason")}
    # The resolution is named in the unit of the scores.
    numbers["method"] = np.array(
        [re.sub(r"; ties at[^;]*", "", each) for each in np.atleast_1d(found.method)]
    )
    return numbers


def assert_same(found: dict[str, Array], expected: dict[str, Array], rtol: float) -> None:
    for name, values in expected.items():
        if values.dtype.kind == "U":
            np.testing.assert_array_equal(found[name], values, err_msg=name)
        else:
            np.testing.assert_allclose(found[name], values, rtol, 1e-300, err_msg=name)


def units(rng: np.random.Generator, matrix: Array) -> int:
    """Return a power of 2 with which all scores stay normal."""
    sizes = np.frexp(np.abs(matrix[matrix != 0]))[1]
    low, high = -1021 - sizes.min(initial=0), 1024 - sizes.max(initial=0)
    return int(rng.choice([low, high, rng.integers(low, high + 1), rng.integers(-99, 100)]))


@pytest.mark.clause("test.13")
@pytest.mark.parametrize("test", TESTS, ids=named)
@given(seed=SEEDS)
def test_the_unit_of_the_scores_changes_no_test(test: SignificanceTest[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    unit = units(rng, matrix)
    expected = outcome(test, matrix)
    for name in test.in_unit or ():
        if name in expected:
            with np.errstate(over="ignore"):  # an end of an interval beyond the largest double
                expected[name] = np.ldexp(expected[name], unit)
    assert_same(outcome(test, np.ldexp(matrix, unit), unit), expected, 1e-13)


def in_decimals(value: float, decimals: int) -> float:
    """Round as R does: Python takes the exact value of a double, which is above 0.545, up."""
    if value == 0 or decimals > 15 - math.ceil(math.log10(abs(value))):
        return value
    below = math.floor(Fraction(value) * 10**decimals)
    low, high = (float(Fraction(each, 10**decimals)) for each in (below, below + 1))
    if value - low == high - value:
        return high if below % 2 else low
    return low if value - low < high - value else high


@pytest.mark.clause("test.13", "ties_at.2")
@pytest.mark.parametrize("name", ["sign", "wilcoxon_signed_rank", "mann_whitney"])
@given(seed=SEEDS, decimals=st.integers(0, 12), unit=st.integers(-130, 1023))
@example(seed=0, decimals=2, unit=-101)
@example(seed=0, decimals=2, unit=101)
@example(seed=521, decimals=12, unit=12)
@example(seed=34755054, decimals=2, unit=0)
def test_decimals_are_those_of_the_scores_as_given(
    name: str, seed: int, decimals: int, unit: int
) -> None:
    """Beside ordinary scores, which are rounded, are scores that move the unit of all."""
    rng = np.random.default_rng(seed)
    test = getattr(significance, name)
    x, y = rng.random((2, 9)).round(int(rng.integers(1, 5)))
    scaled = rng.random() < 0.5 or unit < 0
    x, y = (np.ldexp(each, unit if scaled else min(unit, 130)) for each in (x, y))
    if not scaled:
        x[3:], y[3:] = rng.random((2, 6)).round(4)

    def to_decimals(values: Array) -> Array:
        return np.array([in_decimals(float(each), decimals) for each in values])

    paired = name != "mann_whitney"
    samples = (to_decimals(x - y), 0 * y) if paired else (to_decimals(x), to_decimals(y))
    try:
        expected = test(*samples, ties_at="all_digits")
    except SignificanceError as error:
        with pytest.raises(SignificanceError, match=re.escape(str(error))):
            test(x, y, ties_at=decimals)
        return
    found = test(x, y, ties_at=decimals)
    assert (found.statistic, found.p_value) == (expected.statistic, expected.p_value)
    assert f"; ties at {decimals} decimals" in str(found.method)


@pytest.mark.clause("test.13")
@pytest.mark.parametrize("size", EFFECTS, ids=named)
@given(seed=SEEDS)
def test_the_unit_of_the_scores_changes_no_effect_size(size: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    expected = size(matrix[:, 0], matrix[:, 1])
    scaled = np.ldexp(matrix, units(rng, matrix))
    found = size(scaled[:, 0], scaled[:, 1])
    assert_same(of_effect(found), of_effect(expected), 1e-13)


def of_effect(found: Any) -> dict[str, Array]:
    names = ("estimate", "conf_low", "conf_high")
    return {name: np.atleast_1d(getattr(found, name)) for name in names}


def offsets(rng: np.random.Generator, kind: str, matrix: Array) -> Array:
    """Return offsets of all scores, of topics or of systems, as large as the sums stay exact."""
    bits = next(b for b in range(8, 53) if (np.ldexp(matrix, b) % 1 == 0).all())
    size = 2.0 ** rng.choice([50 - bits, rng.integers(0, 51 - bits)])
    wanted = {"scores": (1, 1), "topics": (len(matrix), 1), "systems": (1, matrix.shape[1])}[kind]
    return np.rint(rng.uniform(-size, size, wanted) * 2**8) / 2**8


def moved(rng: np.random.Generator, kind: str, matrix: Array) -> Array:
    by = offsets(rng, kind, matrix)
    result = matrix + by
    kept = result - by  # the sum is exact if both terms come back, and the rest is 0
    assert ((matrix - kept) + (by - (result - kept)) == 0).all()
    return result


@pytest.mark.clause("test.9", "test.13")
@pytest.mark.parametrize("test", [t for t in TESTS if not isinstance(t, OneSample)], ids=named)
@given(seed=SEEDS)
@example(seed=784041)
def test_offsets_change_no_test(test: SignificanceTest[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    found, expected = outcome(test, moved(rng, test.shifts, matrix)), outcome(test, matrix)
    if test.name == "pearson" and abs(expected["estimate"][0]) < 1e-15:  # it is exactly 0
        for name in ("estimate", "statistic"):
            np.testing.assert_allclose(found.pop(name), expected.pop(name), atol=1e-15)
    assert_same(found, expected, 1e-9)


@pytest.mark.clause("test.13")
@given(seed=SEEDS)
def test_an_offset_of_scores_and_null_value_changes_no_test_of_one_sample(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    by = float(offsets(rng, "scores", matrix).item())
    found = significance.one_sample_t(matrix.T + by, null_value=0.25 + by)
    expected = significance.one_sample_t(matrix.T, null_value=0.25)
    for name in ("statistic", "p_value", "stderr"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), 1e-9)
    for name in ("estimate", "conf_low", "conf_high"):
        atol = 1e-9 + 2.0**-51 * abs(by)
        np.testing.assert_allclose(getattr(found, name) - by, getattr(expected, name), 0, atol)


@pytest.mark.clause("test.13")
@pytest.mark.parametrize("size", EFFECTS, ids=named)
@given(seed=SEEDS)
def test_offsets_change_no_effect_size(size: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    kind = "topics" if size.paired and size.name != "d_av" else "scores"
    away = moved(rng, kind, matrix)
    found, expected = (size(each[:, 0], each[:, 1]) for each in (away, matrix))
    assert_same(of_effect(found), of_effect(expected), 1e-9)


@pytest.mark.one_in(3)
@pytest.mark.clause("test.3", "test.13")
@pytest.mark.parametrize("test", [t for t in TESTS if isinstance(t, TwoSamples)], ids=named)
@a_tenth
@given(seed=SEEDS)
@example(seed=61)
def test_compare_has_the_numbers_of_the_function(test: SignificanceTest[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = scores(rng)
    if rng.random() < 0.5:
        matrix = moved(rng, "topics", matrix)
    unit = units(rng, matrix)
    matrix = np.ldexp(matrix, unit if rng.random() < 0.5 else 0)
    given = {name: value for name, value in settings_of(test).items() if name in ("B", "margin")}
    topics = [f"t{i}" for i in range(len(matrix))]
    frame = pd.DataFrame(matrix, topics, list("abcd"))
    try:
        table = compare(frame, test.chosen(given), effect="").table
    except SignificanceError:  # no pair has a result
        return
    for row in table.itertuples():
        x, y = frame[row.system_a].to_numpy(), frame[row.system_b].to_numpy()
        found = test(x[np.newaxis], y[np.newaxis], **given)  # type: ignore[operator]
        drawn = "B" in given
        for name in ("p_value", "statistic", "estimate", "conf_low", "conf_high"):
            ours, theirs = getattr(row, name), getattr(found, name)[0]
            rtol = 0 if drawn and name == "p_value" else 1e-12
            np.testing.assert_allclose(ours, theirs, rtol, 1e-300, err_msg=name)


# Exact p values, by enumeration in fractions.


def reached(values: Iterator[Any], observed: Any) -> Fraction:
    counted = [value >= observed for value in values]
    return Fraction(sum(counted), len(counted))


def by_flips(d: list[Fraction]) -> Fraction:
    flips = product((1, -1), repeat=len(d))
    return reached((abs(sum(s * v for s, v in zip(f, d, strict=True))) for f in flips), abs(sum(d)))


def by_divisions(x: list[Fraction], y: list[Fraction]) -> Fraction:
    pooled = [*x, *y]
    centred = [each - Fraction(sum(pooled), len(pooled)) for each in pooled]
    divisions = combinations(centred, len(x))
    return reached((abs(sum(each)) for each in divisions), abs(sum(centred[: len(x)])))


def by_resamples(d: list[Fraction], *, studentized: bool) -> Fraction:
    """Return the p value of a bootstrap; t and t* are compared by their squares."""
    n = len(d)
    mean = sum(d) / n

    def size(values: tuple[Fraction, ...], centre: Fraction) -> tuple[bool, Fraction]:
        of = sum(values) / n
        if not studentized:
            return False, abs(of - centre)
        squares = sum((each - of) ** 2 for each in values)
        if squares == 0:
            return of != centre, Fraction(0)
        return False, (of - centre) ** 2 / squares

    drawn = (size(each, mean) for each in product(d, repeat=n))
    return reached(drawn, size(tuple(d), Fraction(0)))


@pytest.mark.clause("test.9")
@a_tenth
@given(
    tenths=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=7),
    decimals=st.integers(1, 4),
    offset=st.sampled_from([0, 1, 100, 10**6]),
    apart=st.sampled_from([0, 1, 1000]),
    steps=st.integers(-2, 2),
)
@example(tenths=[(0, 1), (4, 4), (3, 2)], decimals=1, offset=1000, apart=0, steps=0)
@example(tenths=[(4, 6), (2, 4), (4, 6), (2, 4), (2, 4)], decimals=1, offset=17, apart=0, steps=0)
@example(tenths=[(3, 1), (7, 4), (5, 4), (4, 2)], decimals=1, offset=0, apart=1000, steps=1)
@example(tenths=[(0, 0), (0, 1)], decimals=3, offset=0, apart=1, steps=0)
@example(tenths=[(0, 1), (6, 7)], decimals=1, offset=100, apart=0, steps=0)
def test_ties_of_decimals_are_ties(
    tenths: list[tuple[int, int]], decimals: int, offset: int, apart: int, steps: int
) -> None:
    scale = 10**decimals
    x, y = (
        np.array([(k + offset * scale) / scale for k in each]) for each in zip(*tenths, strict=True)
    )
    d = [Fraction(a - b) for a, b in tenths]
    assert significance.permutation(x, y).p_value == float(by_flips(d))
    a, b = ([Fraction(k) for k in each] for each in zip(*tenths, strict=True))
    assert significance.permutation_unpaired(x, y).p_value == float(by_divisions(a, b))
    # Also with a null value, from which the differences are some steps away.
    far = np.array([(k + (offset + apart) * scale) / scale for k, _ in tenths])
    null_value = (apart * scale + steps) / scale
    from_null = [each - steps for each in d]
    found = significance.permutation(far, y, null_value=null_value).p_value
    assert found == float(by_flips(from_null))
    for name in ("bootstrap_shift", "bootstrap_studentized"):
        test = getattr(significance, name)
        if len(set(d)) == 1 and len(d) > 1:
            with pytest.raises(SignificanceError, match=r"all differences are 0|constant"):
                test(far, y, null_value=null_value)
        elif 1 < len(d) < 6:
            expected = float(by_resamples(from_null, studentized="studentized" in name))
            assert test(far, y, null_value=null_value).p_value == expected
    # Drawn outcomes are those of whole numbers, also of pairs of systems.
    many, whole = (
        np.tile(np.stack(each, axis=1), (24, 1))[:24]
        for each in ((x, y), np.array(tenths, dtype=np.float64).T)
    )
    first, second = np.array([0, 1]), np.array([1, 0])
    for test in (significance.permutation, significance.max_t_baseline):
        if test.name == "max_t_baseline" and len(set(d)) == 1:
            continue  # their t is infinite, or none if their doubles are equal too
        given = (first[:1], second[:1]) if test.name == "max_t_baseline" else (first, second)
        expected = test.over_pairs(whole, *given, B=199).p_value
        np.testing.assert_array_equal(test.over_pairs(many, *given, B=199).p_value, expected)


@pytest.mark.clause("test.13")
def test_denormal_scores_have_the_t_of_their_multiples() -> None:
    x, other = np.array([2.0, 3.0, 4.0]), np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    y = np.array([2.0, 7, 1, 8, 2, 8, 1, 8])
    for unit in (0, -1060, -1066, -1070):
        few, many, against = (np.ldexp(each, unit) for each in (x, other, y))
        assert float(significance.one_sample_t(few).statistic) == pytest.approx(27**0.5, rel=1e-15)
        assert float(effect_size.d_z(few, 0 * few).estimate) == 3
        found = [
            float(getattr(significance, name)(many, against).p_value)
            for name in ("student_t", "welch_t", "paired_t", "pearson")
        ]
        expected = [0.6337101842257227, 0.6340180272800874, 0.6017489092276608]
        assert found[:3] == pytest.approx(expected, rel=1e-13)
        assert found[3] == pytest.approx(float(significance.pearson(other, y).p_value), rel=1e-13)
    assert np.isnan(significance.pearson([[0.0] * 3], [[1.0, 2, 3]]).p_value).all()


@pytest.mark.clause("test.13")
@pytest.mark.parametrize("unit", [0, 1020, -1070])
def test_sums_that_leave_the_range_of_a_double_count_the_same(unit: int) -> None:
    """The largest of these scores is near 1e308, or the smallest double; all are enumerated."""
    whole = np.array([[3.0, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]])
    x, y = np.ldexp(whole, unit)
    assert significance.permutation_unpaired(x, y).p_value == 8792 / 12870
    assert significance.permutation(x, y).p_value == 164 / 256
    for name in ("bootstrap_shift", "bootstrap_studentized"):
        test = getattr(significance, name)
        assert test(x, y).p_value == test(*whole).p_value
    three = np.ldexp(np.column_stack([*whole, whole[0, ::-1]]), unit)
    found = significance.randomized_tukey_hsd(three).p_value
    assert found.round(4).tolist() == [0.8742, 1, 0.8742]
