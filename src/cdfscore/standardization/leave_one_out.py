"""Leave-one-out standardization: each system by the scheme fitted to the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np
import pandas as pd

from cdfscore.common.catalogue import traces
from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted, each_in_units, worded
from cdfscore.errors import FactorsError, ScoresError
from cdfscore.scores import dataframes
from cdfscore.scores.dataframes import IntoDataFrameT, IntoFrame, IntoLazyFrame, notes_of, taken
from cdfscore.scores.labels import topic_labels
from cdfscore.standardization import cautions, policies
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.standardization.standardized import NO_TOPIC
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Scheme

# Number of scores in samples that are fitted at a time; bounds the memory.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Result of leave-one-out standardization: the scores, and what each policy changed.

    `unfitted_cells` has the reason for each unfitted cell (topic, system). `constant_cells` is
    True for each cell, also of topics that policies then drop, if the scores of the other systems
    are all equal.
    """

    scores: pd.DataFrame
    constant_cells: BoolArray
    unfitted_cells: dict[tuple[str, str], str]
    given: ScoreMatrix
    standardizer: Standardizer
    censored: dict[str, tuple[int, int]]

    @property
    def how(self) -> str:
        """How the scores were standardized, in the words of a caption; raw ones were not."""
        scheme = self.standardizer.scheme
        fitted = ", fitted for each system to the others" if scheme.parameter_names() else ""
        return f"{cautions.standardized_by(scheme)}{fitted}"

    @property
    def cautions(self) -> list[str]:
        """Sentences on results that are easy to misunderstand: few systems, mixed scales."""
        how = self.standardizer
        mixed = cautions.mixed_units if how.scheme.keeps_unit else cautions.mixed_scales
        lower = policies.reversed_topics(how.lower_is_better, self.given.topics)
        doubts = self.given.doubts(lower, reference=True, raw=how.scheme.keeps_unit)
        found = [each.sentence for each in doubts]
        found += mixed(self.given, how.lower_is_better)
        found += policies.errors_as_scores(self.given, how.lower_is_better)
        if how.scheme.parameter_names():  # of raw scores nothing is fitted
            found += cautions.few_systems(len(self.given.systems) - 1, how.scheme)
        return each_in_units(dataframes.units_of(self.given.frame), found)

    @property
    def notes(self) -> list[str]:
        """Sentences on how files were read, on cautions, and on what the policies changed."""
        how, notes = self.standardizer, [*notes_of(self.given.frame), *self.cautions]
        notes += policies.notes(how.lower_is_better, how.reflect_at, topic_labels(self.scores))
        if constant := int(self.constant_cells.sum()):
            used = policies.used(how.constant, how.scheme)
            used += ", and every topic with one is dropped" * (how.constant == "drop_topic")
            notes.append(f"{counted(constant, 'cell')} where the others' scores are equal{used}")
        if self.unfitted_cells:
            cell, reason = next(iter(self.unfitted_cells.items()))
            dropped = ", and every topic with one is dropped" * (how.unfitted == "drop_topic")
            cells = cautions.are(len(self.unfitted_cells), "cell")
            notes.append(f"{cells} unfitted{dropped}; {_without(cell)}: {reason}")
        notes += cautions.missing_notes(self.given.missing(), how.missing)
        notes += traces(how.scheme.members)
        notes += cautions.undefined_notes(self.scores.to_numpy(), how.scheme)
        return each_in_units(dataframes.units_of(self.given.frame), notes)


@overload
def leave_one_out(
    scores: IntoDataFrameT, scheme: Scheme | str | Standardizer
) -> IntoDataFrameT: ...
@overload
def leave_one_out(scores: IntoLazyFrame, scheme: Scheme | str | Standardizer) -> Any: ...
def leave_one_out(scores: IntoFrame, scheme: Scheme | str | Standardizer) -> Any:
    """Standardize every score by the scheme fitted to the other systems of its topic.

    y_ts = F_(t, without s)(x_ts). Without leave-one-out, a reference system influences its own
    score: by N-std the score moves towards 1/2, most with few systems, and by E-std it moves up,
    since the system counts itself.

    `scores` is topics x systems. The result has its labels and its kind of data frame. The
    numbers equal, bit for bit, those of a `Standardizer` that is fitted without the system. The
    policies are those of a `Standardizer`, and apply to each sample of the other systems: a
    constant sample, a missing score, an unfitted sample. Under ``unfitted="drop_topic"``, a topic
    with an unfitted sample is omitted for all systems.

    Raises `SchemeError` for an unknown scheme, setting or policy, `ScoresError` for an invalid
    score matrix or a single system, `MissingScoreError` and `ConstantTopicError` depending on
    the policies, and `FitError` for a sample that the scheme cannot be fitted to; all name the
    topic and the system.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"bm25": [0.2], "lsa": [0.4], "ql": [0.3]}, index=["301"])
    >>> leave_one_out(scores, "empirical")
           bm25  lsa   ql
    topic
    301     0.0  1.0  0.5
    """
    frame, kind = taken(scores)
    left = left_out(frame, standardizer_of(scheme))
    warn_of(left.cautions)
    return kind.given_back(left.scores)


