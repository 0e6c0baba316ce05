"""Scores of one collection under several schemes: the input of the experiments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import listed
from cdfscore.errors import CdfscoreError, ExperimentError, FitError, ScoresError, check_one_of
from cdfscore.experiments.rates import of_systems
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas, notes_of
from cdfscore.scores.labels import topic_labels
from cdfscore.standardization import policies
from cdfscore.standardization.cautions import constant_notes, few_systems, topics_are
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy, ScoreMatrix, fit_by
from cdfscore.standardization.standardized import ExtraTopics
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.numerics.multiples import numerators
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.base import Scheme

# Sums of larger ones might overflow.
_LARGEST = 1e280
Ties = Literal["exact", "rounded"]


class _OfSystems:
    raw: Array

    @property
    def topics(self) -> int:
        """Number of topics."""
        return len(self.raw)

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.raw.shape[1])


@dataclass(frozen=True, eq=False)
class SchemeMatrices(_OfSystems):
    """Scores of the same systems on the same topics, raw and under each scheme.

    Attributes
    ----------
    labels
        Names of the schemes in results.
    raw
        Raw scores, shape (topics, systems).
    scores
        Standardized scores, shape (schemes, topics, systems), which are tested.
    averaged
        Values of the same shape whose column means rank the systems: `scores`, or their numerators
        over a common denominator. Means of numerators are exact, so equal means are tied.
    cautions
        Sentences on scores that may be misread, as of `Standardized.cautions`, and on constant
        topics.
    names, labels_of_topics
        Labels of the systems and of the topics.
    denominators
        Common denominators of `averaged`, one per scheme; 1 where it has no fractions.
    collections
        Numbers of topics of two collections that `pooled` has joined; otherwise empty.
    tie_sizes
        The sizes of the scores under each scheme, as in `Standardized`; None for exact
        scores, and empty if no scores tie.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import standardized
    >>> found = standardized(datasets.load_cranfield("ap"), {"E-std": "empirical"})
    >>> found.labels, found.raw.shape, found.scores.shape
    (('E-std',), (225, 67), (1, 225, 67))
    """

    labels: tuple[str, ...]
    raw: Array
    scores: Array
    averaged: Array
    cautions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    labels_of_topics: tuple[str, ...] = ()
    denominators: tuple[int, ...] = ()
    collections: tuple[int, ...] = ()
    tie_sizes: tuple[Array | None, ...] = ()


def standardized(
    scores: IntoFrame,
    schemes: Mapping[str, Scheme | str],
    *,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
    ties: Ties = "exact",
    constant: ConstantPolicy = "limit",
    missing: MissingPolicy = "raise",
) -> SchemeMatrices:
    """Standardize `scores`, topics x systems, by each scheme, fitted once to all topics.

    Parameters
    ----------
    scores
        Raw scores. After `missing` is applied, no score may be missing.
    schemes
        Each scheme, or its spelling, by its label, such as ``{"E-std": "empirical"}``.
    reference
        The scores that schemes are fitted to; `scores` itself if not given.
    extra_topics
        For topics of `scores` that the reference lacks: "refuse" or "drop".
    ties
        With "exact", systems with equal means are tied: means of E-std are compared as sums of
        whole numbers. With "rounded", rounding errors of each score and sum may order such systems,
        as in R, and as in the E-std rankings of the 2019 paper.
    constant, missing
        Policies of `Standardizer`.

    Raises
    ------
    ExperimentError
        If there is no scheme, or `ties` is unknown.
    ScoresError
        If there are fewer than 2 systems, or a raw or standardized score is not finite.
    CdfscoreError
        As `Standardizer` does.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> schemes = {"E-std": "empirical", "N-std": "normal"}
    >>> found = standardized(datasets.load_cranfield("ap"), schemes)
    >>> found.labels, found.topics, found.systems
    (('E-std', 'N-std'), 225, 67)
    """
    _check_asked(schemes, ties)
    matrix, fitted_on = both_as_pandas(scores, reference)
    frames, averaged, denominators, tie_sizes = [], [], [], []
    cautions = dict[str, None]()
    for label, scheme in schemes.items():
        standardizer = Standardizer(scheme, constant=constant, missing=missing)
        found = standardizer.standardize(matrix, fitted_on, extra_topics=extra_topics)
        frames.append(found.scores)
        tie_sizes.append(None if found.tie_sizes is None else found.tie_sizes[0])
        cautions |= dict.fromkeys(
            [*notes_of(found.given.frame), *found.cautions, *found.notes_on_constant_topics]
        )
        counts = found.counts if ties == "exact" else None
        exact = (found.scores.to_numpy(), 1) if counts is None else common_numerators(*counts)
        averaged.append(exact[0])
        denominators.append(exact[1])
        refuse_infinite(found.scores, f"scheme {label}")
    raw = found.used  # the same of all schemes
    _check_raw(raw)
    values = np.array([frame.to_numpy() for frame in frames])
    return SchemeMatrices(
        tuple(schemes),
        np.ascontiguousarray(raw.values),
        values,
        np.array(averaged) if ties == "exact" else values,
        tuple(cautions),
        raw.systems,
        raw.topics,
        tuple(denominators),
        tie_sizes=tuple(tie_sizes),
    )


def pooled(first: SchemeMatrices, second: SchemeMatrices) -> SchemeMatrices:
    """Join the topics of two collections with the same systems, for `cdfscore.experiments.Halves`.

    Each collection is standardized before, by its own reference.

    Raises
    ------
    ScoresError
        If the collections have different systems, or a topic in common.
    ExperimentError
        If they have different schemes.
    CdfscoreError
        If exact means of both have no common denominator below 2^52 over the number of topics.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> scores = datasets.load_cranfield("ap")
    >>> parts = (scores.iloc[:100], scores.iloc[100:])
    >>> found = pooled(*(standardized(part, {"E-std": "empirical"}) for part in parts))
    >>> found.topics, found.collections
    (225, (100, 125))
    """
    if first.labels != second.labels:
        raise ExperimentError(
            f"the collections have the schemes {listed(first.labels)} and {listed(second.labels)}; "
            "expected the same schemes"
        )
    for own, other, which in ((first, second, "second"), (second, first, "first")):
        if only := [name for name in own.names if name not in set(other.names)]:
            raise ScoresError(
                f"the {which} collection has no system {only[0]!r}; expected the same systems in "
                "both collections"
            )
    there = set(second.labels_of_topics)
    if shared := [topic for topic in first.labels_of_topics if topic in there]:
        raise ScoresError(
            f"{topics_are(shared)} in both collections; expected different topics (a file "
            "without a column of topics numbers its rows)"
        )
    order = [second.names.index(name) for name in first.names]
    both = zip(first.denominators, second.denominators, strict=True)
    common = [_common(pair, first.topics + second.topics) for pair in both]
    averaged = [
        np.concatenate([a * (whole // d), b[:, order] * (whole // e)])
        for a, b, d, e, whole in zip(
            *(first.averaged, second.averaged, first.denominators, second.denominators, common),
            strict=True,
        )
    ]
    return SchemeMatrices(
        first.labels,
        np.concatenate([first.raw, second.raw[:, order]]),
        np.concatenate([first.scores, second.scores[:, :, order]], axis=1),
        np.array(averaged),
        tuple(dict.fromkeys([*first.cautions, *second.cautions])),
        first.names,
        (*first.labels_of_topics, *second.labels_of_topics),
        tuple(common),
        (first.topics, second.topics),
        tuple(
            None if a is None or b is None else np.concatenate([a, b[:, order]])
            for a, b in zip(first.tie_sizes, second.tie_sizes, strict=False)
        ),
    )


def _check_asked(schemes: Mapping[str, Scheme | str], ties: str) -> None:
    check_one_of("ties", ties, get_args(Ties), ExperimentError)
    if not schemes:
        raise ExperimentError("there is no scheme; expected one or more")


def _check_raw(scores: ScoreMatrix) -> None:
    refuse_infinite(scores.frame, "the scores")
    if len(scores.systems) < 2:
        raise ScoresError(f"there is {len(scores.systems)} system; expected 2 or more")


def refuse_infinite(frame: pd.DataFrame, of: str) -> None:
    """Raise `ScoresError` if a score is not finite, or too large for sums."""
    bad = np.argwhere(~(np.abs(frame.to_numpy()) <= _LARGEST))
    if bad.size:
        topic, system = bad[0]
        raise ScoresError(
            f"{of}: {frame.to_numpy()[topic, system]} at topic {topic_labels(frame)[topic]!r}, "
            f"system {frame.columns[system]!r}; expected a finite score of at most {_LARGEST:g} in "
            "every cell, which other policies for missing scores and constant topics may give"
        )


def common_numerators(numerators: IntArray, denominators: IntArray) -> tuple[Array, int]:
    """Return the numerators of the same fractions over one denominator, and the denominator."""
    common = _common((int(d) for d in np.unique(denominators)), len(numerators))
    return (numerators * (common // denominators)).astype(np.float64), common


def _common(denominators: Iterable[int], rows: int) -> int:
    common = math.lcm(*denominators)
    if common * rows >= 2**52:  # the division of a sum must not join two of them
        raise CdfscoreError(
            "topics have different numbers of reference scores, so exact means would need the "
            f"common denominator {common}; expected one below 2^52 over the number of topics, as "
            "without missing scores, or ties='rounded'"
        )
    return common


# --- Scores of a collection and of its reference, and schemes that are fitted in each trial ---

_FINITE = (
    "larger samples, or a policy for constant topics that is finite, such as 'urbano2019' for z"
)


@dataclass(frozen=True, eq=False)
class RefittedSchemes(_OfSystems):
    """Raw scores of a collection and of its `reference` systems, if given, and schemes to fit."""

    labels: tuple[str, ...]
    schemes: tuple[Scheme, ...]
    raw: Array
    names: tuple[str, ...]
    ties: Ties
    constant: ConstantPolicy
    reference: Array | None = None
    cautions: tuple[str, ...] = ()

    @property
    def sampled(self) -> Array:
        """Scores of the systems of which samples are drawn, shape (topics, systems)."""
        return self.raw if self.reference is None else self.reference

    def standardize(
        self, scheme: Scheme, reference: Array, x: Array, topics: IntArray
    ) -> tuple[Array, Array]:
        """Standardize `x` (rows, h) by `scheme` fitted to `reference` (rows, m), row by row.

        `topics` (rows,) has the topic of each row. Returns the scores that are tested, and the
        values whose column means rank the systems, each (rows, h).
        """

        def where(row: int) -> str:
            return (
                f"{scheme}: topic {self.names[int(topics[row])]!r}, fitted to a sample of "
                f"{of_systems(reference.shape[1])}"
            )

        fitted = fit_by("raise", scheme, reference, where)[0]
        constant = np.broadcast_to(fitted.constant, len(x))
        if self.constant == "raise" and constant.any():
            row = int(constant.argmax())
            raise policies.constant_refused(
                f"{where(row)}: the scores of the sample are all equal", expected=_FINITE
            )
        y = policies.evaluate(self.constant, fitted, x)
        if not np.isfinite(y).all():
            row, column = np.argwhere(~np.isfinite(y))[0]
            raise ExperimentError(
                f"{where(row)}{' of equal scores' * bool(constant[row])}: a score of "
                f"{x[row, column]} becomes {y[row, column]}, which has no mean and no t test; "
                f"expected {_FINITE}"
            )
        denominators = policies.denominators(self.constant, fitted)
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
    sample of systems in each trial. With a `reference`, the scores of other systems on the same
    topics, the samples are of these systems, and all systems of `scores` are evaluated.

    The other parameters, and the errors, are those of `standardized`. Small samples of systems
    often have constant topics. There z is infinite under ``constant="limit"``, and the experiment
    stops with an error. "urbano2019" is finite for the schemes of that paper, and "half" for all
    cdfs.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> found = refitted(datasets.load_cranfield("ap"), {"E-std": "empirical"})
    >>> found.labels, found.topics, found.systems
    (('E-std',), 225, 67)
    """
    _check_asked(schemes, ties)
    parsed = [
        Standardizer(scheme, constant=constant, missing=missing).scheme
        for scheme in schemes.values()
    ]
    matrix, others = both_as_pandas(scores, reference)
    as_they_are = Standardizer("raw", missing=missing)
    used = as_they_are.standardize(matrix, others, extra_topics=extra_topics).used
    _check_raw(used)
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
    equal = np.flatnonzero(np.ptp(sampled, axis=1) == 0)
    for scheme in parsed if equal.size else ():
        if scheme.parameter_names():
            with suppress(FitError):  # a trial names the topic and the reason
                around = policies.around(constant, scheme.fit(sampled[equal]))
                topics = [used.topics[row] for row in equal.tolist()]
                cautions += constant_notes(topics, around, constant, scheme)
    return RefittedSchemes(
        tuple(schemes), tuple(parsed), np.ascontiguousarray(used.values), used.topics, ties,
        constant, drawn, tuple(cautions),
    )  # fmt: skip
