"""Errors of the first kind and coverage, on fewer trials than ``make validate`` makes."""

from __future__ import annotations

import pytest

from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import PairsTogether, significance_tests
from validation.significance.calibration import effect_rate, rates

# These enumerate 2^n flips: a trial of 20 topics, as in `make validate`, takes a second. Of 12
# there is time for so many trials that a tail that is halved is seen.
TOPICS = {"max_t": 12, "max_t_baseline": 12}


@pytest.mark.parametrize("name", significance_tests.names())
def test_p_values_and_intervals_mean_what_they_say(name: str) -> None:
    test = significance_tests.load(name)
    family = isinstance(test, PairsTogether)
    trials = 5000 if not family and not test.draws else 40 if family else 300
    trials = 1000 if name in TOPICS else trials
    found = rates(name, trials, TOPICS.get(name))
    assert [rate for rate in found if not rate.inside] == []


@pytest.mark.parametrize("name", effect_sizes.names())
def test_intervals_of_effect_sizes_cover_them(name: str) -> None:
    found = effect_rate(name, 5000)
    assert found.inside, found
