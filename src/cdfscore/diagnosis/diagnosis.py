"""Diagnosis of schemes on every topic, and of factors: tasks, summary, ranking and cautions."""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdfscore.common.catalogue import traces
from cdfscore.common.cautions import warn_of
from cdfscore.common.costs import check_cost
from cdfscore.common.text import capitalized, counted, each_in_units, kept, part_of, written
from cdfscore.common.threads import in_threads
from cdfscore.diagnosis.criteria import (
    LEAST,
    STATISTICS,
    Resolution,
    Simulation,
    Source,
    cells_by_rank,
    crps,
    histogram_table,
    pit_moments,
    places_of,
    quantiles,
    resolution_of,
    statistics,
)
from cdfscore.diagnosis.reliability import topic_reliability
from cdfscore.errors import FactorsError, SchemeError
from cdfscore.scores.dataframes import IntoFrame, measure_of, notes_of, units_of
from cdfscore.showing import Shown
from cdfscore.standardization import policies
from cdfscore.standardization.cautions import (
    FEW_SYSTEMS,
    beyond_ends,
    dropped_notes,
    missing_notes,
    mixed_scales,
)
from cdfscore.standardization.policies import (
    AnyLowerIsBetter,
    MissingPolicy,
    ScoreMatrix,
    fit_where_possible,
)
from cdfscore.standardization.standardized import ExtraTopics, Factors, Standardized, check_extra
from cdfscore.standardization.standardizer import How, Standardizer
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.numerics.moments import count, mean_and_sd
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.numbers import MOST_RESAMPLES, between_0_and_1, whole_number_from
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import Fitted, Scheme, parse_scheme, scheme_label
from cdfscore.stats.schemes.zero_inflated import ZeroInflated
from cdfscore.stats.significance.paired_t import paired_t

# --- Settings of a diagnosis, and their checks ---

#: Bins of the histogram.
_BINS = 10

# Seconds to draw a score from a distribution, and to read it.
_DRAWN = 1e-7
#: Schemes that are diagnosed if none is named: N-std, U-std and E-std, the schemes of the
#: literature, and kernel, a smooth form of E-std. All can be fitted to scores of any range. The
#: user must name families on [0, 1], such as beta, because the range of the measure is not known,
#: and minmax, because its ends are the extreme scores, so that its AIC is too good.
USUAL = ("normal", "uniform", "empirical", "kernel")
#: If fewer resamples than this are at least as far away as the scores, more are drawn.
FEW = 5


@dataclass(frozen=True)
class Draws:
    """Number of resamples and their random stream, as fit_p_value.2 defines them."""

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(
        cls, resamples: int, seed: int, topics: int, alpha: float, most: int | None = None
    ) -> Draws:
        """Return draws whose least p value is at most alpha / 2 after Holm, if `most` allows."""
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        needed = max(times, 1) * (resamples + 1) - 1
        return cls(resamples, needed if most is None else min(needed, most), seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])


def distributions(schemes: Sequence[str | Scheme]) -> list[Scheme]:
    """Return the schemes, read from their spellings; raises `SchemeError`, see `diagnose`."""
    if isinstance(schemes, str | Scheme):
        raise SchemeError(f"schemes={str(schemes)!r} is one; expected a list of distributions")
    chosen = [parse_scheme(each) if isinstance(each, str) else each for each in schemes]
    if not chosen:
        raise SchemeError("there is no scheme to diagnose; expected one distribution or more")
    names = [str(scheme) for scheme in chosen]
    for scheme, name in zip(chosen, names, strict=True):
        if not isinstance(scheme, Scheme):
            raise SchemeError(f"{scheme!r} is not a scheme; expected one such as Normal()")
        if not scheme.is_cdf:
            raise SchemeError(
                f"{name} is not a distribution; expected one, such as normal or empirical"
            )
        if names.count(name) > 1:
            raise SchemeError(f"the scheme {name} is given twice")
    return chosen


class Settings(NamedTuple):
    """Checked settings of a diagnosis, as Python's numbers; no limit if `most` is None."""

    alpha: float
    bootstrap: int
    most: int | None
    seed: int
    jobs: int | None

    @classmethod
    def of(
        cls,
        *,
        alpha: object,
        bootstrap: object,
        most: object,
        seed: object,
        jobs: object = None,
    ) -> Settings:
        """Return the settings; raises `SchemeError` for a wrong type or a number out of range."""
        found = cls(
            between_0_and_1("alpha", alpha, SchemeError),
            whole_number_from("bootstrap", bootstrap, 0, MOST_RESAMPLES, SchemeError),
            None
            if most is None
            else whole_number_from("most", most, 0, MOST_RESAMPLES, SchemeError),
            whole_number_from("seed", seed, 0, None, SchemeError),
            None if jobs is None else whole_number_from("jobs", jobs, 1, None, SchemeError),
        )
        if found.most is not None and found.most < found.bootstrap:
            raise SchemeError(
                f"most={found.most!r} is not accepted; expected at least the {found.bootstrap} "
                "resamples that all topics have"
            )
        return found


# --- Diagnosis of one distribution on one topic ---

# Number of scores simulated at a time: fast, with little memory.
_BLOCK = 1 << 17
# Statistics are ties if their difference is less than this proportion of them.
_TIE = 1e-9

# Parameters with more numbers than this are described by their count.
_SHOWN = 8


@dataclass(frozen=True)
class Examined:
    """Row of `Diagnosis.fits`, and the ends in the PIT of each score that could be predicted."""

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


class Known(NamedTuple):
    """A distribution was fitted to other scores: how many, if known, and are they followed?"""

    n: int | None
    rough: bool


