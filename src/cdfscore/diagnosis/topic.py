"""Diagnosis of one distribution on one topic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from cdfscore.diagnosis.crps import Simulation, crps, places_of, quantiles
from cdfscore.diagnosis.goodness_of_fit import LEAST, STATISTICS, statistics
from cdfscore.diagnosis.histogram import cells_by_rank
from cdfscore.diagnosis.resolution import Resolution, Source
from cdfscore.diagnosis.settings import FEW, Draws
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes.base import Fitted, Scheme
from cdfscore.schemes.zero_inflated import ZeroInflated
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.standardization.reference_systems import beyond_ends

# Number of scores simulated at a time: fast, with little memory.
_BLOCK = 1 << 17
# Statistics are ties if their difference is less than this proportion of them.
_TIE = 1e-9

# Parameters with more numbers than this are described by their count.
_SHOWN = 8
_INFINITE = "the CRPS is infinite: the cdf approaches 0 or 1 too slowly, or not at all"


@dataclass(frozen=True)
class Examined:
    """Row of `Diagnosis.fits`, and the ends of each left-out score in the PIT, as a histogram has.

    `lower` and `upper` are of the scores that could be predicted; empty for an unfitted topic. They
    are the predicted cdf at the ends of the score's cell, or `cells_by_rank` for steps and lines.
    `follows` is True where the fit follows the scores, as `follows_the_sample` tells.
    """

    row: dict[str, Any]
    lower: Array = field(default_factory=lambda: np.zeros(0))
    upper: Array = field(default_factory=lambda: np.zeros(0))
    follows: bool = False


def not_fitted(scheme: Scheme, topic: str, n: int, reason: str, constant: bool) -> Examined:
    """Return the row of an unfitted topic."""
    numbers = dict.fromkeys(_NUMBERS, math.nan)
    return Examined(
        {
            "topic": topic,
            "scheme": str(scheme),
            "n": n,
            "fitted": False,
            "constant": constant,
            "reason": reason,
            "parameters": "",
            **numbers,
            **dict.fromkeys(_COUNTS, 0),
        }
    )


def examine(
    fitted: Fitted, scores: Array, resolution: Resolution, draws: Draws, topic: str
) -> Examined:
    """Examine a topic: `fitted` has one row, `scores` (n,) none missing."""
    sample = np.sort(scores)
    scheme, n = fitted.scheme, len(sample)
    lower, upper = resolution.cells(fitted, sample[np.newaxis])
    likely = information(lower[0], upper[0], scheme.free_parameters)
    predicted = left_out(scheme, sample, resolution)
    found = dict(zip(STATISTICS, statistics(lower, upper)[:, 0].tolist(), strict=True))
    row = {
        **not_fitted(scheme, topic, n, "", constant=False).row,
        "fitted": True,
        "parameters": _spelled(fitted),
        **found,
        **_censored(fitted, sample),
        "log_likelihood": likely.log_likelihood,
        "aic": likely.aic,
        "bic": likely.bic,
        "log_score": predicted.log_score,
        "crps": predicted.crps,
        "floored": likely.floored,
        "floored_left_out": predicted.floored,
    }
    reasons = []
    follows = follows_the_sample(scheme, sample)
    if follows:
        reasons.append("not tested: it fits any scores closely")
    elif not draws.resamples:
        reasons.append("not tested: no resamples were requested")
    else:
        tested = bootstrap(fitted, sample, resolution, draws, topic)
        for name, p, stderr in zip(STATISTICS, tested.p, tested.stderr, strict=True):
            row |= {f"{name}_p": float(p), f"{name}_p_stderr": float(stderr)}
        row |= {"resamples": tested.resamples, "resamples_unfitted": tested.unfitted}
        if np.isnan(tested.p).any():
            reasons.append(f"not tested: {tested.reason}")
    if predicted.unfitted:
        some = next(iter(predicted.unfitted.values()))
        reasons.append(f"{len(predicted.unfitted)} of {n} scores not predicted: {some}")
    elif math.isnan(predicted.crps):
        reasons.append(_INFINITE)
    kept = ~np.isnan(predicted.lower)
    row["reason"] = "; ".join(reasons)
    ends = predicted.lower, predicted.upper
    if scheme.degree_between in (0, 1):
        ends = cells_by_rank(sample)
    return Examined(row, ends[0][kept], ends[1][kept], follows)


def examine_known(
    fitted: Fitted,
    scores: Array,
    resolution: Resolution,
    draws: Draws,
    topic: str,
    *,
    rough: bool,
    known: int | None,
) -> Examined:
    """Examine a topic by a distribution that was fitted to `known` other scores.

    `fitted` has one row, `scores` (n,) none missing. The distribution predicts every score, and no
    parameter is estimated from these scores. A `rough` fit, whose parameters contain its reference
    scores, is not tested: scores between its steps could never be drawn from it.
    """
    sample = np.sort(scores)
    scheme, n = fitted.scheme, len(sample)
    lower, upper = (ends[0] for ends in resolution.cells(fitted, sample[np.newaxis]))
    likely = information(lower, upper, 0)
    logs, floored = log_probability(lower, upper)
    distinct, place = np.unique(sample, return_inverse=True)
    every = fitted.take(np.zeros(len(distinct), dtype=np.intp))
    ranked = crps(every, distinct, places_of(fitted, distinct))[place]
    distances = statistics(lower[np.newaxis], upper[np.newaxis])[:, 0]
    row = {
        **not_fitted(scheme, topic, n, "", constant=False).row,
        "fitted": True,
        "parameters": _spelled(fitted),
        **dict(zip(STATISTICS, distances.tolist(), strict=True)),
        **_censored(fitted, sample),
        "log_likelihood": likely.log_likelihood,
        "aic": likely.aic,
        "bic": likely.bic,
        "log_score": float(logs.mean()),
        "crps": float(ranked.mean()),
        "floored": likely.floored,
        "floored_left_out": int(floored.sum()),
    }
    reasons = []
    if rough:
        reasons.append("not tested: its parameters are the reference scores")
    elif not draws.resamples:
        reasons.append("not tested: no resamples were requested")
    else:
        tested = monte_carlo(fitted, sample, resolution, draws, topic)
        row |= {"resamples": tested.resamples}
        for name, p, stderr in zip(STATISTICS, tested.p, tested.stderr, strict=True):
            row |= {f"{name}_p": float(p), f"{name}_p_stderr": float(stderr)}
    if math.isnan(row["crps"]):
        reasons.append(_INFINITE)
    row["reason"] = "; ".join(reasons)
    if scheme.degree_between in (0, 1):
        lower, upper = cells_by_rank(sample, _reference(fitted, known))
    return Examined(row, lower, upper)


def _reference(fitted: Fitted, known: int | None) -> Array:
    """Return the scores that one row of steps or lines was fitted to; zero_inflated needs `known`.

    A zero-inflated scheme has a share of zeros besides, and its family may have a single other
    score several times, to be a sample of two or more.
    """
    zeros = np.zeros(0)
    if isinstance(fitted.scheme, ZeroInflated):
        assert known is not None
        share = float(fitted.parameters["share"][0, 0])
        zeros = np.full(round(known * share), fitted.scheme.at)
    found = fitted.scheme.reference(fitted.parameters)[0]
    found = found[~np.isnan(found)]
    return np.append(zeros, found[: None if known is None else known - len(zeros)])


# The columns of numbers, NaN where there is none; p_holm is over all topics.
_NUMBERS = (
    *(f"{name}{part}" for name in STATISTICS for part in ("", "_p", "_p_stderr", "_p_holm")),
    "log_likelihood",
    "aic",
    "bic",
    "log_score",
    "crps",
)
_COUNTS = (
    *("censored_at_0", "censored_at_1", "floored", "floored_left_out", "resamples"),
    "resamples_unfitted",
)


def _censored(fitted: Fitted, sample: Array) -> dict[str, int]:
    below, above = beyond_ends(fitted, sample[np.newaxis])
    return {"censored_at_0": int(below[0]), "censored_at_1": int(above[0])}


def _spelled(fitted: Fitted) -> str:
    """Spell the parameters as ``mean=0.25,sd=0.1``; describe long ones by their count."""
    parts = []
    for name, values in fitted.parameters.items():
        numbers = values[0][~np.isnan(values[0])].tolist()
        if len(numbers) > _SHOWN:
            parts.append(f"{name}=[{len(numbers)} numbers]")
        else:
            parts.append(f"{name}={' '.join(map(repr, numbers))}")
    return ",".join(parts)


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


@dataclass(frozen=True)
class LeftOut:
    """Predictions of each score of a topic by the fit to the other scores.

    `lower` and `upper` (n,) are the predicted cdf at the ends of the score's cell, NaN where
    the others cannot be fitted; `unfitted` has the reason for each such score, by its place.
    `log_score` is the mean of log(upper - lower), each probability at least 2^-53, in nats:
    Good (1952), Gneiting and Raftery (2007), section 4.1. It is NaN if a score cannot be
    predicted, since a mean over the others would omit the difficult scores. `crps` is the mean of
    `cdfscore.diagnosis.crps.crps`, in the unit of the scores, and NaN in the same case.
    """

    lower: Array
    upper: Array
    log_score: float
    crps: float
    floored: int
    unfitted: dict[int, str]


def left_out(scheme: Scheme, sample: Array, resolution: Resolution) -> LeftOut:
    """Fit `scheme` to all scores of a topic except one, for each of the n scores; shape (n,).

    Equal scores share a fit. Others that are all equal predict their common score only.
    """
    distinct, first, place = np.unique(sample, return_index=True, return_inverse=True)
    others = np.tile(sample, (len(distinct), 1))
    others[np.arange(len(distinct)), first] = np.nan
    fitted, rows, unfitted = fit_where_possible(scheme, others)
    ends = np.full((2, len(distinct)), np.nan)
    ranked = np.full(len(distinct), np.nan)
    if rows.size:
        lower, upper = resolution.cells(fitted, distinct[rows, np.newaxis])
        ends[:, rows] = lower[:, 0], upper[:, 0]
        ranked[rows] = crps(fitted, distinct[rows], distinct)
    lower, upper = ends[:, place]
    logs, floored = log_probability(lower, upper)
    return LeftOut(
        lower,
        upper,
        log_score=float(logs.mean()),
        crps=float(ranked[place].mean()),
        floored=int(floored.sum()),
        unfitted={i: unfitted[int(p)] for i, p in enumerate(place) if int(p) in unfitted},
    )


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

    If the scheme has a location and a scale alone, and the resolution is fine, topics of n scores
    share their resamples, as many as a topic may need; see `_shared`.
    """
    limits = limits_of(statistics(*resolution.cells(fitted, sample[np.newaxis])))
    shared = _shared(fitted, sample, resolution, draws)
    if shared is not None:
        return p_values(shared.counts(limits), replace(draws, resamples=draws.most))
    stream = _Stream.of(draws.generator(topic))
    simulation = Simulation.of(fitted, resolution)
    return p_values(lambda n: _extreme(simulation, sample, stream, n, limits), draws)


