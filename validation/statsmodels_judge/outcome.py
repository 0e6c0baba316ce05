"""What was found for a counterpart: differences, and the errors of those that were judged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from validation.statsmodels_judge.counterpart import Given

#: A relative difference from here on is for the judges, and an error from here on is one.
LIMIT = 1e-9


@dataclass(frozen=True)
class Errors:
    """How far each side is from 50 digits; `r` is NaN where R has no number."""

    ours: float
    statsmodels: float
    r: float


@dataclass(frozen=True)
class Difference:
    """The largest difference of a case; `places` are those with two numbers, by difference."""

    size: float
    places: tuple[int, ...]
    what: str
    given: Given = field(repr=False)


@dataclass
class Tally:
    """One number over all cases: how many, how many beyond the limit, and the largest differences.

    Of differences of 0 the first cases are in `largest`, so that no number goes unjudged.
    `absolute` is the largest difference as such. `absent` counts what is a number on one side
    alone: (not ours, not that of statsmodels).
    """

    count: int = 0
    beyond: int = 0
    absolute: float = 0.0
    absent: tuple[int, int] = (0, 0)
    largest: list[Difference] = field(default_factory=list)
    errors: list[Errors] = field(default_factory=list)

    @property
    def difference(self) -> float:
        """The largest difference, in terms of the number's size."""
        return self.largest[0].size if self.largest else 0.0

    def worst(self, side: str) -> float:
        """The largest error of a side among what was judged; NaN if it has no number at all."""
        known = [e for each in self.errors if not np.isnan(e := getattr(each, side))]
        return max(known, default=np.nan)


@dataclass
class Outcome:
    """What was found for a counterpart: cases, those on which a side stopped, and each number."""

    cases: int = 0
    stopped: int = 0
    numbers: dict[str, Tally] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """The largest difference of any number."""
        return max((each.difference for each in self.numbers.values()), default=0.0)

    @property
    def widest(self) -> str:
        """The number with the largest difference."""
        return max(self.numbers, key=lambda name: self.numbers[name].difference)

    @property
    def count(self) -> int:
        """How many numbers were compared."""
        return sum(each.count for each in self.numbers.values())

    @property
    def absent(self) -> tuple[int, int]:
        """In how many cases, at most, a number is missing: on our side, on that of statsmodels."""
        of_us, of_them = zip(*(each.absent for each in self.numbers.values()), strict=True)
        return max(of_us), max(of_them) + self.stopped

    @property
    def unanswered(self) -> set[str]:
        """The numbers that R has in none of the cases that were judged."""
        return {name for name, each in self.numbers.items() if np.isnan(each.worst("r"))}

    @property
    def unjudged(self) -> set[str]:
        """The numbers that no judge has seen."""
        return {name for name, each in self.numbers.items() if not each.errors}

    def off(self, side: str) -> set[str]:
        """Return the numbers of which a side has an error beyond the limit."""
        return {name for name, each in self.numbers.items() if each.worst(side) > LIMIT}
