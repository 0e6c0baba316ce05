"""Factors: a scheme fitted to a set of topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import FactorsError, FitError
from cdfscore.io.results.names import (
    TWO_FORMS_OF_DCG,
    is_same_measure,
    is_with_base,
    name_of_page,
)
from cdfscore.io.scores.kinds import taken
from cdfscore.io.scores.memory import measure_of, remember, remembered
from cdfscore.io.text import counted, part_of
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted
from cdfscore.showing import Shown
from cdfscore.spelling import argument
from cdfscore.standardization import policies
from cdfscore.standardization.cautions import Scale, topics_are
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies import (
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    UnfittedPolicy,
)
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrameT, IntoFrame, IntoLazyFrame

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
    - `doubts` are sentences on reference systems that may be in disorder, such as one that has the
      same score on every topic.
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
    scale: Scale | None = None
    without_digest: bool = False
    doubts: tuple[str, ...] = ()
    sets: tuple[Factors, ...] = ()
    _rows: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        policies.check_constant(self.constant, self.fitted.scheme)
        policies.check_missing(self.missing)
        if self.fitted_missing is not None:
            policies.check_missing(self.fitted_missing)
        policies.check_unfitted(self.unfitted)
        policies.check_direction(self.lower_is_better, self.reflect_at, self.fitted.scheme)
        of_the_fit = (*self.topics, *self.dropped, *self.unfitted_topics)
        policies.check_labels(self.lower_is_better, of_the_fit, self.systems or ())
        object.__setattr__(self, "_rows", {topic: i for i, topic in enumerate(self.topics)})
        if self.constant == "raise" and (constant := self.constant_topics):
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
        constant = np.flatnonzero(np.broadcast_to(self.fitted.constant, (len(self.topics),)))
        return [self.topics[row] for row in constant]

    @property
    def _constant_to_drop(self) -> set[str]:
        return set(self.constant_topics) if self.constant == "drop_topic" else set()

    @overload
    def transform(
        self, scores: IntoDataFrameT, *, extra_topics: ExtraTopics = "refuse"
    ) -> IntoDataFrameT: ...
    @overload
    def transform(self, scores: IntoLazyFrame, *, extra_topics: ExtraTopics = "refuse") -> Any: ...
    def transform(self, scores: IntoFrame, *, extra_topics: ExtraTopics = "refuse") -> Any:
        """Standardize `scores`, topics x systems; topics are matched by their labels.

        The result is a data frame of the kind of `scores`, with their topics and systems, and with
        NaN (or null) for missing scores, and for unfitted topics under ``unfitted="nan"``. A kind
        without an index has the topics as the first column, ``topic``. Arguments and errors are
        those of `standardize`.
        """
        return self.standardize(scores, extra_topics=extra_topics).scores

    @overload
    def system_means(
        self, scores: IntoDataFrameT, *, extra_topics: ExtraTopics = "refuse"
    ) -> IntoDataFrameT: ...
    @overload
    def system_means(
        self, scores: IntoLazyFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Any: ...
    def system_means(self, scores: IntoFrame, *, extra_topics: ExtraTopics = "refuse") -> Any:
        """Average the standardized scores of each system; see `Standardized.means`.

        Arguments and errors are the same as for `standardize`.
        """
        return self.standardize(scores, extra_topics=extra_topics).means

    @overload
    def standardize(
        self, scores: IntoDataFrameT, *, extra_topics: ExtraTopics = "refuse"
    ) -> Standardized[IntoDataFrameT]: ...
    @overload
    def standardize(
        self, scores: IntoLazyFrame, *, extra_topics: ExtraTopics = "refuse"
    ) -> Standardized[Any]: ...
    def standardize(
        self, scores: IntoFrame, *, extra_topics: ExtraTopics = "refuse"
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
        frame, kind = taken(scores)
        found = self.standardize_matrix(ScoreMatrix.of(frame), extra_topics=extra_topics)
        warn_of(found.cautions)
        return found.of_kind(kind)

    def standardize_matrix(
        self,
        given: ScoreMatrix,
        reference: ScoreMatrix | None = None,
        *,
        extra_topics: ExtraTopics = "refuse",
    ) -> Standardized:
        """Standardize a checked matrix; `reference` is the matrix of the fit, if known."""
        import pandas as pd

        self._check_measure(given, "factors are" if reference is None else "reference is")
        self._check_labels(given)
        extra = self._extra(given.topics) if extra_topics == "drop" else ()
        if extra:
            if len(extra) == len(given.topics):
                raise FactorsError(self._without_factors(given.topics, extra))
            dropped = set(extra)
            given = given.take([topic not in dropped for topic in given.topics])
        x = self._kept(given)
        places = np.fromiter(map(self._rows.get, x.topics, repeat(-1)), np.int64)
        rows = np.flatnonzero(places >= 0)
        every = len(rows) == len(places)
        if every and np.array_equal(places, np.arange(len(self.topics))):
            fitted = self.fitted
        else:
            fitted = self.fitted.take(places[rows])
        values = x.values if every else x.values[rows]
        y = policies.evaluate(self.constant, fitted, values)
        denominators = policies.denominators(self.constant, fitted)
        if not every:  # unfitted topics under unfitted="nan"
            y = _spread(y, rows, len(places), np.nan)
            if denominators is not None:
                denominators = _spread(denominators, rows, len(places), 1)
        frame = pd.DataFrame(y, index=x.frame.index, columns=x.frame.columns)
        # Such as labels that are no summaries.
        remember(frame, **{**remembered(given.frame), "standardized": True})
        return Standardized(self, given, x, frame, denominators, reference, extra_topics=extra)

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
                f"{topics_are(twice)} in two sets of factors; expected different topics in each"
            )
        scales = [each.scale for each in sets if each.scale is not None]
        known = all(each.systems is not None for each in sets)
        return replace(
            self,
            fitted=Fitted(
                self.fitted.scheme,
                {
                    name: _stacked([each.fitted.parameters[name] for each in sets])
                    for name in self.fitted.parameters
                },
            ),
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
            scale=Scale(min(e.low for e in scales), max(e.high for e in scales))
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
        names = [each.systems for each in self.sets or (self,)]
        numbers = [len(own) for own in dict.fromkeys(frozenset(each or ()) for each in names)]
        if None in names or not numbers:
            return ""
        *first, last = numbers
        return f"{''.join(f'{n:,} and ' for n in first)}{counted(last, 'system')}"

    def were_fitted_to(self, reference: ScoreMatrix) -> bool | None:
        """Tell whether these are the reference scores; None if it is not known.

        The order of topics and systems does not matter, unless the fit omitted topics.
        """
        if self.digest is None:
            return None
        if self.digest == reference.digest():
            return True
        systems = self.systems or ()
        if set(systems) != set(reference.systems):
            return False
        return self.digest == reference.in_order(self.topics, systems).digest()

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
        there = {*topics, *self._constant_to_drop}
        return [] if self.positions is not None else [t for t in own if t not in there]

    def _extra(self, topics: Sequence[str]) -> tuple[str, ...]:
        """Return the topics that were not among those of the fit."""
        extra = set(topics).difference(self._rows, self.unfitted_topics, self.dropped)
        return tuple(topic for topic in topics if topic in extra) if extra else ()

    def _kept(self, given: ScoreMatrix) -> ScoreMatrix:
        """Return the scores to standardize: those of topics that no policy leaves out."""
        absent = self.absent_from(given.topics) if self.missing == "zero" else []
        policies.refuse_zeros_of_absent(self.lower_is_better, absent)
        kept = policies.settled(
            given, "scores", self.missing, self.lower_is_better, self.reflect_at
        ).with_zeros(absent)
        dropped = {*self.dropped, *(self.unfitted_topics if self.unfitted == "drop_topic" else ())}
        dropped |= self._constant_to_drop
        if dropped:
            kept = kept.take([topic not in dropped for topic in kept.topics])
        if extra := self._extra(kept.topics):
            raise FactorsError(self._without_factors(kept.topics, extra))
        if not kept.topics:
            raise FactorsError(NO_TOPIC)
        return kept

    def _check_measure(self, given: ScoreMatrix, these: str) -> None:
        """Raise `FactorsError` if scores and factors name different measures."""
        theirs = measure_of(given.frame)
        if theirs is None or self.measure is None or is_same_measure(theirs, self.measure):
            return
        advice = "if these are two names of one measure, use one of them"
        if any(is_with_base(name_of_page(each)) for each in (theirs, self.measure)):
            advice = TWO_FORMS_OF_DCG
        for one, other in ((theirs, self.measure), (self.measure, theirs)):
            if one.startswith("Z") and is_same_measure(one[1:], other):
                advice = f"{one} is {other} that trec_eval -Z has standardized"
        raise FactorsError(
            f"the scores are of the measure {theirs} and the {these} of {self.measure}; expected "
            f"the same measure ({advice})"
        )

    def _check_labels(self, given: ScoreMatrix) -> None:
        """Raise `FactorsError` if only one of scores and factors has topic labels."""
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
        """Say which of the topics have no factors, which have, and what to do."""
        have = "has" if len(extra) == 1 else "have"
        advice = f"say {argument('extra_topics', 'drop')} to omit such topics"
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
    if extra_topics not in get_args(ExtraTopics):
        raise FactorsError(
            f"{argument('extra_topics', extra_topics)} is not accepted; expected "
            f"{' or '.join(get_args(ExtraTopics))}"
        )


def _stacked(of_sets: Sequence[Array]) -> Array:
    """Stack parameters of several fits; samples of different sizes end in NaN."""
    width = max(values.shape[-1] for values in of_sets)
    padded = [
        np.pad(values, ((0, 0), (0, width - values.shape[-1])), constant_values=np.nan)
        for values in of_sets
    ]
    return np.concatenate(padded)


def _spread(found: Any, rows: IntArray, size: int, fill: float) -> Any:
    """Put rows into an array of `size` rows; the other rows are filled."""
    spread = np.full((size, found.shape[1]), fill, dtype=found.dtype)
    spread[rows] = found
    return spread
