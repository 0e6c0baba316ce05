"""Scores of one file in any form before the search for summaries, and what else it tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.io.content import bytes_of, decompressed, without_marks
from cdfscore.io.files import readable, source_name
from cdfscore.io.results.recognition import reader_of
from cdfscore.io.results.results import OF_RECORDS
from cdfscore.io.scores.checked import part_of_any
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import How
from cdfscore.io.scores.joint import prepared
from cdfscore.io.scores.memory import measure_of, remember, remembered, same_measure
from cdfscore.io.scores.parquet.frame import frame_of_parquet
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import without
from cdfscore.io.scores.wide import has_labels, part_of_table, systems_in_rows
from cdfscore.io.scores.writing import ENDINGS
from cdfscore.io.workbook import csv_of_workbook, is_workbook, refuse_sheet
from cdfscore.spelling import option

_EXPECTED = "expected a CSV or TSV file with a row or a column for each system"
# Endings that say what a file is, not whose scores it has.
_FILES = frozenset(
    {
        *filter(None, ENDINGS),
        *(".json", ".jsonl", ".ndjson", ".xlsx", ".txt", ".tab", ".dat", ".log", ".out", ".res"),
        *(".eval", ".trec_eval", ".treceval", ".ir_measures", ".results", ".scores", ".gz", ".zst"),
    }
)


@dataclass(frozen=True)
class Layout:
    """The layout that a reader must know to read a score matrix from text."""

    separator: str
    #: The column of the labels of the rows, counted from 1; 0 if there is none.
    label_column: int
    #: True where the first line has no field for that column.
    unnamed_labels: bool
    systems_as_rows: bool


def part_of_file(path: str | Path, how: How, name: str | None) -> Part:
    """Read a file; `name` is that of its only system, None for its own or that of the file.

    Raises `ScoresError` for a name where there are several systems.
    """
    part = _read(path, how, stem_of(path) if name is None else name.strip())
    if name is None or part.frame.empty:  # all of it is left out
        return part
    systems = labels_of(part.frame)[1]
    if len(systems) != 1:
        raise ScoresError(
            f"{part.source} has {len(systems)} systems, and {name!r} is to be the name of one; "
            "expected the file alone"
        )
    named = part.renamed(name.strip())
    return replace(named, frame=without(named.frame, frozenset(), how.dropped.systems))


def _read(path: str | Path, how: How, system: str | None) -> Part:
    """Read a file; `system` is the name of the only one, if the file names none."""
    source = source_name(path)
    how = replace(how, cells=replace(how.cells, met=Counter()))
    if Path(path).suffix.lower() == ".parquet":
        refuse_sheet(source, how.sheet)
        import pyarrow as pa

        frame = frame_of_parquet(Path(path))
        try:
            part = part_of_any(frame, how, source, system)
        except (UnicodeDecodeError, pa.ArrowException) as error:  # text is decoded on access
            raise ScoresError(f"{path} is damaged: it has text that is not UTF-8") from error
        part = replace(part, notes=(*part.notes, *how.cells.notes(source)))
        remember(part.frame, **remembered(frame))  # such as labels to keep
        known = measure_of(frame)
        if part.measure is not None or known is None:
            return part
        same_measure([(known, source), (how.measure, option("measure"))])
        return replace(part, measure=known, measures=(known,))
    content, told = opened(path, how.sheet)
    asked, (content, how) = how, prepared(source, content, how)
    idle = {n for n in OF_RECORDS if getattr(how, n) is None and getattr(asked, n) is not None}
    reader = reader_of(source, content, how)
    if reader is not None:
        part = reader(source, content, how, system).part(how)
    else:
        how = how.of_matrix(source)
        part = part_of_table(parse_delimited(source, content, how), how)
    notes = (*told, *part.notes, *how.cells.notes(source))
    return replace(part, notes=notes, uses=part.uses - idle)


def stem_of(path: str | Path) -> str | None:
    """Return the name of a file without its endings, which may name a system; None if unknown.

    Other dots are of the name: qwen2.5.eval, bm25_k1.2.csv, input.bm25.
    """
    if str(path) == "-":
        return None
    name = Path(path)
    while name.suffix.lower() in _FILES:
        name = name.with_suffix("")
    return name.name


def opened(
    path: str | Path, sheet: str | None = None, kind: type[CdfscoreError] = ScoresError
) -> tuple[bytes, list[str]]:
    """Return the bytes of a file, or of standard input, ``-``, and notes; raises this error.

    What gzip or zstd has compressed is decompressed, and a sheet of a workbook is CSV, with a line
    for each of its rows.
    """
    source = source_name(path)
    content = decompressed(source, bytes_of(path, kind, "a score matrix"), kind)
    if is_workbook(content):
        return csv_of_workbook(source, content, sheet)
    refuse_sheet(source, sheet)
    return without_marks(content), []


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
    plain, how = prepared(source, content, how)
    if plain is not content or how.cells or how.system_column is not None:
        raise ScoresError(
            f"{source} has decimal commas, or columns or cells that options name, which an R "
            f"script cannot read; {_EXPECTED}"
        )
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


def line_of_missing(path: str | Path, topic: str, system: str) -> int | None:
    """Return the line of a missing score in a table of text, or None if it is not found.

    Only for messages: the file is read a second time.
    """
    try:
        if not Path(path).is_file():  # a pipe has nothing more to read
            return None
        content, how = prepared(str(path), without_marks(Path(path).read_bytes()), How())
        table = parse_delimited(str(path), content, how)
    except (CdfscoreError, OSError, ValueError):
        return None
    columns = table.other_columns()
    for row, column in ((topic, system), (system, topic)):
        if row in table.labels and column in columns:
            place = table.labels.index(row)
            if np.isnan(table.values[place, columns.index(column)]):
                return table.lines[place]
    return None
