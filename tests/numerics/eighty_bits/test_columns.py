"""Column means, bit for bit, beside long doubles, exact fractions and R."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.eighty_bits.rows import _quotient, _sum, column_means
from cdfscore.stats.numerics.types import Array, IntArray
from tests.numerics.eighty_bits.hard_cases import KINDS, needs_long_doubles, rounded_to_64_bits


@st.composite
def samples_of_scores(draw: st.DrawFn) -> tuple[Array, IntArray]:
    """Draw scores of one kind, and samples of rows in any order, with repeated ones."""
    elements = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    topics = draw(st.integers(1, 12))
    # Division by a power of two keeps the last bits of a sum.
    size = draw(st.one_of(st.integers(1, 60), st.sampled_from([2, 4, 8])))
    scores = draw(arrays(np.float64, (topics, draw(st.integers(1, 3))), elements=elements))
    rows = draw(arrays(np.int64, (2, size), elements=st.integers(0, topics - 1)))
    return scores, rows


def by_fractions(values: Array) -> float:
    total = Fraction(0)
    for value in values.tolist():
        total = rounded_to_64_bits(total + Fraction(value))
    return float(rounded_to_64_bits(total / len(values)))


def in_long_doubles(scores: Array, rows: IntArray) -> Array:
    sums = np.add.reduce(scores[rows].astype(np.longdouble), axis=1, initial=np.longdouble(0))
    return (sums / np.longdouble(rows.shape[1])).astype(np.float64)


def by_rare_path(scores: Array, rows: IntArray) -> Array:
    """Add every column in 80 bits, and not only those for which that is needed."""
    return np.array([[_quotient(*_sum(x))[0] for x in scores[row].T] for row in rows])


def assert_same_bits(found: Array, expected: Array) -> None:
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes(), (found, expected)


def test_fractions_round_as_defined() -> None:
    """The judge itself, on sums whose 64 bits are plain."""
    one, unit = Fraction(1), Fraction(1, 2**63)
    assert rounded_to_64_bits(one + unit / 2) == one
    assert rounded_to_64_bits(one + unit * 3 / 2) == one + 2 * unit
    assert rounded_to_64_bits(-one - unit * 501 / 1000) == -one - unit
    assert rounded_to_64_bits(one - unit / 2) == one - unit / 2
    assert rounded_to_64_bits(Fraction(2**64 - 1, 2**200)) == Fraction(2**64 - 1, 2**200)


@settings(max_examples=100)
@given(samples_of_scores())
def test_beside_fractions(drawn: tuple[Array, IntArray]) -> None:
    scores, rows = drawn
    expected = np.array([[by_fractions(column) for column in scores[row].T] for row in rows])
    assert_same_bits(column_means(scores, rows), expected)
    assert_same_bits(by_rare_path(scores, rows), expected)


@needs_long_doubles
@settings(max_examples=100)
@given(samples_of_scores())
def test_beside_long_doubles(drawn: tuple[Array, IntArray]) -> None:
    scores, rows = drawn
    expected = in_long_doubles(scores, rows)
    assert_same_bits(column_means(scores, rows), expected)
    assert_same_bits(by_rare_path(scores, rows), expected)


@pytest.fixture(scope="module")
def r(rinterface) -> RSession:
    return RSession()


@settings(max_examples=100)
@given(drawn=samples_of_scores())
def test_beside_r(r: RSession, drawn: tuple[Array, IntArray]) -> None:
    scores, rows = drawn
    in_r = np.array([r.column_means(scores[row]) for row in rows])
    assert_same_bits(column_means(scores, rows), in_r)
    assert_same_bits(by_rare_path(scores, rows), in_r)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("power", [-270, 0, 270])
@pytest.mark.parametrize("kind", ["shares", "beta", "normal", "lognormal"])
def test_many_samples(kind: str, power: int, r: RSession) -> None:
    """110,000 columns; R's roundings change the mean of one in 3,000, of E-std scores of none."""
    rng = np.random.default_rng([len(kind), abs(power)])
    shape = (99, 110)
    scores = {
        "shares": rng.integers(1, 111, shape) / 110,
        "beta": rng.beta(0.3, 3, shape),
        "normal": rng.normal(size=shape),
        "lognormal": rng.lognormal(0, 6, shape),
    }[kind] * 10.0**power
    rows = rng.permuted(np.tile(np.arange(99), (1000, 1)), axis=1)[:, :50]
    expected = np.array([r.column_means(scores[row]) for row in rows])
    found = column_means(scores, rows)
    assert_same_bits(found, expected)
    assert_same_bits(by_rare_path(scores, rows), expected)
    assert (found != scores[rows].mean(axis=1)).mean() > 0.1  # NumPy rounds otherwise


