"""How far a printed summary may be from that of the printed scores: never less than it is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.scores.cautions import What, error_of_rounding, error_of_sums, last_decimals

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def summary(what: What, scores: list[float]) -> float:
    """Return a summary of positive scores, rounded once."""
    total = math.fsum(scores)
    return total if what == "sum" else total / len(scores)


@pytest.mark.parametrize("what", ["mean", "sum"])
@given(scores=SCORES, decimals=st.integers(1, 6))
def test_summaries_of_scores_before_and_after_rounding(
    what: What, scores: list[float], decimals: int
) -> None:
    printed = [round(score, decimals) for score in scores]
    own = round(summary(what, scores), decimals)
    unit = 10.0**-decimals
    margin = 0.5 * unit + error_of_rounding(what, len(scores), unit)
    margin += error_of_sums(what, np.array([printed]).T)[0]
    # The probable bound of a long sum is the smaller one.
    if what == "mean" or len(scores) <= 16:
        assert abs(own - summary(what, printed)) <= margin * (1 + 1e-9)


@pytest.mark.clause("summary.2")
@pytest.mark.parametrize(
    ("what", "scores", "units", "most"),
    [("mean", [0.1149] * 9 + [0.117], 0.9, 1.0), ("sum", [0.1149] * 10, 5.0, 5.5)],
)
def test_the_error_may_be_nearly_as_large_as_the_margin(
    what: What, scores: list[float], units: float, most: float
) -> None:
    """Scores that are rounded down, and a mean that is rounded up."""
    own = round(summary(what, scores), 2)
    level = summary(what, [round(score, 2) for score in scores])
    assert abs(own - level) == pytest.approx(units * 0.01)
    assert 0.005 + error_of_rounding(what, len(scores), 0.01) == pytest.approx(most * 0.01)


def test_last_decimals_of_rows_with_missing_scores() -> None:
    rows = np.array([[0.5, np.nan], [0.125, 0.25], [7.0, 3.0], [np.pi, 0.5], [np.nan, np.nan]])
    assert last_decimals(rows).tolist() == [0.1, 0.001, 1.0, 0.0, 1.0]
