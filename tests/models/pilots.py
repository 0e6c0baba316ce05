"""Pilot data with known variances, for the tests of plans."""

import numpy as np
import pandas as pd

from cdfscore.models.goals import Pilot

#: One spelling of each goal.
GOALS = [
    "paired_t:difference=0.3",
    "one_way:difference=0.6",
    "two_way:difference=0.3",
    "interval:width=0.3",
    "generalizability:reliability=0.9",
    "dependability:reliability=0.9",
]


def pilot_scores(topics: int = 60, systems: int = 8, seed: int = 1) -> pd.DataFrame:
    """Return normal scores with effects of topics and systems."""
    rng = np.random.default_rng([seed, topics, systems])
    scores = rng.normal(size=(topics, 1)) + 0.5 * rng.normal(size=(topics, systems))
    return pd.DataFrame(
        scores + 0.2 * rng.normal(size=systems),
        index=pd.Index([f"t{i}" for i in range(topics)], name="topic"),
        columns=[f"s{i}" for i in range(systems)],
    )


def with_variance(variance: float, systems: int = 2) -> Pilot:
    """Return a pilot of this variance of scores, residuals and differences alike."""
    values = np.zeros((2, systems))
    return Pilot((values,), variance, variance, variance, np.full(1, variance))
