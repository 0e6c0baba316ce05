"""Places of scores in files, for messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cdfscore.errors import CdfscoreError
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.how import How


def line_of_missing(path: str | Path, topic: str, system: str) -> int | None:
    """Return the line of a missing score in a table of text, or None if it is not found.

    Only for messages: the file is read a second time.
    """
    try:
        if not Path(path).is_file():  # a pipe has nothing more to read
            return None
        table = parse_delimited(str(path), Path(path).read_bytes(), How())
    except (CdfscoreError, OSError, ValueError):
        return None
    columns = table.other_columns()
    for row, column in ((topic, system), (system, topic)):
        if row in table.labels and column in columns:
            place = table.labels.index(row)
            if np.isnan(table.values[place, columns.index(column)]):
                return table.lines[place]
    return None
