"""Power of one-way analysis of variance of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cdfscore.models.goals._anova import OfAnova
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class OneWay(OfAnova):
    """Goal: the F test of m systems, each on n own topics, detects a range of true means.

    power = P(F' > q). F' has the noncentral F distribution with m - 1 and m (n - 1) degrees of
    freedom and noncentrality n difference^2 / (2 sigma^2). This is the case that is hardest to
    detect: two systems at the ends of the range, and the others in the middle. sigma^2 is the
    variance of the scores of a system, `Pilot.scores`, and m is the number of systems.

    If the systems share the topics, this test does not use that they share their difficulty: it
    needs more topics than `TwoWay`. Sakai uses it for systems on different topics.

    Source: Sakai (2016), Topic set size design, after Nagata (2003), who approximates; here the
    distribution is exact. R: ``power.anova.test(groups = m, within.var = sigma^2,
    between.var = difference^2 / (2 (m - 1)))``.

    Parameters
    ----------
    difference
        The range of the true means, above 0, in units of the scores.
    systems
        The number of systems, two or more; that of the pilot if not given.
    power
        The power to reach, between 0 and 1.
    alpha
        The level of the test, between 0 and 1.

    Raises
    ------
    ModelError
        If the difference is not above 0, for fewer than two systems, or if the power or the level
        is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import OneWay
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], OneWay(difference=0.1)).topics
    255
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
