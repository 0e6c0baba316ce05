"""Power of the paired t test of two systems."""

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
from cdfscore.power.power_t import power_t


@dataclass(frozen=True)
class PairedT(OfPairs):
    """Goal: the two-sided paired t test detects a true difference of two means with this power.

    ``power = P(|T| > q)``. T has the noncentral t distribution with n - 1 degrees of freedom and
    noncentrality sqrt(n) difference / sigma_d. q is the upper alpha / 2 quantile of Student's t,
    and sigma_d^2 is the variance of the differences, `Pilot.differences`.

    Source: Sakai (2016), Topic set size design, after Nagata (2003), who approximates; here the
    distribution is exact (`power_t`). R: ``power.t.test(type = "paired", strict = TRUE)``.

    Parameters
    ----------
    difference
        The true difference, above 0, in units of the scores.
    power
        The power to reach, between 0 and 1.
    alpha
        The level of the test, between 0 and 1.

    Raises
    ------
    ModelError
        If the difference is not above 0, or if the power or the level is not between 0 and 1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import plan
    >>> from cdfscore.models.goals import PairedT
    >>> plan(datasets.load_cranfield("ap").iloc[:, :12], PairedT(difference=0.05)).topics
    31
    """

    quantity: ClassVar[str] = "power"

    difference: float
    power: float = 0.8
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_above_0(self, "difference", self.difference)
        check_probability(self, "power", self.power)
        check_probability(self, "alpha", self.alpha)

    @property
    def wanted(self) -> float:
        """The power."""
        return self.power

    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the power with this number of topics."""
        sd = math.sqrt(pilot.differences)
        found = power_t(topics, self.difference, sd, self.alpha, type="paired", strict=True)
        return found.power

    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""
        return (
            f"With {topics:,} topics the paired t test detects a difference of "
            f"{written(self.difference)} with power {written(self.power)} at alpha "
            f"{written(self.alpha)}, if differences are normal and have the variance of the "
            f"pilot, {pilot.differences:.3g}"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return 1 if the test finds the difference, put between two systems drawn at random."""
        found = differences(centred, topics, rng) + self.difference
        least = -special.stdtrit(topics - 1, self.alpha / 2) / math.sqrt(topics)
        return float(abs(found.mean()) > least * found.std(ddof=1))
