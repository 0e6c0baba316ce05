"""Power of two-way analysis of variance of topics and systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cdfscore.models.goals._anova import OfAnova
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class TwoWay(OfAnova):
    """Goal: the F test of m systems on the same n topics detects a range of true means.

    power = P(F' > q). F' has the noncentral F distribution with m - 1 and (m - 1) (n - 1) degrees
    of freedom and noncentrality n difference^2 / (2 sigma^2). This is the case that is hardest to
    detect: two systems at the ends of the range, and the others in the middle. sigma^2 is the
    residual variance of topics and systems, `Pilot.residual`, and m is the number of systems. The
    test is `cdfscore.significance.anova_two_way`.

    F has this distribution if the differences of all pairs of systems have the same variance. This
    does not hold if some systems are variants of one another; a check by resampling then shows less
    power.

    Source: the F test of randomized blocks, with the means of `OneWay`; Sakai (2014), Topic set
    size design with variance estimates from two-way ANOVA, EVIA.

    Parameters
    ----------
    difference, systems, power, alpha
        As of `OneWay`.

    Raises
    ------
    ModelError
        As `OneWay`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import TwoWay
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], TwoWay(difference=0.1)).topics
    17
    """

    test: ClassVar[str] = "two-way"
    within_topics: ClassVar[bool] = True
    variable: ClassVar[str] = "residuals of topics and systems"
    rests_on: ClassVar[tuple[str, ...]] = ("residual",)

    def df(self, topics: int, systems: int) -> int:
        """Return the degrees of freedom of the residuals."""
        return (systems - 1) * (topics - 1)

    def drawn(self, scores: Array, topics: int, rng: np.random.Generator) -> Array:
        """Return the scores of all systems on topics that are drawn."""
        found: Array = scores[rng.integers(len(scores), size=topics)]
        return found

    def squares(self, scores: Array) -> tuple[float, float]:
        """Return the sums of squares of systems and of residuals."""
        means = scores.mean(axis=0)
        between = means - means.mean()
        residuals = scores - scores.mean(axis=1, keepdims=True) - between
        return len(scores) * float(between @ between), float(np.vdot(residuals, residuals))