def examine(
    fitted: Fitted,
    scores: Array,
    resolution: Resolution,
    draws: Draws,
    topic: str,
    known: Known | None = None,
) -> Examined:
    """Examine a topic: `fitted` has one row, `scores` (n,) none missing."""
    sample, scheme, untested = np.sort(scores), fitted.scheme, ""
    lower, upper = resolution.cells(fitted, sample[np.newaxis])
    follows, free_parameters = False, scheme.free_parameters
    if known is None:
        predicted, test = left_out(scheme, sample, resolution), bootstrap
        follows = follows_the_sample(scheme, sample)
        untested = "it fits any scores closely" * follows
        if scheme.location_scale and len(sample) == 2:  # as far from their fit as any other two
            untested = "it fits any two scores equally closely"
    else:
        logs, floored = log_probability(lower[0], upper[0])
        distinct, place = np.unique(sample, return_inverse=True)
        every = fitted.take(np.zeros(len(distinct), dtype=np.intp))
        ranked = float(crps(every, distinct, places_of(fitted, distinct))[place].mean())
        log_score, lost = float(logs.mean()), int(floored.sum())
        predicted = LeftOut(lower[0], upper[0], log_score, ranked, lost, unfitted={})
        test, free_parameters = monte_carlo, 0
        untested = "its parameters are the reference scores" * known.rough
    n = len(sample)
    below, above = beyond_ends(fitted, sample[np.newaxis])
    row = {
        **not_fitted(scheme, topic, n, "", constant=False).row,
        "fitted": True,
        "parameters": _spelled(fitted),
        **dict(zip(STATISTICS, statistics(lower, upper)[:, 0].tolist(), strict=True)),
        "censored_at_0": int(below[0]),
        "censored_at_1": int(above[0]),
        **information(lower[0], upper[0], free_parameters),
        "log_score": predicted.log_score,
        "crps": predicted.crps,
        "floored_left_out": predicted.floored,
    }
    reasons = []
    if untested or not draws.resamples:
        reasons.append(f"not tested: {untested or 'no resamples were requested'}")
    else:
        tested = test(fitted, sample, resolution, draws, topic)
        row |= {"resamples": tested.resamples, "resamples_unfitted": tested.unfitted}
        for name, p, stderr in zip(STATISTICS, tested.p, tested.stderr, strict=True):
            row |= {f"{name}_p": float(p), f"{name}_p_stderr": float(stderr)}
        if np.isnan(tested.p).any():
            reasons.append(f"not tested: {tested.reason}")
    if predicted.unfitted:
        some = next(iter(predicted.unfitted.values()))
        reasons.append(f"{len(predicted.unfitted)} of {n} scores not predicted: {some}")
    elif math.isnan(predicted.crps):
        reasons.append("the CRPS is infinite: the cdf approaches 0 or 1 too slowly, or not at all")
    kept = ~np.isnan(predicted.lower)
    row["reason"] = "; ".join(reasons)
    ends = predicted.lower, predicted.upper
    if scheme.degree_between in (0, 1):
        ends = cells_by_rank(sample, None if known is None else _reference(fitted, known.n))
    return Examined(row, ends[0][kept], ends[1][kept], follows)


def _reference(fitted: Fitted, known: int | None) -> Array:
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


def _spelled(fitted: Fitted) -> str:
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
    """Return the p values of one topic by a distribution that was fitted to other scores."""
    generator = draws.generator(topic)
    simulation = Simulation.of(fitted, resolution)
    limits = limits_of(statistics(*resolution.cells(fitted, sample[np.newaxis])))

    def count(resamples: int) -> Counts:
        reached = np.zeros(len(STATISTICS))
        for rows in blocks(resamples, len(sample)):
            drawn = simulation.scores(np.sort(generator.random((rows, len(sample))), axis=-1))
            same = fitted.take(np.zeros(rows, dtype=np.intp))
            found = statistics(*resolution.cells(same, drawn))
            reached += (found >= limits).sum(axis=-1)
        return Counts(reached, resamples)

    return p_values(count, draws)


@dataclass(frozen=True)
class LeftOut:
    """Predictions by the fit to the other scores; NaN, and a reason in `unfitted`, if none."""

    lower: Array
    upper: Array
    log_score: float
    crps: float
    floored: int
    unfitted: dict[int, str]


def left_out(scheme: Scheme, sample: Array, resolution: Resolution) -> LeftOut:
    """Fit `scheme` to all scores of a topic but one, for each; equal scores share a fit."""
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
    """Tell whether the parameters contain the scores of a topic: any are fitted closely."""
    if scheme.free_parameters is not None:
        return False
    # Fitted alone: in a batch with longer topics, the row would be padded with NaN, and other
    # parameters could have n elements by chance.
    alone = scheme.fit(sample[np.newaxis]).parameters.values()
    return any(values.shape[-1] == len(sample) > 1 for values in alone)


def bootstrap(
    fitted: Fitted, sample: Array, resolution: Resolution, draws: Draws, topic: str
) -> PValues:
    """Return the p values of one topic, whose scores are sorted, as of fit_p_value.1."""
    limits = limits_of(statistics(*resolution.cells(fitted, sample[np.newaxis])))
    shared = _shared(fitted, sample, resolution, draws)
    if shared is not None:
        return p_values(shared.counts(limits), replace(draws, resamples=draws.most))
    first = draws.generator(topic)
    (anew,) = first.spawn(1)
    simulation = Simulation.of(fitted, resolution)
    return p_values(lambda n: _extreme(simulation, sample, first, anew, n, limits), draws)


class _Null:
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


def _extreme(
    simulation: Simulation,
    sample: Array,
    first: np.random.Generator,
    anew: np.random.Generator,
    resamples: int,
    limits: Array,
) -> Counts:
    """Count resamples that reach the limits; those in place of unfitted ones are drawn `anew`."""
    total = Counts(np.zeros(len(STATISTICS)), 0)
    for number in blocks(resamples, len(sample)):
        u = first.random((number, len(sample)))
        values, unfitted = _statistics(simulation, u)
        low, high = simulation.within(sample)
        rows = [row for row in unfitted if u[row].min() <= low or u[row].max() > high]
        if rows:
            # New numbers, not the old ones rescaled: those are known to reach an end.
            u[rows] = low + anew.random((len(rows), len(sample))) * (high - low)
            values[:, rows], again = _statistics(simulation, u[rows])
            kept = {row: reason for row, reason in unfitted.items() if row not in set(rows)}
            unfitted = kept | {rows[row]: reason for row, reason in again.items()}
        reason = next(iter(unfitted.values()), "")
        reached = (values >= limits).sum(axis=-1)  # not where it is NaN
        total += Counts(reached, len(u) - len(unfitted), len(unfitted), reason)
    return total


def _statistics(simulation: Simulation, u: Array) -> tuple[Array, dict[int, str]]:
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


def information(lower: Array, upper: Array, free_parameters: int | None) -> dict[str, float]:
    """Return the likelihood of n scores by the cdf at the ends of their cells: information.1."""
    logs, floored = log_probability(lower, upper)
    likelihood = float(np.sum(logs))
    k = math.nan if free_parameters is None else free_parameters
    return {
        "log_likelihood": likelihood,
        "aic": 2 * k - 2 * likelihood,
        "bic": k * math.log(lower.shape[-1]) - 2 * likelihood,
        "floored": int(floored.sum()),
    }


def log_probability(lower: Array, upper: Array) -> tuple[Array, BoolArray]:
    """Return log(upper - lower), at least log(2^-53), and for which the difference is smaller."""
    probability = upper - lower
    return np.log(np.maximum(probability, LEAST)), probability < LEAST