@worded()
def left_out(scores: pd.DataFrame, standardizer: Standardizer) -> LeftOut:
    """Standardize as `leave_one_out` does, and return what the policies changed as well."""
    given = ScoreMatrix.of(scores)
    lower = standardizer.lower_is_better, standardizer.reflect_at
    policies.check_labels(lower[0], given.topics, given.systems)
    matrix = policies.settled(given, "scores", standardizer.missing, *lower)
    if matrix.values.shape[1] < 2:
        raise ScoresError(
            f"there is {matrix.values.shape[1]} system; expected 2 or more to leave one out"
        )
    values, topics = matrix.values, matrix.topics
    y, constant = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=np.bool_)
    unfitted: dict[tuple[str, str], str] = {}
    beyond = np.zeros((2, len(topics)), dtype=np.int64)
    for topic, system, samples in _samples(values):
        cell = partial(_cell, matrix, topic, system)
        fitted, rows, reasons = policies.fit_by(
            standardizer.unfitted,
            standardizer.scheme,
            samples,
            partial(_place, matrix, topic, system),
        )
        unfitted |= {cell(row): reasons[row] for row in sorted(reasons)}
        place = (topic[rows], system[rows])
        constant[place] = fitted.constant
        if standardizer.constant == "drop_topic" and not fitted.parameters:  # raw scores
            low, high = (each.reduce(samples[rows], axis=1) for each in (np.fmin, np.fmax))
            constant[place] = low == high
        if standardizer.constant == "raise" and fitted.constant.any():
            first = cell(rows[np.argmax(fitted.constant)])
            raise policies.constant_refused(f"{_without(first)}: all the other scores are equal")
        x = values[place][:, np.newaxis]
        for counts, own in zip(beyond, cautions.beyond_ends(fitted, x), strict=True):
            np.add.at(counts, topic[rows], own)
        y[place] = policies.evaluate(standardizer.constant, fitted, x)[:, 0]
    dropped = {topic for topic, _ in unfitted} if standardizer.unfitted == "drop_topic" else set()
    kept = np.array([topic not in dropped for topic in topics])
    if standardizer.constant == "drop_topic":
        kept &= ~constant.any(axis=1)
        if not kept.any() and not unfitted:
            raise FactorsError(NO_TOPIC)
    if unfitted and (not kept.any() or len(unfitted) == np.count_nonzero(~np.isnan(values))):
        first, reason = next(iter(unfitted.items()))
        raise policies.no_topic(standardizer.scheme, _without(first), reason)
    standardized = pd.DataFrame(y, index=matrix.frame.index, columns=matrix.frame.columns)
    every = zip(topics, kept.tolist(), *beyond.tolist(), strict=True)
    censored = {topic: (low, high) for topic, used, low, high in every if used and low + high}
    return LeftOut(standardized[kept], constant, unfitted, given, standardizer, censored)


def _samples(values: Array) -> Iterator[tuple[IntArray, IntArray, Array]]:
    topics, systems = np.nonzero(~np.isnan(values))
    others = values.shape[1] - 1
    step = max(1, _BLOCK // others)
    for start in range(0, len(topics), step):
        topic, system = topics[start : start + step], systems[start : start + step]
        columns = np.arange(others) + (np.arange(others) >= system[:, np.newaxis])
        yield topic, system, values[topic[:, np.newaxis], columns]


def _cell(matrix: ScoreMatrix, topic: IntArray, system: IntArray, row: int) -> tuple[str, str]:
    return matrix.topics[topic[row]], matrix.systems[system[row]]


def _place(matrix: ScoreMatrix, topic: IntArray, system: IntArray, row: int) -> str:
    return _without(_cell(matrix, topic, system, row))


def _without(cell: tuple[str, str]) -> str:
    topic, system = cell
    return f"topic {topic!r} without system {system!r}"
