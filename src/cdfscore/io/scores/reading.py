"""Reading of score matrices."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cdfscore.errors import ScoresError
from cdfscore.io.files import readable, source_name
from cdfscore.io.scores.delimited import parse_delimited
from cdfscore.io.scores.frame import checked_scores
from cdfscore.io.scores.frame_labels import topic_labels
from cdfscore.io.scores.labels import (
    check_labels,
    heads_labels,
    holds_labels,
    names_labels,
    refuse_labels_elsewhere,
)
from cdfscore.io.scores.summaries import Kept, refuse_summaries, refuse_unknown
from cdfscore.io.scores.table import Table, refuse_missing_header

if TYPE_CHECKING:
    import pandas as pd


def read_scores(
    path: str | Path,
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
) -> pd.DataFrame:
    """Read a score matrix, topics x systems, from CSV, TSV or Parquet; ``-`` is standard input.

    The first line names the systems, and every other line holds the scores of one topic. An
    empty cell, NA or NaN is a missing score. Numbers are read to the nearest double.

    Parameters
    ----------
    path
        The file. Parquet is recognized by its ending. In other files the separator is a tab
        if the first line has one, else a comma.
    topic_column
        The header of the column that holds the topics. False says that there is none; topics
        are then numbered from 1. None detects it: the first column holds topics if its
        header is empty, topic, query or the like, or if it holds words. Ambiguous columns
        are refused: different whole numbers under another header, or a column headed topic
        that is not the first.
    systems_as_rows
        Take the rows as systems and the columns as topics; `topic_column` then names the
        column of the systems.
    keep_topics, keep_systems
        Labels to keep although they look like summaries, such as the row ``all`` of trec_eval;
        see `as_scores`. All others that do are refused, and labels that the file lacks.

    Returns
    -------
    DataFrame
        float64, with an index named ``topic``: the labels as text, or a RangeIndex from 1 if
        the file has no labels.

    Raises
    ------
    ScoresError
        With file, line and column, for a file that is not a score matrix.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("topic,bm25,lsa\\n301,0.25,0.5\\n302,0.75,NA\\n")
    >>> read_scores(path).loc["301", "lsa"].item()
    0.5
    """
    return read_several(
        [path],
        topic_column=topic_column,
        systems_as_rows=systems_as_rows,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
    )[0]


def read_several(
    paths: Sequence[str | Path],
    *,
    topic_column: str | Literal[False] | None = None,
    systems_as_rows: bool = False,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
) -> list[pd.DataFrame]:
    """Read score matrices of one form; a label to keep must be in one of them."""
    kept = Kept().with_labels(keep_topics, keep_systems)
    frames = [
        _read(path, topic_column, systems_as_rows=systems_as_rows, kept=kept) for path in paths
    ]
    if kept.topics or kept.systems:  # the labels of many topics take a while
        refuse_unknown(
            " or ".join(dict.fromkeys(map(source_name, paths))),
            kept,
            dict.fromkeys(label for frame in frames for label in topic_labels(frame)),
            dict.fromkeys(label for frame in frames for label in frame.columns),
        )
    return frames


def _read(
    path: str | Path,
    topic_column: str | Literal[False] | None,
    *,
    systems_as_rows: bool,
    kept: Kept,
) -> pd.DataFrame:
    source = source_name(path)
    if Path(path).suffix.lower() == ".parquet":
        import pyarrow as pa

        try:
            frame = checked_scores(
                _parquet(Path(path)),
                topic_column=topic_column,
                systems_as_rows=systems_as_rows,
                source=source,
                keep=kept,
            ).frame
        except (UnicodeDecodeError, pa.ArrowException) as error:  # text is decoded on access
            raise ScoresError(f"{path} is damaged: it has text that is not UTF-8") from error
        return frame
    frame = _frame(parse_text(path, topic_column), topic_column, systems_as_rows=systems_as_rows)
    refuse_summaries(source, frame, (topic_labels(frame), frame.columns.tolist()), kept)
    return frame


def parse_text(path: str | Path, topic_column: str | Literal[False] | None) -> Table:
    """Parse a text file; `topic_column` names the column of labels."""
    label_header = topic_column if isinstance(topic_column, str) else None
    return parse_delimited(source_name(path), _bytes(path), label_header)


def _frame(
    table: Table, topic_column: str | Literal[False] | None, *, systems_as_rows: bool
) -> pd.DataFrame:
    import pandas as pd

    labelled = has_labels(table, topic_column, of_systems=systems_as_rows)
    if labelled:
        columns, values = table.other_columns(), table.values
        rows: pd.Index[Any] = pd.Index(table.labels, dtype=str)
    else:
        columns, values = table.header, table.with_labels_as_scores()
        rows = pd.RangeIndex(1, len(table.labels) + 1)
    if topic_column is None and not names_labels(table.header[0], of_systems=systems_as_rows):
        refuse_labels_elsewhere(table.source, columns, of_systems=systems_as_rows)
    row_kind, column_kind = ("system", "topic") if systems_as_rows else ("topic", "system")
    if not columns:
        raise ScoresError(
            f"{table.source} has a column of {row_kind}s and no scores; expected columns "
            "separated by commas or tabs"
        )
    places = [f"column {i + 1}" for i in range(len(table.header))]
    if labelled:
        del places[table.label_column]
    check_labels(table.source, column_kind, columns, places)
    if labelled:
        check_labels(table.source, row_kind, table.labels, (f"line {n}" for n in table.lines))
    elif systems_as_rows:
        raise ScoresError(
            f"{table.source} has no column of system names; expected one, headed system or run"
        )
    frame = pd.DataFrame(values, index=rows, columns=pd.Index(columns, dtype=str))
    return (frame.T.copy() if systems_as_rows else frame).rename_axis(index="topic", columns=None)


def has_labels(
    table: Table, topic_column: str | Literal[False] | None, *, of_systems: bool
) -> bool:
    """Tell whether the label column of `table` holds labels, and check that line 1 has names."""
    names, first = table.other_columns(), table.header[0]
    if topic_column is False:
        names = table.header
    elif topic_column is not None or heads_labels(first, of_systems=of_systems):
        return True
    if not of_systems and not heads_labels(first, of_systems=True):
        refuse_missing_header(table, names or table.header)
    return topic_column is None and holds_labels(
        table.source, first, table.labels, of_systems=of_systems
    )


def _bytes(path: str | Path) -> bytes:
    with readable(path, ScoresError):
        if str(path) != "-":
            return Path(path).read_bytes()
        if sys.stdin is not None:
            return sys.stdin.buffer.read()
    raise ScoresError("standard input is closed; expected a score matrix")


def _parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    with readable(path, ScoresError):  # the same message as for text where there is no such file
        path.open("rb").close()
    try:
        return pd.read_parquet(path)
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        reason = " ".join(str(error).split())
        raise ScoresError(f"{path} is not a Parquet file: {reason}") from error