def test_division_rounds_twice(r: RSession) -> None:
    """In samples of thousands, a quotient can round to the middle of two doubles before it does.

    s / n is an odd whole number of 54 bits less 1 / n, and the nearest double is below it. With
    64 bits it is that number, and the even double is above.
    """
    n = 4099
    middle = pow(n, -1, 2**13) + 2**53
    assert middle % 4 == 3
    s = n * middle - 1
    scores, rows = np.array([[float(s)], [0.0]]), (np.arange(n) != 0).astype(np.int64)[np.newaxis]
    assert int(scores[0, 0]) == s
    expected = r.column_means(scores[rows[0]])
    assert (float(Fraction(s, n)), expected[0]) == (middle - 1, middle + 1)
    assert_same_bits(column_means(scores, rows), expected[np.newaxis])
    assert_same_bits(by_rare_path(scores, rows), expected[np.newaxis])


def test_ties_are_broken_as_in_80_bits() -> None:
    """A half unit goes to even, and anything beside it decides."""
    half, least = 2.0**-64, 2.0**-116
    cases = [
        [1.0, half],
        [1.0, 2 * half, half],
        [1.0, 2 * half, half + least],
        [1.0, 2 * half, half, least],
        [1.0, -half],
        [1.0, -half / 2],
        [1.0, -half / 2, -least],
        [1.0, 2.0**-53, half],
        [1.0, 2.0**-53, -(half + least)],
        [1.0, 2.0**-53 + 2.0**-63, half - least],
    ]
    for case in cases:
        for sign in (1, -1):
            scores = sign * np.array([[*case, -1.0]]).T  # what is left shows the last bits
            expected = np.array([[by_fractions(scores[:, 0])]])
            rows = np.arange(len(scores))[np.newaxis]
            assert_same_bits(column_means(scores, rows), expected)
            assert_same_bits(by_rare_path(scores, rows), expected)


def test_layouts_and_order() -> None:
    """Any layout will do, and the order of the rows is that of the additions."""
    scores = np.array([[1.0, 0.1], [2.0**-64, 0.2], [-1.0, 0.3], [2.0**-63, 0.7]])
    rows = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [3, 3, 3, 3]])
    expected = column_means(scores, rows)
    assert expected[:, 0].tolist() == [2.0**-65, (2.0**-63 + 2.0**-64) / 4, 2.0**-63]
    assert_same_bits(column_means(np.asfortranarray(scores), np.asfortranarray(rows)), expected)
    wider = np.repeat(scores, 2, axis=1)[:, ::2]
    assert_same_bits(column_means(wider, np.repeat(rows, 2, axis=1)[:, ::2]), expected)


def test_sums_just_below_a_power_of_two_in_the_smallest_scale() -> None:
    """The unit in the last of 64 bits halves there, and products of the parts underflow."""
    rng = np.random.default_rng(5)
    ulp = 2.0**-53
    scores = np.column_stack(
        [
            [1.0, *(-ulp * rng.random(7) * 2.0 ** rng.integers(-12, 1, 7)), 2 * ulp * rng.random()]
            for _ in range(2000)
        ]
    )
    rows = np.arange(len(scores))[np.newaxis]
    expected = [by_fractions(column) for column in scores.T]
    for power in (0, -480, -540, -800, -925):
        found = column_means(scores * 2.0**power, rows)[0]
        assert_same_bits(found, np.array(expected) * 2.0**power)
        assert_same_bits(by_rare_path(scores * 2.0**power, rows)[0], found)
