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
    """Read a table of components from a CSV or TSV file with one row for each system.

    The column ``system`` has the systems, and each other column is a factor. All cells are text,
    because levels are text.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ModelError
        If the file cannot be read or has no rows, or if a row has more or fewer cells than the
        header.
    ScoresError
        If the content is not text.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "systems.csv"
    ...     _ = path.write_text("system,stemmer\\nbm25,none\\nbm25_p,porter\\n")
    ...     read_components(path)["stemmer"].tolist()
    ['none', 'porter']
    """
    with readable(path, ModelError):
        content = Path(path).read_bytes()
    expected = "a header with system and the factors, and a row for each system"
    found = text_table(source_name(path), content, expected, ModelError)
    found.attrs[SOURCE] = source_name(path)
    return found
