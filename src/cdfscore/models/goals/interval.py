"""Width of the confidence interval of a difference of two systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from cdfscore.io.text import written
from cdfscore.models.goals._goal import OfPairs, check_above_0, check_probability, differences
from cdfscore.models.pilot import Pilot
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class Interval(OfPairs):
    """Goal: the confidence interval of a difference of two means has at most this expected width.

    E(width) = 2 q E(s) / sqrt(n). q is the upper alpha / 2 quantile of Student's t with n - 1
    degrees of freedom, s the standard deviation of n differences, and

        E(s) = sigma_d sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2)

    for normal differences with variance sigma_d^2, `Pilot.differences`. The confidence is
    1 - alpha.

    Source: Sakai (2016), Topic set size design, after Nagata (2003).

    Parameters
    ----------
    width
        The expected width to reach, above 0, in units of the scores.
    alpha
        1 minus the confidence, between 0 and 1.

    Raises
    ------
    ModelError
        If the width is not above 0, or if alpha is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import Interval
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], Interval(width=0.05)).topics
    58
    """

    quantity: ClassVar[str] = "width"
    example: ClassVar[str] = "0.1"
    on_the_scale: ClassVar[str] = "the width"

    width: float
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_above_0(self, "width", self.width)
        check_probability(self, "alpha", self.alpha)

    @property
    def wanted(self) -> float:
        """The width."""
        return self.width

    @property
    def easier(self) -> str:
        """Changes of the goal that need fewer topics."""
        return "a larger width, or a larger alpha"

    def reached(self, value: float) -> bool:
        """Tell whether a width is small enough."""
        return value <= self.width

    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the expected width with this number of topics."""
        df = topics - 1
        # poch(x, 1/2) is Gamma(x + 1/2) / Gamma(x), and keeps digits where the two overflow.
        expected = math.sqrt(2 * pilot.differences / df) * float(special.poch(df / 2, 0.5))
        return -2 * float(special.stdtrit(df, self.alpha / 2)) * expected / math.sqrt(topics)

    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""
        return (
            f"With {topics:,} topics the {100 * (1 - self.alpha):.12g} % confidence interval of a "
            f"difference has an expected width of {written(self.width)} or less, if differences "
            f"are normal and have the variance of the pilot, {pilot.differences:.3g}"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return the width of the interval of two systems drawn at random."""
        s = float(differences(centred, topics, rng).std(ddof=1))
        return -2 * float(special.stdtrit(topics - 1, self.alpha / 2)) * s / math.sqrt(topics)
