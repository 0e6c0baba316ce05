"""Numbers in cells: each can be read back, and none that is not 0 looks like 0."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.report.writing import fixed, shown_score


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (3.12345e-7, 4, "3.123e-07"),
        (3.12345e-7, 2, "3.1e-07"),
        (5.1e-5, 4, "0.0001"),
        (0.0004, 3, "0.0004"),
        (1e-320, 4, "1e-320"),
        (-0.0, 4, "0.0000"),
        (1234567890.0, 4, "1.23457e+09"),
    ],
)
def test_small_and_large_numbers(value: float, digits: int, text: str) -> None:
    assert fixed(value, digits) == text


@given(st.floats(-1e300, 1e300), st.integers(0, 6))
def test_a_number_can_be_read_back(value: float, digits: int) -> None:
    for text, places in ((fixed(value, digits), digits), (shown_score(value), 4)):
        read = float(text)
        assert (read == 0) == (value == 0)
        assert read == 0 or math.copysign(1, read) == math.copysign(1, value)
        assert math.isclose(read, value, rel_tol=0.06, abs_tol=0.5000001 * 10.0**-places)
