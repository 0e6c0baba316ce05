"""Score matrices from arrays, whose labels are given beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.text import counted

if TYPE_CHECKING:
    import pandas as pd


def frame_of_array(
    values: np.ndarray[Any, Any],
    systems: Iterable[object] | None,
    topics: Iterable[object] | None,
    source: str,
    *,
    systems_as_rows: bool,
) -> pd.DataFrame:
    """Return an array with its labels as a frame, topics x systems, that is not yet checked.

    Topics without labels are numbered from 1, as everywhere. Raises `ScoresError` for an array
    that has not two dimensions, and for labels that are absent or not one for each row or column.
    """
    import pandas as pd

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
    """Return labels as text; `rows` says which kind the rows of the array are."""
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
