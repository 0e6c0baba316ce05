"""Writing of score matrices."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import pyarrow as pa

from cdfscore.common.files import check_ending, path_of, write_whole
from cdfscore.errors import OutputError
from cdfscore.scores import tables
from cdfscore.scores.frame import checked_scores
from cdfscore.scores.labels import topic_labels
from cdfscore.scores.tables import DELIMITERS, encode_table

if TYPE_CHECKING:
    from cdfscore.scores.dataframes import IntoFrame

#: Arguments of pyarrow for whatever writes Parquet.
CHECKSUMS: Final[dict[str, Any]] = {"write_page_checksum": True}
#: Endings of files of scores.
ENDINGS = (*DELIMITERS, ".parquet")


def write_scores(scores: IntoFrame, path: str | Path, *, plain_labels: bool = False) -> None:
    """Write a score matrix to a CSV, TSV or Parquet file.

    The first column is ``topic``, and each other column is a system. Numbers have enough digits to
    be read back as the same double. A missing score is NA. The file appears whole or not at all.

    In CSV and TSV, an apostrophe is written before a label that starts with =, +, - or @, unless
    the label is a number. Then a spreadsheet does not run it. `read_scores` removes the apostrophe.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind, checked as `as_scores` does. Standardized
        scores can be infinite on constant topics. `read_scores` refuses infinite scores.
    path
        The file. Its ending determines the format: .csv, .tsv or .parquet.
    plain_labels
        Write such labels without the apostrophe.

    Raises
    ------
    ScoresError
        If `scores` is not a score matrix: other values than numbers, or a missing or repeated
        label.
    OutputError
        For another ending, or if the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> write_scores(pd.DataFrame({"bm25": [1, 0], "lsa": [2, 3]}, index=[301, 302]), path)
    >>> print(path.read_text(), end="")
    topic,bm25,lsa
    301,1.0,2.0
    302,0.0,3.0
    """
    checked = checked_scores(scores, to_write=True).frame
    with tables.plain_labels() if plain_labels else nullcontext():
        content = encode_scores(checked, file := path_of(path, OutputError))
    write_whole({file: content})


def encode_scores(scores: pd.DataFrame, path: Path) -> bytes:
    """Return the content of the file that `write_scores` writes to `path`, of checked scores."""
    ending = check_ending(path, ENDINGS)
    if ending == ".parquet":
        stream = io.BytesIO()
        labelled = scores.set_axis(topic_labels(scores)).rename_axis("topic")
        # A dictionary of doubles that are nearly all different takes five times as long to write.
        labelled.to_parquet(stream, use_dictionary=False, **CHECKSUMS)
        return stream.getvalue()
    return encode_table(
        ["topic", *scores.columns], [topic_labels(scores), scores.to_numpy()], DELIMITERS[ending]
    )


def parquet_pieces(
    tables: Iterable[Any], *, labels: Sequence[str], repeated: bool
) -> Iterator[bytes]:
    """Yield the content of a Parquet file that has a row group for each table; `labels` have
    statistics, and are dictionaries if they are `repeated`.
    """
    import pyarrow.parquet as pq

    sink, writer = io.BytesIO(), None
    for table in tables:
        if writer is None:
            writer = pq.ParquetWriter(
                pa.PythonFile(sink, mode="w"),
                table.schema,
                use_dictionary=list(labels) if repeated else False,
                write_statistics=list(labels),
                **CHECKSUMS,
            )
        writer.write_table(table, row_group_size=max(1, table.num_rows))
        yield sink.getvalue()
        sink.seek(0)
        sink.truncate()
    if writer is not None:
        writer.close()
        yield sink.getvalue()
