"""Number of resamples, and their random streams."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

#: Fewer resamples than this at least as far away as the scores, and more are drawn.
FEW = 5


@dataclass(frozen=True)
class Draws:
    """Number of resamples and their random stream.

    `resamples` are drawn for every topic. Where fewer than `FEW` of them are as far away as
    the scores, `most` are drawn in all, so that the least p value can hold after Holm's
    correction, unless the caller asked for a smaller `most`. The p value is valid at every
    level: a topic goes on only if its p value was small, and a topic that stops has no p value
    below (FEW + 1) / (resamples + 1).

    The uniform numbers of a topic depend on the seed and its label alone, and are the same for
    all distributions, so that no distribution changes the result of another. Other topics do
    change two things: `most` grows with their number and with 1 / alpha, which changes p values
    of topics that go on; and the resolution that is found is that of all scores.
    """

    resamples: int
    most: int
    seed: int

    @classmethod
    def of(
        cls, resamples: int, seed: int, topics: int, alpha: float, most: int | None = None
    ) -> Draws:
        """Return draws whose least p value is at most alpha / 2 after Holm over `topics`.

        Where that takes more resamples than `most`, it is as small as `most` allow.
        """
        times = math.ceil(2 * topics / (alpha * (resamples + 1))) if resamples else 1
        needed = max(times, 1) * (resamples + 1) - 1
        return cls(resamples, needed if most is None else min(needed, most), seed)

    def generator(self, topic: str) -> np.random.Generator:
        """Return the stream of a topic."""
        digest = hashlib.sha256(topic.encode()).digest()
        return np.random.default_rng([self.seed, int.from_bytes(digest[:16], "big")])