@dataclass(frozen=True)
class PValues:
    """p values of the `STATISTICS` (3,), their standard errors, and the resamples that count."""

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
        fitted, unfitted = self.fitted + other.fitted, self.unfitted + other.unfitted
        return Counts(self.counts + other.counts, fitted, unfitted, self.reason or other.reason)


def limits_of(distances: Array) -> Array:
    """Return the distances of the scores, less rounding errors, which resamples must reach."""
    return distances * (1 - _TIE)


def p_values(count: Callable[[int], Counts], draws: Draws) -> PValues:
    """Return the p values by what counts the next resamples that reach the statistics."""
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


# --- Diagnosis of schemes on every topic, and of factors: tasks, summary, ranking and cautions ---

_NAMES = {
    "crps": "has the lowest CRPS",
    "log_score": "has the best log score",
    "aic": "has the best AIC",
    "bic": "has the best BIC",
}
_AS_WRITTEN = {
    "found": "are treated as rounded to {:g}, because all are multiples of it",
    "assumed": "are treated as exact; a density becomes a probability over a width of {:.3g}",
}
# Proportion of unfitted resamples above which the verdict mentions them.
_MANY = 0.1
#: Criteria by which schemes win topics, and whether the highest value wins.
CRITERIA = {"crps": False, "log_score": True, "aic": False, "bic": False}
#: Largest difference from the best AIC that is no evidence: Burnham and Anderson (2002), 2.6.
NEAR = 2.0
# Proportion of the CRPS below which there is no note on a coarse grid.
_SMALL = 1e-3

#: Columns of `Diagnosis.summary` by which schemes are ranked.
RANKING = ("crps_rank", "crps_common", "crps_above", "crps_above_low", "crps_above_high")
# Reasons why a topic of few scores has no spread.
_UNVARIED = {0: "there is no score", 1: "there is only one score"}

