"""Reading of score matrices, from one file in any form or from several."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from cdfscore.common.files import (
    RATIO,
    bytes_of,
    decompressed,
    marked,
    most_bytes,
    readable,
    refuse_others,
    source_name,
    without_marks,
)
from cdfscore.common.text import (
    a_type,
    counted,
    files,
    listed,
    named,
    notes_of_files,
    number,
    those,
    units,
    worded,
)
from cdfscore.errors import CdfscoreError, MissingDependencyError, ScoresError, did_you_mean
from cdfscore.scores import dataframes, delimited
from cdfscore.scores.cautions import kept_by
from cdfscore.scores.cells import MISSING, score
from cdfscore.scores.frame import part_of_any, searched
from cdfscore.scores.how import (
    COLUMNS,
    OF_RECORDS,
    Headers,
    How,
    Part,
    asked_notes,
    selected,
    without,
)
from cdfscore.scores.labels import (
    DOCUMENTS,
    assumed_sides,
    check_labels,
    heads_labels,
    holds_labels,
    is_nameless,
    labels_of,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    role_of,
)
from cdfscore.scores.results.dictionaries import read_json
from cdfscore.scores.results.names import is_measure
from cdfscore.scores.results.results import columns_of_text, printed, read_printed, read_table
from cdfscore.scores.writing import ENDINGS

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
Reader = Callable[[str, bytes, How, str | None], Part]
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
    """Read a file; `name` is that of its only system, None for its own or that of the file."""
    own = replace(how, cells=replace(how.cells, met=Counter()))
    of_parquet = Path(path).suffix.lower() == ".parquet"
    system = stem_of(path) if name is None else name.strip()
    part = (_part_of_parquet if of_parquet else _part_of_text)(path, own, system)
    how.cells.met.update(own.cells.met)
    if name is not None and not part.frame.empty:  # else all of it is left out
        systems = labels_of(part.frame)[1]
        if len(systems) != 1:
            raise ScoresError(
                f"{part.source} has {len(systems)} systems, and {name!r} is to be the name of one; "
                "expected the file alone"
            )
        names = [name.strip()]
        frame = part.frame.set_axis(pd.Index(names, dtype=str), axis=1)
        frame = without(frame, frozenset(), how.dropped.systems)
        part = replace(part, frame=frame, systems=names, labels=None, named_as_file=False)
    return replace(part, notes=(*asked_notes(part, how), *part.notes))


def _part_of_parquet(path: str | Path, how: How, system: str | None) -> Part:
    from cdfscore.scores.parquet import frame_of_parquet

    source = source_name(path)
    refuse_sheet(source, how.sheet)
    frame = frame_of_parquet(Path(path))
    try:
        part = part_of_any(frame, how, source, system)
    except (UnicodeDecodeError, pa.ArrowException) as error:  # text is decoded on access
        raise ScoresError(f"{source} is damaged: it has text that is not UTF-8") from error
    part = replace(part, notes=(*part.notes, *how.cells.notes(source)))
    dataframes.remember(part.frame, **dataframes.remembered(frame))  # such as labels to keep
    known = dataframes.measure_of(frame)
    if part.measure is not None or known is None:
        return part
    dataframes.same_measure([(known, source), (how.measure, "measure=...")])
    return replace(part, measure=known, measures=(known,))


def _part_of_text(path: str | Path, asked: How, system: str | None) -> Part:
    source, (content, told) = source_name(path), opened(path, asked.sheet)
    content, how = delimited.prepared(source, content, asked)
    idle = {n for n in COLUMNS if getattr(how, n) is None and getattr(asked, n) is not None}
    if (reader := reader_of(source, content, how)) is not None:
        part = reader(source, content, how, system)
    else:  # a row or a column for each system, whose names it has
        how = how.of_matrix(source)
        first = re.sub(rb'(?s)"?([\w ]*).*', rb"\1", content[:100], count=1)
        units.set(dataframes.units_of(how.label_header or first.decode(errors="replace")))
        part = _checked(delimited.parse_delimited(source, content, how), how)
    notes = (*told, *part.notes, *how.cells.notes(part.source))
    return replace(part, notes=notes, uses=part.uses - idle)


def stem_of(path: str | Path) -> str | None:
    """Return the name of a file without endings, such as qwen2.5 of qwen2.5.eval; None for -."""
    if str(path) == "-":
        return None
    name = Path(path)
    while name.suffix.lower() in _FILES:
        name = name.with_suffix("")
    return name.name


def opened(
    path: str | Path, sheet: str | None = None, kind: type[CdfscoreError] = ScoresError
) -> tuple[bytes, list[str]]:
    """Return the bytes of a file without compression, or of a sheet as CSV, and notes."""
    source = source_name(path)
    content = decompressed(source, bytes_of(path, kind, "a score matrix"), kind)
    if content.startswith(_ZIP) and _is_workbook(content):
        return csv_of_workbook(source, content, sheet)
    refuse_sheet(source, sheet)
    return without_marks(content), marked(source, content)


def text_layout(path: str | Path, how: How | None = None) -> Layout:
    """Find the layout of a text file for R; raises `ScoresError` if R would have to know more."""
    how = how or How()
    source = source_name(path)
    if not Path(path).is_file() or Path(path).suffix.lower() == ".parquet":
        raise ScoresError(f"{source} cannot be read by an R script; {_EXPECTED}")
    with readable(path, ScoresError):
        content = without_marks(Path(path).read_bytes())
    plain, how = delimited.prepared(source, content, how)
    if plain is not content or how.cells or how.system_column is not None:
        raise ScoresError(
            f"{source} has decimal commas, or columns or cells that options name, which an R "
            f"script cannot read; {_EXPECTED}"
        )
    if reader_of(source, content, how) is not None:
        raise ScoresError(f"{source} has a row for each score; {_EXPECTED}")
    table = delimited.parse_delimited(source, content, how)
    part = _checked(table, how)
    if not part.whole:
        raise ScoresError(f"{source} has labels that are left out; {_EXPECTED}")
    labelled = not isinstance(part.frame.index, pd.RangeIndex)
    column = table.label_column + 1 if labelled else 0
    return Layout(table.separator, column, table.unnamed_labels, table.of_systems)


def line_of_missing(path: str | Path, topic: str, system: str) -> int | None:
    """Return the line of a missing score in a table of text, or None; reads the file again."""
    try:
        if not Path(path).is_file():  # a pipe has nothing more to read
            return None
        content, how = delimited.prepared(str(path), without_marks(Path(path).read_bytes()), How())
        table = delimited.parse_delimited(str(path), content, how)
    except (CdfscoreError, OSError, ValueError):
        return None
    for row, column in ((topic, system), (system, topic)):
        if row in table.labels and column in table.columns:
            place = table.labels.index(row)
            if np.isnan(table.values[place, table.columns.index(column)]):
                return table.lines[place]
    return None


def reader_of(source: str, content: bytes, how: How) -> Reader | None:
    """Return what reads a file with a row a score; None for a file with a column a system."""
    if delimited.is_json(content):
        return read_json
    refuse_others(source, content, ScoresError, delimited.EXPECTED)
    if (form := printed(content)) is not None:
        return partial(read_printed, program="ir_measures" if form[0] else "trec_eval")
    line = re.split(rb"[\r\n]", content, maxsplit=1)[0].decode(errors="replace")
    _refuse_runs(source, line)
    fields = line.split("\t")
    if len(fields) == 1 and "," not in line:
        fields = line.split()
    if len(fields) == 3:
        first, second, third = (field.strip() for field in fields)
        said = how.topic_column is not None or how.systems_as_rows is not None
        numbers = number(first) is not None and number(second) is not None
        is_header = said or numbers or not first or role_of(first) is not None
        if number(third) is not None and not is_header:
            outside, inside = first == how.measure, second == how.measure
            if outside == inside:
                raise ScoresError(
                    f"{source}, line 1 does not say whether {first!r} or {second!r} is a measure, "
                    "as of trec_eval -q or ir_measures -q; say which one by "
                    f"measure={first!r} or measure={second!r}, or, if it is a header, name the "
                    "column of labels by topic_column=...; of a run with topic, document and rank, "
                    "'cdfscore measure' computes scores"
                )
            return partial(read_printed, program="trec_eval" if outside else "ir_measures")
    if len(fields) == 2 and is_measure(fields[0]) and number(fields[1]) is not None:
        raise ScoresError(
            f"{source} has one number for each measure, as the output of ir_measures without -q; "
            "expected a row for each topic, as with -q"
        )
    columns = columns_of_text(source, content, how)
    return None if columns is None else partial(read_table, columns=columns)


def _refuse_runs(source: str, line: str) -> None:
    fields = [field.strip(' "') for field in re.split(r"\s*[,;\t]\s*|\s+", line.strip())]
    iteration, last = [*fields, "", ""][1].upper(), number(fields[-1])
    # In a table, systems may be called 0, 1 and 2.
    headed = role_of(fields[0]) is not None
    spaced = len(line.split()) == 4 and not headed
    if len(fields) >= 6 and iteration == "Q0" and number(fields[4]) is not None and not headed:
        what = "a run (topic, Q0, document, rank, score, run id)"
    elif spaced and iteration in ("0", "Q0") and last is not None and last.is_integer():
        what = "a file of qrels (topic, 0, document, relevance)"
    elif spaced and fields[2] == "1" and last is not None:
        what = "a run (topic, document, rank, score)"
    elif (
        headed
        and not DOCUMENTS.isdisjoint(map(str.lower, fields))
        and any(role_of(field) == "score" or field.lower()[:3] == "rel" for field in fields)
    ):
        what = f"a run or a file of qrels ({', '.join(fields)})"
    else:
        return
    raise ScoresError(
        f"{source} is {what} and has no scores of topics; compute the scores of runs by 'cdfscore "
        "measure RUN --qrels QRELS --measure AP', or by cdfscore.retrieval.measure in Python"
    )


def _checked(table: delimited.Table, how: How) -> Part:
    """Return the scores of a table; raises `ScoresError` if it is not a score matrix."""
    source, columns, values = table.source, table.columns, table.values
    of_systems = table.of_systems or (how.topic_column is False and bool(how.systems_as_rows))
    first, own = table.header[0], table.header[table.label_column]
    labelled = how.label_header is not None
    if how.topic_column is None:
        labelled = heads_labels(first, of_systems=of_systems)
    if not labelled:
        names = columns if how.topic_column is None and columns else table.header
        has_names = of_systems or heads_labels(first, of_systems=True)
        if (
            not has_names
            and any(number(name) is not None for name in names)
            and all(number(name) is not None or name in MISSING for name in names)
        ):
            raise ScoresError(
                f"{source}, line 1 has numbers ({listed(list(map(repr, names)))}) instead of the "
                "names of the systems; add a line of names, or, if these are names, name the "
                "column of topics by topic_column=..., or, if they are topics, say "
                "systems_as_rows=..."
            )
        labelled = how.topic_column is None and holds_labels(
            source, first, table.labels, of_systems=of_systems
        )
    rows: pd.Index[Any] = pd.Index(table.labels, dtype=str)
    if not labelled:
        column = [
            score(source, line, own, cell)
            for line, cell in zip(table.lines, table.labels, strict=True)
        ]
        columns, values = table.header, np.insert(values, table.label_column, column, axis=1)
        rows = pd.RangeIndex(1, len(table.labels) + 1)
    row_kind, column_kind = ("system", "topic") if of_systems else ("topic", "system")
    if how.topic_column is None and role_of(first) != row_kind:
        refuse_labels_elsewhere(source, columns, of_systems=of_systems, unnamed=is_nameless(first))
    if not columns:
        raise ScoresError(
            f"{source} has a column of {row_kind}s and no scores; expected columns "
            "separated by commas or tabs"
        )
    # The first column of labels is one of topics if the user names it so.
    asked = how.topic_column is None or table.label_column > 0
    if labelled and asked and how.rows_under(own) is None:
        refuse_unsaid_rows(source, own, table.labels)
    places = [f"column {i + 1}" for i in range(len(table.header))]
    notes: list[str] = []
    if labelled:
        del places[table.label_column]
    # As pandas writes it, before a column of labels.
    if (
        labelled
        and table.label_column > 0
        and is_nameless(columns[0])
        and np.array_equal(values[:, 0], np.arange(len(values)))
    ):
        places, columns, values = places[1:], columns[1:], values[:, 1:]
        notes.append(f"{source}: the first column numbers the rows, and is left out")
    if columns and not columns[-1] and np.isnan(values[:, -1]).all():
        raise ScoresError(
            f"{source}: the last column has no header and no scores; expected no comma or "
            "tab at the end of a line"
        )
    check_labels(source, column_kind, columns, places)
    if labelled:
        check_labels(source, row_kind, table.labels, map("line {}".format, table.lines))
    elif of_systems:
        raise ScoresError(
            f"{source} has no column of system names; expected one, headed system or run"
        )
    frame = pd.DataFrame(values, index=rows, columns=pd.Index(columns, dtype=str))
    frame = (frame.T.copy() if of_systems else frame).rename_axis(index="topic", columns=None)
    numbered = bool(notes)
    if labelled and not of_systems and (how.topic_column, how.systems_as_rows) == (None, None):
        headed = not is_nameless(own)
        notes += assumed_sides(source, table.labels, columns, headed=headed, ask=True)
    every = labels_of(frame)
    part = selected(
        source, frame, how, own, every, of_systems=of_systems, notes=notes, words=table.words
    )
    if labelled:
        dataframes.remember(part.frame, header=own)
    if part.frame is frame:
        part = replace(part, labels=every)
    return replace(part, whole=False) if numbered else part


def _is_workbook(content: bytes) -> bool:
    """Tell whether an archive of zip is a workbook, or a damaged one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _PART in archive.namelist()
    except zipfile.BadZipFile:
        return True


