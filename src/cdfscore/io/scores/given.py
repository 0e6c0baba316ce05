"""What users give as scores: data frames, arrays, dictionaries; each as a frame of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.arrays import frame_of_array
from cdfscore.io.scores.dictionaries import Level, frame_of_dictionary
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


class Beside(NamedTuple):
    """Labels beside an array."""

    systems: Iterable[object] | None
    topics: Iterable[object] | None


class Inside(NamedTuple):
    """What the keys in a dictionary are."""

    levels: Sequence[Level] | None
    measure: str | None
    system: str | None


def frame_of(
    given: IntoFrame | np.ndarray[Any, Any] | Mapping[Any, Any],
    source: str,
    topic_column: str | Literal[False] | None,
    systems_as_rows: bool | None,
    beside: Beside,
    inside: Inside,
) -> tuple[pd.DataFrame, bool | None]:
    """Return scores as a frame that is not yet checked, and whether its rows are systems.

    None is for a data frame that may say so itself.

    Raises `ScoresError` for an argument that is of another kind of scores.
    """
    if isinstance(given, np.ndarray):
        _refuse_idle(source, "an array", topic_column=topic_column, **inside._asdict())
        turned = bool(systems_as_rows)
        return frame_of_array(given, *beside, source, systems_as_rows=turned), False
    if isinstance(given, Mapping):
        rows = systems_as_rows or None
        _refuse_idle(
            source,
            "a dictionary",
            topic_column=topic_column,
            systems_as_rows=rows,
            **beside._asdict(),
        )
        return frame_of_dictionary(given, *inside, source), False
    frame = as_pandas(given, source)
    _refuse_idle(source, "a data frame", **beside._asdict(), **inside._asdict())
    return frame, systems_as_rows


def _refuse_idle(source: str, kind: str, **given: object) -> None:
    """Raise `ScoresError` for an argument that is of another kind of scores."""
    for name, value in given.items():
        if value is not None:
            raise ScoresError(f"{source} is {kind}, which {argument(name, value)} says nothing of")
