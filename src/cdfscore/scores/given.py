"""What users give as scores: data frames, arrays, dictionaries.

Whether the keys of a level are systems, topics or measures is nowhere said in a dictionary, and
topics 1 to 50 look like systems 1 to 50. So it is asked, and never guessed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from cdfscore.common.text import a_type, counted
from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.scores.dataframes import as_pandas, notes_of, remember
from cdfscore.scores.frame import part_of_any, part_of_frame, searched
from cdfscore.scores.how import Headers, How, Labels
from cdfscore.scores.labels import text, texts
from cdfscore.scores.part import Part, asked_notes
from cdfscore.scores.results.names import chosen_measure, is_same_measure
from cdfscore.scores.results.results import Coded, topics_without_scores, without_scores

if TYPE_CHECKING:
    from cdfscore.scores.dataframes import IntoFrame

#: What the keys of a level of a dictionary are.
Level = Literal["system", "topic", "measure"]
_EXAMPLES = (
    "levels=('system', 'topic') for {system: {topic: score}}, or measure='map' and system='bm25' "
    "for a result of pytrec_eval or run.scores of ranx"
)


def as_scores(
    frame: IntoFrame | np.ndarray[Any, Any] | Mapping[Any, Any],
    *,
    topic_column: Headers | Literal[False] | None = None,
    systems_as_rows: bool | None = None,
    source: str = "scores",
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    drop_topics: Sequence[str] = (),
    drop_systems: Sequence[str] = (),
    systems: Iterable[object] | None = None,
    topics: Iterable[object] | None = None,
    levels: Iterable[Level] | None = None,
    measure: str | None = None,
    system: str | None = None,
    system_column: Headers | None = None,
    score_column: str | None = None,
    replicate: Headers | None = None,
    na: Sequence[str] = (),
    cells: Sequence[str] = (),
) -> pd.DataFrame:
    """Check scores and return them as a score matrix of pandas, topics x systems, in float64.

    `frame` is a data frame of pandas, polars, pyarrow or modin, a lazy frame or a relation of
    DuckDB, an array, or a dictionary. It is not modified. Lazy frames and relations are collected.
    A data frame can also have a row for each score, as files can; see `read_scores`. All functions
    that take scores call this function for data frames.

    Summaries are refused, such as the row ``all`` of trec_eval and a column of averages. These are
    rows and columns with such a name, or whose numbers are the mean, the sum or the geometric mean
    of the others, unless this may be chance. So are labels of other numbers, such as a rank.

    If rows are systems, as in a leaderboard, some columns may not be tasks. Columns of words and
    the average of the others are omitted with a note. Other such columns are refused until they are
    kept or dropped; see `read_scores`.

    Parameters
    ----------
    frame
        The scores.
    topic_column
        The column of topics of a data frame. Without it, the index has the topics, unless there is
        none or it only numbers the rows. Then the first column has the topics if it has labels (as
        for `read_scores`); else topics are numbered from 1. The default index of pandas only
        numbers the rows, and so does an index of integers beside a first column with the header
        topic.
    systems_as_rows
        True: the rows of a data frame or an array are systems, and the columns are topics. None:
        rows are systems if the header of their labels is system, run, model, method, classifier or
        the like. Words under another header are refused until `topic_column` or this argument says
        what they are.
    source
        The name of the scores in messages.
    keep_topics, keep_systems
        Labels to keep although they look like summaries. The result remembers them.
    drop_topics, drop_systems
        Labels to omit.
    systems, topics
        The labels of an array. Topics without labels are numbered from 1. All labels become text,
        whole numbers without a decimal point: 301.0 is topic 301, in data frames too.
    levels
        The keys of a dictionary, from the outer to the inner level: "system", "topic", "measure".
    measure, system
        The measure to choose, if a dictionary has a level of measures, or if a data frame with a
        row for each score has several; and the name of the system, if the scores do not name it.
        With both, a dictionary of two levels needs no `levels`.
    system_column, score_column, replicate
        The columns of a data frame, as of `read_scores`.
    na, cells
        Texts without a score, and forms of cells, in data frames and dictionaries, as of
        `read_scores`.

    Raises
    ------
    ScoresError
        If the scores are not a score matrix, with topic and system; if an argument is for another
        kind of scores; and if nothing says what is a topic and what is a system.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"topic": [301, 302], "bm25": [0.25, 0.5]})).index.tolist()
    ['301', '302']
    >>> as_scores(np.array([[0.25, 0.75], [0.5, 1.0]]), systems=["bm25", "lsa"], topics=[301, 302])
           bm25   lsa
    topic
    301    0.25  0.75
    302    0.50  1.00
    >>> per_query = {"301": {"map": 0.25, "P_10": 0.3}, "302": {"map": 0.5, "P_10": 0.4}}
    >>> as_scores(per_query, measure="map", system="bm25")
           bm25
    topic
    301    0.25
    302    0.50
    """
    for name, word in (("measure", measure), ("system", system)):
        if not isinstance(word, str | None):
            raise ScoresError(f"{name}={word!r} of {source} is not accepted; expected text")
    of_array = {"systems": systems, "topics": topics}
    of_dictionary = {"levels": levels, "measure": measure, "system": system}
    of_frame = {
        "topic_column": topic_column,
        "system_column": system_column,
        "score_column": score_column,
        "replicate": replicate,
    }
    # Once, as an iterator has its labels only once.
    how = How.given(
        systems_as_rows=systems_as_rows,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
        drop_topics=drop_topics,
        drop_systems=drop_systems,
        na=na,
        cells=cells,
        **of_frame,
    )
    if isinstance(frame, np.ndarray):
        given = {"na": na, "cells": cells} if how.cells else {}
        _refuse_idle(source, "an array", **of_frame, **of_dictionary, **given)
        turned = bool(systems_as_rows)
        found = frame_of_array(frame, systems, topics, source, systems_as_rows=turned)
        how = replace(how, systems_as_rows=False)
    elif isinstance(frame, Mapping):
        _refuse_idle(source, "a dictionary", **of_frame, **of_array)
        _refuse_idle(source, "a dictionary", systems_as_rows=systems_as_rows)
        found = frame_of_dictionary(frame, levels, measure, system, source, how.dropped)
        if measure is not None:
            remember(found, measure=measure)
    else:
        given_frame = as_pandas(frame, source)
        _refuse_idle(source, "a data frame", **of_array, levels=levels)
        return scores_of_frame(given_frame, replace(how, measure=measure), source, system)
    return _searched(part_of_frame(found, how, source), how, found)


def scores_of_frame(
    frame: pd.DataFrame, how: How, source: str, system: str | None = None
) -> pd.DataFrame:
    """Return the scores of a data frame by settings that were checked, as `as_scores` does."""
    part = part_of_any(frame, how, source, system)
    idle = {} if part.measures else {"measure": how.measure}
    idle |= {} if part.named_as_file else {"system": system}
    _refuse_idle(source, "a data frame", **idle)
    return _searched(part, how, frame)


def _searched(part: Part, how: How, found: pd.DataFrame) -> pd.DataFrame:
    cells = [*how.cells.notes(part.source), *how.cells.unmet(part.source)]
    part = replace(part, notes=(*part.notes, *cells))
    checked = searched(part, how, before=found)
    how.refuse_unknown(part.source, part.topics, part.systems)
    if left := asked_notes(part, how):
        remember(checked.frame, notes=list(dict.fromkeys([*left, *notes_of(checked.frame)])))
    return checked.frame


def _refuse_idle(source: str, kind: str, **given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise ScoresError(
                f"{source} is {kind}, for which {name}={value!r} is not accepted; expected a call "
                "without it"
            )


def frame_of_array(
    values: np.ndarray[Any, Any],
    systems: Iterable[object] | None,
    topics: Iterable[object] | None,
    source: str,
    *,
    systems_as_rows: bool,
) -> pd.DataFrame:
    """Return an array with its labels as a frame, topics x systems, that is not yet checked."""
    if values.ndim != 2 or values.dtype.names is not None:
        fields = "" if values.dtype.names is None else " and named fields"
        raise ScoresError(
            f"{source} has shape {values.shape}{fields}; expected numbers in two dimensions, "
            "topics x systems"
        )
    rows = "systems" if systems_as_rows else "topics"
    if systems is None:
        side = "row" if systems_as_rows else "column"
        raise ScoresError(
            f"{source} is an array of shape {values.shape} without names of systems; expected "
            f"systems=[...], one name for each {side}"
        )
    if systems_as_rows:
        values = values.T
    names = _labels("systems", systems, values.shape[1], source, rows)
    index: pd.Index[Any] = pd.RangeIndex(1, len(values) + 1, name="topic")
    if topics is not None:
        labels = _labels("topics", topics, values.shape[0], source, rows)
        index = pd.Index(labels, dtype=str, name="topic")
    # pandas before 3 would keep the array, which the caller may change.
    return pd.DataFrame(values, index=index, columns=pd.Index(names, dtype=str), copy=True)


def _labels(kind: str, given: Iterable[object], count: int, source: str, rows: str) -> list[str]:
    # Scores would get the names of others.
    unordered = isinstance(given, set | frozenset)
    if unordered or isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        why = ", as a set has no order" if unordered else ""
        raise ScoresError(
            f"{kind}={given!r} of {source} is not accepted{why}; expected a list of names"
        )
    labels = texts(list(given))
    if len(labels) != count:
        raise ScoresError(
            f"{source} has {counted(count, kind.removesuffix('s'))}, and {kind}=[...] has "
            f"{counted(len(labels), 'name')}; expected one for each, where rows are {rows} "
            f"(systems_as_rows={rows == 'systems'})"
        )
    return labels


def frame_of_dictionary(
    results: Mapping[Any, Any],
    levels: Iterable[Level] | None,
    measure: str | None,
    system: str | None,
    source: str,
    dropped: Labels,
) -> pd.DataFrame:
    """Return a nested dictionary as a frame, topics x systems, that is not yet checked."""
    if levels is None and measure is not None and system is not None:
        levels = _levels_of_one(results, measure, source)
    order = _order(levels, measure, system, source)
    place = {level: i for i, level in enumerate(order)}
    leaves = list(_leaves(results, order, source))
    if measure is not None:
        known = Coded.of_list([text(keys[place["measure"]]) for keys, _ in leaves])
        measure = chosen_measure(source, known, np.zeros(len(leaves), np.bool_), measure)
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
    if levels is None:
        said = {"measure": measure, "system": system}
        alone = [f"{n}={v!r} alone does not say" for n, v in said.items() if v is not None]
        raise ScoresError(
            f"{source} is a dictionary, and {' '.join(alone) or 'nothing says'} what its levels "
            f"are; expected {_EXAMPLES}, or levels=('system', 'topic', 'measure')"
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
    known = dict.fromkeys(keys)
    return [measure] if measure in known else [k for k in known if is_same_measure(k, measure)]


def _leaves(
    node: object, order: tuple[Level, ...], source: str, above: tuple[object, ...] = ()
) -> Iterator[tuple[tuple[object, ...], object]]:
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
