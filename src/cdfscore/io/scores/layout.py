"""Layout of a text file, for a reader in another language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cdfscore.errors import ScoresError
from cdfscore.io.files import source_name
from cdfscore.io.scores.reading import has_labels, parse_text


@dataclass(frozen=True)
class Layout:
    """The layout that a reader must know to read a score matrix from text."""

    separator: str
    #: The column of the labels of the rows, counted from 1; 0 if there is none.
    label_column: int
    #: True where the first line has no field for that column.
    unnamed_labels: bool
    systems_as_rows: bool


def text_layout(
    path: str | Path,
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
) -> Layout:
    """Find the layout of a file that `read_scores` reads with the same arguments.

    Raises `ScoresError` for Parquet and standard input, which are not text files.
    """
    if not Path(path).is_file() or Path(path).suffix.lower() == ".parquet":
        raise ScoresError(
            f"{source_name(path)} cannot be read by an R script; expected a CSV or TSV file"
        )
    table = parse_text(path, topic_column)
    labelled = has_labels(table, topic_column, of_systems=systems_as_rows)
    return Layout(
        table.separator,
        table.label_column + 1 if labelled else 0,
        table.unnamed_labels,
        systems_as_rows,
    )
