"""How many topics the paired t test needs, from pilot scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.power import TTestPower

from cdfscore.models import plan
from cdfscore.models.goals import PairedT
from cdfscore.stats.judge.models import GOALS, VARIANCES
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterpart import GOAL, Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.power import true_power
from validation.statsmodels_judge.counterparts.ranges import as_frame
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.least_squares import sums_of_squares


def _pilots(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng([source.seed, 8])
    for _ in range(source.count):
        topics, systems = int(rng.integers(4, 30)), int(rng.integers(2, 7))
        scores = rng.beta(0.8, 2.0, (topics, systems)) + 0.3 * rng.random((topics, 1))
        yield (
            f"{systems} systems, {topics} topics",
            {
                "scores": scores,
                "difference": float(rng.uniform(0.02, 0.4)),
                "power": float(rng.choice([0.5, 0.8, 0.95])),
                "alpha": float(rng.choice([0.01, 0.05, 0.1])),
            },
        )


def _by_us(scores: Array, difference: float, power: float, alpha: float) -> Numbers:
    found = plan(as_frame(scores), PairedT(difference, power, alpha))
    return {"topics": found.topics, "value": found.value}


def _by_statsmodels(scores: Array, difference: float, power: float, alpha: float) -> Numbers:
    variance = VARIANCES(scores, ["differences"])
    needed = TTestPower().solve_power(difference / np.sqrt(variance[0]), alpha=alpha, power=power)
    topics = max(2.0, np.ceil(np.ravel(needed)[0]))
    settings = {"difference": difference, "alpha": alpha}
    return {"topics": topics, "value": GOALS("paired_t", topics, variance, settings)}


def _truth(scores: Array, difference: float, power: float, alpha: float) -> Numbers:
    squares, df = sums_of_squares(scores, "score ~ topic + system", "I")
    effect = mpf(difference) / mp.sqrt(2 * squares[-1] / df[-1])

    def reached(topics: int) -> mpf:
        return true_power(mpf(topics), effect, mpf(alpha), "one_sample", "two-sided")

    # The power grows with topics, so that one step from the answer says whether it is the one.
    topics = int(_by_us(scores, difference, power, alpha)["topics"])
    while reached(topics) < mpf(power):
        topics += 1
    while topics > 2 and reached(topics - 1) >= mpf(power):
        topics -= 1
    return {"topics": mpf(topics), "value": reached(topics)}


COUNTERPARTS = (
    Counterpart(
        "plan, paired_t",
        "TTestPower: solve_power; NumPy: residuals; SciPy: sums of normal tails",
        _pilots,
        _by_us,
        _by_statsmodels,
        "topics_for_power",
        _truth,
        covers=("plan", f"paired_t{GOAL}"),
        slow=2,
    ),
)
