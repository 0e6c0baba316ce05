"""Score matrices from nested dictionaries, such as results of pytrec_eval and ranx.

Whether the keys of a level are systems, topics or measures is nowhere said in a dictionary, and
topics 1 to 50 look like systems 1 to 50. So it is asked, and never guessed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.io.results.names import is_same_measure
from cdfscore.io.scores.absent import topics_without_scores, without_scores
from cdfscore.io.scores.frame_labels import text
from cdfscore.io.scores.how import Labels
from cdfscore.io.scores.memory import remember
from cdfscore.io.text import a_type, listed

if TYPE_CHECKING:
    import pandas as pd

#: What the keys of a level of a dictionary are.
Level = Literal["system", "topic", "measure"]

_EXAMPLES = (
    "levels=('system', 'topic') for {system: {topic: score}}, or measure='map' and system='bm25' "
    "for a result of pytrec_eval or run.scores of ranx"
)


def frame_of_dictionary(
    results: Mapping[Any, Any],
    levels: Iterable[Level] | None,
    measure: str | None,
    system: str | None,
    source: str,
    dropped: Labels,
) -> pd.DataFrame:
    """Return a nested dictionary as a frame, topics x systems, that is not yet checked.

    A score that a system lacks is missing. The frame remembers a note on topics without a score of
    the measure. Raises `ScoresError` if nothing says what a level is, or which measure or system it
    is, for a dictionary that is not so deep, and for a system without a score of the measure,
    unless it is to be `dropped`.
    """
    import pandas as pd

    if levels is None and measure is not None and system is not None:
        levels = _levels_of_one(results, measure, source)
    order = _order(levels, measure, system, source)
    place = {level: i for i, level in enumerate(order)}
    leaves = list(_leaves(results, order, source))
    if measure is not None:
        measure = _spelled(measure, (text(keys[place["measure"]]) for keys, _ in leaves), source)
    columns: dict[str, dict[str, object]] = {}
    all_topics: dict[str, None] = {}
    measures: dict[str, dict[str, None]] = {}  # of each system
    for keys, score in leaves:
        name = text(keys[place["system"]]) if system is None else system
        topic, column = text(keys[place["topic"]]), columns.setdefault(name, {})
        all_topics[topic] = None
        if measure is not None:
            of = text(keys[place["measure"]])
            measures.setdefault(name, {})[of] = None
            if of != measure:
                continue
        if topic in column:
            raise ScoresError(f"{source}, system {name!r}: topic {topic!r} appears twice")
        column[topic] = score
    absent = [name for name, own in columns.items() if not own and name not in dropped.systems]
    if absent:
        raise without_scores(source, absent, measure, list(measures[absent[0]]))
    topics = list(dict.fromkeys(itertools.chain.from_iterable(columns.values())))
    scores = {name: list(map(column.get, topics)) for name, column in columns.items()}
    frame = pd.DataFrame(scores, index=pd.Index(topics, dtype=str, name="topic"))
    remember(frame, notes=topics_without_scores(source, topics, all_topics, measure, dropped))
    return frame


def _order(
    levels: Iterable[Level] | None, measure: str | None, system: str | None, source: str
) -> tuple[Level, ...]:
    """Return what the levels are, from the outside in, after all checks of the arguments."""
    if levels is None and (measure is None) != (system is None):
        alone, absent = ("system", "measure") if measure is None else ("measure", "system")
        raise ScoresError(
            f"{source} is a dictionary, and {alone}={system or measure!r} alone does not say what "
            f"its levels are; expected {absent}='...' too if it is of one system, or else "
            "levels=('system', 'topic', 'measure') or the like"
        )
    if levels is None:
        raise ScoresError(
            f"{source} is a dictionary, and nothing says what its levels are; expected {_EXAMPLES}"
        )
    known = get_args(Level)
    unordered = isinstance(levels, set | frozenset)
    several = isinstance(levels, Iterable) and not isinstance(levels, str | Mapping)
    order = tuple(levels) if several and not unordered else ()
    names = {each for each in order if isinstance(each, str)}
    if len(order) < 2 or len(names) < len(order) or not {"topic"} <= names <= {*known}:
        why = ", as a set has no order" if unordered else ""
        shown = order if isinstance(levels, Iterator) else levels
        raise ScoresError(
            f"levels={shown!r} of {source} is not accepted{why}; expected {_EXAMPLES}"
        )
    # Those of NumPy are shown by another name.
    order = tuple(level for each in order for level in known if each == level)
    for name, given in (("measure", measure), ("system", system)):
        # The measure is chosen among those of its level; the system is named where it has none.
        needed = (name in order) == (name == "measure")
        if needed and given is None:
            why = "of several" if name == "measure" else "of one system"
            raise ScoresError(f"{source} with levels={order!r} is {why}; expected {name}='...'")
        if given is not None and not needed:
            has = "none" if name == "measure" else "its own"
            raise ScoresError(
                f"{source} with levels={order!r} has {has}; expected no {name}={given!r}, or other "
                "levels"
            )
    return order


def _levels_of_one(results: Mapping[Any, Any], measure: str, source: str) -> tuple[Level, Level]:
    """Return the levels of a dictionary of one system: the measure is among the keys of one."""
    inner = {text(key) for own in results.values() if isinstance(own, Mapping) for key in own}
    outer = [*map(text, results)]
    outside, inside = (bool(_names_of(measure, level)) for level in (outer, inner))
    if outside == inside:
        known = [*outer, *sorted(inner)]
        where = "both levels" if outside else f"neither level{did_you_mean(measure, known)}"
        raise ScoresError(
            f"{source}: {measure!r} is a key of {where}; expected levels=('topic', 'measure') or "
            "('measure', 'topic'), and a measure that is there"
        )
    return ("measure", "topic") if outside else ("topic", "measure")


def _names_of(measure: str, keys: Iterable[str]) -> list[str]:
    """Return the measure if it is among keys, or else those that are other names of it."""
    known = dict.fromkeys(keys)
    return [measure] if measure in known else [k for k in known if is_same_measure(k, measure)]


def _spelled(measure: str, keys: Iterable[str], source: str) -> str:
    """Return the measure as the keys of a dictionary have it, such as map for AP."""
    known = sorted(set(keys))
    found = _names_of(measure, known)
    if len(found) != 1:
        raise ScoresError(
            f"{source} has no measure {measure!r}{did_you_mean(measure, known)}; expected one of "
            f"{listed(known)}"
        )
    return found[0]


def _leaves(
    node: object, order: tuple[Level, ...], source: str, above: tuple[object, ...] = ()
) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield each score with its keys, from the outside in."""
    kind, *inner = order
    where = f"{source}, at {' and '.join(map(repr, above))}" if above else source
    if not isinstance(node, Mapping) or not node:
        what = a_type(node) if not isinstance(node, Mapping) else "empty"
        raise ScoresError(f"{where} is {what}; expected a dictionary with {kind}s as keys")
    for key, below in node.items():
        if inner:
            yield from _leaves(below, tuple(inner), source, (*above, key))
            continue
        if isinstance(below, Mapping):
            raise ScoresError(
                f"{where}: the {kind} {key!r} has a dictionary; expected a score, or one more of "
                "levels=[...]"
            )
        yield (*above, key), below
