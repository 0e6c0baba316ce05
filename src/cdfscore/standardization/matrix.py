"""Checked score matrix, with its labels as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.scores.cautions import Found, Matrix, kept_by, of_results
from cdfscore.scores.dataframes import IntoFrame, notes_of
from cdfscore.scores.frame import checked_scores
from cdfscore.scores.labels import topic_labels
from cdfscore.standardization import policies
from cdfscore.standardization.policies import MissingPolicy
from cdfscore.stats.numerics.types import Array


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """A checked score matrix: the frame, its values, and labels to match topics."""

    frame: pd.DataFrame
    values: Array
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    #: False if topics are numbered by their position.
    labelled: bool
    #: What was found in these scores, of one frame: by `of_results`, and the digest.
    _known: dict[object, Any] = field(init=False, default_factory=dict, repr=False)

    @classmethod
    def of(cls, scores: IntoFrame) -> ScoreMatrix:
        """Check `scores`; raises `ScoresError` if they are not a score matrix."""
        frame, topics, systems, known = checked_scores(scores)
        labelled = not isinstance(frame.index, pd.RangeIndex)
        # Row by row, as every fit needs them: a frame has them column by column.
        values = np.ascontiguousarray(frame.to_numpy())
        found = cls(frame, values, tuple(topics), tuple(systems), labelled)
        object.__setattr__(found, "_known", known)
        return found

    def doubts(
        self, lower: Collection[str] = (), *, reference: bool = False, raw: bool = False
    ) -> list[Found]:
        """Return what is said of topics and systems that may be in disorder; see `Matrix`."""
        kept = kept_by(self.frame)
        return of_results(
            Matrix(self.topics, self.systems, self.values, kept, lower, reference, raw), self._known
        )

    def notes(self) -> list[str]:
        """Return sentences on what was omitted, checked or assumed in reading a file."""
        return notes_of(self.frame)

    def missing(self) -> int:
        """Count the missing scores."""
        return int(np.count_nonzero(np.isnan(self.values)))

    def after(self, policy: MissingPolicy, source: str) -> ScoreMatrix:
        """Return the matrix after a policy for missing scores; `source` is for messages."""
        frame = policies.resolve(policy, self.frame, source)
        if frame is self.frame:
            return self
        topics = self.topics if len(frame) == len(self.frame) else tuple(topic_labels(frame))
        return replace(self, frame=frame, values=frame.to_numpy(), topics=topics)

    def take(self, keep: list[bool]) -> ScoreMatrix:
        """Return the topics to keep, in their order."""
        if all(keep):
            return self
        topics = tuple(t for t, kept in zip(self.topics, keep, strict=True) if kept)
        return replace(self, frame=self.frame[keep], values=self.values[keep], topics=topics)

    def in_order(self, topics: Sequence[str], systems: Sequence[str]) -> ScoreMatrix:
        """Return the same scores in the order of these labels, if the labels are the same."""
        if not self.labelled or sorted(topics) != sorted(self.topics):
            topics = self.topics
        if sorted(systems) != sorted(self.systems):
            systems = self.systems
        if (*topics,) == self.topics and (*systems,) == self.systems:
            return self
        rows, columns = (
            list(map({label: i for i, label in enumerate(own)}.__getitem__, labels))
            for own, labels in ((self.topics, topics), (self.systems, systems))
        )
        values = self.values[np.ix_(rows, columns)]
        frame = self.frame.iloc[rows, columns]
        return replace(
            self, frame=frame, values=values, topics=tuple(topics), systems=tuple(systems)
        )

    def with_zeros(self, topics: Sequence[str]) -> ScoreMatrix:
        """Return the matrix with these topics added, on which all scores are 0."""
        if not topics:
            return self
        values = np.concatenate([self.values, np.zeros((len(topics), len(self.systems)))])
        every = (*self.topics, *topics)
        index = pd.Index(every, dtype=str, name="topic")
        frame = pd.DataFrame(values, index=index, columns=self.frame.columns)
        return replace(self, frame=frame, values=values, topics=every)

    def digest(self) -> str:
        """Return the digest of labels and scores; see `digest_of_scores`."""
        if "digest" not in self._known:
            self._known["digest"] = digest_of_scores(self.topics, self.systems, self.values)
        return str(self._known["digest"])


def digest_of_scores(topics: Sequence[str], systems: Sequence[str], values: Array) -> str:
    """Return ``sha256:...`` of labels and scores, the same for equal matrices on every machine."""
    sha = hashlib.sha256(json.dumps([list(topics), list(systems)]).encode())
    missing = np.isnan(values)
    if missing.any():
        values = np.where(missing, np.nan, values)
    sha.update(np.ascontiguousarray(values, dtype="<f8").data)
    return f"sha256:{sha.hexdigest()}"
