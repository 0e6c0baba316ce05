"""Tables of text: CSV or TSV with a header, all cells as they were before `guarded`."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from cdfscore.errors import CdfscoreError
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.io.spreadsheets import unguarded

if TYPE_CHECKING:
    import pandas as pd


def text_table(
    source: str, content: bytes, expected: str, error: type[CdfscoreError]
) -> pd.DataFrame:
    """Return CSV or TSV as a frame of text, with the numbers of the lines as index.

    `expected` says in messages what a table is to have. Raises `error` for a table without rows,
    and for a row that has not as many cells as the header; `ScoresError` for content that is no
    text.
    """
    import pandas as pd

    text = decoded(source, content)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text), strict=True)
    found: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if found and len(row) != len(found[0]):
                raise error(
                    f"{source}, line {rows.line_num} has {len(row)} columns and the header has "
                    f"{len(found[0])}; expected as many"
                )
            found.append(unguarded([cell.strip() for cell in row]))
            lines.append(rows.line_num)
    except csv.Error as reason:
        raise error(
            f"{source}, line {rows.line_num} cannot be read: {reason}; expected a table with "
            "commas or tabs"
        ) from reason
    if len(found) < 2:
        raise error(f"{source} has {'no rows' if found else 'nothing'}; expected {expected}")
    return pd.DataFrame(found[1:], index=lines[1:], columns=found[0], dtype=str)
