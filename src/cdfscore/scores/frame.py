"""Score matrices from data frames of any form, arrays and dictionaries, searched for summaries.

Whether the keys of a level of a dictionary are systems, topics or measures is nowhere said in it,
and topics 1 to 50 look like systems 1 to 50. So it is asked, and never guessed.
"""

from __future__ import annotations

import itertools
import reprlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from cdfscore.common.cautions import with_arguments
from cdfscore.common.text import a_type, counted, listed, number, units, worded
from cdfscore.errors import ScoresError, did_you_mean
from cdfscore.scores import dataframes
from cdfscore.scores.cautions import Found, of_reading
from cdfscore.scores.cells import Cells, advice_on_column, is_of_words
from cdfscore.scores.dataframes import IntoFrame, notes_of, remember, remembered, taken
from cdfscore.scores.delimited import joint_labels, refuse_label_twice
from cdfscore.scores.how import Headers, How, Part, asked_notes, selected, without
from cdfscore.scores.labels import (
    Labels,
    assumed_sides,
    check_labels,
    holds_labels,
    is_nameless,
    labels_of,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    role_of,
    rows_are_systems,
    text,
    texts,
    topic_labels,
)
from cdfscore.scores.results.names import chosen_measure, is_same_measure
from cdfscore.scores.results.results import (
    columns_of_frame,
    results_of_frame,
    topics_without_scores,
    without_scores,
)
from cdfscore.stats.numerics.compiled import all_finite
from cdfscore.stats.numerics.types import Array


