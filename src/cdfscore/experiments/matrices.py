"""Scores of one collection under several schemes: the input of the experiments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore.errors import CdfscoreError, ExperimentError, ScoresError
from cdfscore.io.scores.frame_labels import topic_labels
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import listed as named_topics
from cdfscore.standardization.policies.constant import ConstantPolicy
from cdfscore.standardization.policies.missing import MissingPolicy
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

# Sums of larger ones might overflow.
_LARGEST = 1e280
Ties = Literal["exact", "rounded"]


@dataclass(frozen=True, eq=False)
class SchemeMatrices:
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
        The sizes of the scores under each scheme, as in `Standardized`; None for exact scores.

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

    @property
    def topics(self) -> int:
        """Number of topics."""
        return len(self.raw)

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.raw.shape[1])


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
    check_asked(schemes, ties)
    matrix, fitted_on = both_as_pandas(scores, reference)
    frames, averaged, denominators, tie_sizes = [], [], [], []
    cautions = dict[str, None]()
    for label, scheme in schemes.items():
        standardizer = Standardizer(scheme, constant=constant, missing=missing)
        found = standardizer.standardize(matrix, fitted_on, extra_topics=extra_topics)
        frames.append(found.scores)
        tie_sizes.append(found.tie_sizes)
        cautions |= dict.fromkeys(
            [*found.given.notes(), *found.cautions, *found.notes_on_constant_topics]
        )
        counts = found.counts if ties == "exact" else None
        exact = (found.scores.to_numpy(), 1) if counts is None else common_numerators(*counts)
        averaged.append(exact[0])
        denominators.append(exact[1])
        refuse_infinite(found.scores, f"scheme {label}")
    raw = found.used  # the same of all schemes
    check_raw(raw)
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
            f"{named_topics(shared)} in both collections; expected different topics (a file "
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
            for a, b in zip(first.tie_sizes, second.tie_sizes, strict=True)
        ),
    )


def check_asked(schemes: Mapping[str, Scheme | str], ties: str) -> None:
    """Raise `ExperimentError` if there is no scheme, or `ties` is unknown."""
    if ties not in get_args(Ties):
        raise ExperimentError(
            f"{argument('ties', ties)} is not accepted; expected 'exact' or 'rounded'"
        )
    if not schemes:
        raise ExperimentError("there is no scheme; expected one or more")


def check_raw(scores: ScoreMatrix) -> None:
    """Raise `ScoresError` if there are fewer than 2 systems, or a score is not finite."""
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
    """Return the numerators of the same fractions over one denominator, and the denominator.

    Numerators are exact doubles. Sums of columns then compare as the sums of the fractions do.
    Raises `CdfscoreError` where a sum of all rows might not be exact, because the denominators have
    too little in common.
    """
    common = _common((int(d) for d in np.unique(denominators)), len(numerators))
    return (numerators * (common // denominators)).astype(np.float64), common


def _common(denominators: Iterable[int], rows: int) -> int:
    common = math.lcm(*denominators)
    if common * rows >= 2**52:  # the division of a sum must not join two of them
        raise CdfscoreError(
            "topics have different numbers of reference scores, so exact means would need the "
            f"common denominator {common}; expected one below 2^52 over the number of topics, as "
            f"without missing scores, or {argument('ties', 'rounded')}"
        )
    return common
