"""Score matrices from data frames of any form, checked and searched for summaries."""

from __future__ import annotations

import reprlib
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from cdfscore.common.cautions import with_arguments
from cdfscore.common.text import listed, number
from cdfscore.errors import ScoresError
from cdfscore.scores.cautions import Found, kept_by, of_reading
from cdfscore.scores.cells import Cells, advice_on_column, is_of_words
from cdfscore.scores.dataframes import (
    as_pandas,
    notes_of,
    remember,
    remembered,
    systems_were_rows,
)
from cdfscore.scores.delimited import joint_labels, refuse_label_twice
from cdfscore.scores.how import Headers, How
from cdfscore.scores.labels import (
    assumed_sides,
    check_labels,
    holds_labels,
    is_nameless,
    labels_of,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    rows_are_systems,
    text,
    texts,
    topic_labels,
)
from cdfscore.scores.part import Part, selected, without
from cdfscore.scores.results.results import columns_of_frame, results_of_frame
from cdfscore.stats.numerics.compiled import all_finite
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    from cdfscore.scores.dataframes import IntoFrame


def part_of_frame(
    frame: pd.DataFrame, how: How, source: str = "scores", *, to_write: bool = False
) -> Part:
    """Check a data frame, but for summaries, and return its scores as float64."""
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
        header = _header(frame, how)
        given = how.rows_under(header or "")
        of_systems = rows_are_systems(header or "", _labels(frame, header), given)
    position = _label_column(frame, topic_column, source, of_systems=of_systems)
    settled = topic_column is not None
    if position is not None:
        settled |= names_labels(text(frame.columns[position]), of_systems=of_systems)
        labels = texts(frame.iloc[:, position].tolist())
        own = text(frame.columns[position])
        frame = frame.iloc[:, [i for i in range(frame.shape[1]) if i != position]]
        others, rest = texts(frame.columns.tolist()), frame
        refuse_label_twice(
            source,
            own,
            labels,
            others,
            lambda place: texts(rest.iloc[:, place].tolist()),
            [f"row {i + 1}" for i in range(len(labels))],
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
        words = [label for label in _of_words(frame) if label not in how.kept.topics]
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
    if set(frame.dtypes.tolist()) == {np.dtype(np.float64)}:
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
    if to_write or not of_systems:
        unsaid = how.systems_as_rows is None and topic_column is None and frame.index.name is None
        unsaid &= not isinstance(frame.columns, pd.RangeIndex) and not to_write
        unsaid &= header is None or is_nameless(header)
        assumed = assumed_sides(source, topics, systems, ask=False) if unsaid else []
        part = Part(source, checked, rows, columns, tuple(assumed), labels=(topics, systems))
    else:
        part = selected(
            source,
            checked,
            how,
            of_systems=of_systems,
            header=header if how.rows_under(header or "") is None else None,
            words=words,
            labels=(rows, columns),
        )
    if texts_read:
        note = f"{source}: text or categories are read as numbers: {listed(texts_read)}"
        part = replace(part, notes=(note, *part.notes))
    if header is not None:
        remember(part.frame, header=header)
    return part.read_by(header or "", how)


def _header(frame: pd.DataFrame, how: How) -> str | None:
    if how.topic_column is not None:
        return how.label_header
    if frame.index.name is not None:
        return text(frame.index.name)
    if frame.shape[1] and (_is_unlabelled(frame.index) or frame.index.dtype.kind == "i"):
        return text(frame.columns[0])
    return None


def _labels(frame: pd.DataFrame, header: str | None) -> Iterator[str]:
    for place, column in enumerate(frame.columns.tolist()):
        if text(column) == header:
            yield from texts(frame.iloc[:, place].tolist())
            return
    yield from texts(frame.index.tolist())


def _of_words(frame: pd.DataFrame) -> Iterator[str]:
    for place, column in enumerate(texts(frame.columns.tolist())):
        if frame.iloc[:, place].dtype.kind in "OU" and is_of_words(
            texts(frame.iloc[:, place].tolist())
        ):
            yield column


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
    if not unlabelled and names_labels(header, of_systems=of_systems):
        return 0
    # This raises if it is unclear.
    holds = holds_labels(source, header, _first_cells(frame), of_systems=of_systems)
    return 0 if unlabelled and holds else None


def _first_cells(frame: pd.DataFrame) -> list[str]:
    """Return the first column as text; of numbers with decimals, which are no labels, just one."""
    cells = frame.iloc[:, 0].tolist()
    some = next((each for each in cells if isinstance(each, float) and each % 1 > 0), None)
    return texts(cells if some is None else [some])


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


class _Kept(NamedTuple):
    """The frame that was checked last, with what tells whether it has changed since."""

    frame: weakref.ref[pd.DataFrame]
    about: tuple[object, ...]
    labels: tuple[pd.Index[Any], pd.Index[Any]]
    scores: Array
    found: Checked

    def is_of(self, given: pd.DataFrame, source: str) -> bool:
        if self.frame() is not given or self.about != _about(given, source):
            return False
        now = given.to_numpy()
        return (
            all(one is other for one, other in zip(self.labels, _sides(given), strict=True))
            and now.dtype == self.scores.dtype
            and np.array_equal(now.view(_BITS), self.scores.view(_BITS))
        )


# One, of all threads.
_KEPT: list[_Kept] = []


def _keep(given: pd.DataFrame, source: str, found: Checked) -> None:
    if {*given.shape} != {*found.frame.shape} or given.shape[0] * given.shape[1] > _MOST:
        return
    if (scores := given.to_numpy(copy=True)).dtype != np.float64:
        return

    def forget(dead: object) -> None:
        _KEPT[:] = [each for each in _KEPT if each.frame is not dead]

    own = _with_own_frame(found)
    known = _Kept(weakref.ref(given, forget), _about(given, source), _sides(given), scores, own)
    _KEPT[:] = [known]


def _sides(given: pd.DataFrame) -> tuple[pd.Index[Any], pd.Index[Any]]:
    return given.index, given.columns


def _about(given: pd.DataFrame, source: str) -> tuple[object, ...]:
    return source, *(each.name for each in _sides(given)), {**remembered(given)}


def _with_own_frame(found: Checked) -> Checked:
    return found._replace(frame=found.frame.copy(deep=False))


def checked_scores(frame: IntoFrame, *, source: str = "scores", to_write: bool = False) -> Checked:
    """Check a data frame as `as_scores` does; scores `to_write` may be infinite, with any name."""
    given = as_pandas(frame, source)
    try:
        if to_write:
            part = part_of_frame(given, How(), source, to_write=True)
            if known := remembered(given):  # such as the labels to keep
                remember(part.frame, **known)
            return Checked(part.frame, *(part.labels or labels_of(part.frame)), {})
        if kept := next((each for each in _KEPT if each.is_of(given, source)), None):
            return _with_own_frame(kept.found)
        found = searched(part_of_any(given, How(), source), How(), before=given)
    except ScoresError as error:
        error.args = (with_arguments(str(error)),)
        raise
    _keep(given, source, found)
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
    columns = columns_of_frame(source, frame, how)
    is_of_file = columns is not None and (columns.system, columns.measure, system) == (None,) * 3
    if columns is None or (is_of_file and not any(how.of_records.values())):
        return part_of_frame(frame, how.of_matrix(source), source)
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
    if before is not None:
        remember(frame, **remembered(before))
    kept = kept_by(frame).with_labels(how.kept.topics, how.kept.systems)
    remember(frame, notes=list(dict.fromkeys([*notes_of(frame), *part.notes])))
    if part.measure is not None:
        remember(frame, measure=part.measure)
    remember(frame, keep_topics=sorted(kept.topics), keep_systems=sorted(kept.systems))
    board = systems_were_rows(frame)
    of_reading(part.source, labels, frame.to_numpy(), kept, board=board)
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
