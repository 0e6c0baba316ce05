"""Tables of text: CSV or TSV with a header, all cells as they were before `guarded`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.io.scores.exact import rows_of
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
    try:
        rows = rows_of(source, text, separator_of(text))
    except ScoresError as reason:
        raise error(str(reason)) from reason
    rows = [(line, row) for line, row in rows if any(cell.strip() for cell in row)]
    for line, row in rows:
        if len(row) != len(rows[0][1]):
            raise error(
                f"{source}, line {line} has {len(row)} columns and the header has "
                f"{len(rows[0][1])}; expected as many"
            )
    if len(rows) < 2:
        raise error(f"{source} has {'no rows' if rows else 'nothing'}; expected {expected}")
    header, *found = (unguarded([cell.strip() for cell in row]) for _, row in rows)
    return pd.DataFrame(found, index=[line for line, _ in rows[1:]], columns=header, dtype=str)
