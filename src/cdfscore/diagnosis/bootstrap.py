"""p values of goodness of fit by parametric bootstrap, with estimated parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.draws import Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.diagnosis.p_values import Counts, PValues, blocks, limits_of, p_values
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.simulation import Simulation
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.standardization.policies.unfitted import fit_where_possible


def follows_the_sample(scheme: Scheme, sample: Array) -> bool:
    """Tell whether the parameters of a scheme contain the n scores of a topic, (n,).

    This holds for empirical and kernel, and for zero_inflated with a kernel. They fit any scores
    closely, so that the distance is not informative.
    """
    if scheme.free_parameters is not None:
        return False
    # Fitted alone: in a batch with longer topics, the row would be padded with NaN, and other
    # parameters could have n elements by chance.
    alone = scheme.fit(sample[np.newaxis]).parameters.values()
    return any(values.shape[-1] == len(sample) > 1 for values in alone)


def bootstrap(
    fitted: Fitted, sample: Array, resolution: Resolution, draws: Draws, topic: str
) -> PValues:
    """Return the p values of one topic: `fitted` has one row, `sample` its n scores, sorted.

    Samples of n scores are drawn from the fitted distribution by its quantiles, rounded like the
    scores, and fitted again. p = (b + 1) / (B + 1), where b of B resamples have a statistic at
    least as large as that of the scores; Stute, Gonzalez Manteiga and Presedo Quindimil (1993),
    Bootstrap based goodness-of-fit-tests. `monte_carlo` is for a distribution that was fitted to
    other scores.

    The distribution of the resamples is conditional on a possible fit, since the scores could be
    fitted: a resample that is constant or cannot be fitted does not count. If such a resample has
    scores at an end of the scheme's domain where the topic has no score (a beta has no zeros), it
    is replaced by a new resample from the distribution without that end. So there are as many
    resamples as requested.
    """
    stream = _Stream.of(draws.generator(topic))
    limits = limits_of(statistics(*resolution.cells(fitted, sample[np.newaxis])))
    simulation = Simulation.of(fitted, resolution)
    return p_values(lambda n: _extreme(simulation, sample, stream, n, limits), draws)


@dataclass(frozen=True)
class _Stream:
    """Uniform numbers of a topic, and separate ones for resamples that replace unfitted ones.

    They are separate, so that an unfitted resample leaves the other resamples as they are.
    """

    first: np.random.Generator
    anew: np.random.Generator

    @classmethod
    def of(cls, generator: np.random.Generator) -> _Stream:
        return cls(generator, generator.spawn(1)[0])


def _extreme(
    simulation: Simulation,
    sample: Array,
    stream: _Stream,
    resamples: int,
    limits: Array,
) -> Counts:
    """Draw resamples and count those whose statistics reach the limits."""
    total = Counts(np.zeros(len(STATISTICS)), 0)
    for number in blocks(resamples, len(sample)):
        u = stream.first.random((number, len(sample)))
        values, unfitted = _statistics(simulation, u)
        low, high = simulation.within(sample)
        rows = [row for row in unfitted if u[row].min() <= low or u[row].max() > high]
        if rows:
            # New numbers, not the old ones rescaled: those are known to reach an end.
            u[rows] = low + stream.anew.random((len(rows), len(sample))) * (high - low)
            values[:, rows], again = _statistics(simulation, u[rows])
            kept = {row: reason for row, reason in unfitted.items() if row not in set(rows)}
            unfitted = kept | {rows[row]: reason for row, reason in again.items()}
        reason = next(iter(unfitted.values()), "")
        reached = (values >= limits).sum(axis=-1)  # not where it is NaN
        total += Counts(reached, len(u) - len(unfitted), len(unfitted), reason)
    return total


def _statistics(simulation: Simulation, u: Array) -> tuple[Array, dict[int, str]]:
    """Return the statistics of resamples (3, rows), NaN if unfitted, and the reasons."""
    drawn = simulation.scores(np.sort(u, axis=-1))
    values = np.full((len(STATISTICS), len(u)), np.nan)
    varied = drawn[:, 0] < drawn[:, -1]
    unfitted = {int(row): "all scores are equal" for row in np.flatnonzero(~varied)}
    rows = np.flatnonzero(varied)
    if rows.size:
        again, kept, why = fit_where_possible(simulation.fitted.scheme, drawn[rows])
        unfitted |= {int(rows[row]): reason for row, reason in why.items()}
        rows = rows[kept]
    if rows.size:
        values[:, rows] = statistics(*simulation.resolution.cells(again, drawn[rows]))
    return values, unfitted
