"""p values of goodness of fit by simulation from a known distribution."""

from __future__ import annotations

import numpy as np

from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.diagnosis.p_values import Counts, PValues, blocks, limits_of, p_values
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.simulation import Simulation
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Fitted


def monte_carlo(
    fitted: Fitted, sample: Array, resolution: Resolution, draws: Draws, topic: str
) -> PValues:
    """Return the p values of one topic by a distribution that was fitted to other scores.

    `fitted` has one row, `sample` its n scores, sorted. The hypothesis is simple: samples of n
    scores are drawn by the quantiles of the distribution, rounded like the scores, and compared
    with the same distribution. p = (b + 1) / (B + 1), where b of B samples have a statistic at
    least as large as that of the scores. `bootstrap` is for a distribution fitted to the scores.
    """
    generator = draws.generator(topic)
    simulation = Simulation.of(fitted, resolution)
    limits = limits_of(statistics(*resolution.cells(fitted, sample[np.newaxis])))

    def count(resamples: int) -> Counts:
        reached = np.zeros(len(STATISTICS))
        for rows in blocks(resamples, len(sample)):
            drawn = simulation.scores(np.sort(generator.random((rows, len(sample))), axis=-1))
            same = fitted.take(np.zeros(rows, dtype=np.intp))
            reached += (statistics(*resolution.cells(same, drawn)) >= limits).sum(axis=-1)
        return Counts(reached, resamples)

    return p_values(count, draws)
