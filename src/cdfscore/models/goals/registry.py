"""Goals by name: the goals of this package, and goals that other packages add."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any

from cdfscore.catalogue import Catalogue, stem_of
from cdfscore.errors import ModelError
from cdfscore.models.goals._goal import Goal
from cdfscore.spelling import argument


@dataclass(frozen=True)
class GoalCatalogue(Catalogue):
    """Catalogue of goals; some settings of a goal have no default."""

    def _made(self, member: Any, settings: dict[str, Any]) -> Any:
        absent = [
            each.name
            for each in fields(member)
            if each.default is MISSING and each.name not in settings
        ]
        if absent:
            name = stem_of(member.__name__)
            raise ModelError(
                f"{name} needs a value of {absent[0]}; expected such as "
                f"'{name}:{absent[0]}={member.example}'"
            )
        return super()._made(member, settings)


#: Names elsewhere, and of Sakai's spreadsheets.
_ELSEWHERE = {
    "anova": ("one_way", "two_way"),
    "t": ("paired_t",),
    "ci": ("interval",),
    "width": ("interval",),
    "reliability": ("generalizability", "dependability"),
    "power": ("paired_t", "one_way", "two_way"),
}

goals = GoalCatalogue("cdfscore.models.goals", "goal", ModelError, elsewhere=_ELSEWHERE)


def parse_goal(text: str) -> Goal:
    """Make a goal from its spelling, ``name:key=value,key=value``.

    Raises `ModelError` for an unknown name or setting, or a value that is not accepted.

    Examples
    --------
    >>> parse_goal("paired_t:difference=0.05")
    PairedT(difference=0.05, power=0.8, alpha=0.05)
    """
    goal: Goal = goals.parse(text)
    return goal


def as_goal(goal: Goal | str) -> Goal:
    """Return a goal, or the goal of a spelling; raises `ModelError` for anything else."""
    found = parse_goal(goal) if isinstance(goal, str) else goal
    if not isinstance(found, Goal):
        raise ModelError(
            f"{argument('goal', goal)} is not accepted; expected a goal such as "
            "'paired_t:difference=0.05'"
        )
    return found