class _Null:
    """Statistics of resamples, drawn when they are needed, for topics that share them."""

    def __init__(self, simulation: Simulation, n: int, generator: np.random.Generator) -> None:
        self._simulation, self._n, self._generator = simulation, n, generator
        self._found = np.zeros((len(STATISTICS), 0))
        self._lock = Lock()

    def counts(self, limits: Array) -> Callable[[int], Counts]:
        """Return what counts the next resamples that reach the limits, from the first one on."""
        done = 0

        def count(resamples: int) -> Counts:
            nonlocal done
            values = self._first(done + resamples)[:, done:]
            done += resamples
            unfitted = int(np.isnan(values[0]).sum())
            reached = (values >= limits).sum(axis=-1)
            return Counts(reached, resamples - unfitted, unfitted, "all scores are equal")

        return count

    def _first(self, resamples: int) -> Array:
        with self._lock:
            have = self._found.shape[1]
            for number in blocks(max(0, resamples - have), self._n):
                values, _ = _statistics(self._simulation, self._generator.random((number, self._n)))
                self._found = np.concatenate([self._found, values], axis=1)
            return self._found[:, :resamples]


# Parts of the distance between the quartiles that a resolution must be finer than, and those below
# which it is as good as none, as powers of 2.
_FINE, _FINEST = 7, 12


