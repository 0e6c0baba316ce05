"""Labels that several columns have together, such as a model and its configuration."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from cdfscore.errors import ScoresError
from cdfscore.io.scores.cells import Cells
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.io.scores.exact import refuse_ragged, rows_of
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.how import BETWEEN, How
from cdfscore.io.spreadsheets import unguarded

if TYPE_CHECKING:
    import pandas as pd

_JSON = re.compile(rb"\s{0,64}(?:\{|\[\s*(?:[]\[{\"]|[-\d.]+\s*[],]))")
_DECIMAL_COMMA = re.compile(r'[;"]\s*[-+]?\d*,\d')


def joint_labels(source: str, columns: Sequence[Sequence[str]]) -> list[str]:
    """Return the label of each row from the texts of its columns, without empty ones.

    Raises `ScoresError` for two rows that would get one label by different texts.

    Examples
    --------
    >>> joint_labels("s.csv", [["bm25", "lsa"], ["k1=0.9", ""]])
    ['bm25 / k1=0.9', 'lsa']
    """
    parts: dict[str, tuple[str, ...]] = {}
    labels = []
    for row in zip(*columns, strict=True):
        label = BETWEEN.join(filter(None, row))
        if (other := parts.setdefault(label, row)) != row:
            raise ScoresError(
                f"{source}: the texts {', '.join(map(repr, other))} and "
                f"{', '.join(map(repr, row))} both make the label {label!r}; expected others"
            )
        labels.append(label)
    return labels


def prepared(source: str, content: bytes, how: How) -> tuple[bytes, How]:
    """Return a text file with one column for each label, in the same lines, and its settings.

    These have one header each, and say if decimals have commas.
    """
    how = replace(how, cells=cells_of(source, content, how))
    if is_json(content) or not how.names_columns:
        return content, how
    text = decoded(source, content)
    separator = separator_of(text)
    first: list[str] = []
    with suppress(csv.Error):  # which is told of where the rows are read
        first = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    header = unguarded([name.strip() for name in first])
    how, joint = how.one_header(source, header)
    if not joint:
        return content, how
    rows = rows_of(source, text, separator)
    refuse_ragged(source, header, rows[1:])
    cells = [header, *(row for _, row in rows[1:])]
    gone = {place for _, places in joint for place in places[1:]}
    for name, places in joint:
        columns = [unguarded([row[place].strip() for row in cells[1:]]) for place in places]
        for row, label in zip(cells, [name, *joint_labels(source, columns)], strict=True):
            row[places[0]] = label
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerows([cell for i, cell in enumerate(row) if i not in gone] for row in cells)
    return stream.getvalue().encode(), how


def is_json(content: bytes) -> bool:
    """Tell whether a file is JSON, by its first characters: a line of a log may begin with [."""
    return _JSON.match(content) is not None


def cells_of(source: str, content: bytes, how: How) -> Cells:
    """Return how the cells of a file are read: with decimal commas between semicolons."""
    if b";" in content.split(b"\n", 1)[0] and not is_json(content):
        text = decoded(source, content)
        if separator_of(text) == ";" and _DECIMAL_COMMA.search(text):
            return replace(how.cells, commas=True)
    return how.cells


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
