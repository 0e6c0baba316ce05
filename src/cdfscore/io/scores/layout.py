"""Layout of a text file, for a reader in another language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cdfscore.errors import ScoresError
from cdfscore.io.content import without_marks
from cdfscore.io.files import readable, source_name
from cdfscore.io.results.recognition import reader_of
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.how import How
from cdfscore.io.scores.wide import has_labels, part_of_table, systems_in_rows

_EXPECTED = "expected a CSV or TSV file with a row or a column for each system"


@dataclass(frozen=True)
class Layout:
    """The layout that a reader must know to read a score matrix from text."""

    separator: str
    #: The column of the labels of the rows, counted from 1; 0 if there is none.
    label_column: int
    #: True where the first line has no field for that column.
    unnamed_labels: bool
    systems_as_rows: bool


def text_layout(path: str | Path, how: How | None = None) -> Layout:
    """Find the layout of a file that `read_scores` reads with the same settings.

    Raises `ScoresError` for a file that is not text, for one with a row for each score, and for one
    with labels that are left out: a reader in R would need to know more.
    """
    how = how or How()
    source = source_name(path)
    if not Path(path).is_file() or Path(path).suffix.lower() == ".parquet":
        raise ScoresError(f"{source} cannot be read by an R script; {_EXPECTED}")
    with readable(path, ScoresError):
        content = without_marks(Path(path).read_bytes())
    if reader_of(source, content, how) is not None:
        raise ScoresError(f"{source} has a row for each score; {_EXPECTED}")
    table = parse_delimited(source, content, how)
    part = part_of_table(table, how)
    if not part.whole:
        raise ScoresError(f"{source} has labels that are left out; {_EXPECTED}")
    of_systems = systems_in_rows(table, how)
    labelled = has_labels(table, how, of_systems=of_systems)
    return Layout(
        table.separator,
        table.label_column + 1 if labelled else 0,
        table.unnamed_labels,
        of_systems,
    )
