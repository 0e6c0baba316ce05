"""Score matrices from data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.numerics.types import Array
from cdfscore.scores.labels import check_labels, holds_labels

if TYPE_CHECKING:
    import pandas as pd


def as_scores(
    frame: pd.DataFrame,
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
    source: str = "scores",
) -> pd.DataFrame:
    """Check a data frame and return it as a score matrix, topics x systems, in float64.

    Topics are the index, unless it is a RangeIndex: then they are the column that
    `topic_column` names, or a first column that holds labels (as for `read_scores`), and
    without one they are numbered from 1. An index of topics is kept as it is. `frame` is
    not modified.

    Raises `ScoresError` with topic and system for anything that is not a score matrix.

    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"topic": [301, 302], "bm25": [0.25, 0.5]})).index.tolist()
    ['301', '302']
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ScoresError(
            f"{source} is a {type(frame).__name__}; expected a pandas DataFrame, topics x systems"
        )
    if isinstance(frame.index, pd.MultiIndex) or isinstance(frame.columns, pd.MultiIndex):
        raise ScoresError(f"{source} has an index of several levels; expected one label a topic")
    name = _label_column(frame, topic_column, source, of_systems=systems_as_rows)
    if name is not None:
        frame = frame.set_index(pd.Index(frame[name].astype(str).str.strip())).drop(columns=name)
    elif isinstance(frame.index, pd.RangeIndex):
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1))
    if systems_as_rows:
        if isinstance(frame.index, pd.RangeIndex):
            raise ScoresError(f"{source} has no column of system names; expected one")
        frame = frame.T
    if frame.empty:
        raise ScoresError(f"{source} has shape {frame.shape}; expected topics x systems")
    topics, systems = topic_labels(frame), [str(c).strip() for c in frame.columns]
    check_labels(source, "topic", topics, [f"row {i + 1}" for i in range(len(topics))])
    check_labels(source, "system", systems, [f"column {i + 1}" for i in range(len(systems))])
    if (frame.dtypes == np.float64).all():
        values = frame.to_numpy()
    else:
        values = np.column_stack([_column(frame, i, source) for i in range(frame.shape[1])])
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        row, column = infinite[0]
        raise ScoresError(
            f"{source}, topic {topics[row]!r}, system {systems[column]!r}: "
            f"{values[row, column]} is not finite; expected a score, or NaN where it is missing"
        )
    checked = pd.DataFrame(values, index=frame.index, columns=pd.Index(systems, dtype=str))
    return checked.rename_axis(index="topic")


def topic_labels(scores: pd.DataFrame) -> list[str]:
    """Return the topics of a score matrix as text, as they are matched and saved."""
    return [str(label).strip() for label in scores.index.tolist()]


def _label_column(
    frame: pd.DataFrame,
    topic_column: str | Literal[False] | None,
    source: str,
    *,
    of_systems: bool,
) -> Any:
    """Return the column that holds the labels of the rows, or None."""
    import pandas as pd

    if topic_column is False:
        return None
    if topic_column is not None:
        if topic_column not in frame.columns:
            raise ScoresError(f"{source} has no column {topic_column!r} to take topics from")
        return topic_column
    if not isinstance(frame.index, pd.RangeIndex) or not frame.shape[1]:
        return None
    first = frame.columns[0]
    cells = [
        "" if missing else str(v)
        for v, missing in zip(frame[first], frame[first].isna(), strict=True)
    ]
    return first if holds_labels(source, str(first), cells, of_systems=of_systems) else None


def _column(frame: pd.DataFrame, position: int, source: str) -> Array:
    import pandas as pd

    column = frame.iloc[:, position]
    if pd.api.types.is_bool_dtype(column.dtype):
        raise ScoresError(f"{source}, system {frame.columns[position]!r} is boolean, not a score")
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = np.flatnonzero(numbers.isna() & column.notna())
    if wrong.size:
        raise ScoresError(
            f"{source}, topic {str(frame.index[wrong[0]])!r}, system "
            f"{str(frame.columns[position])!r}: {column.iloc[wrong[0]]!r} is not a number; "
            "expected a score, or NaN where it is missing"
        )
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)