def part_of_frame(
    frame: pd.DataFrame,
    how: How,
    source: str = "scores",
    *,
    to_write: bool = False,
    plain: bool = False,
) -> Part:
    """Check a data frame, but for summaries, and return its scores as float64, as which those of a
    `plain` one are known.
    """
    for side, index in (("rows", frame.index), ("columns", frame.columns)):
        if isinstance(index, pd.MultiIndex):
            one = f", such as {tuple(map(text, index[0]))!r}" if len(index) else ""
            raise ScoresError(
                f"{source} has {side} with {index.nlevels} labels each{one}; expected one label "
                "for each topic and for each system, which frame.columns.map(' / '.join) or "
                "frame.index.map(' / '.join) makes of labels that are text"
            )
    topic_column, header = how.topic_column, None
    if topic_column is None and frame.index.name == "topic":
        # As in a matrix that was checked before.
        topic_column, of_systems = False, bool(how.systems_as_rows)
    else:
        if how.topic_column is not None:
            header = how.label_header
        elif frame.index.name is not None:
            header = text(frame.index.name)
        elif frame.shape[1] and (_is_unlabelled(frame.index) or frame.index.dtype.kind == "i"):
            header = text(frame.columns[0])
        units.set(dataframes.units_of(header))
        given = how.rows_under(header or "")
        headers = texts(frame.columns.tolist())
        first = frame.iloc[:, headers.index(header)] if header in headers else frame.index
        of_systems = rows_are_systems(header or "", texts(first.tolist()), given)
    position = _label_column(frame, topic_column, source, of_systems=of_systems)
    settled = topic_column is not None
    if position is not None:
        own = text(frame.columns[position])
        settled |= role_of(own) == ("system" if of_systems else "topic")
        labels = texts(frame.iloc[:, position].tolist())
        frame = frame.iloc[:, [i for i in range(frame.shape[1]) if i != position]]
        others, rest = texts(frame.columns.tolist()), frame
        refuse_label_twice(
            source,
            own,
            labels,
            others,
            lambda place: texts(rest.iloc[:, place].tolist()),
            None,
            how,
        )
        frame = frame.set_axis(pd.Index(labels, dtype=str))
    elif _is_unlabelled(frame.index):
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1))
    elif isinstance(frame.index, pd.RangeIndex):  # labels such as range(301, 351)
        frame = frame.set_axis(pd.Index(list(frame.index)))
    elif frame.index.dtype.kind == "f" and (frame.index == frame.index.to_numpy().round()).all():
        # What pandas makes of whole numbers beside a missing one, as in a merge.
        frame = frame.set_axis(pd.Index(texts(frame.index.tolist()), dtype=str))
    names = frame.columns.tolist()
    if not settled:
        refuse_labels_elsewhere(source, list(map(str, names)), of_systems=of_systems)
    labelled = position is not None or frame.index.name is not None
    # The first column of labels is one of topics if the user names it so.
    asked = topic_column is None or bool(position)
    if labelled and asked and header is not None and how.rows_under(header) is None:
        refuse_unsaid_rows(source, header, texts(frame.index.tolist()))
    words: list[str] = []
    rows, columns = topic_labels(frame), texts(names)
    topics, systems = rows, columns
    if of_systems:
        if isinstance(frame.index, pd.RangeIndex):
            raise ScoresError(f"{source} has no column of system names; expected one")
        frame = without(frame, how.dropped.systems, how.dropped.topics)
        words = [
            label
            for place, label in enumerate(texts(frame.columns.tolist()))
            if frame.iloc[:, place].dtype.kind in "OU"
            and is_of_words(texts(frame.iloc[:, place].tolist()))
            and label not in how.kept.topics
        ]
        frame = without(frame, frozenset(), frozenset(words)).T
        rows, columns = columns, rows
    elif how.dropped:
        frame = without(frame, how.dropped.topics, how.dropped.systems)
    if of_systems or how.dropped:
        names = frame.columns.tolist()
        topics, systems = topic_labels(frame), texts(names)
    if frame.empty:
        raise ScoresError(
            f"{source} has shape {frame.shape}; expected topics x systems"
            + (", not all of them left out" if how.dropped or words else "")
        )
    check_labels(source, "topic", topics, (f"row {i + 1}" for i in range(len(topics))))
    check_labels(source, "system", systems, (f"column {i + 1}" for i in range(len(systems))))
    texts_read: list[str] = []
    of = {"named": topic_column not in (None, False), "of_systems": of_systems}
    if plain or set(frame.dtypes.tolist()) == {np.dtype(np.float64)}:
        values = frame.to_numpy()
    else:  # not to_numpy of all columns, which may make an object of every cell
        values = np.column_stack(
            [_column(frame, i, source, how.cells, **of) for i in range(frame.shape[1])]
        )
        texts_read = [name for i, name in enumerate(systems) if _is_text(frame.iloc[:, i])]
    if how.cells:
        values = how.cells.numbers(values)
    if not to_write and not all_finite(values) and (infinite := np.isinf(values)).any():
        row, column = np.argwhere(infinite)[0]
        raise ScoresError(
            f"{source}, topic {topics[row]!r}, system {systems[column]!r}: "
            f"{values[row, column]} is not finite; expected a score, or NaN where it is missing"
        )
    same = isinstance(frame.columns.dtype, pd.StringDtype) and names == systems
    names_of_columns = frame.columns.rename(None) if same else pd.Index(systems, dtype=str)
    index = frame.index.rename("topic")
    checked = pd.DataFrame(values, index=index, columns=names_of_columns)
    notes: list[str] = []
    if texts_read:
        notes = [f"{source}: text or categories are read as numbers: {listed(texts_read)}"]
    turned = of_systems and not to_write
    unsaid = how.systems_as_rows is None and topic_column is None and frame.index.name is None
    unsaid &= not isinstance(frame.columns, pd.RangeIndex) and not to_write
    if unsaid and not turned and (header is None or is_nameless(header)):
        notes += assumed_sides(source, topics, systems, ask=False)
    every = (rows, columns)
    part = selected(
        source, checked, how, header, every, of_systems=turned, notes=notes, words=words
    )
    if not turned:
        part = replace(part, labels=(topics, systems))
    if header is not None:
        remember(part.frame, header=header)
    return part


def _is_unlabelled(index: pd.Index[Any]) -> bool:
    start = 1 if index.name == "topic" else 0
    return isinstance(index, pd.RangeIndex) and index.start == start and index.step == 1


def _label_column(
    frame: pd.DataFrame,
    topic_column: Headers | Literal[False] | None,
    source: str,
    *,
    of_systems: bool,
) -> int | None:
    if topic_column is False:
        return None
    if topic_column is not None:
        found = [i for i, column in enumerate(frame.columns.tolist()) if column == topic_column]
        if not found and frame.index.name == topic_column:
            return None
        if len(found) != 1:
            how_often = "two columns" if found else "no column"
            raise ScoresError(
                f"{source} has {how_often} {topic_column!r} to take labels from; expected one"
            )
        return found[0]
    unlabelled = _is_unlabelled(frame.index)
    numbered = frame.index.name is None and frame.index.dtype.kind == "i"
    if not frame.shape[1] or not (unlabelled or numbered):
        return None
    header = text(frame.columns[0])
    # Numbers are perhaps the row numbers of pandas, after rows were selected or sorted.
    if not unlabelled and role_of(header) == ("system" if of_systems else "topic"):
        return 0
    cells = frame.iloc[:, 0].tolist()
    # One is enough of numbers with decimals, which are no labels.
    some = next((each for each in cells if isinstance(each, float) and each % 1 > 0), None)
    cells = texts(cells if some is None else [some])
    holds = holds_labels(source, header, cells, of_systems=of_systems)  # raises if it is unclear
    return 0 if unlabelled and holds else None


