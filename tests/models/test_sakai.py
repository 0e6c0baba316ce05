"""Published numbers of topic set size design.

Two sources are reproduced:

- Sakai (2018), Laboratory Experiments in Information Retrieval, Table 6.4: linear approximations of
  the noncentrality of one-way analysis of variance, lambda = a + b sqrt(m - 1); as transcribed in
  github.com/jerome-white/sakai-book.
- Sakai (2014), Topic set size design with variance estimates from two-way ANOVA, EVIA: numbers of
  topics for m = 10 systems, alpha 0.05, power 0.8, for three ranges of means. The table is known
  from a quotation, without the variances; each variance is that which gives the first number.
"""

import math

import numpy as np
import pytest

from cdfscore.models.goals import OneWay
from tests.models.pilots import with_variance

#: alpha, 1 - power, a, b.
TABLE_6_4 = [
    (0.01, 0.1, 10.439, 5.213),
    (0.01, 0.2, 7.736, 4.551),
    (0.01, 0.3, 6.030, 4.077),
    (0.01, 0.4, 4.733, 3.675),
    (0.01, 0.5, 3.653, 3.302),
    (0.05, 0.1, 7.049, 4.244),
    (0.05, 0.2, 4.860, 3.584),
    (0.05, 0.3, 3.522, 3.112),
    (0.05, 0.4, 2.543, 2.712),
    (0.05, 0.5, 1.765, 2.341),
]
#: Topics for ranges of 0.10, 0.20 and 0.25.
EVIA = {"AP": (166, 42, 27), "Q": (168, 43, 28), "nDCG": (176, 45, 29), "nERR": (377, 95, 61)}


@pytest.mark.parametrize(("alpha", "beta", "a", "b"), TABLE_6_4)
def test_the_linear_approximation_is_near(alpha: float, beta: float, a: float, b: float) -> None:
    """It is that of many topics; 0.03 off in power for two systems, 0.004 for five to 100."""
    for systems in (2, 3, 5, 10, 20, 30, 50, 100):
        goal = OneWay(difference=1.0, systems=systems, power=1 - beta, alpha=alpha)
        noncentrality = a + b * math.sqrt(systems - 1)
        n = 1_000_000
        pilot = with_variance(n / (2 * noncentrality))
        off = 0.032 if systems == 2 else 0.014 if systems == 3 else 0.004
        assert goal.at(n, pilot) == pytest.approx(1 - beta, abs=off)
        n = goal.topics(with_variance(100.0))
        assert n == pytest.approx(200 * noncentrality, rel=0.08 if systems < 5 else 0.02)


@pytest.mark.clause("goal_one_way.1")
@pytest.mark.parametrize("measure", EVIA)
def test_numbers_of_topics_of_evia_2014(measure: str) -> None:
    first, *others = EVIA[measure]
    found = set()
    for variance in first / 3122 * np.linspace(0.98, 1.02, 800):
        pilot = with_variance(variance)
        tenth, *rest = (OneWay(difference=d, systems=10) for d in (0.10, 0.20, 0.25))
        if tenth.at(first - 1, pilot) < 0.8 <= tenth.at(first, pilot):
            found.add(tuple(goal.topics(pilot) for goal in rest))
    # For AP the paper has one topic less at 0.25; why is not known.
    assert tuple(others) in found or (measure == "AP" and (42, 28) in found)
    assert len(found) <= 2
