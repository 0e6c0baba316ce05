"""Trap: R does not read every decimal to the nearest double; Python does."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cdfscore.stats.numerics.tolerance import ulp_distance
from validation.traps.r_functions import RFunctions


@pytest.fixture(scope="module")
def six_decimals() -> list[str]:
    return [f"{i // 10**6}.{i % 10**6:06d}" for i in range(10**6 + 1)]


def test_r_reads_256_of_all_six_decimal_numbers_one_ulp_off(
    r: RFunctions, six_decimals: list[str]
) -> None:
    by_r, by_python = r.numbers("as.numeric", six_decimals), np.array(six_decimals, dtype=float)
    off = np.flatnonzero(by_r != by_python)
    assert len(off) == 256
    assert six_decimals[off[0]] == "0.002877"
    assert ulp_distance(by_r, by_python).max() == 1
    for i in off:  # in exact arithmetic Python's is the nearer one, by little
        true = Fraction(int(i), 10**6)
        nearest, other = (abs(Fraction(float(y[i])) - true) for y in (by_python, by_r))
        assert nearest < other < nearest * Fraction(101, 100)


def test_r_divides_in_long_double_and_rounds_again(r: RFunctions, six_decimals: list[str]) -> None:
    if np.finfo(np.longdouble).nmant != 63:
        pytest.skip("long double is no 80-bit number on this machine")
    twice = (np.arange(10**6 + 1, dtype=np.longdouble) / 10**6).astype(np.float64)
    assert r.numbers("as.numeric", six_decimals).tolist() == twice.tolist()


@pytest.mark.parametrize("form", ["%.17g", "%.16e"])
def test_r_reads_17_digits_right(form: str, r: RFunctions) -> None:
    rng = np.random.default_rng(17)
    x = np.concatenate([rng.random(50_000), 10 ** rng.uniform(-300, 300, 50_000)])
    assert r.numbers("as.numeric", [form % value for value in x]).tolist() == x.tolist()


def test_the_shortest_digits_are_not_enough_for_r(r: RFunctions, six_decimals: list[str]) -> None:
    x = np.array(six_decimals, dtype=float)
    assert r.numbers("as.numeric", [repr(float(x[2877]))]) != x[2877]
    assert r.numbers("as.numeric", [f"{x[2877]:.17g}"]) == x[2877]


def test_r_reads_the_same_text_right_from_a_serialization(
    r: RFunctions, six_decimals: list[str]
) -> None:
    by_r = r.numbers("read_serialized", six_decimals)
    assert by_r.tolist() == np.array(six_decimals, dtype=float).tolist()
