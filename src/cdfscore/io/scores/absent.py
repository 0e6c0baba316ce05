"""Systems and topics that have no score of the measure that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cdfscore.errors import ScoresError
from cdfscore.io.scores.how import Labels
from cdfscore.io.text import listed
from cdfscore.spelling import argument


def without_scores(
    source: str, systems: Sequence[str], measure: str | None, has: Sequence[str]
) -> ScoresError:
    """Return the error of systems without a score of a measure; the first `has` those of others."""
    one = len(systems) == 1
    names = listed([repr(system) for system in systems])
    which = f"system {names} has" if one else f"systems {names} have"
    return ScoresError(
        f"{source}: {which} no scores of {measure} ({'it' if one else systems[0]} has "
        f"{listed(has)}); expected scores of each system, or "
        f"{argument('drop_systems', list(systems))}"
    )


def topics_without_scores(
    source: str, topics: Iterable[str], every: Iterable[str], measure: str | None, dropped: Labels
) -> list[str]:
    """Return the note on topics that have other measures and not this one, if there are any."""
    there = {*topics, *dropped.topics}
    absent = [topic for topic in every if topic not in there]
    if not absent:
        return []
    one = len(absent) == 1
    which = f"topic {absent[0]} has" if one else f"{len(absent)} topics ({listed(absent)}) have"
    left = "is left out" if one else "are left out"
    return [f"{source}: {which} other measures and no {measure}, and {left}"]
