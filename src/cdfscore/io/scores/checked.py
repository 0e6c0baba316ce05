"""Score matrices from data frames of any form, checked and searched for summaries."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.table import columns_of_frame, results_of_frame
from cdfscore.io.scores.cautions import kept_by, of_reading
from cdfscore.io.scores.frame import part_of_frame
from cdfscore.io.scores.frame_labels import labels_of, texts
from cdfscore.io.scores.how import How
from cdfscore.io.scores.joint import frame_with_joint_labels
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.memory import notes_of, remember, remembered, systems_were_rows
from cdfscore.io.scores.part import Part
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

# Scores of a frame that is kept, 8 MiB at most, and what tells their bits.
_MOST, _BITS = 1 << 20, np.int64


class Checked(NamedTuple):
    """A score matrix that was checked, and its labels as text."""

    frame: pd.DataFrame
    topics: list[str]
    systems: list[str]


class _Kept(NamedTuple):
    """The frame that was checked last, so that fit and transform of one frame check it once.

    It may have changed in between, so that its labels, its memory and its bits must be the same.
    """

    frame: weakref.ref[pd.DataFrame]
    about: tuple[object, ...]
    labels: tuple[pd.Index[Any], pd.Index[Any]]
    scores: Array
    found: Checked

    def is_of(self, given: pd.DataFrame, source: str) -> bool:
        """Tell whether this is of a frame, as it is now."""
        if self.frame() is not given or self.about != _about(given, source):
            return False
        now = given.to_numpy()
        return (
            all(one is other for one, other in zip(self.labels, _labels(given), strict=True))
            and now.dtype == self.scores.dtype
            and np.array_equal(now.view(_BITS), self.scores.view(_BITS))
        )


# One, of all threads.
_KEPT: list[_Kept] = []


def _keep(given: pd.DataFrame, source: str, found: Checked) -> None:
    """Keep what was found, for as long as the frame is there, unless it is large."""
    if given.size > _MOST or set(given.dtypes.tolist()) != {np.dtype(np.float64)}:
        return

    def forget(dead: object) -> None:
        _KEPT[:] = [each for each in _KEPT if each.frame is not dead]

    frame, scores = weakref.ref(given, forget), given.to_numpy(copy=True)
    own = _with_own_frame(found)
    _KEPT[:] = [_Kept(frame, _about(given, source), _labels(given), scores, own)]


def _labels(given: pd.DataFrame) -> tuple[pd.Index[Any], pd.Index[Any]]:
    return given.index, given.columns


def _about(given: pd.DataFrame, source: str) -> tuple[object, ...]:
    """Return what may change of a frame beside its scores and its labels."""
    return source, *(each.name for each in _labels(given)), {**remembered(given)}


def _with_own_frame(found: Checked) -> Checked:
    return found._replace(frame=found.frame.copy(deep=False))


def checked_scores(frame: IntoFrame, *, source: str = "scores", to_write: bool = False) -> Checked:
    """Check a data frame as `as_scores` does, and return the labels as well.

    Scores `to_write` may be standardized: infinite, and with any name.
    """
    given = as_pandas(frame, source)
    if to_write:
        part = part_of_frame(given, How(), source, to_write=True)
        if known := remembered(given):  # such as the labels to keep
            remember(part.frame, **known)
        return Checked(part.frame, *(part.labels or labels_of(part.frame)))
    if kept := next((each for each in _KEPT if each.is_of(given, source)), None):
        return _with_own_frame(kept.found)
    found = searched(part_of_any(given, How(), source), How(), before=given)
    _keep(given, source, found)
    return found


def part_of_any(
    frame: pd.DataFrame,
    how: How,
    source: str,
    system: str | None = None,
    place: Callable[[int], str] | None = None,
) -> Part:
    """Return the scores of a frame of topics x systems, or with a row a score as files have.

    `system` is the name of the only one, if there is no column of systems, and `place` names that
    of a row in a file. Raises `ScoresError`.
    """
    frame, how = frame_with_joint_labels(source, frame, how)
    columns = columns_of_frame(source, frame, how)
    is_of_file = columns is not None and (columns.system, columns.measure, system) == (None,) * 3
    if columns is None or (is_of_file and not any(how.of_records.values())):
        return part_of_frame(frame, how.of_matrix(source), source)
    if columns.system is None and system is None:
        raise ScoresError(
            f"{source} has a row for each score and no column of systems; expected one, or the "
            f"name of the only system by {argument('system', 'NAME')}"
        )
    found = results_of_frame(source, frame, columns, how, system, place)
    if place is not None and not isinstance(found.scores, np.ndarray):  # else perhaps of CSV
        score = texts(frame.columns.tolist())[columns.score(source, how)[0]]
        note = f"{source}: text or categories are read as numbers: {score}"
        found = replace(found, notes=(note, *found.notes))
    return found.part(how)


def searched(part: Part, how: How, before: pd.DataFrame | None = None) -> Checked:
    """Refuse summaries among scores, and return them with what there is to remember of them.

    What the frame `before`, which they were made of, remembers is remembered as well.
    """
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
    return Checked(frame, *labels)
