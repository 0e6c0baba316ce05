"""Columns of a table with a row a score: what each header says that the column holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cdfscore.errors import ScoresError
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import HEADERS, heads, is_nameless
from cdfscore.io.text import listed
from cdfscore.spelling import option

#: A header of systems in such tables alone, as pyterrier writes it.
_NAME = "name"


class Columns(NamedTuple):
    """Positions of the columns; None for one that is not there."""

    topic: int
    score: int
    system: int | None
    measure: int | None

    def others(self) -> dict[str, int]:
        """Return the columns of labels, by what they hold."""
        found = {"topic": self.topic, "system": self.system, "measure": self.measure}
        return {role: place for role, place in found.items() if place is not None}


def long_columns(source: str, header: Sequence[str], how: How) -> Columns | None:
    """Return the columns of a table with a row a score, None if `header` is of another table.

    It has a topic and a score and, if there are more columns, a system or a measure. Raises
    `ScoresError` for two columns of one kind, and for one of no kind.
    """
    if how.topic_column is False or how.systems_as_rows is not None:
        return None
    names = [name.strip() for name in header]
    places = {role: [i for i, name in enumerate(names) if _is(role, name, how)] for role in HEADERS}
    own = [i for i, name in enumerate(names) if not is_nameless(name)]
    others = set(own).difference(*places.values())
    more = places["system"] or places["measure"]
    if not places["topic"] or not places["score"] or not (more or len(own) == 2):
        return None
    for role, found in places.items():
        if len(found) > 1:
            raise ScoresError(
                f"{source} has a row for each score and {len(found)} columns of {role}s, "
                f"{listed([repr(names[i]) for i in found])}; expected one"
                + (f", or its name as {option('topic_column')}" if role == "topic" else "")
            )
    if others:
        raise ScoresError(
            f"{source} has a row for each score and the column{'s'[len(others) == 1 :]} "
            f"{listed([repr(names[i]) for i in sorted(others)])} beside; expected those of topic, "
            "system, score and measure alone"
        )
    first = {role: found[0] if found else None for role, found in places.items()}
    return Columns(places["topic"][0], places["score"][0], first["system"], first["measure"])


def _is(role: str, name: str, how: How) -> bool:
    if how.label_header is not None and (role == "topic" or name == how.label_header):
        return role == "topic" and name == how.label_header
    return heads(role, name) or (role == "system" and name.lower() == _NAME)
