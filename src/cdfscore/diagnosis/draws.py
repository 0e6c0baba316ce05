"""Number of resamples, and their random streams."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

#: If fewer resamples than this are at least as far away as the scores, more are drawn.
FEW = 5


@dataclass(frozen=True)
class Draws:
    """Number of resamples and their random stream.

    `resamples` are drawn for every topic. If fewer than `FEW` of them have a statistic as large
    as the scores, a total of `most` is drawn, so that the smallest p value can stay below alpha
    after Holm's correction, unless the caller asked for a smaller `most`. The p value is valid at
    every level: drawing continues only for a topic with a small p value, and a topic where it
    stops has no p value below (FEW + 1) / (resamples + 1).

    The uniform numbers of a topic depend only on the seed and the label of the topic. They are the
    same for all distributions, so that no distribution changes the result of another. Other topics
    change two things: `most` increases with their number and with 1 / alpha, which changes p values
    of topics for which drawing continues; and the resolution is found from all scores.
    """

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(
        cls, resamples: int, seed: int, topics: int, alpha: float, most: int | None = None
    ) -> Draws:
        """Return draws whose smallest p value is at most alpha / 2 after Holm over `topics`.

        If that needs more than `most` resamples, the smallest p value is larger.
        """
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        needed = max(times, 1) * (resamples + 1) - 1
        return cls(resamples, needed if most is None else min(needed, most), seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])
