"""Scores of a collection and of its reference, and schemes that are fitted in each trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import ExperimentError, FitError, ScoresError
from cdfscore.experiments.matrices import (
    Ties,
    check_asked,
    check_raw,
    common_numerators,
    refuse_infinite,
)
from cdfscore.experiments.summaries import of_systems
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.numerics.exact_mean import numerators
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Scheme
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import constant_notes
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies.constant import ConstantPolicy
from cdfscore.standardization.policies.missing import MissingPolicy
from cdfscore.standardization.policies.unfitted import fit_all
from cdfscore.standardization.reference_systems import few_systems
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

_FINITE = (
    "larger samples, or a policy for constant topics that is finite, such as 'urbano2019' for z"
)


@dataclass(frozen=True, eq=False)
class RefittedSchemes:
    """Raw scores of a collection and its reference systems, and schemes that are not yet fitted.

    Attributes
    ----------
    labels
        Names of the schemes in results.
    schemes
        The schemes, in the order of their labels.
    raw
        Raw scores, shape (topics, systems).
    names
        The labels of the topics, for messages.
    ties, constant
        As of `refitted`.
    reference
        Raw scores of other systems on the same topics, shape (topics, reference systems), of which
        samples are drawn; None if they are drawn of the systems themselves.
    cautions
        Sentences on what is easy to misunderstand, which `refitted` gives as warnings, and notes on
        topics that are constant in every sample.
    """

    labels: tuple[str, ...]
    schemes: tuple[Scheme, ...]
    raw: Array
    names: tuple[str, ...]
    ties: Ties
    constant: ConstantPolicy
    reference: Array | None = None
    cautions: tuple[str, ...] = ()

    @property
    def topics(self) -> int:
        """Number of topics."""
        return len(self.raw)

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.raw.shape[1])

    @property
    def sampled(self) -> Array:
        """Scores of the systems of which samples are drawn, shape (topics, systems)."""
        return self.raw if self.reference is None else self.reference

    def standardize(
        self, scheme: Scheme, reference: Array, x: Array, topics: IntArray
    ) -> tuple[Array, Array]:
        """Standardize `x` by `scheme` fitted to `reference`, row by row.

        `reference` is (rows, m), `x` (rows, h), and `topics` (rows,) has the topic of each
        row. Returns the scores that are tested, and the values whose column means rank the
        systems, as in `SchemeMatrices`, each (rows, h).

        Raises `ExperimentError` for standardized scores that are not finite,
        `ConstantTopicError` under ``constant="raise"``, and `FitError` where the scheme
        cannot be fitted.
        """

        def where(row: int) -> str:
            return (
                f"{scheme}: topic {self.names[int(topics[row])]!r}, fitted to a sample of "
                f"{of_systems(reference.shape[1])}"
            )

        fitted = fit_all(scheme, reference, where)
        constant = np.broadcast_to(fitted.constant, len(x))
        if self.constant == "raise" and constant.any():
            row = int(constant.argmax())
            raise constant_topics.refused(
                f"{where(row)}: the scores of the sample are all equal", expected=_FINITE
            )
        y = constant_topics.evaluate(self.constant, fitted, x)
        if not np.isfinite(y).all():
            row, column = np.argwhere(~np.isfinite(y))[0]
            raise ExperimentError(
                f"{where(row)}{' of equal scores' * bool(constant[row])}: a score of "
                f"{x[row, column]} becomes {y[row, column]}, which has no mean and no t test; "
                f"expected {_FINITE}"
            )
        denominators = constant_topics.denominators(self.constant, fitted)
        if denominators is None or self.ties == "rounded":
            return y, y
        return y, common_numerators(numerators(y, denominators), denominators)[0]


def refitted(
    scores: IntoFrame,
    schemes: Mapping[str, Scheme | str],
    *,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    ties: Ties = "exact",
    constant: ConstantPolicy = "limit",
    missing: MissingPolicy = "raise",
) -> RefittedSchemes:
    """Prepare `scores`, topics x systems, and schemes for experiments that fit to samples.

    The result is the input of `cdfscore.experiments.ReferenceSize`, which fits each scheme to a
    sample of systems in each trial.

    Parameters
    ----------
    scores
        Raw scores. After `missing` is applied, no score may be missing.
    schemes
        Each scheme, or its spelling, by its label, such as ``{"E-std": "empirical"}``.
    reference
        Scores of other systems on the same topics. The samples are then of these systems, and all
        systems of `scores` are evaluated.
    extra_topics
        For topics of `scores` that the reference lacks: "refuse" or "drop".
    ties
        "exact" or "rounded"; see `cdfscore.experiments.standardized`.
    constant, missing
        Policies of `Standardizer`. Small samples of systems often have constant topics. There z is
        infinite under "limit", and the experiment stops with an error. "urbano2019" is finite for
        the schemes of that paper, and "half" for all cdfs.

    Raises
    ------
    ExperimentError
        If there is no scheme, or `ties` is unknown.
    ScoresError
        If there are fewer than 2 systems, or a score is not finite.
    CdfscoreError
        As `Standardizer` does.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> found = refitted(datasets.load_cranfield("ap"), {"E-std": "empirical"})
    >>> found.labels, found.topics, found.systems
    (('E-std',), 225, 67)
    """
    check_asked(schemes, ties)
    parsed = [
        Standardizer(scheme, constant=constant, missing=missing).scheme
        for scheme in schemes.values()
    ]
    matrix, others = both_as_pandas(scores, reference)
    as_they_are = Standardizer("raw", missing=missing)
    used = as_they_are.standardize(matrix, others, extra_topics=extra_topics).used
    check_raw(used)
    drawn, cautions = None, []
    if others is not None:
        reference_scores = ScoreMatrix.of(others).after(missing, "reference scores")
        if both := [name for name in used.systems if name in set(reference_scores.systems)]:
            have = "is" if len(both) == 1 else "are"
            cautions.append(
                f"{of_systems(len(both))} of the scores, such as {both[0]!r}, {have} in the "
                "reference too: a sample that has the ranked systems says little about others"
            )
        place = {topic: row for row, topic in enumerate(reference_scores.topics)}
        try:
            refuse_infinite(reference_scores.frame, "the reference scores")
        except ScoresError as error:
            error.of_reference = True
            raise
        drawn = reference_scores.values[[place[topic] for topic in used.topics]]
    sampled = used.values if drawn is None else drawn
    for scheme in parsed:
        if scheme.parameter_names():  # of raw scores nothing is fitted
            cautions += few_systems(sampled.shape[1], scheme)
    cautions = list(dict.fromkeys(cautions))
    warn_of(cautions)
    for scheme in parsed:
        cautions += _on_constant_topics(scheme, constant, used.topics, sampled)
    return RefittedSchemes(
        tuple(schemes), tuple(parsed), np.ascontiguousarray(used.values), used.topics, ties,
        constant, drawn, tuple(cautions),
    )  # fmt: skip


def _on_constant_topics(
    scheme: Scheme, policy: ConstantPolicy, topics: Sequence[str], sampled: Array
) -> list[str]:
    """Return the note on topics that are constant in every sample, if there are any."""
    equal = np.flatnonzero(np.ptp(sampled, axis=1) == 0)
    if not equal.size or not scheme.parameter_names():
        return []
    try:
        around = constant_topics.around(policy, scheme.fit(sampled[equal]))
    except FitError:  # a trial names the topic and the reason
        return []
    return constant_notes([topics[row] for row in equal.tolist()], around, policy, scheme)