Task = Callable[[], Examined]
# Samples of each distribution, in `detected`; their error is below 0.003 at a level of 0.05.
_SAMPLES = 20_000
_AD = list(STATISTICS).index("ad")


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Result of `diagnose`.

    `fits` has one row for each scheme and topic, in this order, with the columns

    - topic, scheme, n (scores that are not missing), fitted, constant (all scores are equal, or
      there are fewer than two, so that nothing is fitted), reason (why it was not fitted, or why
      a number is missing), parameters (written ``mean=0.25,sd=0.1``);
    - reliability: the correlation of the topic's scores with the means of the systems over the
      other topics, the same for all schemes; see `cdfscore.diagnosis.topic_reliability`;
    - censored_at_0, censored_at_1: numbers of scores below and above the fitted distribution, as
      those of U-std beyond the ends;
    - for each statistic ks, ad, cvm: itself; its p value ``ks_p`` by parametric bootstrap, and
      the p value's Monte Carlo standard error ``ks_p_stderr``; ``ks_p_holm``, corrected over
      the topics of the scheme;
    - log_likelihood, aic, bic: of the scores as written, NaN for aic and bic where the
      parameters of a scheme are not counted; log_score: the mean log probability of each score
      under the fit to the others, higher is better; all in nats;
    - crps: the mean continuous ranked probability score of each score under the fit to the
      others, lower is better; in the unit of the scores; see `cdfscore.diagnosis.criteria.crps`;
    - floored and floored_left_out: numbers of scores whose probability is below 2^-53 and was
      replaced by 2^-53, in log_likelihood and in log_score; resamples, resamples_unfitted:
      bootstrap samples that were fitted, and that could not be fitted.

    `histogram` is the probability integral transform of the left-out scores of all topics. It
    has one row for each scheme and bin: the ends low and high; count (not whole, since a score on
    a grid is spread over bins); proportion; expected, the proportion under a perfect fit; and
    band_low and band_high, the limits of 95 % of proportions of a bin under a perfect fit with
    independent scores; see `cdfscore.diagnosis.criteria.sampling_band`.

    `summary` has one row for each scheme. A count is missing (NA) if it is not defined: rejections
    of a scheme that was not tested or could not have been rejected, and wins of a scheme that was
    not compared. The columns are

    - topics, fitted, unfitted (but not constant), constant, tested: numbers of topics;
    - ks_rejected, ad_rejected, cvm_rejected: tested topics with a corrected p value of at most
      alpha; NA if no p value could be so small with so few resamples, or if nothing is rejected
      and all topics have fewer than 10 scores;
    - crps_wins, log_score_wins, aic_wins, bic_wins: topics in which no scheme is better, of the
      topics in which two or more schemes have the number; equal schemes all win, but none wins if
      all are equal; aic_near: topics in which AIC is at most 2 above the best, which is no
      evidence against a scheme;
    - crps: the mean over the topics of the scheme; crps_common: the mean over the crps_topics, in
      which all schemes that have a CRPS anywhere have one; crps_rank: the rank by crps_common, 1
      for the best; crps_above: the mean difference from the best over these topics, with the
      interval crps_above_low to crps_above_high of level 1 - alpha by the paired t test;
    - log_score and log_score_common, over the common_topics: as crps, for the log score. They
      are NaN, and log_score_wins is NA, for step functions such as empirical. These are not
      compared with densities by log score, since they give probability 0 to a score that no
      other system has;
    - pit_mean and pit_sd: mean and standard deviation of the transform, 1/2 and 0.2887 under a
      perfect fit.

    `verdict` states these results in sentences. The cautions come first, and are in `notes` too.
    `standardized` returns the scores by a single scheme, for `cdfscore.verify`; it is None for
    several schemes, and for factors.

    Examples
    --------
    >>> from cdfscore import datasets, diagnose
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:5], ["normal", "gamma"], bootstrap=0)
    >>> found.schemes, found.topics, found.summary["crps_rank"].tolist()
    (('normal', 'gamma'), 5, [1, 2])
    >>> print(found.verdict[0].partition(". ")[0])
    The scores of 5 topics are treated as rounded to 1e-06, because all are multiples of it
    """

    fits: pd.DataFrame
    histogram: pd.DataFrame
    summary: pd.DataFrame
    verdict: tuple[str, ...]
    schemes: tuple[str, ...]
    topics: int
    systems: int
    resolution: Resolution
    draws: Draws
    alpha: float
    missing: str
    notes: tuple[str, ...]
    units: tuple[str, str] = ("system", "topic")
    measure: str | None = None
    standardized: Callable[[], Standardized] | None = None

    def __repr__(self) -> str:
        ranked = self.summary.sort_values("crps_rank", kind="stable")
        found = ", ".join(
            f"{scheme} {crps:.4f}"
            for scheme, crps in zip(ranked["scheme"], ranked["crps_common"], strict=True)
        )
        return f"<diagnosis of {counted(self.topics, 'topic')}; mean CRPS, lowest first: {found}>"


def tasks_of(
    scheme: Scheme, values: Array, topics: list[str], written: Resolution, draws: Draws
) -> list[Task]:
    """Return the task of each topic, in their order."""
    counts = (~np.isnan(values)).sum(axis=1).tolist()
    low, high = extremes(values)
    varied = np.flatnonzero(low < high)
    fitted, kept, unfitted = fit_where_possible(scheme, values[varied])
    position = {int(varied[row]): i for i, row in enumerate(kept)}
    reasons = {int(varied[row]): reason for row, reason in unfitted.items()}
    tasks: list[Task] = []
    for row, (topic, n) in enumerate(zip(topics, counts, strict=True)):
        if row in position:
            sample = values[row][~np.isnan(values[row])]
            one = fitted.take(np.array([position[row]]))
            tasks.append(partial(examine, one, sample, written, draws, topic))
        else:
            constant = row not in reasons
            reason = reasons.get(row, _UNVARIED.get(n, "all scores are equal"))
            tasks.append(partial(not_fitted, scheme, topic, n, reason, constant))
    return tasks


def results(work: list[Task], jobs: int | None) -> Iterator[Examined]:
    """Yield the results in order, from threads that start no others if there are `jobs`."""
    return in_threads(operator.call, work, jobs) if jobs else map(operator.call, work)


def assembled(
    tasks: Callable[[Resolution, Draws], list[Task]],
    chosen: Sequence[Scheme],
    matrix: ScoreMatrix,
    settings: Settings,
    missing: str,
    told: Sequence[str],
    notes: Sequence[str],
    progress: Callable[[int, int], None] | None,
    seconds: float,
    scored: pd.DataFrame,
) -> Diagnosis:
    """Do the tasks, and return the diagnosis; what is `told` is warned of, and comes first.

    `seconds` is how long it takes to draw a score, and to fit all schemes to it. `scored` are the
    scores as given, which know their measure and the words for systems and topics.
    """
    units = units_of(scored)
    written, topics = resolution_of(matrix.values), len(matrix.topics)
    draws = Draws.of(settings.bootstrap, settings.seed, topics, settings.alpha, settings.most)
    names = tuple(map(str, chosen))
    check_cost(
        f"the tests of fit of {', '.join(names)} to {counted(topics, 'topic')}",
        "fewer topics or a smaller bootstrap=..." if settings.bootstrap else "fewer topics",
        diagnosed_topic=topics * len(chosen),
        second_of_fits=matrix.values.size * settings.bootstrap * seconds,
    )
    work, examined = tasks(written, draws), []
    for found in results(work, settings.jobs):
        examined.append(found)
        if progress:
            progress(len(examined), len(work))
    fits = pd.DataFrame([found.row for found in examined])
    reliable = dict(zip(matrix.topics, topic_reliability(matrix.values).tolist(), strict=True))
    after = list(fits).index("parameters") + 1
    fits.insert(after, "reliability", fits["topic"].map(reliable))
    for name in STATISTICS:
        fits[f"{name}_p_holm"] = fits.groupby("scheme", sort=False)[f"{name}_p"].transform(
            lambda p: adjust(p.to_numpy(), "holm")
        )
    predicted = {}
    for name in names:
        own = [each for each in examined if each.row["scheme"] == name]
        lower, upper = ([getattr(each, end) for each in own] for end in ("lower", "upper"))
        predicted[name] = np.concatenate(lower), np.concatenate(upper)
    moments = {name: pit_moments(*ends) for name, ends in predicted.items()}
    steps = frozenset(str(scheme) for scheme in chosen if scheme.degree_between == 0)
    follow = frozenset(each.row["scheme"] for each in examined if each.follows)
    summary = summarize(fits, moments, draws, settings.alpha, steps)
    first = (*each_in_units(units, [*told, *cautions(fits, draws, settings.alpha)]),)
    warn_of(first)
    first += grid_notes(summary, price_of_smoothness(matrix.values, written), steps)
    told = verdict(fits, summary, first, written, draws, settings.alpha, steps)
    return Diagnosis(
        fits,
        histogram_table(predicted, _BINS, follow),
        summary,
        (*each_in_units(units, told),),
        names,
        topics=topics,
        systems=len(matrix.systems),
        resolution=written,
        draws=draws,
        alpha=settings.alpha,
        missing=missing,
        notes=(*each_in_units(units, [*first, *notes]),),
        units=units,
        measure=measure_of(scored),
    )


def verdict(
    fits: pd.DataFrame,
    summary: pd.DataFrame,
    cautions: tuple[str, ...],
    unit: Resolution,
    draws: Draws,
    alpha: float,
    steps: frozenset[str],
) -> tuple[str, ...]:
    """Describe the results of a diagnosis, in a sentence or two for each aspect."""
    fits, summary = (
        each.assign(scheme=each["scheme"].map(scheme_label)) for each in (fits, summary)
    )
    steps = frozenset(map(scheme_label, steps))
    first = f"The scores of {_topics(summary['topics'].iloc[0])} "
    first += _AS_WRITTEN[unit.source].format(unit.width) + "."
    constant = fits.loc[fits["constant"] & (fits["scheme"] == summary["scheme"].iloc[0]), "reason"]
    for reason, number in constant.value_counts(sort=False).items():
        verb = "is" if number == 1 else "are"
        first += f" {_topics(number)} {verb} uninformative: {reason}."
    topics = fits[fits["scheme"] == summary["scheme"].iloc[0]].set_index("topic")
    found = topics["reliability"].dropna()
    if not found.empty:
        first += (
            " The reliability of topics (their correlation with the means of the systems over the "
            f"others) has the median {found.median():.3f} and is lowest on {kept(found.idxmin())} "
            f"({found.min():.3f})."
        )
    sentences = [f"{capitalized(each)}." for each in cautions]
    sentences.append(first)
    for _, row in summary.iterrows():
        own = fits[fits["scheme"] == row["scheme"]]
        said = "; ".join(_of_scheme(row, own, row["scheme"] in steps))
        if said:
            sentences.append(f"{row['scheme']}: {said}.")
    sentences += ranked(summary, alpha)
    for criterion in CRITERIA:
        sentences += _winner(summary, compared(fits, criterion, steps), criterion)
    if summary["tested"].any():
        sentences.append(
            f"Rejections are at alpha = {written(alpha)} after Holm's correction over the topics "
            f"of a scheme, by parametric bootstrap ({draws.resamples} resamples per topic, "
            f"{draws.most} where p is small or topics share them). A distribution that is not "
            "rejected may still be wrong."
        )
    return tuple(sentences)


def _of_scheme(row: pd.Series[float], own: pd.DataFrame, steps: bool) -> Iterator[str]:
    unfitted = own[~own["fitted"] & ~own["constant"]]
    if len(unfitted):
        yield (
            f"cannot be fitted to {_of_topics(len(unfitted), row['topics'])}, such as "
            f"{unfitted['topic'].iloc[0]} ({unfitted['reason'].iloc[0]})"
        )
    if row["tested"]:
        counts = (row[f"{name}_rejected"] for name in ("ad", "ks", "cvm"))
        ad, ks, cvm = ("-" if pd.isna(count) else str(count) for count in counts)
        tested = _topics(row["tested"])
        if ad == ks == cvm == "-":
            yield f"tested in {tested}, with too little data or too few resamples to reject it"
        else:
            yield (
                f"rejected in {ad} of {tested} by Anderson-Darling ({ks} by Kolmogorov-Smirnov, "
                f"{cvm} by Cramer-von Mises)"
            )
    drawn = own["resamples"] + own["resamples_unfitted"]
    many = int((own["ad_p"].notna() & (own["resamples_unfitted"] > _MANY * drawn)).sum())
    if many:
        yield (
            f"p is based on fewer resamples in {_topics(many)}, because more than "
            f"{_MANY:.0%} of them could not be fitted"
        )
    untested = own[own["fitted"] & own["ad_p"].isna()]
    if len(untested):
        reason = untested["reason"].iloc[0].removeprefix("not tested: ")
        where = "" if len(untested) == row["fitted"] else f" in {_topics(len(untested))}"
        yield f"not tested{where} ({reason})"
    beyond = own[(own["censored_at_0"] > 0) | (own["censored_at_1"] > 0)]
    if len(beyond):
        low, high = (int(beyond[f"censored_at_{end}"].sum()) for end in (0, 1))
        yield (
            f"censors {low:,} of {int(own['n'].sum()):,} scores at 0 and {high:,} at 1, beyond its "
            f"ends, in {_topics(len(beyond))}"
        )
    predicted = int((own["n"] * own["log_score"].notna()).sum())
    floored = int(own.loc[own["log_score"].notna(), "floored_left_out"].sum())
    if steps and predicted:
        yield (
            "not compared by log score: its steps give probability 0 to a score that no other "
            f"system has ({floored:,} of {predicted:,} scores here), and each of these would count "
            f"as {math.log(LEAST):.1f}, the logarithm of {LEAST:.2g}"
        )
    elif floored:
        yield (
            f"gives a probability below {LEAST:.2g} to {floored:,} of {predicted:,} scores that "
            "were not used in the fit"
        )


def _winner(summary: pd.DataFrame, table: pd.DataFrame, criterion: str) -> Iterator[str]:
    counts = summary.set_index("scheme")
    table = table.dropna(axis=1, how="all")
    have = table.columns
    if len(have) < 2:
        return
    won = counts.loc[have, f"{criterion}_wins"].fillna(0)
    won = won.sort_values(ascending=False, kind="stable")
    if not won.iloc[0]:
        return
    table = contested(table)
    topics, equal = len(table), int(undecided(table).sum())
    none = f"; in {equal} all are equal" if equal else ""
    yield (
        f"Of {len(have)} distributions {won.index[0]} {_NAMES[criterion]} in "
        f"{_of_topics(won.iloc[0], topics)}{_others(won.iloc[1:])}{none}."
    )
    if criterion == "aic":
        near = counts.loc[have, "aic_near"].fillna(0)
        near = near.sort_values(ascending=False, kind="stable")
        yield (
            f"AIC is at most {NEAR:g} above the best, which is no evidence against a "
            f"distribution: {near.index[0]} in "
            f"{_of_topics(near.iloc[0], topics)}{_others(near.iloc[1:])}."
        )


def _others(counts: pd.Series[int]) -> str:
    return "".join(f", {scheme} in {count}" for scheme, count in counts.items() if count)


def _topics(number: float) -> str:
    return counted(int(number), "topic")


def _of_topics(part: float, whole: float) -> str:
    return part_of(int(part), int(whole), "topic")


def summarize(
    fits: pd.DataFrame,
    moments: dict[str, tuple[float, float]],
    draws: Draws,
    alpha: float,
    steps: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """Return `Diagnosis.summary`; the log score of `steps` is not compared."""
    tables = {criterion: compared(fits, criterion, steps) for criterion in CRITERIA}
    won = {criterion: wins(table, criterion) for criterion, table in tables.items()}
    aic = contested(tables["aic"])
    near = _counted(aic, aic.le(aic.min(axis=1) + NEAR, axis=0))
    logs, crps = (tables[name].dropna(axis=1, how="all").dropna() for name in ("log_score", "crps"))
    places = ranking(crps, alpha)
    rows: list[dict[str, Any]] = []
    for scheme, own in fits.groupby("scheme", sort=False):
        tested = own[own["ad_p"].notna()]
        rejected = {name: int((own[f"{name}_p_holm"] <= alpha).sum()) for name in STATISTICS}
        rows.append(
            {
                "scheme": scheme,
                "topics": len(own),
                "fitted": int(own["fitted"].sum()),
                "unfitted": int((~own["fitted"] & ~own["constant"]).sum()),
                "constant": int(own["constant"].sum()),
                "tested": len(tested),
                **{
                    f"{name}_rejected": number if judged(tested, number, draws, alpha) else None
                    for name, number in rejected.items()
                },
                **{f"{criterion}_wins": won[criterion].get(str(scheme)) for criterion in CRITERIA},
                "aic_near": near.get(str(scheme)),
                "crps": own["crps"].mean(),
                **places.get(str(scheme), dict.fromkeys(RANKING)),
                "crps_topics": len(crps) if len(crps.columns) else 0,
                "log_score": float("nan") if scheme in steps else own["log_score"].mean(),
                "log_score_common": logs[scheme].mean() if scheme in logs else float("nan"),
                "common_topics": len(logs) if len(logs.columns) else 0,
                "pit_mean": moments[str(scheme)][0],
                "pit_sd": moments[str(scheme)][1],
            }
        )
    counts = [f"{name}_rejected" for name in STATISTICS]
    counts += [*(f"{criterion}_wins" for criterion in CRITERIA), "aic_near", "crps_rank"]
    return pd.DataFrame(rows).astype(
        dict.fromkeys(counts, "Int64") | dict.fromkeys(RANKING[1:], "float64")
    )


def wins(table: pd.DataFrame, criterion: str) -> dict[str, int]:
    """Count the topics in which no scheme is better, as diagnose.4 defines it."""
    table = contested(table)
    decided = table[~undecided(table)]
    best = decided.max(axis=1) if CRITERIA[criterion] else decided.min(axis=1)
    return _counted(table, decided.eq(best, axis=0))


def _counted(contest: pd.DataFrame, true: pd.DataFrame) -> dict[str, int]:
    present = contest.notna().any()
    return {str(scheme): int(true[scheme].sum()) for scheme in present.index[present]}


def compared(fits: pd.DataFrame, criterion: str, steps: frozenset[str]) -> pd.DataFrame:
    """Return a criterion as topics x schemes; steps and densities are not compared by log score."""
    columns = {
        scheme: own[criterion].set_axis(own["topic"])
        for scheme, own in fits.groupby("scheme", sort=False)
        if criterion != "log_score" or scheme not in steps
    }
    return pd.DataFrame(columns)


def contested(table: pd.DataFrame) -> pd.DataFrame:
    """Return the topics of a table of `compared` in which two or more schemes have a number."""
    return table[table.notna().sum(axis=1) >= 2]


def undecided(table: pd.DataFrame) -> pd.Series[bool]:
    """Tell in which topics of a table of `compared` all numbers are equal."""
    return table.min(axis=1) == table.max(axis=1)


def ranking(crps: pd.DataFrame, alpha: float) -> dict[str, dict[str, float]]:
    """Rank schemes by their mean CRPS over the common topics, and compare each with the first."""
    if crps.empty:
        return {}
    means = crps.mean()
    best = str(means.idxmin())
    found = {}
    for scheme, rank in zip(map(str, crps), means.rank(method="min"), strict=True):
        above, interval = float("nan"), (float("nan"), float("nan"))
        if scheme != best and len(crps) > 1:
            # As a batch of one: without an interval where all differences are equal.
            pair = (crps[name].to_numpy()[np.newaxis] for name in (scheme, best))
            interval = tuple(paired_t(*pair, conf_level=1 - alpha).conf_int[0].tolist())
            above = float((crps[scheme] - crps[best]).mean())
        values = (int(rank), float(means[scheme]), above, *interval)
        found[scheme] = dict(zip(RANKING, values, strict=True))
    return found


def price_of_smoothness(scores: Array, written: Resolution) -> float:
    """Return about how much the CRPS of a smooth curve is higher because scores are on a grid.

    Of a correct density f it is d^2 / 12 times the integral of f^2; for a normal one, d^2 / (24
    sqrt(pi) sd), with the sd of the topic, or d if that is larger.
    """
    low, high = extremes(scores)
    varied = scores[np.less(low, high)[:, 0]]
    if written.source == "assumed" or not len(varied):
        return 0.0
    sd = np.maximum(mean_and_sd(varied)[1], written.width)
    return float(np.mean(written.width**2 / (24 * math.sqrt(math.pi) * sd)))


def ranked(summary: pd.DataFrame, alpha: float) -> Iterator[str]:
    """Rank the schemes by mean CRPS, with the intervals of the differences from the first."""
    order = summary[summary["crps_rank"].notna()].sort_values("crps_rank", kind="stable")
    if len(order) < 2:
        return
    best = order.iloc[0]
    others = ", ".join(
        f"{row['scheme']} by {row['crps_above']:.3g}"
        + (
            f" ({row['crps_above_low']:.3g} to {row['crps_above_high']:.3g})"
            if row["crps_above_low"] == row["crps_above_low"]
            else ""
        )
        for _, row in order.iloc[1:].iterrows()
    )
    yield (
        f"By CRPS, which compares step functions and densities, {best['scheme']} predicts left-out "
        f"scores best, {best['crps_common']:.4g} on average over "
        f"{_topics(best['crps_topics'])}; the others are higher: {others}. CRPS has the "
        "unit of the scores, so that topics with widely spread scores count most. The "
        f"{1 - alpha:.0%} intervals are paired by topic and do not allow for the selection of the "
        "best scheme."
    )


def grid_notes(summary: pd.DataFrame, price: float, steps: frozenset[str]) -> tuple[str, ...]:
    """Return the note on a coarse grid, if step functions and smooth curves are ranked by CRPS."""
    order = summary[summary["crps_rank"].notna()]
    apart = 0 < int(order["scheme"].isin(steps).sum()) < len(order)
    if not apart or price < _SMALL * order["crps_common"].min():
        return ()
    return (
        f"scores are on a coarse grid: the CRPS of a smooth curve is about {price:.2g} higher "
        "because it is smooth between the points of the grid, unlike a step function; a difference "
        "of this size between a step function and a curve, or a win by it, is not meaningful",
    )


def can_pass(tested: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a p value of `tested` topics can be at most alpha after Holm's correction."""
    return tested / (draws.most + 1) <= alpha * (1 + 1e-12)


