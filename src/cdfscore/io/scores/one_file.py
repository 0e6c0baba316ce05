"""Scores of one file in any form before the search for summaries, and what else it tells."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import CdfscoreError, MissingDependencyError, ScoresError, did_you_mean
from cdfscore.io.content import bytes_of, decompressed, marked, refuse_others, without_marks
from cdfscore.io.decimals import number
from cdfscore.io.files import readable, source_name
from cdfscore.io.results.dictionaries import Records, read_json
from cdfscore.io.results.names import is_measure
from cdfscore.io.results.results import OF_RECORDS, Results
from cdfscore.io.results.table import columns_of_text, read_table
from cdfscore.io.results.trec_eval import printed, read_ir_measures, read_trec_eval
from cdfscore.io.scores.checked import part_of_any
from cdfscore.io.scores.delimited import EXPECTED, parse_delimited
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import How
from cdfscore.io.scores.joint import is_json, prepared
from cdfscore.io.scores.labels import (
    DOCUMENTS,
    HEADERS,
    assumed_sides,
    check_labels,
    heads,
    heads_labels,
    holds_labels,
    is_nameless,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    rows_are_systems,
)
from cdfscore.io.scores.memory import measure_of, remember, remembered, same_measure
from cdfscore.io.scores.parquet.frame import frame_of_parquet
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import selected, without
from cdfscore.io.scores.table import Table, refuse_missing_header
from cdfscore.io.scores.writing import ENDINGS
from cdfscore.io.sizes import RATIO, most_bytes
from cdfscore.io.text import counted, listed
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd

_EXPECTED = "expected a CSV or TSV file with a row or a column for each system"
# Endings that say what a file is, not whose scores it has.
_FILES = frozenset(
    {
        *filter(None, ENDINGS),
        *(".json", ".jsonl", ".ndjson", ".xlsx", ".txt", ".tab", ".dat", ".log", ".out", ".res"),
        *(".eval", ".trec_eval", ".treceval", ".ir_measures", ".results", ".scores", ".gz", ".zst"),
    }
)
#: Takes source, content, settings, and the name of the system if the file names none.
Reader = Callable[[str, bytes, How, str | None], Results | Records]
_ZIP = b"PK\x03\x04"
_PART = "xl/workbook.xml"


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
    own = replace(how, cells=replace(how.cells, met=Counter()))
    part = _read(path, own, stem_of(path) if name is None else name.strip())
    how.cells.met.update(own.cells.met)
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
    return without_marks(content), marked(source, content)


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


def reader_of(source: str, content: bytes, how: How) -> Reader | None:
    """Return what reads a file with a row a score; None for a file with a column a system.

    Raises `ScoresError` for output of trec_eval or ir_measures without the topics.
    """
    if is_json(content):
        return read_json
    refuse_others(source, content, ScoresError, EXPECTED)
    if (form := printed(content)) is not None:
        return read_ir_measures if form.measure else read_trec_eval
    line = re.split(rb"[\r\n]", content, maxsplit=1)[0].decode(errors="replace")
    _refuse_runs(source, line)
    fields = line.split("\t")
    if len(fields) == 1 and "," not in line:
        fields = line.split()
    if len(fields) == 3:
        first, second, third = (field.strip() for field in fields)
        if number(third) is not None and not _is_header(first, second, how):
            return _by_measure(source, first, second, how)
    if len(fields) == 2 and is_measure(fields[0]) and number(fields[1]) is not None:
        raise ScoresError(
            f"{source} has one number for each measure, as the output of ir_measures without -q; "
            "expected a row for each topic, as with -q"
        )
    return None if columns_of_text(source, content, how) is None else read_table


def _refuse_runs(source: str, line: str) -> None:
    """Raise `ScoresError` for a first line of a run or of qrels, which are to be measured."""
    fields = [field.strip(' "') for field in re.split(r"\s*[,;\t]\s*|\s+", line.strip())]
    iteration, last = [*fields, "", ""][1].upper(), number(fields[-1])
    # In a table, systems may be called 0, 1 and 2.
    headed = any(heads(role, fields[0]) for role in HEADERS)
    spaced = len(line.split()) == 4 and not headed
    numbered = any(heads("score", field) or field.lower()[:3] == "rel" for field in fields)
    if len(fields) >= 6 and iteration == "Q0" and number(fields[4]) is not None and not headed:
        what = "a run (topic, Q0, document, rank, score, run id)"
    elif spaced and iteration in ("0", "Q0") and _is_whole(fields[3]):
        what = "a file of qrels (topic, 0, document, relevance)"
    elif spaced and fields[2] == "1" and last is not None:
        what = "a run (topic, document, rank, score)"
    elif headed and numbered and not DOCUMENTS.isdisjoint(map(str.lower, fields)):
        what = f"a run or a file of qrels ({', '.join(fields)})"
    else:
        return
    raise ScoresError(
        f"{source} is {what} and has no scores of topics; compute the scores of runs by 'cdfscore "
        "measure RUN --qrels QRELS --measure AP', or by cdfscore.trec.measure in Python"
    )


def _is_whole(field: str) -> bool:
    value = number(field)
    return value is not None and value.is_integer()


def _is_header(first: str, second: str, how: How) -> bool:
    """Tell whether a first line is a header that ends in a number, or has numbers alone."""
    said = how.topic_column is not None or how.systems_as_rows is not None
    numbers = number(first) is not None and number(second) is not None
    return said or numbers or not first or any(heads(role, first) for role in HEADERS)


def _by_measure(source: str, first: str, second: str, how: How) -> Reader:
    """Return the reader of lines whose first or second field is the measure of the user.

    Raises `ScoresError` if that is neither or both: no name, or each, is known.
    """
    outside, inside = first == how.measure, second == how.measure
    if outside == inside:
        raise ScoresError(
            f"{source}, line 1 does not say whether {first!r} or {second!r} is a measure, as of "
            "trec_eval -q or ir_measures -q; say which one by "
            f"{argument('measure', first)} or {argument('measure', second)}, or, if it is a "
            f"header, name the column of labels by {option('topic_column')}; of a run with topic, "
            "document and rank, 'cdfscore measure' computes scores"
        )
    return read_trec_eval if outside else read_ir_measures


def part_of_table(table: Table, how: How) -> Part:
    """Return the scores of a table; raises `ScoresError` if it is not a score matrix."""
    import pandas as pd

    of_systems = systems_in_rows(table, how)
    labelled = has_labels(table, how, of_systems=of_systems)
    if labelled:
        columns, values = table.other_columns(), table.values
        rows: pd.Index[Any] = pd.Index(table.labels, dtype=str)
    else:
        columns, values = table.header, table.with_labels_as_scores()
        rows = pd.RangeIndex(1, len(table.labels) + 1)
    first = table.header[0]
    if how.topic_column is None and not names_labels(first, of_systems=of_systems):
        refuse_labels_elsewhere(
            table.source, columns, of_systems=of_systems, unnamed=is_nameless(first)
        )
    row_kind, column_kind = ("system", "topic") if of_systems else ("topic", "system")
    if not columns:
        raise ScoresError(
            f"{table.source} has a column of {row_kind}s and no scores; expected columns "
            "separated by commas or tabs"
        )
    # The first column of labels is one of topics if the user names it so.
    asked = how.topic_column is None or table.label_column > 0
    given = how.rows_under(own := table.header[table.label_column])
    if labelled and asked and given is None:
        refuse_unsaid_rows(table.source, own, table.labels)
    places = [f"column {i + 1}" for i in range(len(table.header))]
    numbering = _numbering(columns, values) if labelled and table.label_column else None
    if labelled:
        del places[table.label_column]
    if numbering is not None:
        del places[numbering], columns[numbering]
        values = np.delete(values, numbering, axis=1)
    if columns and not columns[-1] and np.isnan(values[:, -1]).all():
        raise ScoresError(
            f"{table.source}: the last column has no header and no scores; expected no comma or "
            "tab at the end of a line"
        )
    check_labels(table.source, column_kind, columns, places)
    if labelled:
        check_labels(table.source, row_kind, table.labels, (f"line {n}" for n in table.lines))
    elif of_systems:
        raise ScoresError(
            f"{table.source} has no column of system names; expected one, headed system or run"
        )
    frame = pd.DataFrame(values, index=rows, columns=pd.Index(columns, dtype=str))
    frame = (frame.T.copy() if of_systems else frame).rename_axis(index="topic", columns=None)
    header = own if given is None else None
    part = selected(
        table.source, frame, how, of_systems=of_systems, header=header, words=table.words
    ).read_by(own, how)
    if labelled:
        remember(part.frame, header=own)
    if labelled and not of_systems and (how.topic_column, how.systems_as_rows) == (None, None):
        headed = not is_nameless(own)
        told = assumed_sides(table.source, table.labels, columns, headed=headed, ask=True)
        part = replace(part, notes=(*told, *part.notes))
    if numbering is None:
        return part
    note = f"{table.source}: the first column numbers the rows, and is left out"
    return replace(part, notes=(note, *part.notes), whole=False)


def _numbering(columns: list[str], values: Array) -> int | None:
    """Return the column without a name that numbers the rows, as pandas writes it, if there is one.

    It is the first, before a column of labels that is not.
    """
    if is_nameless(columns[0]) and np.array_equal(values[:, 0], np.arange(len(values))):
        return 0
    return None


def systems_in_rows(table: Table, how: How) -> bool:
    """Tell whether the rows of a table are systems, as the user or the header says."""
    if how.topic_column is False:
        return bool(how.systems_as_rows)
    header = table.header[table.label_column]
    return rows_are_systems(header, table.labels, how.rows_under(header))


def has_labels(table: Table, how: How, *, of_systems: bool) -> bool:
    """Tell whether the label column of `table` holds labels, and check that line 1 has names."""
    names, first = table.other_columns(), table.header[0]
    if how.topic_column is False:
        names = table.header
    elif how.topic_column is not None or heads_labels(first, of_systems=of_systems):
        return True
    if not of_systems and not heads_labels(first, of_systems=True):
        refuse_missing_header(table, names or table.header)
    return how.topic_column is None and holds_labels(
        table.source, first, table.labels, of_systems=of_systems
    )


def is_workbook(content: bytes) -> bool:
    """Tell whether a file is a workbook, or a damaged one, and not another archive of zip."""
    if not content.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _PART in archive.namelist()
    except zipfile.BadZipFile:
        return True


def refuse_sheet(source: str, sheet: str | None) -> None:
    """Raise `ScoresError` for a sheet of a file that has none."""
    if sheet is not None:
        raise ScoresError(
            f"{argument('sheet', sheet)} is given, and {source} is no workbook of Excel (.xlsx); "
            "leave it out"
        )


def csv_of_workbook(source: str, content: bytes, sheet: str | None) -> tuple[bytes, list[str]]:
    """Return a sheet as CSV, with a line for each row, and the note on the others.

    Numbers have the digits of their doubles. pandas, which reads workbooks by the same library,
    makes a missing cell of an error such as #DIV/0!, so that it would be lost without a word.
    Raises `ScoresError` for a sheet that is not there, and for a damaged or too large file;
    `MissingDependencyError` without openpyxl.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(each.file_size for each in archive.infolist())
        openpyxl: Any = import_module("openpyxl")
    except zipfile.BadZipFile as error:
        raise ScoresError(
            f"{source} is an Excel workbook or a zip archive whose end is missing or damaged; "
            "expected the whole file"
        ) from error
    except ImportError as error:
        raise MissingDependencyError(
            f"{source} is a workbook of Excel, and openpyxl is not installed; run pip install "
            "'cdfscore[excel]', or save the sheet as CSV"
        ) from error
    limit = most_bytes(len(content))
    if size > limit:
        raise ScoresError(
            f"{source} has {len(content):,} bytes, and {size:,} when it is decompressed; expected "
            f"no more than {RATIO} times its size"
        )
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = {each.title: each for each in book.worksheets}
        first = next(iter(sheets))
        chosen = sheets.get(first if sheet is None else sheet)
        rows = [list(map(_text, row)) for row in (chosen or [])]
    except Exception as error:  # of many kinds where a file is damaged
        raise ScoresError(
            f"{source} is damaged, and cannot be read as a workbook: {' '.join(str(error).split())}"
        ) from error
    if chosen is None:
        raise ScoresError(
            f"{source} has no sheet {sheet!r}{did_you_mean(str(sheet), sheets)}; expected one of "
            f"{listed(list(map(repr, sheets)))}"
        )
    width = max((i for row in rows for i, cell in enumerate(row, 1) if cell), default=0)
    while rows and not any(rows[-1]):
        rows.pop()
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([*row, *[""] * width][:width] for row in rows)
    note = f"{source}: the first of {counted(len(sheets), 'sheet')} is read, {first!r}"
    return stream.getvalue().encode(), [note] if len(sheets) > 1 and sheet is None else []


def _text(cell: Any) -> str:
    """Return a cell as one line of text; whole numbers are those of labels, such as 301."""
    cell = cell.value
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return "" if cell is None else " ".join(str(cell).split())
