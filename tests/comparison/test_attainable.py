"""What a test can reject at all: how many topics and resamples that takes, counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.comparison.advice import Facts
from cdfscore.comparison.attainable import Limits
from cdfscore.significance import permutation, sign
from cdfscore.significance.contract import Sizes


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.15, 0.35])  # 3 / 20 is more than 0.15 by rounding
def test_one_resample_less_than_needed_cannot_reject(alpha: float) -> None:
    many = Sizes.of_topics(100)
    for pairs in range(1, 100):
        limits = Limits(permutation.chosen({}), pairs, 20, "holm", alpha)
        needed = limits.resamples_needed()
        assert limits.with_resamples(needed).can_reject(many)
        assert not limits.with_resamples(needed - 1).can_reject(many)


def test_up_to_1000_topics_are_proposed() -> None:
    """The smallest two-sided p value of the sign test on n topics is 2 / 2^n."""
    for alpha, topics in ((0.05, 6), (2.0**-998, 999), (2.0**-999, 1000), (2.0**-1000, None)):
        assert Limits(sign.chosen({}), 1, 2, "none", alpha).topics_needed() == topics


def test_facts_are_shown_without_the_scores() -> None:
    facts = Facts.of(np.array([[0.1, 0.2], [0.3, 0.3]]))
    assert repr(facts) == "Facts(topics=2, complete_topics=2, systems=2, missing=0, equal=0.5)"