def resamples_to_pass(tested: int, alpha: float) -> int:
    """Return the least number of resamples with which a p value can pass: tested / alpha - 1."""
    return math.ceil(tested / alpha * (1 - 1e-12)) - 1


def detected(n: int, level: float) -> float:
    """Return the simulated power of Anderson and Darling's test of normal against exponential."""
    rng = np.random.default_rng([n, _SAMPLES])
    null = _normal_distance(rng.standard_normal((_SAMPLES, n)))
    found = _normal_distance(rng.standard_exponential((_SAMPLES, n)))
    # Two scores always have the same distance except for rounding; those are ties.
    below = np.searchsorted(np.sort(null), found * (1 - 1e-9))
    p = (_SAMPLES - below + 1) / (_SAMPLES + 1)
    return float((p <= level).mean())


def _normal_distance(samples: Array) -> Array:
    ordered = np.sort(samples, axis=-1)
    mean, sd = mean_and_sd(ordered)
    reached = normal_cdf((ordered - mean) / sd)
    return np.asarray(statistics(reached, reached)[_AD])


def judged(own: pd.DataFrame, rejected: int, draws: Draws, alpha: float) -> bool:
    """Tell whether a number of rejections in the tested rows says anything about a scheme."""
    if not len(own) or not can_pass(len(own), draws, alpha):
        return False
    return rejected > 0 or bool((own["n"] >= FEW_SYSTEMS).any())


