"""When more resamples are drawn, and which p value then counts."""

import numpy as np
import pytest

from cdfscore.diagnosis.diagnosis import STATISTICS, Counts, Draws, p_values


@pytest.mark.clause("fit_p_value.1", "fit_p_value.2")
@pytest.mark.parametrize(("reached", "expected"), [(4, 44 + 4), (5, 5)])
def test_more_are_drawn_where_fewer_than_five_are_as_far_away(reached: int, expected: int) -> None:
    asked: list[int] = []

    def count(resamples: int) -> Counts:
        asked.append(resamples)
        some = reached if len(asked) == 1 else 44
        return Counts(np.full(len(STATISTICS), some), resamples, 0, "")

    found = p_values(count, Draws(99, 999, 1))
    assert asked == ([99, 900] if reached < 5 else [99])
    np.testing.assert_allclose(found.p, (expected + 1) / (sum(asked) + 1))


@pytest.mark.parametrize(("unfitted", "expected"), [(49, 10 / 51), (50, 10 / 51), (51, np.nan)])
def test_there_is_no_p_value_where_more_than_half_cannot_be_fitted(
    unfitted: int, expected: float
) -> None:
    counts = Counts(np.full(len(STATISTICS), 9), 49, unfitted - 1) + Counts(
        np.zeros(len(STATISTICS)), 1, 1, "two scores are equal"
    )
    found = p_values(lambda resamples: counts, Draws(49 + unfitted, 49 + unfitted, 1))
    np.testing.assert_allclose(found.p, np.full(len(STATISTICS), expected))
    said = "51 of 101 resamples cannot be fitted: two scores are equal"
    assert found.reason == said * bool(np.isnan(expected))
