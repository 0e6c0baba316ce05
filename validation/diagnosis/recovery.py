"""Does the diagnosis find the family that scores were simulated from?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from cdfscore.diagnosis.criteria import STATISTICS, Resolution
from cdfscore.diagnosis.diagnosis import CRITERIA, NEAR, Draws, results, tasks_of
from cdfscore.stats.schemes.base import parse_scheme
from validation.diagnosis.laws import Law

LEVEL = 0.05
#: The chance that a right rejection rate falls outside of its bounds.
ERROR = 1e-4


@dataclass(frozen=True)
class Recovery:
    """What the diagnosis says of the topics of one law: a table for each question.

    `picks` is criteria x families: the share of topics in which a family is best, shared where
    several are. `near` is the share in which the true family is within `NEAR` of the best AIC.
    `rejected` is statistics x families: the share of topics with p <= `LEVEL`, of the `tested`
    ones; `fitted` is the share of topics that a family could be fitted to.
    """

    law: Law
    topics: int
    systems: int
    picks: pd.DataFrame
    near: float
    rejected: pd.DataFrame
    tested: pd.Series
    fitted: pd.Series

    def bounds(self) -> tuple[float, float]:
        """Return where the rejection rate of the true family must lie."""
        tested = int(self.tested[self.law.scheme])
        if not tested:
            return math.nan, math.nan
        low, high = stats.binom.interval(1 - ERROR, tested, LEVEL)
        return low / tested, high / tested

    @property
    def calibrated(self) -> bool:
        low, high = self.bounds()
        own = self.rejected[self.law.scheme]
        return bool(((low <= own) & (own <= high)).all())


def recover(
    law: Law,
    families: Sequence[str],
    *,
    topics: int,
    systems: int,
    resamples: int = 99,
    seed: int = 2026,
    jobs: int | None = None,
) -> Recovery:
    """Simulate topics from a law, and diagnose them by all families.

    alpha (B + 1) is whole for 99 resamples, so that a true family is rejected at the level.
    """
    digits = sum(map(ord, law.scheme + law.setting))
    scores = law.scores(np.random.default_rng([seed, digits, systems]), topics, systems)
    written = Resolution(law.resolution, "found")
    draws = Draws(resamples, resamples, seed)
    labels = [str(k) for k in range(topics)]
    work = [
        task
        for family in families
        for task in tasks_of(parse_scheme(family), scores, labels, written, draws)
    ]
    fits = pd.DataFrame([found.row for found in results(work, jobs)])
    fits["scheme"] = np.repeat(list(families), topics)
    tables = {
        name: fits.pivot(index="topic", columns="scheme", values=name)[list(families)]
        for name in (*CRITERIA, *(f"{name}_p" for name in STATISTICS), "fitted")
    }
    picks = {}
    for criterion, highest in CRITERIA.items():
        table = tables[criterion]
        best = table.max(axis=1) if highest else table.min(axis=1)
        won = table.eq(best, axis=0)
        picks[criterion] = won.div(won.sum(axis=1), axis=0).mean()
    aic = tables["aic"]
    p = {name: tables[f"{name}_p"] for name in STATISTICS}
    return Recovery(
        law,
        topics,
        systems,
        pd.DataFrame(picks).T,
        near=float((aic[law.scheme] <= aic.min(axis=1) + NEAR).mean()),
        rejected=pd.DataFrame(
            {name: (each <= LEVEL).sum() / each.notna().sum() for name, each in p.items()}
        ).T,
        tested=p["ad"].notna().sum(),
        fitted=tables["fitted"].astype(float).mean(),
    )
