"""Check of a number of topics by resampling the topics of the pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cdfscore.io.text import written
from cdfscore.models.goals._goal import Goal
from cdfscore.models.pilot import Pilot

#: The least number of resamples.
FEWEST = 100
# A resampled value misses the goal if it is this many standard errors away from it.
_ERRORS = 3


@dataclass(frozen=True)
class Check:
    """Mean of the quantity of a goal over resamples of the pilot, with its Monte Carlo error.

    Attributes
    ----------
    topics
        The number of topics of each resample.
    value
        The proportion of resamples in which the difference was significant, or the mean width.
    stderr
        The Monte Carlo standard error of `value`.
    formula
        The value by the formula of the goal, for the same number of topics.
    resamples, seed
        The number of resamples and their seed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> found = plan(datasets.load_cranfield("ap").iloc[:50], "interval:width=0.1", check=100)
    >>> found.check.topics, found.check.resamples, f"{found.check.formula:.4f}"
    (57, 100, '0.0996')
    """

    topics: int
    value: float
    stderr: float
    formula: float
    resamples: int
    seed: int

    def scaled(self, exponent: int) -> Check:
        """Return the check with values times 2^exponent."""
        value, stderr, formula = (
            math.ldexp(each, exponent) for each in (self.value, self.stderr, self.formula)
        )
        return replace(self, value=value, stderr=stderr, formula=formula)

    def told(self, goal: Goal) -> str:
        """Return the result in one sentence, and whether the goal is missed."""
        found = (
            f"in {self.resamples:,} resamples of the pilot with {self.topics:,} topics the "
            f"{goal.quantity} is {self.value:.4g}, with a Monte Carlo standard error of "
            f"{self.stderr:.2g}; the formula gives {self.formula:.4g}"
        )
        reach = _ERRORS * self.stderr
        if goal.reached(self.value - reach) or goal.reached(self.value + reach):
            return found
        return f"{found}; the resamples do not reach {written(goal.wanted)}, so use more topics"


def check_by_resampling(goal: Goal, pilot: Pilot, topics: int, resamples: int, seed: int) -> Check:
    """Return the quantity of a goal in resamples of topics, drawn with replacement.

    The systems have equal means before a difference is added to one of two, and their variances are
    those of the formula (`Pilot.centred`). So only the shape of the distribution and the variances
    of pairs differ from the formula. Resample k depends on the seed and k only.
    """
    centred = pilot.centred(within_topics=goal.within_topics)
    values = np.array(
        [
            goal.resampled(centred, topics, np.random.default_rng([seed, k]))
            for k in range(resamples)
        ]
    )
    stderr = float(values.std(ddof=1)) / math.sqrt(resamples)
    return Check(topics, float(values.mean()), stderr, goal.at(topics, pilot), resamples, seed)
