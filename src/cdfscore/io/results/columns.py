"""Columns of a table with a row a score: what each header says that the column holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.names import chosen_measure
from cdfscore.io.scores.cells import is_of_words
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    HEADERS,
    check_labels,
    is_nameless,
    role_of,
    roles_of,
)
from cdfscore.io.text import listed
from cdfscore.spelling import argument, option

#: A header of systems in such tables alone, as pyterrier writes it.
_NAME = "name"
_REPLICATE = "replicate"
#: Returns the cells of the column at a position.
Cells = Callable[[int], Sequence[str]]


class Columns(NamedTuple):
    """Positions of the columns; None for one that is not there.

    `scores` are several, by the headers that name their measures, if the table has no column of
    measures and none that is headed score.
    """

    topic: int
    scores: dict[str | None, int]
    system: int | None
    measure: int | None
    replicate: int | None = None
    #: Headers of columns that are not read, where the user names those that are.
    ignored: tuple[str, ...] = ()

    def score(self, source: str, how: How) -> tuple[int, str | None]:
        """Return the column of scores to read, and its measure if its header names it.

        Raises `ScoresError` where there are several and none is asked for.
        """
        names = [name for name in self.scores if name is not None]
        if not names:
            return self.scores[None], None
        every = Coded(names, np.arange(len(names)))
        measure = chosen_measure(source, every, np.zeros(len(names), np.bool_), how.measure)
        return self.scores[measure], measure

    def labels(self) -> dict[str, int]:
        """Return the columns of labels, by what they hold."""
        found = {
            "topic": self.topic,
            "system": self.system,
            "measure": self.measure,
            "replicate": self.replicate,
        }
        return {role: place for role, place in found.items() if place is not None}

    def notes(self, source: str) -> list[str]:
        """Return the note on columns that are not read, if there are any."""
        one = len(self.ignored) == 1
        names = listed([repr(name) for name in self.ignored])
        which = f"the column {names} is" if one else f"{len(self.ignored)} columns ({names}) are"
        return [f"{source}: {which} not read"] if self.ignored else []


def long_columns(source: str, header: Sequence[str], how: How, cells: Cells) -> Columns | None:
    """Return the columns of a table with a row a score, None if `header` is of another table.

    It has a topic and a score and, if there are more columns, a system or a measure; or a topic, a
    system in words, and scores under the names of measures. `cells` are those of a column. Raises
    `ScoresError` for two columns of one kind or one measure, and for one of no kind.
    """
    if how.topic_column is False or (how.systems_as_rows is not None and not how.header_first):
        return None
    names = [name.strip() for name in header]
    places: dict[str, list[int]] = {role: [] for role in (*HEADERS, _REPLICATE)}
    for place, role in enumerate(_roles(names, how)):
        if role is not None:
            places[role].append(place)
    topics, systems, measures = places["topic"], places["system"], places["measure"]
    named = how.system_column is not None or how.score_column is not None
    if not (topics or named):
        return None
    own = [i for i, name in enumerate(names) if not is_nameless(name)]
    others = sorted(set(own).difference(*places.values()))
    if named and not topics:
        labels = [] if how.score_column is not None else cells(systems[0])
        if len(set(labels)) == len(labels) and how.score_column is None:
            return None  # a row for each system
        raise ScoresError(
            f"{source} has a row for each score, and no column that is known as one of topics; "
            f"name it by {option('topic_column')}: {listed([repr(names[i]) for i in others])}"
        )
    if topics and systems and others and not (places["score"] or measures):
        words = cells(systems[0])
        leads = systems[0] < topics[0] and how.label_header is None
        if not (named or is_of_words(words)) or (leads and len(set(words)) == len(words)):
            # Scores of a system that is called so; or a leaderboard, by its first column.
            _refuse_whole(source, names[systems[0]], words, cells(topics[0]))
            return None
        _refuse_second(source, names, places)
        ignored = [i for i in others if named and is_of_words(cells(i))]
        own = [i for i in others if i not in ignored]
        check_labels(source, "measure", [names[i] for i in own], (f"column {i + 1}" for i in own))
        scores: dict[str | None, int] = {names[i]: i for i in own}
    elif topics and places["score"] and (systems or measures or len(own) == 2 or named):
        _refuse_second(source, names, places)
        if others and not named:
            raise _further(source, [names[i] for i in others], names[places["score"][0]], how)
        ignored = others
        header_of_score = names[places["score"][0]]
        is_measure = role_of(header_of_score) != "score" and not measures
        scores = {header_of_score if is_measure else None: places["score"][0]}
    else:
        return None
    first = {role: found[0] if found else None for role, found in places.items()}
    return Columns(
        topics[0],
        scores,
        first["system"],
        first["measure"],
        first[_REPLICATE],
        tuple(names[i] for i in ignored),
    )


def _further(source: str, others: list[str], score: str, how: How) -> ScoresError:
    """Return the error of columns that are of no kind."""
    known = [] if how.replicate is None else str(how.replicate).split(",")
    one = "another column tells" if known else "a column tells several"
    return ScoresError(
        f"{source} has a row for each score, and also the column{'s'[len(others) == 1 :]} "
        f"{listed(list(map(repr, others)))}; expected only columns of topic, system, score"
        f"{', replicate' if known else ''} and measure; if {one} scores of a system on a topic "
        f"apart, such as a fold or a seed, say {argument('replicate', [*known, others[0]])}, and "
        "the mean of them is read (a mixed model, as of 'cdfscore mixed-model --replicate', has "
        f"them all); {argument('score_column', score)} leaves all other columns out"
    )


def _refuse_whole(source: str, system: str, cells: Sequence[str], topics: Sequence[str]) -> None:
    """Raise `ScoresError` for whole numbers under a header of systems where topics repeat."""
    numbers = [number(cell.strip()) for cell in cells]
    whole = all(value is not None and value.is_integer() for value in numbers)
    if whole and len(set(topics)) < len(topics) and len(set(cells)) < len(cells):
        raise ScoresError(
            f"{source} has the column {system!r} of whole numbers, which are labels of systems in "
            "a table with a row for each score; expected names with a letter beside columns of "
            "measures, or columns headed topic, system, measure and score"
        )


def _refuse_second(source: str, names: Sequence[str], places: dict[str, list[int]]) -> None:
    for role, found in places.items():
        if len(found) > 1:
            raise ScoresError(
                f"{source} has a row for each score and {len(found)} columns of {role}s, "
                f"{listed([repr(names[i]) for i in found])}; expected one"
                + (f", or its name as {option('topic_column')}" if role == "topic" else "")
                + (f", or {option('replicate')} for a number of runs" if role == "system" else "")
            )


def _roles(names: Sequence[str], how: How) -> list[str | None]:
    """Return what columns hold by their headers, and by those that are given."""
    named = {
        "topic": how.label_header,
        "system": how.system_column,
        "score": how.score_column,
        _REPLICATE: how.replicate,
    }
    given = {own: role for role, own in reversed(named.items()) if own is not None}
    known = [
        "system" if name.lower() == _NAME else role
        for name, role in zip(names, roles_of(tuple(names)), strict=True)
    ]
    if not given:
        return known
    free = [None if role in given.values() else role for role in known]
    return [given.get(name, role) for name, role in zip(names, free, strict=True)]
