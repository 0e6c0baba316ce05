"""Standardization of a score matrix by a scheme."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, overload

import pandas as pd

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import worded
from cdfscore.errors import CdfscoreError, FactorsError, SchemeError
from cdfscore.scores import dataframes
from cdfscore.scores.dataframes import IntoDataFrameT, IntoFrame, IntoLazyFrame, measure_of, taken
from cdfscore.scores.labels import topic_labels
from cdfscore.standardization import policies
from cdfscore.standardization.cautions import Scale, topics_of_scale
from cdfscore.standardization.policies import (
    AnyLowerIsBetter,
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    ScoreMatrix,
    UnfittedPolicy,
)
from cdfscore.standardization.standardized import (
    NO_TOPIC,
    ExtraTopics,
    Factors,
    Standardized,
    check_extra,
)
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.schemes.base import Scheme, schemes


@dataclass(frozen=True, init=False)
class Standardizer:
    """Standardize scores topic by topic: y = F_t(x), with F_t fitted to reference systems.

    Parameters
    ----------
    scheme
        A scheme, or its spelling such as ``"empirical"`` or ``"uniform:A=0.15,B=0.5"``.
    constant
        The policy for constant topics, whose reference scores are all equal: "limit" (the
        scheme's own limit as the spread goes to 0), "half", "nan", "drop_topic", "raise",
        "urbano2019", "trec_eval" or "matters"; see
        `cdfscore.standardization.policies.check_constant`.
    missing
        The policy for missing scores: "raise", "omit", "zero" or "drop_topic"; see
        `cdfscore.standardization.policies.check_missing`.
    unfitted
        The policy for unfitted topics, those that the scheme cannot be fitted to: "raise",
        "nan" or "drop_topic"; see `cdfscore.standardization.policies.check_unfitted`.
        `Factors.unfitted_topics` has the reasons.
    lower_is_better
        Labels of the topics on which lower is better, such as error rates, or True for all. Their
        scores are negated before the fit and before standardization, so that higher is better on
        every topic.
    reflect_at
        If not 0, these scores x become ``reflect_at - x`` instead of -x. Use 1 for error rates and
        a distribution on [0, 1].

    Raises
    ------
    SchemeError
        For an unknown scheme, setting or policy, or a policy not defined for the scheme; with
        `lower_is_better` for a distribution whose domain, such as [0, 1], has no negated scores.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {"bm25": [0.2, 0.6], "lsa": [0.4, 0.5], "ql": [0.3, 0.7]}, index=["301", "302"]
    ... )
    >>> factors = Standardizer("empirical").fit(scores)
    >>> factors.transform(scores).round(3)
            bm25    lsa     ql
    topic
    301    0.333  1.000  0.667
    302    0.667  0.333  1.000
    >>> Standardizer("empirical", lower_is_better="302").fit_transform(scores).round(3)
            bm25  lsa     ql
    topic
    301    0.333  1.0  0.667
    302    0.667  1.0  0.333
    """

    scheme: Scheme
    constant: ConstantPolicy
    missing: MissingPolicy
    unfitted: UnfittedPolicy
    lower_is_better: LowerIsBetter
    reflect_at: float

    def __init__(
        self,
        scheme: Scheme | str,
        constant: ConstantPolicy = "limit",
        missing: MissingPolicy = "raise",
        unfitted: UnfittedPolicy = "raise",
        *,
        lower_is_better: AnyLowerIsBetter = (),
        reflect_at: float = 0.0,
    ) -> None:
        parsed = schemes.parse(scheme) if isinstance(scheme, str) else scheme
        if not isinstance(parsed, Scheme):
            raise SchemeError(
                f"scheme={scheme!r} is not accepted; expected a scheme such as Normal(), or its "
                "spelling such as 'normal'"
            )
        policies.check_constant(constant, parsed)
        policies.check_missing(missing)
        policies.check_unfitted(unfitted)
        lower, at = policies.check_direction(lower_is_better, reflect_at, parsed)
        vars(self).update(scheme=parsed, constant=constant, missing=missing, unfitted=unfitted)
        vars(self).update(lower_is_better=lower, reflect_at=at)

    def fit(self, reference: IntoFrame, *, measure: str | None = None) -> Factors:
        """Fit the scheme to the reference systems' scores and return the factors.

        `reference` is topics x systems, as `read_scores` returns it, or another data frame;
        `measure` is the name of the measure, saved with the factors; if it is not given, it is
        the one that the file of `reference` names, if any.

        Raises `ScoresError` if `reference` is not a score matrix, `MissingScoreError`,
        `ConstantTopicError` and `FitError` depending on the policies, `FitError` if all topics
        are unfitted, and `ScoresError` if no topic has a label of `lower_is_better`.
        """
        return self.fit_matrix(ScoreMatrix.of(reference), measure)

    @overload
    def standardize(
        self,
        scores: IntoDataFrameT,
        reference: IntoFrame | None = None,
        *,
        extra_topics: ExtraTopics = "refuse",
    ) -> Standardized[IntoDataFrameT]: ...
    @overload
    def standardize(
        self,
        scores: IntoLazyFrame,
        reference: IntoFrame | None = None,
        *,
        extra_topics: ExtraTopics = "refuse",
    ) -> Standardized[Any]: ...
    def standardize(
        self,
        scores: IntoFrame,
        reference: IntoFrame | None = None,
        *,
        extra_topics: ExtraTopics = "refuse",
    ) -> Standardized[Any]:
        """Fit to `reference` (default: `scores` itself) and standardize `scores`.

        Returns scores, counts, means and notes, in data frames of the kind of `scores`.
        `extra_topics` is the policy for topics that are not in the reference: "refuse" (an error)
        or "drop".

        Raises the errors of `fit` and of `Factors.standardize`, such as `FactorsError` for scores
        and a reference of different measures; and `FactorsError` for "drop" without a reference,
        since it would have no effect.
        """
        check_extra_of((self,), reference, extra_topics)
        frame, kind = taken(scores)
        given = ScoreMatrix.of(frame)
        if reference is None or reference is scores:
            fitted_on, factors = given, self.fit_matrix(given, source="scores")
        else:
            try:
                fitted_on = ScoreMatrix.of(reference)
                factors = self.fit_matrix(fitted_on)
            except CdfscoreError as error:
                error.of_reference = True
                raise
        found = factors.standardize_matrix(given, fitted_on, extra_topics=extra_topics, kind=kind)
        warn_of(found.cautions)
        return found

    def __sklearn_clone__(self) -> Standardizer:
        return self  # for clone of scikit-learn: it is never changed, and fits nothing into itself

    @overload
    def fit_transform(self, scores: IntoDataFrameT) -> IntoDataFrameT: ...
    @overload
    def fit_transform(self, scores: IntoLazyFrame) -> Any: ...
    def fit_transform(self, scores: IntoFrame) -> Any:
        """Standardize `scores`, with the same scores as the reference; see `Factors.transform`."""
        frame, kind = taken(scores)
        given = ScoreMatrix.of(frame)
        factors = self.fit_matrix(given, described=False, source="scores")  # no one sees them
        found = factors.standardize_matrix(given, given)
        warn_of(found.cautions)
        return kind.given_back(found.frame)

    @worded()
    def fit_matrix(
        self,
        reference: ScoreMatrix,
        measure: str | None = None,
        *,
        described: bool = True,
        source: str = "reference scores",
    ) -> Factors:
        """Fit to a matrix that was checked; `source` is its name in messages.

        Unless `described`, the factors have no digest and no scale of the reference scores, whose
        computation takes a tenth of the time.
        """
        policies.check_labels(self.lower_is_better, reference.topics, reference.systems)
        scores = policies.settled(
            reference, source, self.missing, self.lower_is_better, self.reflect_at
        )
        if self.constant == "drop_topic" and not self.scheme.parameter_names():
            equal = set(policies.equal(scores))
            if equal.issuperset(scores.topics):
                raise FactorsError(NO_TOPIC)
            scores = scores.take([topic not in equal for topic in scores.topics])
        topics, how = scores.topics, (self.lower_is_better, self.reflect_at)
        fitted, rows, refused = policies.fit_by(
            self.unfitted,
            self.scheme,
            scores.values,
            lambda row: f"topic {topics[row]!r}{policies.of_scores(*how, topics[row])}",
        )
        reasons = {topics[row]: refused[row] for row in sorted(refused)}
        if not rows.size and reasons:
            topic, reason = next(iter(reasons.items()))
            raise policies.no_topic(self.scheme, f"topic {topic!r}", reason)
        of_scale = topics_of_scale(reference, self.lower_is_better, reference.topics)
        lower = policies.reversed_topics(self.lower_is_better, reference.topics)
        doubts = reference.doubts(lower, reference=True) if described else []
        gone = set(reference.topics).difference(topics)
        return Factors(
            fitted,
            tuple(map(topics.__getitem__, rows.tolist())) if reasons else topics,
            n=count(scores.values)[rows, 0],
            constant=self.constant,
            missing=self.missing,
            unfitted=self.unfitted,
            measure=measure_of(reference.frame) if measure is None else measure,
            systems=scores.systems,
            digest=reference.digest() if described else None,
            positions=None if reference.labelled else len(reference.topics),
            dropped=tuple(filter(gone.__contains__, reference.topics)),
            unfitted_topics=reasons,
            fitted_missing=self.missing,
            lower_is_better=self.lower_is_better,
            reflect_at=self.reflect_at,
            scale=Scale.of(of_scale.values) if described else None,
            doubts=tuple(each.why for each in doubts),
            units=dataframes.units_of(reference.frame),
        )


#: Ways to standardize scores: a scheme, its spelling, a scheme with its policies, or factors
#: that are fitted already.
How = Scheme | str | Standardizer | Factors


def check_extra_of(
    ways: Iterable[How], reference: IntoFrame | None, extra_topics: ExtraTopics
) -> None:
    """Raise `FactorsError` for an unknown or idle policy for topics that have no factors."""
    check_extra(extra_topics)
    if extra_topics == "refuse" or reference is not None:
        return
    if not any(isinstance(how, Factors) for how in ways):
        raise FactorsError(
            f"extra_topics={extra_topics!r} needs reference=..., or factors: a scheme that is "
            "fitted to the scores themselves has factors for all their topics"
        )


def standardize(
    scores: pd.DataFrame,
    how: How,
    reference: pd.DataFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> Standardized:
    """Standardize `scores` by a scheme fitted to `reference` or themselves, or by factors.

    Raises `SchemeError` for factors with a reference, and what `Standardizer` raises.
    """
    if not isinstance(how, Factors):
        # Without a reference they are of factors that it is compared with.
        extra = "refuse" if reference is None else extra_topics
        return standardizer_of(how).standardize(scores, reference, extra_topics=extra)
    if reference is not None:
        raise SchemeError(
            f"{how!r} are fitted already; expected a scheme to fit to the reference, or no "
            "reference"
        )
    return how.standardize(scores, extra_topics=extra_topics)


def name_of(how: How) -> str:
    """Return the scheme as the command line spells it."""
    return str(how.fitted.scheme if isinstance(how, Factors) else standardizer_of(how).scheme)


def standardizer_of(how: Scheme | str | Standardizer) -> Standardizer:
    """Return a scheme with its policies, the default ones if none are given."""
    return how if isinstance(how, Standardizer) else Standardizer(how)


def raw_as(factors: Factors, scores: pd.DataFrame) -> Standardizer:
    """Return the scheme raw, with the policy for missing scores and the directions of factors."""
    lower = policies.reversed_topics(factors.lower_is_better, topic_labels(scores))
    at = factors.reflect_at if lower else 0.0
    return Standardizer("raw", missing=factors.missing, lower_is_better=lower, reflect_at=at)


def of_each(how: How, matrices: Sequence[ScoreMatrix]) -> list[How]:
    """Return how to standardize each matrix: with the topics that it has of `lower_is_better`."""
    if isinstance(how, Factors):
        return [how] * len(matrices)
    standardizer, found = standardizer_of(how), list[How]()
    if (lower := standardizer.lower_is_better) is True or not lower:
        return [how] * len(matrices)
    systems = {system for matrix in matrices for system in matrix.systems}
    policies.check_labels(lower, chain(*(matrix.topics for matrix in matrices)), systems)
    for matrix in matrices:
        own = tuple(policies.reversed_topics(lower, matrix.topics))
        at = standardizer.reflect_at if own else 0.0
        found.append(replace(standardizer, lower_is_better=own, reflect_at=at))
    return found
