"""Simulated type I error of a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The numbers of topics for which levels are simulated.
CHECKED = (5, 8, 10, 20, 50)
#: The level of the simulation, and the largest type I error that counts as held.
NOMINAL, MOST = 0.05, 0.055


@dataclass(frozen=True)
class Level:
    """Numbers of topics at which the simulated type I error of a test is above 5 %.

    A test declares a case if the proportion of rejected true null hypotheses is above 5.5 % by more
    than 3 Monte Carlo standard errors. The numbers of topics are those of `CHECKED`.

    `untied` has these proportions by the number of topics for normal scores, and `tied` for scores
    with ties (multiples of 0.1, as of P@10). `instead` names a test that holds its level there.
    """

    untied: Mapping[int, float] = field(default_factory=dict)
    tied: Mapping[int, float] = field(default_factory=dict)
    instead: str = ""

    def above(self, *, ties: bool) -> Mapping[int, float]:
        """Return the proportions above the level; for scores with ties, the larger of the two.

        The reason is that the simulated scores have many ties, and a few ties change little.
        """
        if not ties:
            return self.untied
        sizes = sorted({*self.untied, *self.tied})
        return {n: max(self.untied.get(n, 0.0), self.tied.get(n, 0.0)) for n in sizes}

    def held_from(self, *, ties: bool) -> int | None:
        """Return the smallest number of topics from which on the level is held, or None."""
        above = self.above(ties=ties)
        return next((n for n in CHECKED if n > max(above, default=0)), None)


#: The level of a test that holds it in all simulated cases.
HELD = Level()
