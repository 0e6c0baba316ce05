"""p values of goodness of fit by parametric bootstrap, with estimated parameters."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.goodness_of_fit import STATISTICS, statistics
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.diagnosis.simulation import Simulation
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.standardization.policies.unfitted import fit_where_possible

# Scores simulated at a time: enough for a batch to be fast, and little memory.
_BLOCK = 1 << 17
#: Fewer resamples than this at least as far away as the scores, and more are drawn.
FEW = 5
# Statistics are ties if their difference is less than this proportion of them.
_TIE = 1e-9


@dataclass(frozen=True)
class Draws:
    """Number of resamples and their random stream.

    `resamples` are drawn for every topic. Where fewer than `FEW` of them are as far away as
    the scores, `most` are drawn in all, so that the least p value can hold after Holm's
    correction, unless the caller asked for a smaller `most`. The p value is valid at every
    level: a topic goes on only if its p value was small, and a topic that stops has no p value
    below (FEW + 1) / (resamples + 1).

    The uniform numbers of a topic depend on the seed and its label alone, and are the same for
    all distributions, so that no distribution changes the result of another. Other topics do
    change two things: `most` grows with their number and with 1 / alpha, which changes p values
    of topics that go on; and the resolution that is found is that of all scores.
    """

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(
        cls, resamples: int, seed: int, topics: int, alpha: float, most: int | None = None
    ) -> Draws:
        """Return draws whose least p value is at most alpha / 2 after Holm over `topics`.

        Where that takes more resamples than `most`, it is as small as `most` allow.
        """
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        needed = max(times, 1) * (resamples + 1) - 1
        return cls(resamples, needed if most is None else min(needed, most), seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])


@dataclass(frozen=True)
class Bootstrap:
    """p values of the `STATISTICS` (3,), their Monte Carlo standard errors, and the resamples.

    `resamples` could be fitted and `unfitted` could not, with the `reason` of the first.
    """

    p: Array
    stderr: Array
    resamples: int
    unfitted: int
    reason: str


def follows_the_sample(scheme: Scheme, sample: Array) -> bool:
    """Tell whether the parameters of a scheme contain the n scores of a topic, (n,).

    This holds for empirical and kernel, and for zero_inflated with a kernel. Their fit is near
    any scores, so that the distance is uninformative.
    """
    if scheme.free_parameters is not None:
        return False
    # Fitted alone: among topics with more scores, n would be padded with NaN, and parameters
    # of another size could happen to be as wide as n.
    alone = scheme.fit(sample[np.newaxis]).parameters.values()
    return any(values.shape[-1] == len(sample) > 1 for values in alone)


def bootstrap(
    fitted: Fitted,
    sample: Array,
    resolution: Resolution,
    draws: Draws,
    topic: str,
    *,
    known: bool = False,
) -> Bootstrap:
    """Return the p values of one topic: `fitted` has one row, `sample` its n scores, sorted.

    Samples of n scores are drawn from the fitted distribution by its quantiles, rounded as
    the scores are, and fitted anew: p = (b + 1) / (B + 1), where b of B resamples have a
    statistic at least that of the scores; Stute, Gonzalez Manteiga and Presedo Quindimil
    (1993), Bootstrap based goodness-of-fit-tests. A distribution that is `known`, because it was
    fitted to other scores, is not fitted anew: p is then that of a simple hypothesis.

    The scores are known to be such that the distribution can be fitted, and so must the
    resamples be: one that is constant or cannot be fitted does not count. If such a resample
    has scores at an end of the scheme's domain where the topic has no score (a beta has no
    zeros), it is replaced by a new one, from the distribution without that end: so resamples
    are distributed as those that can be fitted, and there are as many as asked for.
    """
    stream = _Stream.of(draws.generator(topic))
    lower, upper = resolution.cells(fitted, sample[np.newaxis])
    limit = statistics(lower, upper) * (1 - _TIE)
    simulation = Simulation.of(fitted, resolution, known=known)
    first = _extreme(simulation, sample, stream, draws.resamples, limit)
    p, stderr = p_value(first.counts, first.fitted, exact=False)
    few = first.counts < FEW
    found = first
    if draws.most > draws.resamples and few.any() and first.fitted:
        more = _extreme(simulation, sample, stream, draws.most - draws.resamples, limit)
        found = first + more
        p, stderr = np.where(few, p_value(found.counts, found.fitted, exact=False), (p, stderr))
    reason = ""
    if found.fitted < found.unfitted:
        p, stderr = np.full((2, len(STATISTICS)), np.nan)
        total = found.fitted + found.unfitted
        reason = f"{found.unfitted} of {total} resamples cannot be fitted: {found.reason}"
    return Bootstrap(p, stderr, found.fitted, found.unfitted, reason)


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


@dataclass(frozen=True)
class _Counts:
    """Counts of resamples that reach the statistics (3,), that were fitted and that were not."""

    counts: Array
    fitted: int
    unfitted: int
    reason: str

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(
            self.counts + other.counts,
            self.fitted + other.fitted,
            self.unfitted + other.unfitted,
            self.reason or other.reason,
        )


def _extreme(
    simulation: Simulation,
    sample: Array,
    stream: _Stream,
    resamples: int,
    limit: Array,
) -> _Counts:
    """Draw resamples and count those whose statistics reach `limit`."""
    total = _Counts(np.zeros(len(STATISTICS)), 0, 0, "")
    step = max(1, _BLOCK // len(sample))
    for start in range(0, resamples, step):
        u = stream.first.random((min(step, resamples - start), len(sample)))
        values, unfitted = _statistics(simulation, u)
        low, high = simulation.within(sample) if unfitted else (0.0, 1.0)
        rows = [row for row in unfitted if u[row].min() <= low or u[row].max() > high]
        if rows:
            # New numbers, not the old ones rescaled: those are known to reach an end.
            u[rows] = low + stream.anew.random((len(rows), len(sample))) * (high - low)
            values[:, rows], again = _statistics(simulation, u[rows])
            kept = {row: reason for row, reason in unfitted.items() if row not in set(rows)}
            unfitted = kept | {rows[row]: reason for row, reason in again.items()}
        reason = next(iter(unfitted.values()), "")
        reached = (values >= limit).sum(axis=-1)  # not where it is NaN
        total += _Counts(reached, len(u) - len(unfitted), len(unfitted), reason)
    return total


def _statistics(simulation: Simulation, u: Array) -> tuple[Array, dict[int, str]]:
    """Return the statistics of resamples (3, rows), NaN if unfitted, and the reasons."""
    drawn = simulation.scores(np.sort(u, axis=-1))
    if simulation.known:
        fitted = simulation.fitted.take(np.zeros(len(u), dtype=np.intp))
        return statistics(*simulation.resolution.cells(fitted, drawn)), {}
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
