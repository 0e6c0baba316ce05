"""A score matrix after its checks, with its labels as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores import as_scores, topic_labels
from cdfscore.numerics.types import Array
from cdfscore.standardization.policies import missing as missing_scores

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.policies.missing import MissingPolicy


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """A checked score matrix: the frame, its values, and the labels that topics are matched by."""

    frame: pd.DataFrame
    values: Array
    topics: tuple[str, ...]
    #: False where topics are numbered by their position.
    labelled: bool

    @classmethod
    def of(cls, scores: pd.DataFrame) -> ScoreMatrix:
        """Check `scores`; raises `ScoresError` for what is no score matrix."""
        import pandas as pd

        frame = as_scores(scores)
        labelled = not isinstance(frame.index, pd.RangeIndex)
        return cls(frame, frame.to_numpy(), tuple(topic_labels(frame)), labelled)

    @property
    def systems(self) -> list[str]:
        """The labels of the systems."""
        return list(self.frame.columns)

    def missing(self) -> int:
        """Count the missing scores."""
        return int(np.count_nonzero(np.isnan(self.values)))

    def after(self, policy: MissingPolicy, source: str) -> ScoreMatrix:
        """Return the matrix after a policy for missing scores; `source` is for messages."""
        frame = missing_scores.resolve(policy, self.frame, source)
        if frame is self.frame:
            return self
        topics = self.topics if len(frame) == len(self.frame) else tuple(topic_labels(frame))
        return ScoreMatrix(frame, frame.to_numpy(), topics, self.labelled)

    def take(self, keep: list[bool]) -> ScoreMatrix:
        """Return the topics to keep, in their order."""
        if all(keep):
            return self
        topics = tuple(t for t, kept in zip(self.topics, keep, strict=True) if kept)
        return ScoreMatrix(self.frame[keep], self.values[keep], topics, self.labelled)
