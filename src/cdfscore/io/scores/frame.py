"""Score matrices from data frames, arrays and dictionaries."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.dictionaries import Level
from cdfscore.io.scores.frame_labels import text, texts, topic_labels
from cdfscore.io.scores.given import Beside, Inside, frame_of
from cdfscore.io.scores.kinds import as_pandas
from cdfscore.io.scores.labels import (
    check_labels,
    holds_labels,
    names_labels,
    refuse_labels_elsewhere,
)
from cdfscore.io.scores.summaries import Kept, refuse_summaries, refuse_unknown
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


def as_scores(
    frame: IntoFrame | np.ndarray[Any, Any] | Mapping[Any, Any],
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
    source: str = "scores",
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    systems: Iterable[object] | None = None,
    topics: Iterable[object] | None = None,
    levels: Sequence[Level] | None = None,
    measure: str | None = None,
    system: str | None = None,
) -> pd.DataFrame:
    """Check scores and return them as a score matrix of pandas, topics x systems, in float64.

    `frame` is a data frame of any library that narwhals knows (pandas, polars, pyarrow, modin), a
    lazy frame or a relation of DuckDB, which is collected, an array or a dictionary. It is not
    modified. All functions that take scores take such data frames as they are.

    Summaries are refused, such as the row ``all`` of trec_eval and a column of averages: rows
    and columns with such a name, or whose numbers are the mean, the sum or the geometric mean of
    the others and hardly so by chance. The result remembers in its `attrs` that it was searched,
    and is searched again once its labels or scores have changed.

    Parameters
    ----------
    frame
        The scores.
    topic_column
        The column of topics of a data frame. Without it, topics are the index as it is, unless
        there is none or it only numbers the rows. Then topics are the first column if it holds
        labels (as for `read_scores`), else they are numbered from 1. The default index of pandas
        only numbers the rows, and so does an index of integers next to a first column headed
        topic.
    systems_as_rows
        Take the rows of a data frame or an array as systems and the columns as topics.
    source
        What messages call the scores.
    keep_topics, keep_systems
        Labels that only look like those of summaries, to keep; the result remembers them.
    systems, topics
        The labels of an array. Topics without labels are numbered from 1.
    levels
        What the keys of a dictionary are, from the outside in: "system", "topic", "measure".
    measure, system
        The measure to take from a dictionary with a level of measures, and the name of the system
        of one without a level of systems. With both, and two levels, `levels` need not be given:
        the measure is a key of one of them.

    Raises
    ------
    ScoresError
        With topic and system, for what is not a score matrix, for an argument that is of another
        kind of scores, and where nothing says what is a topic and what a system.

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
    found, systems_as_rows = frame_of(
        frame,
        source,
        topic_column,
        systems_as_rows,
        Beside(systems, topics),
        Inside(levels, measure, system),
    )
    kept = Kept().with_labels(keep_topics, keep_systems)
    checked, own_topics, own_systems = checked_scores(
        found,
        topic_column=topic_column,
        systems_as_rows=systems_as_rows,
        source=source,
        keep=kept,
    )
    refuse_unknown(source, kept, own_topics, own_systems)
    return checked


class Checked(NamedTuple):
    """A score matrix that was checked, and its labels as text."""

    frame: pd.DataFrame
    topics: list[str]
    systems: list[str]


