"""Variances of pilot data: by their definitions, and pooled."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.models.goals import Pilot
from tests.models.pilots import pilot_scores


@pytest.mark.clause("pilot.1")
@given(st.integers(2, 12), st.integers(2, 7), st.integers(0, 5))
def test_variances_are_those_of_the_definitions(topics: int, systems: int, seed: int) -> None:
    x = pilot_scores(topics, systems, seed).to_numpy()
    found = Pilot.of([x])
    within = sum(((x[:, s] - x[:, s].mean()) ** 2).sum() for s in range(systems))
    assert found.scores == pytest.approx(within / (systems * (topics - 1)))
    residuals = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    df = (systems - 1) * (topics - 1)
    assert found.residual == pytest.approx((residuals**2).sum() / df)
    pairs = [(x[:, i] - x[:, j]).var(ddof=1) for i, j in combinations(range(systems), 2)]
    np.testing.assert_allclose(found.of_pairs, pairs, atol=1e-12)
    assert found.differences == pytest.approx(np.mean(pairs))


@pytest.mark.clause("pilot.2")
def test_pilots_are_pooled_by_their_topics_but_one() -> None:
    a, b = pilot_scores(11, 4).to_numpy(), pilot_scores(31, 6).to_numpy()
    both, first, second = Pilot.of([a, b]), Pilot.of([a]), Pilot.of([b])
    for name in ("scores", "residual", "differences"):
        expected = (10 * getattr(first, name) + 30 * getattr(second, name)) / 40
        assert getattr(both, name) == pytest.approx(expected, rel=1e-12)
    assert len(both.of_pairs) == 6 + 15
    assert both.systems is None
    assert both.told == "2 pilots: 4 systems, 11 topics; 6 systems, 31 topics"
