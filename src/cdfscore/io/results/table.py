"""Tables with a row a score, under a header: CSV, TSV and Parquet."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cdfscore.io.results.coded import Coded
from cdfscore.io.results.columns import Columns, long_columns
from cdfscore.io.results.results import OF_RECORDS, Results
from cdfscore.io.scores.cells import MISSING
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.io.scores.exact import refuse_ragged, rows_of
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.how import How
from cdfscore.io.spreadsheets import unguarded

if TYPE_CHECKING:
    import pandas as pd


def read_table(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read CSV or TSV; `stem` names the system if there is no column of systems.

    An empty score, NA or NaN is missing, as in files with a column a system.
    """
    text = decoded(source, content)
    separator = separator_of(text)
    columns = columns_of_text(source, content, how)
    assert columns is not None  # as the content was recognized by it
    score, measure = columns.score(source, how)
    own = {**columns.labels(), "score": score}
    quick = _quickly(source, content, separator, len(_header(text, separator)), own)
    rows = quick or _exactly(source, text, separator, own)
    return rows.results(source, columns, measure, stem)


def columns_of_text(source: str, content: bytes, how: How) -> Columns | None:
    """Return the columns of CSV or TSV with a row a score, None if its header is of another."""
    lines = re.split(rb"\r\n?|\n", content, maxsplit=2)[:2]
    first = b"\n".join(lines).decode(errors="replace")
    separator = separator_of(first)
    header = _header(first, separator)

    def cells(place: int) -> list[str]:
        quick = _quickly(source, content, separator, len(header), {"score": place})
        if quick is not None:
            return list(quick.scores.to_pylist())
        _, *rows = rows_of(source, decoded(source, content), separator)
        return [row[place] for _, row in rows if place < len(row)]

    return long_columns(source, header, how, cells)


def _header(text: str, separator: str) -> list[str]:
    """Return the fields of the first line, [] if it cannot be split."""
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    try:
        return unguarded(next(csv.reader([line], delimiter=separator, strict=True), []))
    except csv.Error:
        return []


def columns_of_frame(source: str, frame: pd.DataFrame, how: How) -> Columns | None:
    """Return the columns of a data frame with a row a score, None if it has another form."""
    # A quick look: topics x systems, as of a frame that was checked before.
    if frame.index.name == "topic" and set(frame.dtypes.tolist()) == {np.dtype(np.float64)}:
        return None
    levels = list(frame.index.names) if _has_names(frame) else []

    def cells(place: int) -> list[str]:
        if place < len(levels):
            return texts(frame.index.get_level_values(place).tolist())
        return texts(frame.iloc[:, place - len(levels)].tolist())

    return long_columns(source, texts([*levels, *frame.columns.tolist()]), how, cells)


def results_of_frame(
    source: str,
    frame: pd.DataFrame,
    columns: Columns,
    how: How,
    stem: str | None,
    place: Callable[[int], str] | None = None,
) -> Results:
    """Return the scores of a data frame with these columns; see `read_table`.

    `place` names that of a row in a file.
    """
    import pandas as pd

    frame = flat(frame)
    score, measure = columns.score(source, how)
    labels = {}
    for role, at in columns.labels().items():
        codes, names = pd.factorize(frame.iloc[:, at], use_na_sentinel=False)
        labels[role] = Coded.of(texts(list(names)), codes.astype(np.intp))
    column = frame.iloc[:, score]
    scores: Any
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind not in "bc":
        scores = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        import pyarrow as pa

        scores = pa.array(texts(column.tolist()), pa.string())
    rows = _Rows(labels, scores, place or (lambda row: f"{source}, row {row + 1}"))
    return rows.results(source, columns, measure, stem)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with an index that has a name as columns."""
    return frame.reset_index(allow_duplicates=True) if _has_names(frame) else frame


def _has_names(frame: pd.DataFrame) -> bool:
    """Tell whether the index of a frame has a name, so that it may be a column."""
    return any(name is not None for name in frame.index.names)


class _Rows(NamedTuple):
    """Labels by what they are, text of scores or numbers, and the place of a row."""

    labels: dict[str, Coded]
    scores: Any
    place: Callable[[int], str]

    def results(
        self, source: str, columns: Columns, measure: str | None, stem: str | None
    ) -> Results:
        """Return the scores, of a measure if the table has no column of measures."""
        labels = self.labels
        return Results(
            source,
            labels["topic"],
            labels.get("system"),
            labels.get("measure") or Coded.all_of(measure, len(self.scores)),
            self.scores,
            self.place,
            stem,
            missing=MISSING,
            uses=OF_RECORDS,
            replicates=labels.get("replicate"),
            notes=tuple(columns.notes(source)),
        )


def _quickly(
    source: str, content: bytes, separator: str, width: int, columns: dict[str, int]
) -> _Rows | None:
    """Parse by pyarrow; None where a line has other fields, is blank, or a field has a break."""
    import pyarrow as pa
    from pyarrow import csv as pyarrow_csv

    names = list(map(str, range(width)))
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {names[place]: coded for role, place in columns.items() if role != "score"}
    types[names[columns["score"]]] = pa.string()
    try:
        table = pyarrow_csv.read_csv(
            pa.BufferReader(content),
            read_options=pyarrow_csv.ReadOptions(column_names=names, skip_rows=1),
            parse_options=pyarrow_csv.ParseOptions(delimiter=separator),
            convert_options=pyarrow_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                strings_can_be_null=False,
            ),
        ).combine_chunks()
    except pa.ArrowException:
        return None
    # A field with a line break has more lines than rows, and so has a blank line.
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if len(table) != lines - 1 or content.count(b"\r") != content.count(b"\r\n"):
        return None
    labels = {
        role: _unguarded(Coded.of_arrow(table[names[place]]))
        for role, place in columns.items()
        if role != "score"
    }
    (scores,) = table[names[columns["score"]]].chunks or [pa.array([], pa.string())]
    return _Rows(labels, scores, lambda row: f"{source}, line {row + 2}")


def _exactly(source: str, text: str, separator: str, columns: dict[str, int]) -> _Rows:
    """Parse line by line; blank lines at the end are left out."""
    import pyarrow as pa

    (_, header), *rows = rows_of(source, text, separator)
    refuse_ragged(source, header, rows)
    labels = {
        role: _unguarded(Coded.of_list([row[place] for _, row in rows]))
        for role, place in columns.items()
        if role != "score"
    }
    scores = pa.array([row[columns["score"]] for _, row in rows], pa.string())
    lines = np.array([line for line, _ in rows])
    return _Rows(labels, scores, lambda row: f"{source}, line {lines[row]}")


def _unguarded(labels: Coded) -> Coded:
    return Coded.of(unguarded(labels.names), labels.codes)