def checked_scores(
    frame: IntoFrame,
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
    source: str = "scores",
    keep: Kept | None = None,
    to_write: bool = False,
) -> Checked:
    """Check a data frame as `as_scores` does, and return the labels as well.

    Labels to `keep` may be of another matrix that is read with this one.
    Scores `to_write` may be standardized: infinite, and with any name.
    """
    import pandas as pd

    frame = given = as_pandas(frame, source)
    if isinstance(frame.index, pd.MultiIndex) or isinstance(frame.columns, pd.MultiIndex):
        raise ScoresError(f"{source} has an index of several levels; expected one label per topic")
    if topic_column is None and frame.index.name == "topic":
        topic_column = False  # topics are known, as in a matrix that was checked before
    position = _label_column(frame, topic_column, source, of_systems=systems_as_rows)
    settled = topic_column is not None
    if position is not None:
        settled |= names_labels(text(frame.columns[position]), of_systems=systems_as_rows)
        labels = texts(frame.iloc[:, position].tolist())
        frame = frame.iloc[:, [i for i in range(frame.shape[1]) if i != position]]
        frame = frame.set_axis(pd.Index(labels, dtype=str))
    elif _is_unlabelled(frame.index):
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1))
    elif isinstance(frame.index, pd.RangeIndex):  # labels such as range(301, 351)
        frame = frame.set_axis(pd.Index(list(frame.index)))
    if not settled:
        refuse_labels_elsewhere(source, list(map(str, frame.columns)), of_systems=systems_as_rows)
    if systems_as_rows:
        if isinstance(frame.index, pd.RangeIndex):
            raise ScoresError(f"{source} has no column of system names; expected one")
        frame = frame.T
    if frame.empty:
        raise ScoresError(f"{source} has shape {frame.shape}; expected topics x systems")
    names = frame.columns.tolist()
    topics, systems = topic_labels(frame), texts(names)
    check_labels(source, "topic", topics, (f"row {i + 1}" for i in range(len(topics))))
    check_labels(source, "system", systems, (f"column {i + 1}" for i in range(len(systems))))
    if set(frame.dtypes.tolist()) == {np.dtype(np.float64)}:
        values = frame.to_numpy()
    else:  # not to_numpy of all columns, which may make an object of every cell
        values = np.column_stack([_column(frame, i, source) for i in range(frame.shape[1])])
    infinite = np.isinf(values)
    if not to_write and infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ScoresError(
            f"{source}, topic {topics[row]!r}, system {systems[column]!r}: "
            f"{values[row, column]} is not finite; expected a score, or NaN where it is missing"
        )
    same = isinstance(frame.columns.dtype, pd.StringDtype) and names == systems
    columns = frame.columns.rename(None) if same else pd.Index(systems, dtype=str)
    index = frame.index.rename("topic")
    checked = pd.DataFrame(values, index=index, columns=columns)
    if not to_write:
        kept = Kept.of(given)
        if keep is not None:
            kept = kept.with_labels(keep.topics, keep.systems)
        refuse_summaries(source, checked, (topics, systems), kept, before=given)
    return Checked(checked, topics, systems)


def _is_unlabelled(index: pd.Index[Any]) -> bool:
    """Tell whether an index is the default of pandas, or that of `as_scores` for no labels."""
    import pandas as pd

    start = 1 if index.name == "topic" else 0
    return isinstance(index, pd.RangeIndex) and index.start == start and index.step == 1


def _label_column(
    frame: pd.DataFrame,
    topic_column: str | Literal[False] | None,
    source: str,
    *,
    of_systems: bool,
) -> int | None:
    """Return the position of the column that holds the labels of the rows, or None."""
    if topic_column is False:
        return None
    if topic_column is not None:
        found = [i for i, column in enumerate(frame.columns) if column == topic_column]
        if not found and frame.index.name == topic_column:
            return None
        if len(found) != 1:
            how_often = "two columns" if found else "no column"
            raise ScoresError(
                f"{source} has {how_often} {topic_column!r} to take labels from; expected one"
            )
        return found[0]
    if not frame.shape[1]:
        return None
    header = text(frame.columns[0])
    if _is_unlabelled(frame.index):
        cells = texts(frame.iloc[:, 0].tolist())
        return 0 if holds_labels(source, header, cells, of_systems=of_systems) else None
    if frame.index.name is None and frame.index.dtype.kind == "i":
        # Perhaps the row numbers of pandas, after rows were selected or sorted.
        if names_labels(header, of_systems=of_systems):
            return 0
        cells = texts(frame.iloc[:, 0].tolist())
        holds_labels(source, header, cells, of_systems=of_systems)  # raises if unclear
    return None


def _column(frame: pd.DataFrame, position: int, source: str) -> Array:
    import pandas as pd

    column, system = frame.iloc[:, position], text(frame.columns[position])
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind) and kind.kind not in "bc":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if not (isinstance(kind, pd.CategoricalDtype) or kind.kind in "OU"):
        raise ScoresError(f"{source}, system {system!r} holds {kind}; expected numbers")
    missing = column.isna().tolist()
    scores = [np.nan if m else _number(v) for v, m in zip(column, missing, strict=True)]
    if None in scores:
        row = scores.index(None)
        raise ScoresError(
            f"{source}, topic {text(frame.index[row])!r}, system {system!r}: "
            f"{reprlib.repr(column.iloc[row])} is not a number; expected a score, or NaN where it "
            "is missing"
        )
    return np.array(scores, dtype=np.float64)


def _number(cell: Any) -> float | None:
    if isinstance(cell, str):
        return number(cell)
    if isinstance(cell, (Real, Decimal)) and not isinstance(cell, bool):
        with suppress(OverflowError):
            return float(cell)
    return None