def _column(frame: pd.DataFrame, position: int, source: str, cells: Cells, **of: bool) -> Array:
    column, system = frame.iloc[:, position], text(frame.columns[position])
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind) and kind.kind not in "bc":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if not (isinstance(kind, pd.CategoricalDtype) or kind.kind in "OU"):
        raise ScoresError(f"{source}, system {system!r} holds {kind}; expected numbers")
    missing = column.isna().tolist()
    scores = [np.nan if m else _number(v, cells) for v, m in zip(column, missing, strict=True)]
    if None in scores:
        row = scores.index(None)
        cell, (given, cells_given) = column.iloc[row], (system, column)
        if of["of_systems"]:  # turned before
            given, cells_given = text(frame.index[row]), frame.iloc[row]
        raise ScoresError(
            f"{source}, topic {text(frame.index[row])!r}, system {system!r}: "
            f"{reprlib.repr(cell)} is not a number; expected a score, or NaN where it is missing"
            + advice_on_column(given, texts(cells_given.tolist()), text(cell), **of)
        )
    return np.array(scores, dtype=np.float64)


def _is_text(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) or (
        column.dtype.kind in "OU" and any(isinstance(cell, str) for cell in column)
    )


def _number(cell: Any, cells: Cells) -> float | None:
    if isinstance(cell, str):
        plain = cells.plain(cell) if cells else cell
        return np.nan if cells and plain == "NA" else number(plain)
    if isinstance(cell, (Real, Decimal)) and not isinstance(cell, bool):
        with suppress(OverflowError):
            return float(cell)
    return None


# Scores of a frame that is kept, 32 MiB at most, and what tells their bits.
_MOST, _BITS = 1 << 22, np.int64


class Checked(NamedTuple):
    """A score matrix that was checked, and its labels as text."""

    frame: pd.DataFrame
    topics: list[str]
    systems: list[str]
    #: For what is found in the scores; see `of_results`.
    known: dict[object, list[Found]]


# The frame that was checked last, of all threads; whether it is the same still; what was found.
_KEPT: list[tuple[weakref.ref[pd.DataFrame], Callable[[pd.DataFrame], bool], Checked]] = []


def _keep(given: pd.DataFrame, found: Checked) -> None:
    if {*given.shape} != {*found.frame.shape} or given.shape[0] * given.shape[1] > _MOST:
        return
    if (scores := given.to_numpy(copy=True)).dtype != np.float64:
        return
    rows, columns, known = given.index, given.columns, {**remembered(given)}
    names = rows.name, columns.name

    def is_same(frame: pd.DataFrame) -> bool:
        now = frame.to_numpy()
        return (
            (frame.index.name, frame.columns.name) == names
            and remembered(frame) == known
            and frame.index is rows
            and frame.columns is columns
            and now.dtype == scores.dtype
            and np.array_equal(now.view(_BITS), scores.view(_BITS))
        )

    def forget(dead: object) -> None:
        _KEPT[:] = [each for each in _KEPT if each[0] is not dead]

    own = found._replace(frame=found.frame.copy(deep=False))
    _KEPT[:] = [(weakref.ref(given, forget), is_same, own)]


@worded()
def checked_scores(frame: IntoFrame, *, to_write: bool = False) -> Checked:
    """Check a data frame as `as_scores` does; scores `to_write` may be infinite, with any name."""
    given, _ = taken(frame)
    units.set(dataframes.units_of(given))
    try:
        if to_write:
            part = part_of_frame(given, How(), to_write=True)
            if known := remembered(given):  # such as the labels to keep
                remember(part.frame, **known)
            return Checked(part.frame, *(part.labels or labels_of(part.frame)), {})
        for frame_kept, is_same, found in _KEPT:
            if frame_kept() is given and is_same(given):
                return found._replace(frame=found.frame.copy(deep=False))
        found = searched(part_of_any(given, How(), "scores"), How(), before=given)
    except ScoresError as error:
        error.args = (with_arguments(str(error)),)
        raise
    _keep(given, found)
    return found


