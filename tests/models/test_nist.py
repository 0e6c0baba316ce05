"""NIST's certified sets: as many right digits as their decimals have left as doubles."""

import numpy as np
import pytest

from validation.statsmodels_judge.nist import SETS, by_us, right, simon_lesage

#: What 50 digits give from the doubles is 13, 9.9 and 3.9 at least; see docs/statsmodels.md.
LEAST = {"lower": 13.0, "average": 9.8, "higher": 3.8}


@pytest.mark.clause("anova.1", "anova.3")
@pytest.mark.parametrize("name", SETS)
def test_sums_of_squares_and_f(name: str) -> None:
    certified = SETS[name]
    assert min(right(by_us(certified.scores), certified)) >= LEAST[certified.level]


def test_scores_of_simon_and_lesage() -> None:
    scores = simon_lesage(21, 10**6)
    assert scores.shape == (21, 9)
    assert scores[:4, 0].tolist() == [1000000.4, 1000000.3, 1000000.5, 1000000.3]
    assert scores[:3, 1].tolist() == [1000000.3, 1000000.2, 1000000.4]
    np.testing.assert_allclose(scores.mean(axis=0)[:3] - 1e6, [0.4, 0.3, 0.5], atol=1e-9)


def test_right_digits() -> None:
    certified = SETS["SmLs01"]
    assert right((1.68, 1.8, 21.0), certified) == (15, 15, 15)
    found = right((1.68 * (1 + 1e-7), np.nan, 0.0), certified)
    assert found == pytest.approx((7, np.nan, 0), abs=1e-6, nan_ok=True)
