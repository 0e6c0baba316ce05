"""Zobel's max-normalization, and centering on the mean as by Mizzaro and Robertson."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import FitError
from cdfscore.stats.schemes import Centered, Max
from cdfscore.stats.significance import paired_t, permutation, sign, wilcoxon_signed_rank

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=30)


@pytest.mark.clause("max.1")
@given(COUNTS, COUNTS)
def test_max_is_the_proportion_of_the_highest(reference: list[int], x: list[int]) -> None:
    found = Max().fit(np.array(reference) / 1024)(np.array(x) / 1024)
    top = max(reference)
    if top:
        assert found.tolist() == [float(Fraction(each, top)) for each in x]
    else:
        assert found.tolist() == [0.0 if each == 0 else np.inf for each in x]


@pytest.mark.clause("centered.1")
@given(COUNTS, COUNTS)
def test_centered_is_the_difference_from_the_mean(reference: list[int], x: list[int]) -> None:
    found = Centered().fit(np.array(reference, float))(np.array(x, float))
    mean = Fraction(sum(reference), len(reference))
    assert found.tolist() == pytest.approx([float(each - mean) for each in x], abs=1e-12)


@pytest.mark.clause("max.2")
@pytest.mark.parametrize("zeros", [[0.0], [-0.0, 0.0], [-0.0], [0.0, np.nan]])
def test_a_highest_score_of_0_gives_the_limit(zeros: list[float]) -> None:
    x = [-0.5, -0.0, 0.0, 0.5, np.nan]
    expected = [-np.inf, 0.0, 0.0, np.inf, np.nan]
    np.testing.assert_array_equal(Max().fit(zeros)(x), expected)


@pytest.mark.clause("max.1")
def test_scores_below_0_have_no_max_normalization() -> None:
    expected = r"a reference score is -0.1, and max is for scores in \[0, infinity\)"
    with pytest.raises(FitError, match=expected):
        Max().fit([0.5, -0.1])
    assert Max().fit([0.5, 1.0])([-0.25]).tolist() == [-0.25]


@pytest.mark.clause("centered.1")
def test_paired_tests_of_centered_scores_are_those_of_raw_scores() -> None:
    """Centered scores have all digits, and 0.3 - 0.2 and 0.2 - 0.1 tie to 12 of them."""
    raw = np.array([[0.3, 0.2, 0.9], [0.2, 0.1, 0.4], [0.7, 0.9, 0.2], [0.1, 0.8, 0.3]])
    centered = Centered().fit(raw)(raw)
    for test in (paired_t, permutation, sign, wilcoxon_signed_rank):
        expected = test(raw[:, 0], raw[:, 1]).p_value
        assert test(centered[:, 0], centered[:, 1]).p_value == pytest.approx(expected, rel=1e-9)