def refuse_sheet(source: str, sheet: str | None) -> None:
    """Raise `ScoresError` for a sheet of a file that has none."""
    if sheet is not None:
        raise ScoresError(
            f"sheet={sheet!r} is given, and {source} is no workbook of Excel (.xlsx); leave it out"
        )


def csv_of_workbook(source: str, content: bytes, sheet: str | None) -> tuple[bytes, list[str]]:
    """Return a sheet as CSV, with a line for each row, and the note on the others.

    Not by pandas, which makes a missing cell of an error such as #DIV/0!.
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
    cell = cell.value
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return "" if cell is None else " ".join(str(cell).split())


#: A file, several, or files of one system each by the name of the system.
Paths = str | Path | Sequence[str | Path] | Mapping[str, str | Path]


def read_scores(
    path: Paths,
    *,
    measure: str | None = None,
    topic_column: Headers | Literal[False] | None = None,
    systems_as_rows: bool | None = None,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    drop_topics: Sequence[str] = (),
    drop_systems: Sequence[str] = (),
    system_column: Headers | None = None,
    score_column: str | None = None,
    replicate: Headers | None = None,
    na: Sequence[str] = (),
    cells: Sequence[str] = (),
    sheet: str | None = None,
) -> pd.DataFrame:
    """Read a score matrix, topics x systems, from one file or several.

    A file has one of these forms:

    - A row for each topic and a column for each system, or the reverse: CSV, TSV, Parquet or a
      sheet of Excel (.xlsx). The first line has the labels of the columns. An empty cell, NA or NaN
      is a missing score. Semicolons may be in place of commas, with decimal commas.
    - A row for each score: CSV, TSV or Parquet. The columns are topic, system, score and perhaps
      measure, in any order, or topic, system, and measures such as ap and ndcg. Without a column of
      systems, the file has one system with the name of the file, without endings such as .csv.
    - The output of ``trec_eval -q`` or ``ir_measures -q``, of one system or of several in sequence.
    - JSON: a dictionary by topic and measure, as pytrec_eval has it, by measure and topic, as ranx
      has it, or, with `systems_as_rows`, by system and topic; or records with the names of columns,
      of either kind of table, in one list or one in each line. A null is a missing score.

    What gzip has compressed is decompressed.

    Rows of the topic ``all`` are compared with the topics and omitted. Numbers are read to the
    nearest double. A note of every result lists what was omitted.

    Parameters
    ----------
    path
        The file, ``-`` for standard input, or several files with different systems. Topics of
        several files are matched by their labels. If a file lacks a topic, its scores are missing.
        A mapping has the file of one system under the name of the system. Parquet is recognized by
        its ending. In other files, the separator is a tab if the first line has one, else a comma.
    measure
        The measure to read, which is needed if a file has several. If a file names none, its scores
        are of this measure.
    topic_column
        The header of the column of topics. False: there is none, and topics are numbered from 1.
        None: the first column has the topics if its header is empty, topic, query or the like, or
        if it has words. Ambiguous columns are refused: different whole numbers under another
        header, or a column with the header topic that is not the first.
    systems_as_rows
        True: rows are systems and columns are topics, and `topic_column` names the column of the
        systems. None: this is so if the header of that column is system, run, model, method,
        classifier or the like. Words under a header that can mean either are refused until
        `systems_as_rows` decides, or until `topic_column` names the first column. In JSON, it is
        for the outer keys. With several files, it is for files whose header does not decide.
    keep_topics, keep_systems
        Labels to keep although they look like summaries, such as the row ``all`` of trec_eval;
        see `as_scores`. Other such labels are refused, and so are labels that the file lacks.
    drop_topics, drop_systems
        Labels to omit. If rows are systems, as in a leaderboard, columns of words are omitted, and
        so is a column such as "Average" if it is the mean of the others. A column that may not be a
        task is refused until `drop_topics` or `keep_topics` has it. The reason is its name (size,
        speed, rank), -1 for unknown, numbers far above the others, no score at all, or an average
        that does not include it.
    system_column
        The header of the column of systems. A table with a column of topics has a row for each
        score then; a table without one has a row for each system. `topic_column`, `system_column`
        and `replicate` may be several headers, in a list or with commas between them: a label is
        their texts with " / " between. Of several files, one may have none of the columns.
    score_column
        The header of the column of scores, in a table with a row for each score. With this or
        `system_column`, columns that are not named and not known are left out, which a note says.
    replicate
        The column that tells several scores of a system on a topic apart, such as a fold or a seed,
        in a table with a row for each score. The mean of them is read, and a note has their number
        and standard deviation. A replicate without a score does not count.
    na
        Texts of cells without a score, such as OOM and -, beside those above. A text that is a
        number stands for every cell of this number.
    cells
        Forms of cells whose value is read: "value±sd", also with +- or +/-; "value(x)"; "value*",
        with any mark of significance; "**value**", also of LaTeX; "value%", where 64% is 0.64; and
        "1,000.5". What is beside the value is left out.
    sheet
        The sheet of a workbook of Excel to read. None: the first.

    Returns
    -------
    DataFrame
        Scores as float64, with an index named ``topic``: the labels as text, or a RangeIndex from 1
        if the file has no labels.

    Raises
    ------
    ScoresError
        If the file is not a score matrix, with file, line and column; if it has several measures,
        or not this one; and if two files have the same system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = folder / "scores.csv"
    >>> _ = path.write_text("topic,bm25,lsa\\n301,0.25,0.5\\n302,0.75,NA\\n")
    >>> read_scores(path).loc["301", "lsa"].item()
    0.5
    >>> for name in ("bm25", "neural"):
    ...     _ = (folder / f"{name}.eval").write_text("map\\t301\\t0.2500\\nmap\\tall\\t0.2500\\n")
    >>> read_scores([folder / "bm25.eval", folder / "neural.eval"], measure="map")
           bm25  neural
    topic
    301    0.25    0.25
    """
    how = How.given(
        topic_column=topic_column,
        systems_as_rows=systems_as_rows,
        measure=measure,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
        drop_topics=drop_topics,
        drop_systems=drop_systems,
        system_column=system_column,
        score_column=score_column,
        replicate=replicate,
        na=na,
        cells=cells,
        sheet=sheet,
    )
    return read_several([_named(path)], how)[0]


@worded(anew=True)
def read_several(
    inputs: Sequence[Sequence[tuple[str | None, str | Path]]],
    how: How,
) -> list[pd.DataFrame]:
    """Read score matrices, each from a file or several, with the name of the only system or
    None; a label to keep or to leave out must be in one of them.
    """
    # The user answers for the file that asks, not against what another says of itself.
    how = replace(how, header_first=sum(map(len, inputs)) > 1)
    read = [[part_of_file(path, how, name) for name, path in own] for own in inputs]
    parts = list(chain(*read))
    units.set(dataframes.units_of(parts[0].frame))
    sources = list(dict.fromkeys(part.source for part in parts))
    _refuse_unused(parts, sources, how)
    if how.cells:
        notes = (*parts[0].notes, *how.cells.unmet(files(sources)))
        read[0][0] = replace(parts[0], notes=notes)
    if how.kept or how.dropped:  # the labels of many topics take a while
        how.refuse_unknown(
            files(sources, "or"),
            (label for part in parts for label in part.topics),
            (label for part in parts for label in part.systems),
        )
    frames = []
    for own in read:
        whole = merged(own)
        frames.append(frame := searched(whole, how).frame)
        if how.measure is not None and dataframes.measure_of(frame) is None:
            said = f"{whole.source} names no measure, and its scores are taken as of "
            known = [*dataframes.notes_of(frame), said + how.measure]
            dataframes.remember(frame, measure=how.measure, notes=known)
    return frames


def _named(paths: Paths) -> list[tuple[str | None, str | Path]]:
    if isinstance(paths, str | Path):
        return [(None, paths)]
    if not isinstance(paths, Iterable):
        raise ScoresError(
            f"the file is {a_type(paths)}; expected the name of a file, a list of names, or files "
            "by the names of their systems"
        )
    if isinstance(paths, Mapping):
        found: list[tuple[str | None, str | Path]] = [(str(n), p) for n, p in paths.items()]
    else:
        found = [(None, path) for path in paths]
    if not found:
        raise ScoresError("there is no file of scores; expected one or more")
    return found


def _refuse_unused(parts: Sequence[Part], sources: Sequence[str], how: How) -> None:
    several = len(sources) > 1
    for name in ("topic_column", "systems_as_rows", "system_column", *OF_RECORDS):
        value = getattr(how, name)
        if value is None or any(name in part.uses for part in parts):
            continue
        given = f"{name}={value!r} is given, and"
        headed = list(dict.fromkeys(part.source for part in parts if "topic_column" in part.uses))
        if headed and name == "systems_as_rows":
            raise ScoresError(
                f"{given} the headers of {files(headed)} say the opposite; use it for one file "
                "alone, or for files whose header does not decide"
            )
        if headed:
            raise ScoresError(
                f"{given} {listed(headed)} {'have' if len(headed) > 1 else 'has'} a column for "
                "each system; expected it for a table with a row for each score"
            )
        raise ScoresError(
            f"{given} {listed(sources)} {'have' if several else 'has'} a row for each score, as of "
            "trec_eval -q, or measures as keys; expected it only for tables with a header, and for "
            "dictionaries by system"
        )


def merged(parts: Sequence[Part]) -> Part:
    """Return the systems of all parts on all topics, in order of first appearance.

    A score of a topic that a file lacks is missing. A file of which everything is left out counts
    for its notes alone.
    """
    if len(parts) == 1 and not parts[0].named_as_file:
        return parts[0]
    left = [part for part in parts if part.frame.empty]
    parts = [part for part in parts if not part.frame.empty] or parts[:1]
    notes = [(part.source, note) for part in left if part is not parts[0] for note in part.notes]
    if len(parts) == 1:
        others = [note for _, note in notes]
        return replace(parts[0], notes=(*_named_as_files(parts), *others, *parts[0].notes))
    labels = [labels_of(part.frame) for part in parts]
    _check_systems(parts, [systems for _, systems in labels])
    _check_numbered(parts)
    dataframes.same_measure([(part.measure, part.source) for part in parts])
    for part, (own, _) in zip(parts[1:], labels[1:], strict=True):
        if set(labels[0][0]).isdisjoint(own):
            raise _not_parts(
                f"{parts[0].source} and {part.source} have no topic in common, such as "
                f"{labels[0][0][0]!r} and {own[0]!r}; expected the same labels in both"
            )
    topics = list(dict.fromkeys(topic for own, _ in labels for topic in own))
    place = {topic: row for row, topic in enumerate(topics)}
    values = np.full((len(topics), sum(len(systems) for _, systems in labels)), np.nan)
    column = 0
    for part, (own, systems) in zip(parts, labels, strict=True):
        rows = np.fromiter(map(place.__getitem__, own), np.intp, len(own))
        values[rows, column : column + len(systems)] = part.frame.to_numpy()
        column += len(systems)
        told = [*dataframes.notes_of(part.frame), *part.notes, *_absent(part.source, topics, own)]
        notes += [(part.source, note) for note in told]
    numbered = isinstance(parts[0].frame.index, pd.RangeIndex)
    index = parts[0].frame.index if numbered else pd.Index(topics, dtype=str, name="topic")
    names = pd.Index([system for _, systems in labels for system in systems], dtype=str)
    known = next((part.measure for part in parts if part.measure), None)
    if known:
        said = f"no measure is named, and scores are taken as those of {known}"
        notes += [(part.source, f"{part.source}: {said}") for part in parts if part.measure is None]
    frame = pd.DataFrame(values, index=index, columns=names)
    kept = [kept_by(part.frame) for part in parts]
    known_of = [dataframes.remembered(part.frame) for part in parts]
    dataframes.remember(
        frame,
        keep_topics=sorted(frozenset().union(*(own.topics for own in kept))),
        keep_systems=sorted(frozenset().union(*(own.systems for own in kept))),
        systems_were_rows=all(each.get("systems_were_rows") for each in known_of),
        header=known_of[0].get("header"),
    )
    return Part(
        files([part.source for part in parts]),
        frame,
        topics,
        list(names),
        (*_named_as_files(parts), *notes_of_files(notes, len(parts))),
        known,
    )


def _named_as_files(parts: Sequence[Part]) -> list[str]:
    found = [part for part in parts if part.named_as_file and not part.frame.empty]
    if not found:
        return []
    names = listed([labels_of(part.frame)[1][0] for part in found])
    taken = "its name is" if len(found) == 1 else "the names are"
    where = "file" if len(found) == 1 else "files"
    source = those([part.source for part in found], len(parts))
    return [f"{source}: no system is named, and {taken} taken from the {where}: {names}"]


def _check_systems(parts: Sequence[Part], systems: Sequence[Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for part, own in zip(parts, systems, strict=True):
        for system in own:
            if seen.get(system) == part.source:
                raise ScoresError(f"{part.source} is given twice; expected each file once")
            if system in seen:
                raise _not_parts(
                    f"system {system!r} is in {seen[system]} and in {part.source}; expected a "
                    "different name in each file, or a new name for the system of a file: "
                    "{'NAME': 'FILE'} in Python, NAME=FILE on the command line"
                )
        seen |= dict.fromkeys(own, part.source)


def _not_parts(message: str) -> ScoresError:
    error = ScoresError(message)
    error.of_parts = True
    return error


def _check_numbered(parts: Sequence[Part]) -> None:
    has = [
        f"{counted(len(part.frame), 'topic')} without labels"
        if isinstance(part.frame.index, pd.RangeIndex)
        else "labels of topics"
        for part in parts
    ]
    for part, own in zip(parts, has, strict=True):
        if own != has[0]:
            raise ScoresError(
                f"{parts[0].source} has {has[0]} and {part.source} has {own}; expected labels in "
                "all files, or the same number of topics without labels"
            )


def _absent(source: str, topics: Sequence[str], own: Sequence[str]) -> list[str]:
    if len(own) == len(topics):
        return []
    there = set(own)
    absent = [topic for topic in topics if topic not in there]
    are = "is" if len(absent) == 1 else "are"
    which = f"{named(absent)} of the other files {are}"
    return [f"{source}: {which} absent, so that scores are missing there"]
