"""Nearly constant rows less their first value: exact, and no other row changes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.stats.numerics.offset import pearson_r, without_offset

VALUES = st.floats(-1e100, 1e100)


@given(st.lists(VALUES, min_size=1, max_size=6), VALUES, st.sampled_from((1e-16, 1e-9, 0.01, 1.0)))
def test_what_is_taken_off_is_exact(values: list[float], base: float, scale: float) -> None:
    row = base + np.array(values) * scale * abs(base) / 1e100
    result = without_offset(row, 1 / 8)
    if np.ptp(row) > np.abs(row).max() / 8:
        assert result.tobytes() == row.tobytes()
    else:
        assert [Fraction(d) for d in result] == [Fraction(v) - Fraction(row[0]) for v in row]


def test_rows_are_judged_on_their_own() -> None:
    rows = np.array([[1.0, 1.125, 1.0], [1.0, 1.25, 1.0], [-1.0, -1.125, -1.0]])
    expected = [[0, 0.125, 0], [1.0, 1.25, 1.0], [0, -0.125, 0]]
    assert without_offset(rows, 1 / 8).tolist() == expected


def test_ranges_beyond_the_doubles_are_quiet_and_right() -> None:
    far = np.array([[1e308, -1e308, 0.0], [1e308, 1e308, 1e308], [1.7e308, -1.7e308, -1.7e308]])
    other = np.array([[3.0, 1.0, 2.0]] * 3)
    expected = [1.0, np.nan, np.corrcoef([1, -1, -1], [3, 1, 2])[0, 1]]
    np.testing.assert_allclose(pearson_r(far, other), expected, rtol=1e-14)
    np.testing.assert_allclose(pearson_r(other, far), expected, rtol=1e-14)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf])
def test_an_infinite_value_has_no_correlation_and_no_warning(wrong: float) -> None:
    rows = np.array([[wrong, 1.0, 2.0]])
    assert np.isnan(pearson_r(rows, np.array([[3.0, 1.0, 2.0]]))).all()
