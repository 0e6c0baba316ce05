"""Reading of tables of components."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import ModelError
from cdfscore.io.files import readable, source_name
from cdfscore.io.text_table import text_table
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
    found = text_table(source_name(path), content, expected, ModelError)
    found.attrs[SOURCE] = source_name(path)
    return found
