"""Held level of a test: how often it rejects a true null hypothesis, by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The numbers of topics for which levels are simulated.
CHECKED = (5, 8, 10, 20, 50)
#: The level that is checked, and what counts as held.
NOMINAL, MOST = 0.05, 0.055


@dataclass(frozen=True)
class Level:
    """Where a test at 5 % rejects more than 5.5 % of true null hypotheses, by simulation.

    `untied` and `tied` have the proportion rejected by number of topics, of those in `CHECKED`
    for which it is more, on normal scores and on scores with ties (multiples of 0.1, as of
    P@10). `instead` names a test that holds its level there.
    """

    untied: Mapping[int, float] = field(default_factory=dict)
    tied: Mapping[int, float] = field(default_factory=dict)
    instead: str = ""

    def above(self, *, ties: bool) -> Mapping[int, float]:
        """Return the proportions above the level; of scores with ties the larger of the two.

        The ties of a few scores change little, and those that were simulated are many.
        """
        if not ties:
            return self.untied
        sizes = sorted({*self.untied, *self.tied})
        return {n: max(self.untied.get(n, 0.0), self.tied.get(n, 0.0)) for n in sizes}

    def held_from(self, *, ties: bool) -> int | None:
        """Return the number of topics from which on the level is held; None if it is of none."""
        above = self.above(ties=ties)
        return next((n for n in CHECKED if n > max(above, default=0)), None)


#: That of a test that holds its level wherever it was checked.
HELD = Level()