def cautions(fits: pd.DataFrame, draws: Draws, alpha: float) -> tuple[str, ...]:
    """Return the cautions on the rejections: sentences without a period."""
    tested = fits[fits["ad_p"].notna()].groupby("scheme", sort=False).size()
    found = []
    short = tested[[not can_pass(int(number), draws, alpha) for number in tested]]
    if len(short):
        most = int(short.max())
        whom = (
            "no distribution"
            if len(short) == len(tested)
            else "none of " + ", ".join(map(scheme_label, short.index))
        )
        least = 1 / (draws.most + 1)
        found.append(
            f"{whom} can be rejected, whatever the scores are: with at most {draws.most} "
            f"resamples per topic, the smallest possible p value is {least:.3g}, and "
            f"{min(most * least, 1):.3g} after Holm's correction over {_topics(most)}; "
            f"rejection at {written(alpha)} needs a maximum of {resamples_to_pass(most, alpha)} "
            "or more, or no maximum"
        )
    topics = fits[fits["fitted"]].drop_duplicates("topic")
    few = topics.loc[topics["n"] < FEW_SYSTEMS, "n"]
    if len(few):
        n = int(few.max())
        sentence = (
            f"{_topics(len(few))} of {len(topics):,} {'has' if len(few) == 1 else 'have'} "
            f"{'' if few.min() == n else 'at most '}{counted(n, 'score')}, fewer than "
            f"{FEW_SYSTEMS}: so few scores can hardly distinguish one distribution from another"
        )
        if len(tested):
            most = int(tested.max())
            sentence += (
                f", and a distribution that is not rejected may be wrong; with {n} scores, the "
                "power of a test of normal against an exponential distribution is "
                f"{_share(detected(n, alpha))} at {written(alpha)}"
            )
            if most > 1:
                corrected = _share(detected(n, alpha / most))
                sentence += f", and {corrected} after Holm's correction over {most} topics"
        found.append(sentence)
    return tuple(found)


