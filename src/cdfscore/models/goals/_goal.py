"""What all goals have in common, and the smallest number of topics for one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from cdfscore.catalogue import stem_of
from cdfscore.errors import ModelError
from cdfscore.io.text import written
from cdfscore.models.pilot import Pilot
from cdfscore.numerics.numbers import between_0_and_1, finite_number, shown
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

#: The largest number of topics that is considered.
MOST = 10_000_000
#: The quantile of the variances of pairs that the note gives beside their mean.
_OF_PAIRS = 0.95


@dataclass(frozen=True)
class Goal(ABC):
    """Base class of goals: a value of a `quantity`, such as a power, that topics must reach.

    Goals are frozen dataclasses of settings. `fewest` is the smallest number of topics for which
    the quantity is defined, and `example` is a value of the first setting.
    """

    quantity: ClassVar[str]
    fewest: ClassVar[int] = 2
    example: ClassVar[str] = "0.05"
    #: The setting that is in units of the scores, in words.
    on_the_scale: ClassVar[str] = "the difference"
    #: Whether the quantity can be estimated by resampling.
    can_be_checked: ClassVar[bool] = True
    #: Whether `resampled` compares systems within topics only.
    within_topics: ClassVar[bool] = False
    #: The variances that the quantity depends on, by their names in `Pilot`.
    rests_on: ClassVar[tuple[str, ...]] = ("differences",)
    #: Tolerance of the quantity against R's, which goals.R computes.
    tolerance: ClassVar[Tolerance] = Tolerance(
        450_000, "Python and R use two algorithms; 1e-10 of the number"
    )

    @property
    def name(self) -> str:
        """The name of the goal on the command line."""
        return stem_of(type(self).__name__)

    def settings(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def variances(self, pilot: Pilot) -> dict[str, float]:
        """Return the variances that the quantity depends on, by name."""
        return {name: float(getattr(pilot, name)) for name in self.rests_on}

    def in_unit(self, pilot: Pilot) -> tuple[Self, Pilot]:
        """Return the goal and the pilot in a unit in which squares of scores are doubles."""
        if pilot.in_unit is None:
            return self, pilot
        lengths = {
            name: math.ldexp(value, -pilot.exponent)
            for name, value in self.settings().items()
            if name in ("difference", "width")
        }
        return replace(self, **lengths), pilot.in_unit

    @property
    @abstractmethod
    def wanted(self) -> float:
        """The value of the quantity that is to be reached."""

    @abstractmethod
    def at(self, topics: int, pilot: Pilot) -> float:
        """Return the quantity of a collection with this number of topics."""

    def curve(self, topics: Sequence[int], pilot: Pilot) -> list[float]:
        """Return the quantity of collections with each of some numbers of topics."""
        return [self.at(n, pilot) for n in topics]

    @abstractmethod
    def sentence(self, topics: int, pilot: Pilot) -> str:
        """Return the result in one sentence, with its assumptions."""

    def reached(self, value: float) -> bool:
        """Return whether a value of the quantity reaches the goal."""
        return value >= self.wanted

    def refusal(self, pilot: Pilot) -> str | None:
        """Return why a pilot cannot be used for this goal; None if it can."""
        return None

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Return notes that a reader of the sentence needs."""
        return []

    def topics(self, pilot: Pilot) -> int:
        """Return the smallest number of topics that reaches the goal, by bisection.

        Raises `ModelError` if none up to `MOST` does.
        """
        return self.found(smallest(lambda n: self.reached(self.at(n, pilot)), self.fewest))

    def found(self, topics: float | None) -> int:
        """Return a number of topics; raises `ModelError` for None, and above `MOST`."""
        if topics is None or topics > MOST:
            raise ModelError(
                f"{self.name}: a {self.quantity} of {written(self.wanted)} needs more than "
                f"{MOST:,} topics; expected {self.easier}"
            )
        return int(topics)

    @property
    def easier(self) -> str:
        """Changes of the goal that need fewer topics."""
        return "a larger difference, or less power"

    def resampling_refusal(self, pilot: Pilot) -> str | None:
        """Return why `resampled` is not defined for this goal and pilot; None if it is."""
        return None

    @abstractmethod
    def resampled(self, centred: Array, topics: int, rng: np.random.Generator) -> float:
        """Return the quantity in one resample: 1 if a difference is found, or a width.

        `centred` are the scores of the pilot (topics, systems) with equal means, and the
        variances that `Pilot` estimates.
        """


def smallest(enough: Callable[[int], bool], fewest: int) -> int | None:
    """Return the smallest whole number from `fewest` to `MOST` that is enough, or None.

    If a number is enough, all larger numbers must be enough too.

    Examples
    --------
    >>> smallest(lambda n: n * n >= 1000, 2)
    32
    """
    low, high = fewest - 1, fewest
    while not enough(high):
        if high == MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def spread_of_pairs(goal: Goal, topics: int, pilot: Pilot) -> list[str]:
    """Say how far the variances of pairs are from their mean, for a goal that takes the mean."""
    pairs = len(pilot.of_pairs)
    if pairs == 1:
        return []
    own, scaled = goal.in_unit(pilot)
    high = float(np.quantile(scaled.of_pairs, _OF_PAIRS))
    if high <= scaled.differences:
        return []
    with_high = replace(scaled, differences=high)
    more = smallest(lambda n: own.reached(own.at(n, with_high)), goal.fewest)
    with np.errstate(over="ignore", under="ignore"):
        high = float(np.ldexp(high, 2 * pilot.exponent))
    needed = f"more than {MOST:,}" if more is None else f"{more:,}"
    return [
        f"the variance of the differences is the mean over {pairs:,} pairs, whose variances are "
        f"from {pilot.of_pairs.min():.3g} to {pilot.of_pairs.max():.3g}; for {100 * _OF_PAIRS:g} % "
        f"of the pairs it is at most {high:.3g}, which needs {needed} topics instead of {topics:,}"
    ]


def check_above_0(goal: Goal, name: str, value: object) -> None:
    """Raise `ModelError` for a setting that is not a finite number above 0."""
    number = finite_number(value)
    if number is None or number <= 0:
        given = argument(name, value, shown=shown)
        raise ModelError(f"{goal.name}: {given} is not accepted; expected a finite number above 0")


def check_probability(goal: Goal, name: str, value: object) -> None:
    """Raise `ModelError` for a setting that is not a number between 0 and 1."""
    try:
        between_0_and_1(name, value, ModelError)
    except ModelError as error:
        raise ModelError(f"{goal.name}: {error}") from None


class OfPairs(Goal):
    """Goal for the difference of two systems, with the mean variance of all pairs of the pilot."""

    within_topics: ClassVar[bool] = True

    def notes(self, topics: int, pilot: Pilot) -> list[str]:
        """Say how far the variances of pairs are from their mean."""
        return spread_of_pairs(self, topics, pilot)


def differences(centred: Array, topics: int, rng: np.random.Generator) -> Array:
    """Return the differences of two systems drawn at random, on topics drawn with replacement."""
    systems = centred.shape[1]
    i = int(rng.integers(systems))
    j = (i + 1 + int(rng.integers(systems - 1))) % systems
    rows = rng.integers(len(centred), size=topics)
    found: Array = centred[rows, i] - centred[rows, j]
    return found
