"""Values of a null hypothesis, and shapes of scores, that a test does not accept."""

import math

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats.significance import equivalence_t, tukey_hsd, variance_ratio

X, Y = [0.5, 0.3, 0.8, 0.4], [0.4, 0.2, 0.1, 0.3]


@pytest.mark.clause("equivalence_t.3")
@pytest.mark.parametrize("centre", [math.nan, math.inf, 1e17])
def test_a_margin_is_around_a_centre_that_it_changes(centre: float) -> None:
    with pytest.raises(
        SignificanceError, match=r"centre=.* is not accepted; .* not too large for the margin"
    ):
        equivalence_t(X, Y, margin=0.25, centre=centre)


@pytest.mark.parametrize("null_value", [0.0, -1.0, -5e-324])
def test_a_ratio_of_variances_is_above_0(null_value: float) -> None:
    with pytest.raises(
        SignificanceError, match="is not accepted; expected a ratio of variances, a"
    ):
        variance_ratio(X, Y, null_value=null_value)


@pytest.mark.clause("test.1")
def test_pairs_of_systems_are_of_one_matrix() -> None:
    scores = np.random.default_rng(1).random((2, 6, 3))
    with pytest.raises(
        SignificanceError, match=r"tukey_hsd: scores have shape \(.*expected \(topic"
    ):
        tukey_hsd.over_pairs(scores, [0], [1])