def part_of_any(
    frame: pd.DataFrame,
    how: How,
    source: str,
    system: str | None = None,
    place: Callable[[int], str] | None = None,
) -> Part:
    """Return the scores of a frame of topics x systems, or with a row a score as files have;
    `system` is the name of the only one, and `place` names that of a row in a file.
    """
    frame, how = frame_with_joint_labels(source, frame, how)
    # As a frame that was checked before.
    plain = frame.index.name == "topic" and set(frame.dtypes.tolist()) == {np.dtype(np.float64)}
    columns = None if plain else columns_of_frame(source, frame, how)
    is_of_file = columns is not None and (columns.system, columns.measure, system) == (None,) * 3
    if columns is None or (is_of_file and how.score_column is None and how.replicate is None):
        return part_of_frame(frame, how.of_matrix(source), source, plain=plain)
    if columns.system is None and system is None:
        raise ScoresError(
            f"{source} has a row for each score and no column of systems; expected one, or the "
            "name of the only system by system='NAME'"
        )
    found = results_of_frame(source, frame, columns, how, system, place)
    if place is not None and not isinstance(found.scores, np.ndarray):  # else perhaps of CSV
        score = texts(frame.columns.tolist())[columns.score(source, how)[0]]
        note = f"{source}: text or categories are read as numbers: {score}"
        found = replace(found, notes=(note, *found.notes))
    return found.part(how)


def searched(part: Part, how: How, before: pd.DataFrame | None = None) -> Checked:
    """Refuse summaries among scores; what the frame `before` remembers is remembered as well."""
    frame, labels = part.frame, part.labels or labels_of(part.frame)
    if frame.empty:
        raise ScoresError(f"{part.source}: all scores are left out; expected some that are not")
    known = {**remembered(frame), **({} if before is None else remembered(before))}
    topics = how.kept.topics.union(known.get("keep_topics", ()))
    systems = how.kept.systems.union(known.get("keep_systems", ()))
    known["notes"] = list(dict.fromkeys([*known.get("notes", ()), *part.notes]))
    if part.measure is not None:
        known["measure"] = part.measure
    known |= {"keep_topics": sorted(topics), "keep_systems": sorted(systems)}
    remember(frame, **known)
    board = bool(known.get("systems_were_rows"))
    of_reading(part.source, labels, frame.to_numpy(), Labels(topics, systems), board=board)
    return Checked(frame, *labels, {})


def frame_with_joint_labels(source: str, frame: pd.DataFrame, how: How) -> tuple[pd.DataFrame, How]:
    """Return a data frame with one column for each label, and the settings with its one header."""
    if not how.names_columns:
        return frame, how
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index(allow_duplicates=True)
    how, joint = how.one_header(source, texts(frame.columns.tolist()))
    if not joint:
        return frame, how
    frame, names = frame.copy(), frame.columns.tolist()
    for name, places in joint:
        columns = [texts(frame.iloc[:, place].tolist()) for place in places]
        frame.isetitem(places[0], joint_labels(source, columns))
        names[places[0]] = name
    gone = {place for _, places in joint for place in places[1:]}
    left = [place for place in range(len(names)) if place not in gone]
    return frame.iloc[:, left].set_axis([names[place] for place in left], axis=1), how


#: What the keys of a level of a dictionary are.
Level = Literal["system", "topic", "measure"]
_EXAMPLES = (
    "levels=('system', 'topic') for {system: {topic: score}}, or measure='map' and system='bm25' "
    "for a result of pytrec_eval or run.scores of ranx"
)


@worded(anew=True)
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
        given_frame, _ = taken(frame, source)
        _refuse_idle(source, "a data frame", **of_array, levels=levels)
        return scores_of_frame(given_frame, replace(how, measure=measure), source, system)
    return _searched(part_of_frame(found, how, source), how, found)


@worded()
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
    names = _names_given("systems", systems, values.shape[1], source, rows)
    index: pd.Index[Any] = pd.RangeIndex(1, len(values) + 1, name="topic")
    if topics is not None:
        labels = _names_given("topics", topics, values.shape[0], source, rows)
        index = pd.Index(labels, dtype=str, name="topic")
    # pandas before 3 would keep the array, which the caller may change.
    return pd.DataFrame(values, index=index, columns=pd.Index(names, dtype=str), copy=True)


def _names_given(
    kind: str, given: Iterable[object], count: int, source: str, rows: str
) -> list[str]:
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
        known = dict.fromkeys(text(keys[place["measure"]]) for keys, _ in leaves)
        measure = chosen_measure(source, list(known), measure)
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