def _shared(fitted: Fitted, sample: Array, resolution: Resolution, draws: Draws) -> _Null | None:
    """Return the resamples that topics of n scores share, or None for those of the topic itself.

    The statistics of a law with a location and a scale depend on neither (David and Johnson 1948),
    and hardly on a fine resolution: it is a power of 2 of the distance between the quartiles here.
    Where a score is at an end of the fitted support, A^2 depends on any resolution.
    """
    ends = np.concatenate(fitted.support, axis=None)
    if not fitted.scheme.location_scale or ends[0] == sample[0] or ends[1] == sample[-1]:
        return None
    if resolution.source == "assumed":
        power = _FINEST
    else:
        low, high = quantiles(fitted, np.array([[0.25, 0.75]]))[0].tolist()
        power = min(round(math.log2((high - low) / resolution.width)), _FINEST)
    if power < _FINE:
        return None
    return _null(fitted.scheme, len(sample), power, resolution.source, draws.seed)


@lru_cache(maxsize=64)
def _null(scheme: Scheme, n: int, power: int, source: Source, seed: int) -> _Null:
    fitted = scheme.fit((np.arange(n) + 0.5)[np.newaxis] / n)
    low, high = quantiles(fitted, np.array([[0.25, 0.75]]))[0].tolist()
    simulation = Simulation.of(fitted, Resolution((high - low) * 2.0**-power, source))
    return _Null(simulation, n, np.random.default_rng([seed, n, power]))


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


