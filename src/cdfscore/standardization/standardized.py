"""Standardized scores, and factors: the fitted parameters of every topic, to apply to systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress, repeat
from typing import Any, Generic, Literal, get_args, overload

import numpy as np
import pandas as pd

from cdfscore.common.catalogue import origin, traces
from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted, each_in_units, named, part_of, worded
from cdfscore.errors import FactorsError, FitError, MissingScoreError, check_one_of
from cdfscore.scores import dataframes
from cdfscore.scores.results.names import (
    TWO_FORMS_OF_DCG,
    is_same_measure,
    is_with_base,
    name_of_page,
)
from cdfscore.showing import Shown
from cdfscore.standardization import cautions, policies
from cdfscore.standardization.policies import (
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    ScoreMatrix,
    UnfittedPolicy,
)
from cdfscore.stats.numerics.moments import single_pass_mean
from cdfscore.stats.numerics.multiples import denominators, exact_means, numerators
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Fitted

# --- Standardized scores, with means, counts and notes ---


# Whole numbers below this, and their sums, are exact in doubles.
_EXACT = 2.0**53


class MultiplesOfSystems:
    """Sums of scores as whole multiples of a resolution, added part by part; a row is a system."""

    def __init__(self, rows: int) -> None:
        self._q = np.ones(rows)
        self._sums, self._sizes, self._largest = np.zeros((3, rows))
        self._n = np.zeros(rows, dtype=np.int64)

    def add(self, scores: Array) -> None:
        """Add scores (rows, n), NaN where one is missing."""
        present = ~np.isnan(scores)
        self._n += present.sum(axis=1)
        rows = np.flatnonzero(~np.isnan(self._q))
        if not rows.size:
            return
        filled = np.where(present[rows], scores[rows], 0.0)
        largest = np.maximum(self._largest[rows], np.abs(filled).max(axis=1, initial=0.0))
        # A resolution that is too fine for the largest score so far does not count.
        q = denominators(np.column_stack([filled, self._largest[rows]]), self._q[rows])
        multiples = np.rint(filled * q[:, np.newaxis])
        widened = q / self._q[rows]
        self._sums[rows] = self._sums[rows] * widened + multiples.sum(axis=1)
        self._sizes[rows] = self._sizes[rows] * widened + np.abs(multiples).sum(axis=1)
        self._q[rows], self._largest[rows] = q, largest

    def settled(self, means: Array) -> Array:
        """Return `means`, with the same double for rows whose exact means are equal."""
        with np.errstate(invalid="ignore"):  # a row without a score, or without a resolution
            exact = self._sums / (self._q * self._n)
            whole = self._q * self._n
            known = (self._sizes < _EXACT) & (whole < _EXACT) & (self._n > 0)
        rows = np.flatnonzero(known)
        values, place = np.unique(exact[rows], return_inverse=True)
        low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
        np.minimum.at(low, place, means[rows])
        np.maximum.at(high, place, means[rows])
        found = means.copy()
        apart = rows[(low < high)[place]]
        found[apart] = exact[apart]
        return found


def with_ties(means: Array, scores: Array) -> Array:
    """Return the means of rows of scores, the same double for rows whose exact means are equal.

    A sum of decimals is rounded. The exact mean is known for rows that are whole multiples of a
    resolution; if two rows have the same and different `means`, both get it, rounded once.
    """
    multiples = MultiplesOfSystems(len(scores))
    with np.errstate(invalid="ignore"):  # infinite scores have no resolution
        multiples.add(scores)
    return multiples.settled(means)


#: The scores that a scheme was fitted to, in the words of a caption. Of factors that are fitted
#: already only a digest is known, and that of a part of the scores is another.
FittedTo = Literal["these scores", "scores not known to be these", "other scores"]


_WITHOUT_DIGEST = (
    "the file of factors has no digest of its content, so that a damaged number would not be "
    "detected; load and save the factors again to add one"
)


@dataclass(frozen=True, eq=False, repr=False)
class Standardized(Shown, Generic[dataframes.FrameT]):
    """Result of `Factors.standardize`: the scores, and what each policy changed.

    - `scores` are the standardized scores, topics x systems, and `means` the means of systems,
      in data frames of the kind of the given scores; `frame` has the scores in pandas.
    - `given` are the scores before the policies, and `used` the scores after them, reversed
      where lower is better, with the shape of `frame`.
    - `denominators` (topics, 1) are those of `counts`.
    - `reference` are the reference scores before the policies, None for factors that were fitted
      before. `fitted_to_known` is `fitted_to`, if it is known.
    - `extra_topics` were dropped because they have no factors; `left_out` are the topics that
      `without` omitted.

    Raises nothing itself; `Factors.standardize` lists the errors.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore import Standardizer
    >>> scores = pd.DataFrame({s: [i / 10] for i, s in enumerate("abcdefghij")}, index=["301"])
    >>> done = Standardizer("minmax").standardize(scores)
    >>> done.scores.loc["301", "c"].item(), done.means.loc["c", "mean"].item(), done.notes
    (0.22222222222222224, 0.22222222222222224, [])
    """

    factors: Factors
    given: ScoreMatrix
    used: ScoreMatrix
    frame: pd.DataFrame
    denominators: IntArray | None
    reference: ScoreMatrix | None = None
    fitted_to_known: FittedTo | None = None
    extra_topics: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    kind: dataframes.Kind[dataframes.FrameT] = dataframes.PANDAS

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray] | None:
        """Integer numerators (topics, systems) and denominators (topics, 1), if y is a count.

        This holds for E-std and other schemes with `denominators`; for the others it is None. A
        numerator is 0 where y is NaN.
        """
        if self.denominators is None:
            return None
        return numerators(self.frame.to_numpy(), self.denominators), self.denominators

    @cached_property
    def tie_sizes(self) -> tuple[Array, BoolArray] | None:
        """What the rounding errors of `frame` are relative to, and where scores are far from 0.

        None for raw scores and counts. Specified in compare.7.
        """
        fitted, own = self.factors.fitted, np.abs(self.frame.to_numpy())
        if not fitted.parameters or self.denominators is not None:
            return None
        x, y = self.used.values, own
        if self.reference is not None and self.reference is not self.given:
            fitted_on = self.factors.standardize_matrix(self.reference)
            rows = {topic: row for row, topic in enumerate(fitted_on.used.topics)}
            order = [rows[topic] for topic in self.used.topics]
            x, y = fitted_on.used.values[order], np.abs(fitted_on.frame.to_numpy()[order])
        if fitted.scheme.is_cdf:
            with np.errstate(over="ignore"):
                width = np.fmax.reduce(x, axis=1) - np.fmin.reduce(x, axis=1)
            far = np.fmax.reduce(np.abs(x), axis=1) / np.where(width > 0, width, np.inf)
            growth = np.clip(far / 32, 1.0, 2.0**22)[:, np.newaxis]
            own = np.maximum(own, 2.0**-958)  # R's pnorm is 0 below 4.6e-308
            return own * (1 - np.log(own)) * growth, np.broadcast_to(growth > 1, own.shape)
        largest = np.fmax.reduce(y, axis=1, keepdims=True)
        fits = [self.factors._rows.get(topic, -1) for topic in self.used.topics]
        places = np.flatnonzero(np.greater_equal(fits, 0))
        at_zero = np.zeros((len(fits), 1))  # F(0)
        at_zero[places] = np.abs(fitted.take(np.take(fits, places))(np.zeros((len(places), 1))))
        error = np.where(np.isfinite(at_zero), at_zero, 0.0) / 32
        if self.reference is not None:  # less on a topic of rounding errors alone
            error = np.where(largest > 0, np.fmin(error, 2.0**22 * largest), error)
        return np.fmax(np.fmax(own, largest), error), error > np.fmax(own, largest)

    @cached_property
    def scores(self) -> dataframes.FrameT:
        """The standardized scores, topics x systems, NaN (or null) where one is missing."""
        return self.kind.given_back(self.frame)

    @cached_property
    def means(self) -> dataframes.FrameT:
        """The mean of each system and its number of topics: columns ``mean`` and ``topics``.

        The systems are the index, or the first column, ``system``, of kinds without an index.
        Means of E-std are exact fractions, rounded once, so that tied systems are tied. Other
        means are summed in order and in extended precision, as in R's ``colMeans``. Where R's
        rounding breaks a tie of systems whose scores are whole multiples of a resolution, such
        as P@10, these systems have their exact mean, rounded once.
        """
        return self.kind.given_back(self.frame_of_means)

    @cached_property
    def frame_of_means(self) -> pd.DataFrame:
        """The same as `means`, always as pandas."""
        y = self.frame.to_numpy()
        present = ~np.isnan(y)
        if self.denominators is None:
            means = with_ties(self._added_means, y.T)
        else:
            means = exact_means(y, self.denominators)
        topics = np.count_nonzero(present, axis=0)
        columns = self.frame.columns
        return pd.DataFrame({"mean": means, "topics": topics}, index=columns).rename_axis("system")

    @cached_property
    def _added_means(self) -> Array:
        y = self.frame.to_numpy()
        with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics make NaN
            return single_pass_mean(np.ascontiguousarray(y.T))[:, 0]

    @property
    def has_exact_means(self) -> bool:
        """True if a mean is an exact fraction, rounded once, and not a sum as in R."""
        if self.denominators is not None:
            return True
        means = self.frame_of_means["mean"].to_numpy()
        return not np.array_equal(means, self._added_means, equal_nan=True)

    @cached_property
    def constant_topics(self) -> list[str]:
        """The topics of `scores` whose reference scores are all equal, also those dropped."""
        factors, there = self.factors, {*self.used.topics}
        if factors.constant != "drop_topic":
            return [topic for topic in factors.constant_topics if topic in there]
        own = {*factors.constant_topics}
        if not factors.fitted.parameters:  # of raw scores they are among those dropped in the fit
            reference = self.given if self.reference is None else self.reference
            gaps = np.isnan(reference.values).any(axis=1) & (factors.missing == "drop_topic")
            with_gaps = {reference.topics[row] for row in np.flatnonzero(gaps).tolist()}
            own |= {*factors.dropped} - with_gaps
        return [topic for topic in self.given.topics if topic in own and topic not in there]

    @cached_property
    def constant_around(self) -> Array:
        """What y is around the score of each constant topic; see `policies.around`."""
        row = self.factors._rows
        rows = [row[topic] for topic in self.constant_topics if topic in row]
        found = policies.around(
            self.factors.constant, self.factors.fitted.take(np.array(rows, int))
        )
        lower = policies.reversed_topics(self.factors.lower_is_better, self.constant_topics)
        if lower:  # an error of 0 is no score of a system that found nothing
            found[[topic in lower for topic in self.constant_topics], 0] = np.nan
        return found

    @property
    def notes_on_constant_topics(self) -> list[str]:
        """The note on constant topics, if there are any, with y there in numbers."""
        topics, how = self.constant_topics, (self.factors.constant, self.factors.fitted.scheme)
        return cautions.constant_notes(topics, self.constant_around, *how) if topics else []

    @cached_property
    def unfitted_topics(self) -> dict[str, str]:
        """The unfitted topics of `given`, each with the reason."""
        reasons = self.factors.unfitted_topics
        return {topic: reasons[topic] for topic in self.given.topics if topic in reasons}

    @cached_property
    def dropped_topics(self) -> list[str]:
        """The topics of `given` that ``missing="drop_topic"`` omitted."""
        kept = {*self.used.topics, *self.factors.unfitted_topics, *self.constant_topics}
        return [topic for topic in self.given.topics if topic not in kept]

    @cached_property
    def fitted_to(self) -> FittedTo:
        """The scores that the scheme was fitted to, as far as that is known."""
        if self.fitted_to_known is not None:
            return self.fitted_to_known
        if self.reference is self.given or self.factors.were_fitted_to(self.given):
            return "these scores"
        return "other scores" if self._is_of_others() else "scores not known to be these"

    def _is_of_others(self) -> bool:
        if self.reference is not None:
            return True
        factors, given = self.factors, self.given
        if factors.systems is None or factors.digest is None:
            return False
        if not set(given.systems) <= set(factors.systems):
            return True
        left_out = {*factors.dropped, *factors.unfitted_topics}
        if set(given.systems) < set(factors.systems):
            return False
        # Where topics were left out, the order of the reference is not known.
        kept = tuple(topic for topic in given.topics if topic not in left_out)
        same_topics = len(factors.topics) + len(left_out) == len(given.topics)
        return same_topics and (not left_out or kept == factors.topics)

    @property
    def topics_with_scores(self) -> tuple[str, ...]:
        """The topics on which a system has a standardized score."""
        return tuple(compress(self.used.topics, ~np.isnan(self.frame.to_numpy()).all(axis=1)))

    @cached_property
    def censored(self) -> dict[str, tuple[int, int]]:
        """The numbers of scores below and above the fitted distribution of each topic.

        Their standardized scores are 0 and 1, whatever their distance from its ends. Topics without
        such scores, and constant topics, are not in it. The distributions of U-std, for example,
        have ends: its scores are censored.
        """
        row = self.factors._rows
        fitted = [i for i, topic in enumerate(self.used.topics) if topic in row]  # nan: not all
        topics = [self.used.topics[i] for i in fitted]
        rows = np.array([row[topic] for topic in topics], dtype=np.intp)
        below, above = cautions.beyond_ends(
            self.factors.fitted.take(rows), self.used.values[fitted]
        )
        counts = zip(below.tolist(), above.tolist(), strict=True)
        return {topic: own for topic, own in zip(topics, counts, strict=True) if any(own)}

    @cached_property
    def absent_topics(self) -> list[str]:
        """The topics that have factors but no scores."""
        return self.factors.absent_from((*self.given.topics, *self.left_out))

    @property
    def topics_taken_as_zero(self) -> list[str]:
        """The topics that have no scores, and get scores of 0 by ``missing="zero"``."""
        return self.absent_topics if self.factors.missing == "zero" else []

    @property
    def units(self) -> tuple[str, str]:
        """What has the scores, and on what: ("model", "task") if their header says so."""
        return dataframes.units_of(self.given.frame)

    @cached_property
    def cautions(self) -> list[str]:
        """Sentences on results that are easy to misunderstand.

        They name topics or systems that may be summaries of the others, few reference systems,
        scores that are not on the scale of the reference scores or of the other scores, and
        topics that have factors but no scores, unless these are 0 by policy.
        """
        factors, reference = self.factors, self.reference
        raw = factors.fitted.scheme.keeps_unit
        lower = policies.reversed_topics(factors.lower_is_better, self.given.topics)
        own = self.fitted_to == "these scores"
        found = [each.sentence for each in self.given.doubts(lower, reference=own, raw=raw)]
        if reference is not None and not own:
            known = reference.doubts(factors.reversed_topics, reference=True)
            found += [f"in the reference, {each.sentence}" for each in known]
        elif not own:  # as they were saved
            again = "if it should not be there, fit the factors again without it"
            found += [f"in the reference, {each}; {again}" for each in factors.doubts]
        mixed = cautions.mixed_units if raw else cautions.mixed_scales
        found += mixed(self.given, factors.lower_is_better)
        found += policies.errors_as_scores(self.given, factors.lower_is_better)
        if factors.sets:
            found += self._cautions_on_sets()
        elif factors.fitted.parameters:  # of raw scores nothing is fitted
            n = factors.n
            count = int(n.max()) if n is not None else factors.systems and len(factors.systems)
            found += cautions.few_systems(count or None, factors.fitted.scheme)
            if self.fitted_to != "these scores":
                of_scale = list[str]()
                if factors.scale is not None:
                    topics = [*factors.topics, *factors.dropped, *factors.unfitted_topics]
                    part = cautions.topics_of_scale(self.given, factors.lower_is_better, topics)
                    of_scale = factors.scale.cautions(part.values, count or 1)
                if reference is not None and not of_scale:
                    of_scale = cautions.unlike_the_reference(self.given, reference)
                found += of_scale
        measure = dataframes.measure_of(self.given.frame)
        if reference is None and is_with_base(factors.measure) and not is_with_base(measure):
            of = f"the measure {measure}" if measure else "a measure that is not named"
            found.append(
                f"the factors are of {factors.measure}, and the scores of {of}: {TWO_FORMS_OF_DCG}"
            )
        if factors.missing != "zero" and self.absent_topics:
            reversed_there = policies.reversed_topics(factors.lower_is_better, self.absent_topics)
            zero = "" if reversed_there else "; the policy zero would take the absent scores as 0"
            found.append(
                f"{cautions.topics_are(self.absent_topics)} absent from the scores, so that means "
                f"are over {counted(len(self.used.topics), 'topic')}{zero}"
            )
        return each_in_units(self.units, found)

    def _cautions_on_sets(self) -> list[str]:
        found = []
        for each in self.factors.sets:
            topics = [*each.topics, *each.dropped, *each.unfitted_topics]
            given = self.given.take([topic in {*topics} for topic in self.given.topics])
            if given.topics and each.fitted.parameters:
                count = None if each.n is None else int(each.n.max())
                said = cautions.few_systems(count or None, each.fitted.scheme)
                if each.scale is not None:
                    own = cautions.topics_of_scale(given, each.lower_is_better, topics)
                    said += each.scale.cautions(own.values, count or 1)
                found += [f"on {named(given.topics)}, {caution}" for caution in said]
        return found

    @property
    def how(self) -> str:
        """How the scores were standardized, in the words of a caption; raw ones were not."""
        return cautions.standardized_by(self.factors.fitted.scheme)

    @property
    def reversed_topics(self) -> list[str]:
        """The topics on which lower is better, so that their scores are reversed."""
        return policies.reversed_topics(self.factors.lower_is_better, self.used.topics)

    @property
    def reversal(self) -> str:
        """How scores are treated where lower is better, "negated on every topic"; "" if nothing."""
        factors = self.factors
        return policies.change(factors.lower_is_better, factors.reflect_at, self.used.topics)

    @property
    def notes(self) -> list[str]:
        """Sentences on how files were read, on cautions, and on what the policies changed."""
        factors = self.factors
        notes = dataframes.notes_of(self.given.frame)
        if self.reference is not None and self.reference is not self.given:
            notes += dataframes.notes_of(self.reference.frame)
        notes = [*dict.fromkeys(notes), *self.cautions]
        notes += self._on_the_measure()
        if self.reference is None and factors.without_digest:  # of factors that were loaded
            notes.append(_WITHOUT_DIGEST)
        notes += policies.notes(factors.lower_is_better, factors.reflect_at, self.used.topics)
        if self.extra_topics:
            one = len(self.extra_topics) == 1
            have = "has no factors and is" if one else "have no factors and are"
            notes.append(f"{named(self.extra_topics)} {have} dropped")
        if zeros := self.topics_taken_as_zero:
            notes.append(f"{cautions.topics_are(zeros)} absent from the scores and taken as 0")
        notes += self.notes_on_constant_topics
        notes += cautions.unfitted_notes(self.unfitted_topics, factors.unfitted)
        notes += cautions.dropped_notes(self.dropped_topics)
        if factors.missing in ("zero", "omit"):
            if self.reference is not None and self.fitted_to != "these scores":
                notes += cautions.missing_notes(
                    self.reference.missing(), factors.missing, "reference score"
                )
            notes += cautions.missing_notes(self.given.missing(), factors.missing)
        fitted = factors.fitted_missing  # under "raise" none was missing
        if fitted not in (None, "raise", factors.missing) and self.given.missing():
            notes.append(
                f"the factors were fitted under the policy {factors.fitted_missing} for missing "
                f"scores, and {factors.missing} is used for these scores"
            )
        if factors.origin != factors.origin_here:
            notes.append(
                f"the factors were fitted by {factors.fitted.scheme.name} of {factors.origin}, and "
                f"here is that of {factors.origin_here or 'cdfscore'}"
            )
        notes += traces(factors.fitted.scheme.members)
        notes += cautions.undefined_notes(self.frame.to_numpy(), factors.fitted.scheme)
        return each_in_units(self.units, notes)

    def _on_the_measure(self) -> list[str]:
        own = dataframes.measure_of(self.given.frame)
        if self.reference is None:
            if self.factors.measure is not None:
                return [f"the factors are of the measure {self.factors.measure}"]
            return [] if own is None else [f"the factors name no measure; {own} is assumed"]
        theirs = dataframes.measure_of(self.reference.frame)
        if self.reference is self.given or (own is None) == (theirs is None):
            return []
        which = "scores" if own is None else "reference scores"
        return [f"the {which} name no measure; {own or theirs} is assumed"]

    def without(self, topics: Collection[str]) -> Standardized[dataframes.FrameT]:
        """Return the same without these topics and the notes on them."""
        known = (*self.given.topics, *self.used.topics, *self.extra_topics)
        if not any(topic in topics for topic in known):
            return self
        keep = np.array([topic not in topics for topic in self.used.topics])
        given = self.given.take([topic not in topics for topic in self.given.topics])
        used, frame = self.used.take(keep.tolist()), self.frame[keep]
        return replace(
            self,
            given=given,
            used=used,
            frame=frame,
            denominators=None if self.denominators is None else self.denominators[keep],
            fitted_to_known=self.fitted_to,  # the fit is still of all topics
            extra_topics=tuple(topic for topic in self.extra_topics if topic not in topics),
            left_out=frozenset({*self.left_out, *topics}),
        )

    def __repr__(self) -> str:
        topics, systems = self.frame.shape
        means = self.frame_of_means["mean"].dropna().sort_values(kind="stable")
        span = ""
        if len(means):
            worst, best = means.index[0], means.index[-1]
            span = f"; means {means.iloc[0]:.4f} ({worst}) to {means.iloc[-1]:.4f} ({best})"
        size = f"{counted(topics, 'topic')} x {counted(systems, 'system')}"
        return f"<{size} {self.how}{span}>"


# --- Factors: a scheme fitted to a set of topics ---


#: What to do with topics that have no factors.
ExtraTopics = Literal["refuse", "drop"]
#: The message where the policies leave nothing.
NO_TOPIC = (
    "no topic remains after topics with missing scores, constant topics and unfitted topics were "
    "dropped"
)
# What several sets of factors must have in common to be joined.
_THE_SAME = (
    *("scheme", "measure", "constant", "missing", "fitted_missing", "unfitted", "reflect_at"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Factors(Shown):
    """A scheme fitted to every topic, and the origin of the fit.

    - `fitted` has one row for each of `topics`; `n` are their numbers of reference scores.
    - `positions` is None, or the number of topics if the reference had no topic labels; then
      topics are matched by position.
    - `measure` is the name of the measure, and `systems` are the reference systems, if known.
    - `dropped` are the topics that ``missing="drop_topic"`` omitted, and those that
      ``constant="drop_topic"`` omitted of raw scores. `unfitted_topics` are the
      topics that the scheme could not be fitted to, each with the reason.
    - `digest` is the digest of the reference scores before the policies.
    - `fitted_missing` is the policy for missing reference scores, and `missing` the policy for
      scores to standardize.
    - On the topics of `lower_is_better` (True: on all), the scores were reversed before the fit,
      as `Standardizer` describes with `reflect_at`. Do not change these two.
    - `scale` is the range and the grid of the reference scores before they are reversed, to
      detect scores on another scale. It is of the topics on which higher is better, if there
      are any.
    - `without_digest` is True for a JSON file without a digest of its content.
    - `origin` is the package of a scheme that does not come with cdfscore, as it was at the fit.
    - `doubts` are sentences on reference systems that may be in disorder, such as one that has the
      same score on every topic.
    - `units` are the words of the reference scores: ("model", "task") if their header says so.
    - `sets` are those that `joined` made these factors of.

    Entries that a published file lacks are None. To change a policy, use
    ``dataclasses.replace(factors, missing="omit")``; the fit does not change.

    Raises `SchemeError` for an unknown policy, or one that is not defined for the scheme,
    `ScoresError` if no topic has a label of `lower_is_better`, `ConstantTopicError` under
    ``constant="raise"`` for a constant topic, and `FitError` under ``unfitted="raise"`` for an
    unfitted topic.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore import Standardizer
    >>> scores = pd.DataFrame({"a": [0.1], "b": [0.2], "c": [0.3]}, index=["301"])
    >>> factors = Standardizer("normal").fit(scores, measure="AP")
    >>> factors
    <factors of AP by normal for topic '301'>
    >>> factors.transform(scores).round(4)
                a    b       c
    topic
    301    0.1587  0.5  0.8413
    """

    fitted: Fitted
    topics: tuple[str, ...]
    n: IntArray | None = None
    constant: ConstantPolicy = "limit"
    missing: MissingPolicy = "raise"
    unfitted: UnfittedPolicy = "raise"
    measure: str | None = None
    systems: tuple[str, ...] | None = None
    digest: str | None = None
    positions: int | None = None
    dropped: tuple[str, ...] = ()
    unfitted_topics: Mapping[str, str] = field(default_factory=dict)
    fitted_missing: MissingPolicy | None = None
    lower_is_better: LowerIsBetter = ()
    reflect_at: float = 0.0
    scale: cautions.Scale | None = None
    without_digest: bool = False
    origin: str = ""
    doubts: tuple[str, ...] = ()
    units: tuple[str, str] = ("system", "topic")
    sets: tuple[Factors, ...] = ()
    _rows: dict[str, int] = field(init=False)
    _left_out: set[str] = field(init=False)  # by the policies

    def __post_init__(self) -> None:
        if self.measure is not None and not (
            isinstance(self.measure, str) and self.measure.strip()
        ):
            raise FactorsError(
                f"measure={self.measure!r} is not accepted; expected text such as AP, or None"
            )
        policies.check_constant(self.constant, self.fitted.scheme)
        policies.check_missing(self.missing)
        if self.fitted_missing is not None:
            policies.check_missing(self.fitted_missing)
        policies.check_unfitted(self.unfitted)
        policies.check_direction(self.lower_is_better, self.reflect_at, self.fitted.scheme)
        of_the_fit = (*self.topics, *self.dropped, *self.unfitted_topics)
        policies.check_labels(self.lower_is_better, of_the_fit, self.systems or ())
        object.__setattr__(self, "origin", self.origin or self.origin_here)
        object.__setattr__(self, "_rows", {topic: i for i, topic in enumerate(self.topics)})
        constant = self.constant_topics if self.constant in ("raise", "drop_topic") else []
        unfitted = self.unfitted_topics if self.unfitted == "drop_topic" else ()
        object.__setattr__(self, "_left_out", {*self.dropped, *unfitted, *constant})
        if self.constant == "raise" and constant:
            raise policies.constant_refused(
                f"topic {constant[0]!r}: all its reference scores are equal (constant topics: "
                f"{len(constant)})",
                self._rows[constant[0]],
            )
        if self.unfitted == "raise" and self.unfitted_topics:
            topic, reason = next(iter(self.unfitted_topics.items()))
            raise FitError(f"topic {topic!r}: {reason}")

    @property
    def constant_topics(self) -> list[str]:
        """The constant topics: those whose reference scores are all equal."""
        constant = np.broadcast_to(self.fitted.constant, (len(self.topics),))
        return list(compress(self.topics, constant))

    @property
    def origin_here(self) -> str:
        """The package of the scheme in this process, as `origin` has that of the fit."""
        own = (origin(member.__module__) for member in self.fitted.scheme.members)
        return "; ".join(dict.fromkeys(filter(None, own)))

    @overload
    def transform(
        self, scores: dataframes.IntoDataFrameT, *, extra_topics: ExtraTopics = "refuse"
    ) -> dataframes.IntoDataFrameT: ...
    @overload
    def transform(
        self, scores: dataframes.IntoLazyFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Any: ...
    def transform(
        self, scores: dataframes.IntoFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Any:
        """Standardize `scores`, topics x systems; topics are matched by their labels.

        The result is a data frame of the kind of `scores`, with their topics and systems, and with
        NaN (or null) for missing scores, and for unfitted topics under ``unfitted="nan"``. A kind
        without an index has the topics as the first column, ``topic``. Arguments and errors are
        those of `standardize`.
        """
        return self.standardize(scores, extra_topics=extra_topics).scores

    @overload
    def standardize(
        self, scores: dataframes.IntoDataFrameT, *, extra_topics: ExtraTopics = "refuse"
    ) -> Standardized[dataframes.IntoDataFrameT]: ...
    @overload
    def standardize(
        self, scores: dataframes.IntoLazyFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Standardized[Any]: ...
    def standardize(
        self, scores: dataframes.IntoFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Standardized[Any]:
        """Standardize `scores`, topics x systems; return scores, counts, means and notes.

        The notes name the topics that have factors but no scores. Under ``missing="zero"`` each
        system has a score of 0 on them, as by ``trec_eval -c``, and the result has them after the
        others. `extra_topics` is the policy for topics that have no factors: "refuse" (an error)
        or "drop".

        Raises `ScoresError` if `scores` is not a score matrix, `MissingScoreError` under
        ``missing="raise"``, and `FactorsError` for a topic that has no factors, and for scores
        whose file names another measure than `measure`. Warns of results that are easy to
        misunderstand, such as scores on another scale; see `Standardized.cautions`.
        """
        check_extra(extra_topics)
        frame, kind = dataframes.taken(scores)
        given = ScoreMatrix.of(frame)
        found = self.standardize_matrix(given, extra_topics=extra_topics, kind=kind)
        warn_of(found.cautions)
        return found

    @worded()
    def standardize_matrix(
        self,
        given: ScoreMatrix,
        reference: ScoreMatrix | None = None,
        *,
        extra_topics: ExtraTopics = "refuse",
        kind: dataframes.Kind[Any] = dataframes.PANDAS,
    ) -> Standardized[Any]:
        """Standardize a checked matrix; `reference` is the matrix of the fit, if known."""
        self._check(given, "factors are" if reference is None else "reference is")
        extra = self._extra(given.topics) if extra_topics == "drop" else ()
        if extra:
            if len(extra) == len(given.topics):
                raise FactorsError(self._without_factors(given.topics, extra))
            dropped = set(extra)
            given = given.take([topic not in dropped for topic in given.topics])
        x = self._kept(given)
        if x.topics == self.topics:
            places = np.arange(len(x.topics))
        else:
            places = np.fromiter(map(self._rows.get, x.topics, repeat(-1)), np.int64)
        rows = np.flatnonzero(places >= 0)
        every = len(rows) == len(places)
        fitted = self.fitted if x.topics == self.topics else self.fitted.take(places[rows])
        values = x.values if every else x.values[rows]
        y = policies.evaluate(self.constant, fitted, values)
        denominators = policies.denominators(self.constant, fitted)
        if not every:  # unfitted topics under unfitted="nan"
            y = _spread(y, rows, len(places), np.nan)
            if denominators is not None:
                denominators = _spread(denominators, rows, len(places), 1)
        frame = pd.DataFrame(y, index=x.frame.index, columns=x.frame.columns)
        # Such as labels that are no summaries.
        dataframes.remember(frame, **{**dataframes.remembered(given.frame), "standardized": True})
        found = self, given, x, frame, denominators, reference
        return Standardized(*found, extra_topics=extra, kind=kind)

    def joined(self, *others: Factors) -> Factors:
        """Return one set of factors for the topics of several sets, as of several collections.

        y on a topic does not change. The systems are those of all sets; what only one fit has, as
        the digest of its scores, is None.

        Raises `FactorsError` if the sets are not of the same scheme, policies and measure, or if a
        topic is in two sets or has no label. Specified in factors.5.

        Examples
        --------
        >>> from cdfscore import Standardizer, datasets
        >>> ap, normal = datasets.load_cranfield("ap"), Standardizer("normal")
        >>> normal.fit(ap[:100]).joined(normal.fit(ap[100:]))
        <factors of AP by normal for 225 topics, '1' to '225'>
        """
        sets = (self, *others)
        if not all(isinstance(each, Factors) for each in sets):
            raise FactorsError(f"others has {others!r}; expected sets of factors")
        reflected = [e for e in sets if policies.reversed_topics(e.lower_is_better, e.topics)]
        for name in _THE_SAME:
            own = reflected if name == "reflect_at" else sets
            values = [getattr(each.fitted if name == "scheme" else each, name) for each in own]
            if any(value != values[0] for value in values):
                told = dict.fromkeys(f"no {name}" if v is None else f"{name} {v}" for v in values)
                raise FactorsError(
                    f"factors with {' and '.join(told)} cannot be joined; expected the same"
                )
        if any(each.positions is not None for each in sets):
            raise FactorsError("factors without labels of topics cannot be joined; expected labels")
        of_fits = [(*e.topics, *e.dropped, *e.unfitted_topics) for e in sets]
        times = Counter(topic for each in of_fits for topic in each)
        if twice := [topic for topic, number in times.items() if number > 1]:
            raise FactorsError(
                f"{cautions.topics_are(twice)} in two sets of factors; expected different topics "
                "in each"
            )
        scales = [each.scale for each in sets if each.scale is not None]
        known = all(each.systems is not None for each in sets)
        parameters = dict[str, Array]()
        for name in self.fitted.parameters:  # with NaN where a set has fewer columns
            of_sets = [pd.DataFrame(each.fitted.parameters[name]) for each in sets]
            parameters[name] = np.ascontiguousarray(pd.concat(of_sets).to_numpy())
        return replace(
            self,
            fitted=Fitted(self.fitted.scheme, parameters),
            topics=tuple(topic for each in sets for topic in each.topics),
            n=None if any(e.n is None for e in sets) else np.concatenate([e.n for e in sets]),
            systems=tuple(dict.fromkeys(chain(*(e.systems or () for e in sets))))
            if known
            else None,
            digest=None,
            dropped=tuple(topic for each in sets for topic in each.dropped),
            unfitted_topics={t: why for each in sets for t, why in each.unfitted_topics.items()},
            lower_is_better=tuple(
                topic
                for each in sets
                for topic in policies.reversed_topics(each.lower_is_better, each.topics)
            ),
            scale=cautions.Scale(min(e.low for e in scales), max(e.high for e in scales))
            if len(scales) == len(sets)
            else None,
            reflect_at=reflected[0].reflect_at if reflected else 0.0,
            without_digest=any(each.without_digest for each in sets),
            doubts=tuple(dict.fromkeys(doubt for each in sets for doubt in each.doubts)),
            sets=tuple(own for each in sets for own in each.sets or (each,)),
        )

    @property
    def number_of_systems(self) -> str:
        """The number of the systems that were fitted, of each set; "" if it is not known."""
        names: list[Any] = [each.systems for each in self.sets or (self,)]
        if None in names:
            return ""
        *first, last = map(len, dict.fromkeys(map(frozenset, names)))
        return "".join(map("{:,} and ".format, first)) + counted(last, "system")

    def were_fitted_to(self, reference: ScoreMatrix) -> bool | None:
        """Tell whether these are the reference scores; None if it is not known.

        The order of topics and systems does not matter, unless the fit omitted topics.
        """
        if self.digest is None:
            return None
        systems = () if self.systems is None else self.systems
        other = set(systems) != set(reference.systems)
        if other and systems:
            return False
        if self.digest == reference.digest():
            return True
        return not other and self.digest == reference.in_order(self.topics, systems).digest()

    @property
    def reversed_topics(self) -> list[str]:
        """The topics on which lower is better."""
        return policies.reversed_topics(self.lower_is_better, self.topics)

    @property
    def reversal(self) -> str:
        """How scores are treated where lower is better, "negated on every topic"; "" if nothing."""
        return policies.change(self.lower_is_better, self.reflect_at, self.topics)

    def absent_from(self, topics: Sequence[str]) -> list[str]:
        """Return the topics of the factors that are not among `topics`."""
        own = (*self.topics, *(self.unfitted_topics if self.unfitted == "nan" else ()))
        absent = set(own).difference(topics, self._left_out)
        return [] if self.positions is not None else list(filter(absent.__contains__, own))

    def _extra(self, topics: Sequence[str]) -> tuple[str, ...]:
        if topics == self.topics:
            return ()
        extra = set(topics).difference(self._rows, self.unfitted_topics, self.dropped)
        return tuple(topic for topic in topics if topic in extra) if extra else ()

    def _kept(self, given: ScoreMatrix) -> ScoreMatrix:
        """Return the scores to standardize: those of topics that no policy leaves out."""
        absent = self.absent_from(given.topics) if self.missing == "zero" else []
        if lower := policies.reversed_topics(self.lower_is_better, absent):
            raise MissingScoreError(
                f"the scores lack topic {lower[0]!r}, and lower is better on it: missing='zero' "
                "would give every system the best score; use another policy, or add scores of the "
                "topic"
            )
        how = self.missing, self.lower_is_better, self.reflect_at
        kept = policies.settled(given, "scores", *how)
        if absent:
            values = np.concatenate([kept.values, np.zeros((len(absent), len(kept.systems)))])
            every = (*kept.topics, *absent)
            index = pd.Index(every, dtype=str, name="topic")
            frame = pd.DataFrame(values, index=index, columns=kept.frame.columns)
            kept = replace(kept, frame=frame, values=values, topics=every)
        if self._left_out:
            kept = kept.take([topic not in self._left_out for topic in kept.topics])
        if extra := self._extra(kept.topics):
            raise FactorsError(self._without_factors(kept.topics, extra))
        if not kept.topics:
            raise FactorsError(NO_TOPIC)
        return kept

    def _check(self, given: ScoreMatrix, these: str) -> None:
        theirs, own = dataframes.measure_of(given.frame), self.measure
        if theirs is not None and own is not None and not is_same_measure(theirs, own):
            advice = "if these are two names of one measure, use one of them"
            if any(is_with_base(name_of_page(each)) for each in (theirs, own)):
                advice = TWO_FORMS_OF_DCG
            for one, other in ((theirs, own), (own, theirs)):
                if one.startswith("Z") and is_same_measure(one[1:], other):
                    advice = f"{one} is {other} that trec_eval -Z has standardized"
            raise FactorsError(
                f"the scores are of the measure {theirs} and the {these} of {own}; expected the "
                f"same measure ({advice})"
            )
        if not given.labelled and self.positions is None:
            raise FactorsError(
                "the scores have no topic labels, but the factors have; expected a topic column "
                f"with labels such as {self.topics[0]!r}"
            )
        if not given.labelled and self.positions != len(given.topics):
            raise FactorsError(
                f"the scores have {counted(len(given.topics), 'topic')} without labels, and the "
                f"factors were fitted to {self.positions}; expected the same number, or labels in "
                "both"
            )
        if given.labelled and self.positions is not None:
            raise FactorsError(
                "the scores have topic labels and the factors were fitted to topics without; "
                "expected labels in both or in neither"
            )

    def _without_factors(self, topics: Sequence[str], extra: Sequence[str]) -> str:
        have = "has" if len(extra) == 1 else "have"
        advice = "say extra_topics='drop' to omit such topics"
        if len(extra) == len(topics):
            advice = "expected topics with the same labels"
        return (
            f"{part_of(len(extra), len(topics), 'topic')} {have} no factors, such as "
            f"{extra[0]!r}; there are factors for {self._span()}; {advice}"
        )

    def _span(self) -> str:
        if len(self.topics) == 1:
            return f"topic {self.topics[0]!r}"
        return f"{len(self.topics)} topics, {self.topics[0]!r} to {self.topics[-1]!r}"

    def __repr__(self) -> str:
        measure = f" of {self.measure}" if self.measure else ""
        lower = policies.reversed_topics(self.lower_is_better, self.topics)
        reversed_on = f", lower is better on {len(lower)} of them" if lower else ""
        return f"<factors{measure} by {self.fitted.scheme} for {self._span()}{reversed_on}>"


def check_extra(extra_topics: str) -> None:
    """Raise `FactorsError` for an unknown policy for topics that have no factors."""
    check_one_of("extra_topics", extra_topics, get_args(ExtraTopics), FactorsError)


def _spread(found: Any, rows: IntArray, size: int, fill: float) -> Any:
    """Put rows into an array of `size` rows; the other rows are filled."""
    spread = np.full((size, found.shape[1]), fill, dtype=found.dtype)
    spread[rows] = found
    return spread


# Characters of a digest in a caption: "sha256:" and as many as tell files apart.
_DIGEST = len("sha256:") + 12


def reference_of(found: Standardized) -> str:
    """Return the number of the systems that a scheme was fitted to, and the digest."""
    factors = found.factors
    if not factors.fitted.parameters:  # raw scores
        return ""
    digest = "" if factors.digest is None else factors.digest[:_DIGEST]
    return ", ".join(filter(None, [factors.number_of_systems, digest]))
