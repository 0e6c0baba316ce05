"""Settings of a wrong type or out of range are refused in one sentence; NumPy's are numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cdfscore import schemes
from cdfscore.errors import SchemeError
from cdfscore.schemes import BetaBinomial, Mixture, Uniform
from cdfscore.schemes.empirical.dkw import dkw_band
from cdfscore.schemes.registry import parse_scheme

# Class, setting, what is expected instead.
NUMBERS = [
    ("Uniform", "A", "a number above 0"),
    ("Uniform", "B", "a number in [0, 1]"),
    ("Logspline", "penalty", "a number from 0 on"),
    ("Logspline", "low", "a finite number"),
    ("Logspline", "high", "a finite number"),
    ("Kernel", "bandwidth", "a number above 0, or nrd0, "),
    ("Empirical", "position", "a number from 0 to 1, 'hazen', "),
    ("TruncatedNormal", "low", "two finite numbers with low < high"),
    ("TruncatedNormal", "high", "two finite numbers with low < high"),
    ("ZeroInflated", "at", "a finite number"),
    ("FromScipy", "floc", "a finite number"),
    ("FromScipy", "fscale", "a number above 0"),
]
WHOLE = [
    ("Mixture", "starts", "a whole number from 0 to 1000"),
    ("Mixture", "seed", "a whole number from -2147483647 to 2147483647"),
    ("BetaBinomial", "size", "a whole number from 2 to 1000"),
]
WORDS = [
    ("Kernel", "kernel", "gaussian, "),
    ("Kernel", "boundary", "none, "),
    ("Empirical", "convention", "'weak' or 'strict' or 'mid'"),
    ("Beta", "method", "'ml' or 'moments'"),
    ("Beta", "ends", "'raise' or 'shrink'"),
    ("FromScipy", "dist", "the name of a continuous distribution of scipy.stats"),
    ("ZeroInflated", "family", "a distribution such as gamma"),
]
NO_NUMBERS = ["1", True, np.True_, [0.5], np.array([0.5, 0.6]), 1j, b"1", np.nan, np.inf, 10**400]
NO_WHOLE_NUMBERS = [*NO_NUMBERS, 10.0, np.float64(10), None, -(2**31)]
NO_WORDS = [3, ["gaussian"], None, b"gaussian", "a word (of none"]


@pytest.mark.parametrize(
    ("scheme", "setting", "expected", "value"),
    [
        (*row, value)
        for rows, values in ((NUMBERS, NO_NUMBERS), (WHOLE, NO_WHOLE_NUMBERS), (WORDS, NO_WORDS))
        for row in rows
        for value in values
    ],
)
def test_a_setting_of_a_wrong_type_is_refused(
    scheme: str, setting: str, expected: str, value: object
) -> None:
    member = getattr(schemes, scheme)
    with pytest.raises(SchemeError, match=re.escape(f"expected {expected}")) as caught:
        member(**{setting: value})
    told = str(caught.value)
    assert told.startswith(f"{member.name}: ")
    assert f"{setting}={value}" in told
    assert "\n" not in told or isinstance(value, np.ndarray)


@pytest.mark.parametrize("value", [*NO_NUMBERS, None, 0.0, 1.0])
def test_a_confidence_level_is_a_number_between_0_and_1(value: object) -> None:
    with pytest.raises(SchemeError, match="expected a number between 0 and 1, such as"):
        dkw_band([0.1, 0.2], [0.1], conf_level=value)


@pytest.mark.parametrize("whole", [np.int8, np.uint16, np.int64])
def test_integers_of_numpy_are_whole_numbers(whole: type[np.integer]) -> None:
    size = BetaBinomial(size=whole(100)).size
    assert (size, type(size)) == (100, int)  # 100 + 100 is no int8
    assert Mixture(starts=whole(3), seed=whole(7)) == Mixture(starts=3, seed=7)


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int8])
def test_numbers_of_numpy_are_saved_as_numbers(number: type[np.number]) -> None:
    scheme = Uniform(A=number(1), B=number(0))
    assert not any(isinstance(value, np.generic) for value in scheme.settings().values())
    assert parse_scheme(str(scheme)) == Uniform(A=1.0, B=0.0)