@dataclass(frozen=True)
class Information:
    """Log-likelihood of a topic's scores under a fit, with AIC and BIC.

    log L = sum_i log(F(x_i + d/2) - F(x_i - d/2)) for scores of resolution d, each
    probability at least 2^-53; `floored` is the number of smaller ones. For a small d this is the
    usual log-likelihood plus n log d, and n log d is the same for all distributions.
    """

    log_likelihood: float
    aic: float
    bic: float
    floored: int


def information(lower: Array, upper: Array, free_parameters: int | None) -> Information:
    """Return the likelihood of n scores by the cdf at the ends of their cells, each (n,).

    AIC = 2k - 2 log L, Akaike (1974), and BIC = k log n - 2 log L, Schwarz (1978), with k
    `free_parameters`; NaN if k is None. Both assume that the likelihood is smooth around its
    maximum. This does not hold if a parameter is an end of the support, as in minmax and
    exponential.

    Examples
    --------
    >>> found = information(np.array([0.1, 0.4]), np.array([0.3, 0.6]), 2)
    >>> round(found.log_likelihood, 4), round(found.aic, 4), round(found.bic, 4)
    (-3.2189, 10.4378, 7.824)
    """
    logs, floored = log_probability(lower, upper)
    likelihood = float(np.sum(logs))
    if free_parameters is None:
        return Information(likelihood, math.nan, math.nan, int(floored.sum()))
    return Information(
        likelihood,
        aic=2 * free_parameters - 2 * likelihood,
        bic=free_parameters * math.log(lower.shape[-1]) - 2 * likelihood,
        floored=int(floored.sum()),
    )


def log_probability(lower: Array, upper: Array) -> tuple[Array, BoolArray]:
    """Return log(upper - lower), at least log(2^-53), and for which the difference is smaller."""
    probability = upper - lower
    return np.log(np.maximum(probability, LEAST)), probability < LEAST


@dataclass(frozen=True)
class PValues:
    """p values of the `STATISTICS` (3,), their Monte Carlo standard errors, and the resamples.

    `resamples` is the number that count; `unfitted` could not be fitted, with the first `reason`.
    """

    p: Array
    stderr: Array
    resamples: int
    unfitted: int
    reason: str


@dataclass(frozen=True)
class Counts:
    """Counts of resamples that reach the statistics (3,), that count and that were not fitted."""

    counts: Array
    fitted: int
    unfitted: int = 0
    reason: str = ""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.counts + other.counts,
            self.fitted + other.fitted,
            self.unfitted + other.unfitted,
            self.reason or other.reason,
        )


def limits_of(distances: Array) -> Array:
    """Return the distances of the scores, less rounding errors, which resamples must reach."""
    return distances * (1 - _TIE)


def p_values(count: Callable[[int], Counts], draws: Draws) -> PValues:
    """Return the p values (b + 1) / (B + 1), where b of B resamples reach the statistics.

    `count` draws the next resamples of their stream and counts them. If b is small, more are
    drawn; see `Draws`.
    """
    found = count(draws.resamples)
    p, stderr = p_value(found.counts, found.fitted, exact=False)
    few = found.counts < FEW
    if draws.most > draws.resamples and few.any() and found.fitted:
        found += count(draws.most - draws.resamples)
        p, stderr = np.where(few, p_value(found.counts, found.fitted, exact=False), (p, stderr))
    reason = ""
    if found.fitted < found.unfitted:
        p, stderr = np.full((2, len(STATISTICS)), np.nan)
        total = found.fitted + found.unfitted
        reason = f"{found.unfitted} of {total} resamples cannot be fitted: {found.reason}"
    return PValues(p, stderr, found.fitted, found.unfitted, reason)


def blocks(resamples: int, n: int) -> Iterator[int]:
    """Yield the numbers of resamples of n scores to draw at a time."""
    step = max(1, _BLOCK // n)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
