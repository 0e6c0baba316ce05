"""The scores that schemes are checked with: seeded, tied, and on the grid of the scheme."""

import numpy as np
import pytest

from cdfscore.stats.schemes import Normal
from cdfscore.stats.schemes.base import Scheme, schemes
from cdfscore.testing.checks import Subject


@pytest.mark.clause("check_distribution.2")
@pytest.mark.parametrize("spelling", ["normal", "logspline", "beta_binomial:size=20"])
def test_scores_of_a_seed(spelling: str) -> None:
    scheme: Scheme = schemes.parse(spelling)
    systems = max(9, scheme.minimum_scores + 4)
    drawn = [Subject(scheme, (0.0, 1.0), seed).scores for seed in (2019, 2020, 2019)]
    for scores in drawn:
        assert scores.shape == (3, systems)
        assert ((scores > 0) & (scores < 1)).all()
        assert (scores[:, 0] == scores[:, -1]).all()
        if scheme.grid is not None:
            np.testing.assert_allclose(scores, np.rint(scores * 20) / 20, rtol=1e-15)
    assert (drawn[0] == drawn[2]).all()
    assert (drawn[0] != drawn[1]).any()


@pytest.mark.clause("check_distribution.2")
def test_scores_are_within_the_interval() -> None:
    scores = Subject(Normal(), (-3.0, -1.0), 5).scores
    assert ((scores > -3) & (scores < -1)).all()
