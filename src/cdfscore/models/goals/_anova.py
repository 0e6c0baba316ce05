"""What the two analyses of variance have in common: the power of F."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from cdfscore.errors import ModelError
from cdfscore.io.text import written
from cdfscore.models.goals._goal import Goal, check_above_0, check_probability
from cdfscore.models.pilot import Pilot
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array


@dataclass(frozen=True)
class OfAnova(Goal):
    """The F test of m systems detects a difference of their true means with this power.

    power = P(F' > q). F' has the noncentral F distribution with m - 1 and the degrees of freedom of
    the error, with noncentrality n difference^2 / (2 sigma^2), and q is the upper alpha quantile of
    F. `difference` is the range of the true means. Of all means with this range, the hardest to
    detect are two at its ends and all others in the middle. Other means have a larger
    noncentrality, sum_s (mean_s - mean)^2 n / sigma^2, and more power.
    """

    quantity: ClassVar[str] = "power"
    #: The name of the F test in a sentence, and the variable that has the variance.
    test: ClassVar[str]
    variable: ClassVar[str]
    tolerance: ClassVar[Tolerance] = Tolerance.absolute(
        2e-9, "the noncentral F distribution of R has an error of up to 1e-9"
    )

    difference: float
    systems: int | None = None
    power: float = 0.8
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_above_0(self, "difference", self.difference)
        if self.systems is not None:
            whole_number_from("systems", self.systems, 2, None, ModelError)
        check_probability(self, "power", self.power)
        check_probability(self, "alpha", self.alpha)

    @property
    def wanted(self) -> float:
        """The power."""
        return self.power

    def variance(self, pilot: Pilot) -> float:
        """Return the variance of the error."""
        (found,) = self.variances(pilot).values()
        return found

    @abstractmethod
    def df(self, topics: int, systems: int) -> int:
        """Return the degrees of freedom of the error."""

    def refusal(self, pilot: Pilot) -> str | None:
        """Return the refusal of pilots with different numbers of systems, if none is given."""
        if self.systems is not None or pilot.systems is not None:
            return None
        return (
            f"{self.name}: the pilots have different numbers of systems; expected the number of "
            "systems, in the setting systems"
        )

    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the power with this number of topics."""
        systems = self._systems(pilot)
        df1, df2 = systems - 1, self.df(topics, systems)
        noncentrality = topics * np.square(self.difference) / (2 * self.variance(pilot))
        return 1 - float(special.ncfdtr(df1, df2, noncentrality, self._critical(df1, df2)))

    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""
        return (
            f"With {topics:,} topics {self.test} analysis of variance of {self._systems(pilot)} "
            f"systems detects a range of means of {written(self.difference)} with power "
            f"{written(self.power)} at alpha {written(self.alpha)}, if {self.variable} are normal "
            f"and have the variance of the pilot, {self.variance(pilot):.3g}"
        )

    def resampling_refusal(self, pilot: Pilot) -> str | None:
        """Return the refusal of a pilot with fewer systems than the goal."""
        if self.systems is None or self.systems <= (pilot.systems or 0):
            return None
        return (
            f"{self.name}: {self.systems} systems cannot be drawn from the {pilot.systems} of the "
            "pilot; expected as many or fewer, or no check by resampling"
        )

    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return 1 if F is significant, with two systems drawn at random as ends of the range."""
        systems = self.systems or centred.shape[1]
        columns = rng.permutation(centred.shape[1])[:systems]
        found = self.drawn(centred[:, columns], topics, rng)
        found[:, 0] += self.difference
        found[:, 1:] += self.difference / 2
        found[:, 1] -= self.difference / 2
        between, error = self.squares(found)
        df1, df2 = systems - 1, self.df(topics, systems)
        return float(between / df1 > self._critical(df1, df2) * error / df2)

    @abstractmethod
    def drawn(self, scores: Array, topics: int, rng: np.random.Generator) -> Array:
        """Return the scores (topics, systems) of topics drawn with replacement."""

    @abstractmethod
    def squares(self, scores: Array) -> tuple[float, float]:
        """Return the sums of squares of systems, and of the error."""

    def _critical(self, df1: int, df2: int) -> float:
        """Return the upper point alpha of F, by the lower point of 1 / F: it keeps its digits."""
        return 1 / float(special.fdtri(df2, df1, self.alpha))

    def _systems(self, pilot: Pilot) -> int:
        found = self.systems or pilot.systems
        assert found is not None  # as `refusal` has made sure
        return found
