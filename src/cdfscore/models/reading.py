"""Reading of tables of components."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import ModelError
from cdfscore.io.files import readable, source_name
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.models.components import SOURCE

if TYPE_CHECKING:
    import pandas as pd


def read_components(path: str | Path) -> pd.DataFrame:
    """Read a CSV or TSV file with a row for each system; all cells are text, as levels are.

    Raises `ModelError` for a file that cannot be read or has no rows, and a row that has not as
    many cells as the header; `ScoresError` for content that is no text.
    """
    with readable(path, ModelError):
        content = Path(path).read_bytes()
    expected = "a header with system and the factors, and a row for each system"
    found = text_table(source_name(path), content, expected)
    found.attrs[SOURCE] = source_name(path)
    return found


def text_table(source: str, content: bytes, expected: str) -> pd.DataFrame:
    """Return CSV or TSV as a frame of text; `expected` says what a message expects of it.

    Raises `ModelError` and `ScoresError` as `read_components` does.
    """
    import pandas as pd

    text = decoded(source, content)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text), strict=True)
    found: list[list[str]] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if found and len(row) != len(found[0]):
                raise ModelError(
                    f"{source}, line {rows.line_num} has {len(row)} columns and the header has "
                    f"{len(found[0])}; expected as many"
                )
            found.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise ModelError(
            f"{source}, line {rows.line_num} cannot be read: {error}; expected a table with commas "
            "or tabs"
        ) from error
    if len(found) < 2:
        raise ModelError(f"{source} has {'no rows' if found else 'nothing'}; expected {expected}")
    return pd.DataFrame(found[1:], columns=found[0], dtype=str)
