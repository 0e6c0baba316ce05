"""Standardized scores, with means, counts and notes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal

import numpy as np

from cdfscore.io.results.names import TWO_FORMS_OF_DCG, is_with_base
from cdfscore.io.scores.cautions import sentences
from cdfscore.io.scores.kinds import PANDAS, FrameT, Kind
from cdfscore.io.scores.memory import measure_of
from cdfscore.io.text import counted
from cdfscore.numerics.exact_mean import exact_means, numerators
from cdfscore.numerics.moments import single_pass_mean
from cdfscore.numerics.multiples import denominators
from cdfscore.numerics.types import Array, IntArray
from cdfscore.showing import Shown
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import (
    constant_notes,
    dropped_notes,
    listed,
    missing_notes,
    named,
    standardized_by,
    undefined_notes,
    unfitted_notes,
)
from cdfscore.standardization.policies import constant, direction
from cdfscore.standardization.reference_systems import (
    beyond_ends,
    few_systems,
    unlike_the_reference,
)
from cdfscore.standardization.scale import mixed_scales, mixed_units, topics_of_scale

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.factors import Factors


# Whole numbers below this, and their sums, are exact in doubles.
_EXACT = 2.0**53


class MultiplesOfSystems:
    """Sums of scores as whole multiples of a resolution, added part by part.

    A row is a system. Its `q` is NaN if a score is not a multiple of a resolution.
    """

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

    A sum of decimals is rounded, so that two equal means may differ in the last digit. The exact
    mean is known for rows that are whole multiples of a resolution. If two rows have the same
    exact mean and different `means`, both get the exact mean, rounded once. Other rows do not
    change. Shapes (rows,) and (rows, n), NaN where a score is missing.

    >>> with_ties(np.array([0.2, 0.20000000000000004, 0.3]),
    ...           np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.3]]))
    array([0.2, 0.2, 0.3])
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
class Standardized(Shown, Generic[FrameT]):
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
    >>> done = Standardizer("empirical").standardize(scores)
    >>> done.scores.loc["301", "c"].item(), done.means.loc["c", "mean"].item(), done.notes
    (0.3, 0.3, [])
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
    kind: Kind[FrameT] = PANDAS

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
    def tie_sizes(self) -> Array | None:
        """What the rounding error of each score is relative to, or None; specified in compare.7.

        It is None for raw scores and counts, which have no rounding errors. Under a cdf it is the
        score itself; otherwise the largest of the topic's reference scores, whose mean is rounded,
        or the score if that is larger. Both grow with reference scores that are far from 0 and
        close together.
        """
        fitted = self.factors.fitted
        if not fitted.parameters or self.denominators is not None:
            return None
        topics, x, y = self.used.topics, self.used.values, self.frame.to_numpy()
        if self.reference is not None and self.reference is not self.given:
            fitted_on = self.factors.standardize_matrix(self.reference)
            rows = {topic: row for row, topic in enumerate(fitted_on.used.topics)}
            order = [rows[topic] for topic in topics]
            x, y = fitted_on.used.values[order], fitted_on.frame.to_numpy()[order]
        with np.errstate(over="ignore"):
            width = np.fmax.reduce(x, axis=1) - np.fmin.reduce(x, axis=1)
        far = np.fmax.reduce(np.abs(x), axis=1) / np.where(width > 0, width, np.inf)
        growth = np.clip(far / 32, 1.0, 2.0**22)[:, np.newaxis]
        own = np.abs(self.frame.to_numpy())
        if fitted.scheme.is_cdf:  # R's pnorm is 0 below 4.6e-308
            return np.asarray(np.maximum(own, 2.0**-958) * growth)
        largest = np.fmax.reduce(np.abs(y), axis=1, keepdims=True)
        return np.asarray(np.fmax(own, largest * growth))

    @cached_property
    def scores(self) -> FrameT:
        """The standardized scores, topics x systems, NaN (or null) where one is missing."""
        return self.kind.given_back(self.frame)

    @cached_property
    def means(self) -> FrameT:
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
        import pandas as pd

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
        """The means as R adds them, in which rounding may break ties; shape (systems,)."""
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
        """What y is around the score of each constant topic; see `constant.around`."""
        row = {topic: i for i, topic in enumerate(self.factors.topics)}
        rows = [row[topic] for topic in self.constant_topics if topic in row]
        found = constant.around(
            self.factors.constant, self.factors.fitted.take(np.array(rows, int))
        )
        lower = direction.reversed_topics(self.factors.lower_is_better, self.constant_topics)
        if lower:  # an error of 0 is no score of a system that found nothing
            found[[topic in lower for topic in self.constant_topics], 0] = np.nan
        return found

    @property
    def notes_on_constant_topics(self) -> list[str]:
        """The note on constant topics, if there are any, with y there in numbers."""
        topics, around, factors = self.constant_topics, self.constant_around, self.factors
        return constant_notes(topics, around, factors.constant, factors.fitted.scheme)

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
        """Tell whether the scheme is known to be fitted to scores that `given` is no part of."""
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
        present = ~np.isnan(self.frame.to_numpy()).all(axis=1)
        return tuple(t for t, has in zip(self.used.topics, present, strict=True) if has)

    @cached_property
    def censored(self) -> dict[str, tuple[int, int]]:
        """The numbers of scores below and above the fitted distribution of each topic.

        Their standardized scores are 0 and 1, whatever their distance from its ends. Topics without
        such scores, and constant topics, are not in it. The distributions of U-std, for example,
        have ends: its scores are censored.
        """
        row = {topic: i for i, topic in enumerate(self.factors.topics)}
        fitted = [i for i, topic in enumerate(self.used.topics) if topic in row]  # nan: not all
        topics = [self.used.topics[i] for i in fitted]
        rows = np.array([row[topic] for topic in topics], dtype=np.intp)
        below, above = beyond_ends(self.factors.fitted.take(rows), self.used.values[fitted])
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

    @cached_property
    def cautions(self) -> list[str]:
        """Sentences on results that are easy to misunderstand.

        They name topics or systems that may be summaries of the others, few reference systems,
        scores that are not on the scale of the reference scores or of the other scores, and
        topics that have factors but no scores, unless these are 0 by policy.
        """
        factors, reference = self.factors, self.reference
        raw = factors.fitted.scheme.keeps_unit
        lower = direction.reversed_topics(factors.lower_is_better, self.given.topics)
        own = reference is self.given or (factors.doubts and self.fitted_to == "these scores")
        found = sentences(self.given.doubts(lower, reference=bool(own), raw=raw))
        if reference is not None and not own:
            known = sentences(reference.doubts(factors.reversed_topics, reference=True))
            found += [f"in the reference, {each}" for each in known]
        elif not own:  # as they were saved
            again = "if it should not be there, fit the factors again without it"
            found += [f"in the reference, {each}; {again}" for each in factors.doubts]
        mixed = mixed_units if raw else mixed_scales
        found += mixed(self.given, factors.lower_is_better)
        found += direction.errors_as_scores(self.given, factors.lower_is_better)
        if factors.sets:
            found += self._cautions_on_sets()
        elif factors.fitted.parameters:  # of raw scores nothing is fitted
            n = factors.n
            count = int(n.max()) if n is not None else factors.systems and len(factors.systems)
            found += few_systems(count or None, factors.fitted.scheme)
            if reference is not self.given:
                of_scale = list[str]()
                if factors.scale is not None:
                    topics = [*factors.topics, *factors.dropped, *factors.unfitted_topics]
                    part = topics_of_scale(self.given, factors.lower_is_better, topics)
                    of_scale = factors.scale.cautions(part.values, count or 1)
                if reference is not None and not of_scale:
                    of_scale = unlike_the_reference(self.given, reference)
                found += of_scale
        measure = measure_of(self.given.frame)
        if reference is None and is_with_base(factors.measure) and not is_with_base(measure):
            of = f"the measure {measure}" if measure else "a measure that is not named"
            found.append(
                f"the factors are of {factors.measure}, and the scores of {of}: {TWO_FORMS_OF_DCG}"
            )
        if factors.missing != "zero" and self.absent_topics:
            reversed_there = direction.reversed_topics(factors.lower_is_better, self.absent_topics)
            zero = "" if reversed_there else "; the policy zero would take the absent scores as 0"
            found.append(
                f"{listed(self.absent_topics)} absent from the scores, so that means are over "
                f"{counted(len(self.used.topics), 'topic')}{zero}"
            )
        return found

    def _cautions_on_sets(self) -> list[str]:
        """Return the cautions of each set of joined factors on the scores of its topics."""
        found = []
        for each in self.factors.sets:
            topics = [*each.topics, *each.dropped, *each.unfitted_topics]
            given = self.given.take([topic in {*topics} for topic in self.given.topics])
            if given.topics and each.fitted.parameters:
                count = None if each.n is None else int(each.n.max())
                said = few_systems(count or None, each.fitted.scheme)
                if each.scale is not None:
                    own = topics_of_scale(given, each.lower_is_better, topics)
                    said += each.scale.cautions(own.values, count or 1)
                found += [f"on {named(given.topics)}, {caution}" for caution in said]
        return found

    @property
    def how(self) -> str:
        """How the scores were standardized, in the words of a caption; raw ones were not."""
        return standardized_by(self.factors.fitted.scheme)

    @property
    def reversed_topics(self) -> list[str]:
        """The topics on which lower is better, so that their scores are reversed."""
        return direction.reversed_topics(self.factors.lower_is_better, self.used.topics)

    @property
    def reversal(self) -> str:
        """How scores are treated where lower is better, "negated on every topic"; "" if nothing."""
        factors = self.factors
        return direction.change(factors.lower_is_better, factors.reflect_at, self.used.topics)

    @property
    def notes(self) -> list[str]:
        """Sentences on how files were read, on cautions, and on what the policies changed."""
        factors = self.factors
        notes = [*self.given.notes()]
        if self.reference is not None and self.reference is not self.given:
            notes += self.reference.notes()
        notes = [*dict.fromkeys(notes), *self.cautions]
        notes += self._on_the_measure()
        if self.reference is None and factors.without_digest:  # of factors that were loaded
            notes.append(_WITHOUT_DIGEST)
        notes += direction.notes(factors.lower_is_better, factors.reflect_at, self.used.topics)
        if self.extra_topics:
            one = len(self.extra_topics) == 1
            have = "has no factors and is" if one else "have no factors and are"
            notes.append(f"{named(self.extra_topics)} {have} dropped")
        if zeros := self.topics_taken_as_zero:
            notes.append(f"{listed(zeros)} absent from the scores and taken as 0")
        notes += self.notes_on_constant_topics
        notes += unfitted_notes(self.unfitted_topics, factors.unfitted)
        notes += dropped_notes(self.dropped_topics)
        if factors.missing in ("zero", "omit"):
            if self.reference is not None and self.fitted_to != "these scores":
                notes += missing_notes(self.reference.missing(), factors.missing, "reference score")
            notes += missing_notes(self.given.missing(), factors.missing)
        if self._was_fitted_otherwise():
            notes.append(
                f"the factors were fitted under the policy {factors.fitted_missing} for missing "
                f"scores, and {factors.missing} is used for these scores"
            )
        return [*notes, *undefined_notes(self.frame.to_numpy(), factors.fitted.scheme)]

    def _on_the_measure(self) -> list[str]:
        """Return the note on the measure that the factors name, or only one of two files."""
        own = measure_of(self.given.frame)
        if self.reference is None:
            if self.factors.measure is not None:
                return [f"the factors are of the measure {self.factors.measure}"]
            return [] if own is None else [f"the factors name no measure; {own} is assumed"]
        theirs = measure_of(self.reference.frame)
        if self.reference is self.given or (own is None) == (theirs is None):
            return []
        which = "scores" if own is None else "reference scores"
        return [f"the {which} name no measure; {own or theirs} is assumed"]

    def _was_fitted_otherwise(self) -> bool:
        """Tell whether another policy may have been used for missing scores in the fit."""
        fitted = self.factors.fitted_missing
        same = fitted in (None, "raise", self.factors.missing)  # under "raise" none was missing
        return not same and self.given.missing() > 0

    def of_kind(self, kind: Kind[Any]) -> Standardized[Any]:
        """Return the same with data frames of a kind."""
        return self if kind is PANDAS else replace(self, kind=kind)

    def without(self, topics: Collection[str]) -> Standardized[FrameT]:
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


# Characters of a digest in a caption: "sha256:" and as many as tell files apart.
_DIGEST = len("sha256:") + 12


def reference_of(found: Standardized) -> str:
    """Return the number of the systems that a scheme was fitted to, and the digest."""
    factors = found.factors
    if not factors.fitted.parameters:  # raw scores
        return ""
    digest = "" if factors.digest is None else factors.digest[:_DIGEST]
    return ", ".join(filter(None, [factors.number_of_systems, digest]))
