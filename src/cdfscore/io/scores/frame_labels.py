"""Labels of a frame as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


# Doubles up to here are whole numbers of which each has its own.
_EXACT = 2.0**53


def labels_of(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the labels of rows and columns as text."""
    return texts(frame.index.tolist()), texts(frame.columns.tolist())


def topic_labels(scores: pd.DataFrame) -> list[str]:
    """Return the topics of a score matrix as text, as they are matched and saved."""
    return texts(scores.index.tolist())


def texts(labels: list[Any]) -> list[str]:
    """Return labels as text; labels that are text already take a tenth of the time."""
    try:
        return list(map(str.strip, labels))
    except TypeError:
        return [text(label) for label in labels]


def text(label: Any) -> str:
    """Return a label as text, empty if there is none; 301.0 is the label of topic 301.

    pandas makes such numbers of whole ones where one was missing, as after a merge. Bytes are text
    in UTF-8, as in Parquet of programs that do not say so.
    """
    if isinstance(label, str):
        return label.strip()
    if isinstance(label, bytes):
        return label.decode(errors="backslashreplace").strip()
    if isinstance(label, float) and label.is_integer() and abs(label) <= _EXACT:
        return str(int(label))
    import pandas as pd

    return "" if label is None or label is pd.NA or label != label else str(label).strip()