def _share(value: float) -> str:
    return "less than 0.01" if value < 0.01 else f"{value:.2f}"


def diagnosed(
    scores: IntoFrame,
    how: How,
    schemes: Sequence[str | Scheme],
    extra_topics: ExtraTopics,
    **settings: Any,
) -> Diagnosis:
    """Diagnose factors, or else these schemes with the policies of a standardizer."""
    if isinstance(how, Factors):
        return diagnose_factors(scores, how, extra_topics=extra_topics, **settings)
    assert isinstance(how, Standardizer)
    return diagnose(
        scores,
        schemes,
        missing=how.missing,
        lower_is_better=how.lower_is_better,
        reflect_at=how.reflect_at,
        **settings,
    )


def diagnose_factors(
    scores: IntoFrame,
    factors: Factors,
    *,
    extra_topics: ExtraTopics = "refuse",
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Diagnose how well published distributions fit the scores of other systems.

    The distribution F_t of each topic is used as it was fitted. The null hypothesis is that the
    scores of the new systems come from F_t. It is simple, since no parameter is estimated:
    each score is predicted by F_t, resamples are not fitted again, and AIC and BIC are -2 log L.

    Parameters
    ----------
    scores
        Topics x systems. The factors must have been fitted to other scores.
    factors
        A distribution for each topic, with its policies.
    extra_topics
        What to do with topics that have no factors: "refuse" (an error) or "drop".
    alpha, bootstrap, most, seed, jobs, progress
        As `diagnose` takes them.

    Raises
    ------
    SchemeError
        If the scheme of the factors is not a distribution, or a setting is out of range.
    FactorsError
        If the factors were fitted to these scores, in any order, or a topic has no factors, or
        `zero_inflated` factors of steps or lines do not state n.
    CdfscoreError
        For scores that `Factors.standardize` refuses.

    Notes
    -----
    The tests treat F_t as exact, although it was fitted to a sample of reference systems. The
    type I error is therefore above alpha. It increases with the number of new systems and
    decreases with the number of reference systems. Empirical and kernel are not tested, because
    they follow the reference scores.

    `fits` has a reason instead of numbers for topics that are constant in the reference, topics
    with one score or none, and unfitted topics. Cautions are those of `Factors.standardize` and
    `diagnose`, and one on systems that have the name of a reference system.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> factors = Standardizer("normal").fit(scores.iloc[:, ::2])
    >>> found = diagnose_factors(scores.iloc[:, 1::2], factors, bootstrap=99)
    >>> found.summary[["scheme", "topics", "fitted", "tested"]]
       scheme  topics  fitted  tested
    0  normal      20      20      20
    """
    check_extra(extra_topics)
    scheme = factors.fitted.scheme
    distributions([scheme])
    if factors.n is None and isinstance(scheme, ZeroInflated) and scheme.degree_between in (0, 1):
        raise FactorsError(
            f"{factors!r} do not say how many reference scores each topic has, which decides the "
            "PIT of steps and lines; expected factors with n"
        )
    settings = Settings.of(alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, jobs=jobs)
    found = factors.standardize_matrix(ScoreMatrix.of(scores), extra_topics=extra_topics)
    if found.fitted_to == "these scores":
        raise FactorsError(
            f"{factors!r} were fitted to these scores, so that every test would be too "
            "favorable; expected scores of other systems, or diagnose with the scheme"
        )
    # Of scores that are partly the same, `_seen_before` tells.
    used = "" if _common_systems(found) else f" to {found.fitted_to}"
    return assembled(
        partial(_tasks, found),
        [scheme],
        found.used,
        settings,
        factors.missing,
        told=[*_seen_before(found), *found.cautions],
        notes=[
            f"{scheme_label(str(scheme))} is used as it was fitted{used}, and treated as exact; "
            "with few reference scores, it may be rejected because of its sampling error",
            *(note for note in found.notes if note not in found.cautions),
        ],
        progress=progress,
        seconds=_DRAWN,
        scored=found.given.frame,
    )


def _common_systems(found: Standardized) -> list[str]:
    reference = set(found.factors.systems or ())
    return [system for system in found.given.systems if system in reference]


def _seen_before(found: Standardized) -> list[str]:
    common = _common_systems(found)
    if not common:
        return []
    number = f"{len(common)} of {len(found.given.systems)} systems"
    return [
        f"{number} ({kept(*common)}) {'has' if len(common) == 1 else 'have'} the name of a "
        "reference system: if the factors were fitted to these scores, every test is too favorable"
    ]


def _tasks(found: Standardized, written: Resolution, draws: Draws) -> list[Task]:
    factors, matrix = found.factors, found.used
    scheme = factors.fitted.scheme
    place = {topic: row for row, topic in enumerate(factors.topics)}
    constant = set(factors.constant_topics)
    counts = np.count_nonzero(~np.isnan(matrix.values), axis=1).tolist()
    rough = _are_rough(factors)
    tasks: list[Task] = []
    for row, (topic, n) in enumerate(zip(matrix.topics, counts, strict=True)):
        if topic in factors.unfitted_topics:
            reason = factors.unfitted_topics[topic]
        elif topic in constant:
            reason = "all its reference scores are equal"
        elif n < 2:
            reason = "there is only one score" if n else "there is no score"
        else:
            scores = matrix.values[row][~np.isnan(matrix.values[row])]
            fitted = factors.fitted.take(np.array([place[topic]]))
            number = None if factors.n is None else int(factors.n[place[topic]])
            known = Known(number, bool(rough[place[topic]]))
            tasks.append(partial(examine, fitted, scores, written, draws, topic, known))
            continue
        tasks.append(partial(not_fitted, scheme, topic, n, reason, topic in constant or n < 2))
    return tasks


def _are_rough(factors: Factors) -> BoolArray:
    scheme, rough = factors.fitted.scheme, np.zeros(len(factors.topics), np.bool_)
    if scheme.free_parameters is not None:
        return rough
    if "sample" in (scheme.component or scheme).parameter_names():
        return ~rough
    if factors.n is not None:  # of a scheme that has another name for them
        for values in factors.fitted.parameters.values():
            rough |= (count(values)[:, 0] == factors.n) & (factors.n > 1)
    return rough


def diagnose(
    scores: IntoFrame,
    schemes: Sequence[str | Scheme] = USUAL,
    *,
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    missing: MissingPolicy = "raise",
    lower_is_better: AnyLowerIsBetter = (),
    reflect_at: float = 0.0,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Diagnosis:
    """Diagnose how well distributions fit the scores of each topic.

    A score x with resolution d represents a true score in (x - d/2, x + d/2], and has probability
    F(x + d/2) - F(x - d/2). So the same likelihood, computed from the cdf, compares densities and
    distributions with point masses; see `cdfscore.diagnosis.criteria`.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind; the tables of the result are of pandas.
    schemes
        Distributions, or their spellings. If not given, normal, uniform and empirical (N-std,
        U-std, E-std), and kernel, a smooth form of E-std. All of these can be fitted to scores of
        any range.
    alpha
        The level of the tests, and of the conclusions in `summary` and `verdict`.
    bootstrap
        Resamples for each topic, B; 0 for no tests. B is not an upper limit: if p is near the
        smallest possible value, about 2 topics / alpha resamples are drawn, so that p can stay
        below alpha after Holm's correction; see `Draws`. About 20,000 resamples of normal are
        fitted in a second. If a distribution is wrong on all of 249 topics, 9,999 resamples of each
        are drawn: about 2 minutes for normal, 6 for beta, 20 to 30 for mixture and logspline.
    most
        Maximum number of resamples of a topic, at least B; None for as many as Holm's correction
        needs. No p value is less than 1 / (most + 1), so that with few resamples and many topics
        none can be rejected after correction. The notes then say how many resamples are needed.
    seed
        Seed of the resamples. Their uniform numbers depend on it and the topic's label alone;
        their number depends on the number of topics and on alpha.
    missing
        "raise", "omit", "zero" or "drop_topic"; see
        `cdfscore.standardization.policies.check_missing`.
    lower_is_better, reflect_at
        Topics on which lower is better, or True for all, and the number that their scores are
        reflected at, if not 0, for negated scores; as `Standardizer` takes them. Distributions
        are fitted to the reversed scores.
    jobs
        Threads; None is the calling one. The numbers do not depend on it.
    progress
        Function called after each topic with the number of topics done and the total, over
        all schemes.

    Raises
    ------
    SchemeError
        If there is no scheme, or a scheme is unknown, given twice or not a distribution; if
        alpha, bootstrap, most, seed or jobs is out of range; if negated scores are
        outside of the domain of a distribution.
    ScoresError
        If the scores are not a score matrix, or if no topic has a label of `lower_is_better`.
    MissingScoreError
        If a score is missing and missing="raise".

    Notes
    -----
    A topic whose scores are all equal is uninformative and is not diagnosed; so is one with a
    single score or, after missing="omit", none. All these are counted as constant. For an
    unfitted topic, `fits` has the reason in place of numbers.

    Warns by `CdfscoreWarning`, as `notes` do, if the tests of fit cannot reject with so few
    resamples, or have little power with fewer than 10 scores on a topic; of scores on another
    scale than the rest; and of a topic or system that may be a summary of the others.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:5]
    >>> found = diagnose(scores, ["normal", "exponential"], bootstrap=99)
    >>> found.summary[["scheme", "fitted", "crps_wins", "crps_rank"]]
            scheme  fitted  crps_wins  crps_rank
    0       normal       5          5          1
    1  exponential       5          0          2
    """
    chosen = distributions(schemes)
    settings = Settings.of(alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, jobs=jobs)
    policies.check_missing(missing)
    lower, at = policies.check_direction(lower_is_better, reflect_at, *chosen)
    given = ScoreMatrix.of(scores)
    policies.check_labels(lower, given.topics, given.systems)
    matrix = policies.settled(given, "scores", missing, lower, at)
    doubts = given.doubts(policies.reversed_topics(lower, given.topics), reference=True)
    values, topics = matrix.values, list(matrix.topics)
    found = assembled(
        lambda *how: [each for own in chosen for each in tasks_of(own, values, topics, *how)],
        chosen,
        matrix,
        settings,
        missing,
        told=[*(each.sentence for each in doubts), *mixed_scales(given, lower)],
        notes=[
            *notes_of(given.frame),
            *policies.notes(lower, at, matrix.topics),
            *_notes(given, matrix, missing),
            *traces(member for each in chosen for member in each.members),
        ],
        progress=progress,
        # One simulation is for all topics, or the fit follows the sample and is not tested.
        seconds=sum(
            each.seconds_to_fit
            for each in chosen
            if not each.location_scale and "sample" not in each.parameter_names()
        ),
        scored=given.frame,
    )
    if len(chosen) > 1:
        return found
    how = Standardizer(
        chosen[0], missing=missing, unfitted="nan", lower_is_better=lower, reflect_at=at
    )
    return replace(found, standardized=partial(how.standardize, given.frame))


def _notes(given: ScoreMatrix, kept: ScoreMatrix, missing: MissingPolicy) -> tuple[str, ...]:
    topics = set(kept.topics)
    dropped = [topic for topic in given.topics if topic not in topics]
    absent = 0 if missing == "drop_topic" else given.missing()
    return (*dropped_notes(dropped), *missing_notes(absent, missing))
