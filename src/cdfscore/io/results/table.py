"""Tables with a row a score, under a header: CSV, TSV and Parquet."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.columns import Columns, long_columns
from cdfscore.io.results.results import Results
from cdfscore.io.scores.cells import MISSING
from cdfscore.io.scores.delimited import decoded, separator_of
from cdfscore.io.scores.exact import rows_of
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.how import How
from cdfscore.io.text import counted

if TYPE_CHECKING:
    import pandas as pd


def read_table(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read CSV or TSV; `stem` names the system if there is no column of systems.

    An empty score, NA or NaN is missing, as in files with a column a system.
    """
    text = decoded(source, content)
    separator = separator_of(text)
    header = header_of(text, separator)
    columns = long_columns(source, header, how)
    assert columns is not None  # as the content was recognized by it
    quick = _quickly(source, content, separator, len(header), columns, stem)
    return quick or _exactly(source, text, separator, columns, stem)


def header_of(text: str, separator: str) -> list[str]:
    """Return the fields of the first line, [] if it cannot be split."""
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def is_long(frame: pd.DataFrame, how: How) -> bool:
    """Tell whether a data frame has a row a score."""
    return long_columns("", texts(_flat(frame).columns.tolist()), how) is not None


def results_of_frame(source: str, frame: pd.DataFrame, how: How, stem: str | None) -> Results:
    """Return the scores of a data frame with a row a score; see `read_table`."""
    import pandas as pd

    frame = _flat(frame)
    columns = long_columns(source, texts(frame.columns.tolist()), how)
    assert columns is not None
    labels = {}
    for role, place in columns.others().items():
        codes, names = pd.factorize(frame.iloc[:, place], use_na_sentinel=False)
        labels[role] = Coded.of(texts(list(names)), codes.astype(np.intp))
    column = frame.iloc[:, columns.score]
    scores: Any
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind not in "bc":
        scores = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        import pyarrow as pa

        scores = pa.array(texts(column.tolist()), pa.string())
    return _results(source, labels, scores, lambda row: f"{source}, row {row + 1}", stem)


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with an index that has a name as columns."""
    if all(name is None for name in frame.index.names):
        return frame
    return frame.reset_index(allow_duplicates=True)


def _results(
    source: str, labels: dict[str, Coded], scores: Any, place: Any, stem: str | None
) -> Results:
    return Results(
        source,
        labels["topic"],
        labels.get("system"),
        labels.get("measure"),
        scores,
        place,
        stem,
        missing=MISSING,
    )


def _quickly(
    source: str, content: bytes, separator: str, width: int, columns: Columns, stem: str | None
) -> Results | None:
    """Parse by pyarrow; None where a line has other fields, is blank, or a field has a break."""
    import pyarrow as pa
    from pyarrow import csv as pyarrow_csv

    names = list(map(str, range(width)))
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {names[place]: coded for place in columns.others().values()}
    types[names[columns.score]] = pa.string()
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
    labels = {role: Coded.of_arrow(table[names[place]]) for role, place in columns.others().items()}
    (scores,) = table[names[columns.score]].chunks or [pa.array([], pa.string())]
    return _results(source, labels, scores, lambda row: f"{source}, line {row + 2}", stem)


def _exactly(source: str, text: str, separator: str, columns: Columns, stem: str | None) -> Results:
    """Parse line by line; blank lines at the end are left out."""
    import pyarrow as pa

    (_, header), *rows = rows_of(source, text, separator)
    for line, row in rows:
        if len(row) != len(header):
            here = counted(len(row), "field") if row else "nothing"
            raise ScoresError(
                f"{source}, line {line} has {here} and the header {len(header)}; expected "
                f"{len(header)} in every line"
            )
    labels = {
        role: Coded.of_list([row[place] for _, row in rows])
        for role, place in columns.others().items()
    }
    scores = pa.array([row[columns.score] for _, row in rows], pa.string())
    lines = np.array([line for line, _ in rows])
    return _results(source, labels, scores, lambda row: f"{source}, line {lines[row]}", stem)
