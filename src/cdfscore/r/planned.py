"""Verification of a number of topics in R: the variances of the pilot, and the goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import cdfscore.models.goals
from cdfscore.errors import ModelError
from cdfscore.models.goals import Goal, Pilot
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.r.further import Asked, Checked, Further
from cdfscore.standardization.standardized import Standardized

_SQUARES = Tolerance(4500, "two algorithms add the squares; 1e-12 of the number")
_COUNTED = Tolerance(0, "a whole number")


@dataclass(frozen=True)
class PlanAsked(Asked):
    """A goal, before the scores of the pilot are known."""

    goal: Goal

    def on(self, scores: Standardized) -> Planned:
        """Return the plan with the scores as the pilot; raises `ModelError` as `plan` does."""
        pilot = Pilot.of([scores.frame.to_numpy()])
        refusal = self.goal.refusal(pilot)
        if refusal is not None:
            raise ModelError(refusal)
        return Planned(self.goal, pilot, self.goal.topics(pilot))


@dataclass(frozen=True, eq=False)
class Planned(Further):
    """The number of topics for a goal, with a pilot."""

    goal: Goal
    pilot: Pilot
    topics: int

    sources = (
        Path(str(cdfscore.models.goals.__file__)).with_name("goals.R"),
        Path(__file__).with_suffix(".R"),
    )
    function = "analyze_plan"

    @property
    def called(self) -> tuple[str, ...]:
        """The function of the goal."""
        return (self.goal.name,)

    @property
    def told(self) -> str:
        """The goal as the command line spells it."""
        settings = {name: value for name, value in self.goal.settings().items() if value}
        return f"goal {self.goal.name}:{','.join(f'{k}={v}' for k, v in settings.items())}"

    @cached_property
    def numbers(self) -> list[Checked]:
        """The variances, the number of topics, and the quantity for it and for one topic less."""
        variances = self.goal.variances(self.pilot)
        values = np.array(list(variances.values()))
        sizes = self._sizes
        reached = np.array(self.goal.curve(sizes, self.pilot))
        labels = [f"{size} topics" for size in sizes]
        return [
            Checked.row("variance", list(variances), values, _SQUARES, float(values.sum())),
            Checked.row("topics", ["smallest number"], np.array([self.topics]), _COUNTED),
            Checked.row(self.goal.quantity, labels, reached, self.goal.tolerance),
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        """The goal, its settings, and the numbers of topics to compare."""
        return {
            "goal": self.goal.name,
            "settings": self.goal.settings(),
            "variances": list(self.goal.variances(self.pilot)),
            "quantity": self.goal.quantity,
            "wanted": self.goal.wanted,
            "rises": self.goal.reached(np.inf),
            "fewest": self.goal.fewest,
            "topics": [float(size) for size in self._sizes],
        }

    @property
    def _sizes(self) -> list[int]:
        return [n for n in (self.topics - 1, self.topics) if n >= self.goal.fewest]
