"""Power of one-way analysis of variance of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cdfscore.models.goals._anova import OfAnova
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class OneWay(OfAnova):
    """The F test of m systems, each on n topics of its own, finds a range of true means.

    power = P(F' > q), where F' has the noncentral F distribution on m - 1 and m (n - 1) degrees of
    freedom with noncentrality n difference^2 / (2 sigma^2): two systems at the ends of the range
    and the others in the middle, which is the hardest to find. sigma^2 is the variance of the
    scores of a system, `Pilot.scores`; m is `systems`, those of the pilot if not given.

    Systems on the same topics share what is hard in a topic, and this test does not use that: it
    asks for more topics than `TwoWay`, and is Sakai's choice where the topics are not the same.

    Source: Sakai (2016), Topic set size design, after Nagata (2003), who approximates; here the
    distribution is exact. R: ``power.anova.test(groups = m, within.var = sigma^2,
    between.var = difference^2 / (2 (m - 1)))``.

    Raises `ModelError` for a difference that is not above 0, fewer than two systems, and a power or
    level out of (0, 1).
    """

    test: ClassVar[str] = "one-way"
    variable: ClassVar[str] = "scores of a system"
    rests_on: ClassVar[tuple[str, ...]] = ("scores",)

    def df(self, topics: int, systems: int) -> int:
        """Return the degrees of freedom within systems."""
        return systems * (topics - 1)

    def drawn(self, scores: Array, topics: int, rng: np.random.Generator) -> Array:
        """Return the scores on topics drawn for each system by itself."""
        rows = rng.integers(len(scores), size=(topics, scores.shape[1]))
        found: Array = np.take_along_axis(scores, rows, axis=0)
        return found

    def squares(self, scores: Array) -> tuple[float, float]:
        """Return the sums of squares between and within systems."""
        means = scores.mean(axis=0)
        within = scores - means
        between = means - means.mean()
        return len(scores) * float(between @ between), float(np.vdot(within, within))
