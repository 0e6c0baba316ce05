"""Parquet files with a row a topic and a column a system, one block of topics after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame import part_of_frame
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    check_labels,
    heads,
    heads_labels,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
)
from cdfscore.io.scores.parquet.file import UNNAMED_INDEX, ParquetRows
from cdfscore.io.scores.parquet.labels import SeenLabels
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd

_LABELS = 1 << 16


@dataclass(frozen=True, eq=False)
class WideFile:
    """A score matrix in a file: the column of topics, and those of the systems."""

    rows: ParquetRows
    topic_column: str
    #: The columns as they are called in the file, and the systems as they are called here.
    columns: tuple[str, ...]
    systems: tuple[str, ...]

    @classmethod
    def of(cls, rows: ParquetRows, how: How) -> WideFile:
        """Find the column of topics by its header.

        Raises `ScoresError` where no header says which it is, and where rows are systems.
        """
        source, names = rows.source, rows.names
        turned = ScoresError(
            f"{source} has a row for each system; expected a row for each topic, which is streamed"
        )
        if how.systems_as_rows:
            raise turned
        column, header = _topic_column(rows, how)
        if names.count(column) > 1:
            raise ScoresError(f"{source} has two columns {column!r}; expected one")
        asked = how.label_header is not None
        if how.systems_as_rows is None and not asked and heads("system", header):
            raise turned
        others = [name for name in names if name != column]
        if not asked and not names_labels(header, of_systems=False):
            refuse_labels_elsewhere(source, others, of_systems=False)
        systems = texts(others)
        if not systems or not rows.rows:
            raise ScoresError(
                f"{source} has shape {(rows.rows, len(systems))}; expected topics x systems"
            )
        check_labels(source, "system", systems, (f"column {i + 1}" for i in range(len(systems))))
        found = cls(rows, column, tuple(others), tuple(systems))
        if not asked and how.systems_as_rows is None:
            refuse_unsaid_rows(source, header, next(iter(found.labels())))
        return found

    @property
    def source(self) -> str:
        """The name of the file in messages."""
        return self.rows.source

    def labels(self) -> Iterator[list[str]]:
        """Yield the labels of the topics, some at a time."""
        for batch in self.rows.batches([self.topic_column], _LABELS):
            yield texts(self.rows.cells_of(batch.column(0)))

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        """Return what is known of all labels; raises `ScoresError` for one that is there twice."""
        seen = SeenLabels(wanted)
        for labels in self.labels():
            seen.add(labels)
        seen.check(self.rows.source, self.labels)
        return seen

    def blocks(self, scores: int) -> Iterator[tuple[list[str], pd.DataFrame]]:
        """Yield labels and scores of topics, about so many scores at a time, as `read_scores`."""
        import pandas as pd

        step = max(1, scores // len(self.columns))
        names = pd.Index(self.systems, dtype=str)
        for batch in self.rows.batches([self.topic_column, *self.columns], step):
            labels = texts(self.rows.cells_of(batch.column(0)))
            frame = _pandas(batch.select(list(self.columns)), self.rows.source)
            index = pd.Index(labels, dtype=str, name="topic")
            frame = frame.set_axis(index).set_axis(names, axis=1)
            yield labels, part_of_frame(frame, How(), self.rows.source).frame


def _topic_column(rows: ParquetRows, how: How) -> tuple[str, str]:
    source, names = rows.source, rows.names
    index = rows.index_columns()
    if how.topic_column is False:
        raise ScoresError(f"{source} is streamed by its labels of topics; expected such a column")
    if how.label_header is not None:
        if names.count(how.label_header) != 1:
            often = "two columns" if how.label_header in names else "no column"
            raise ScoresError(
                f"{source} has {often} {how.label_header!r} to take labels from; expected one"
            )
        if index and how.label_header not in index:
            raise ScoresError(
                f"{source} has the index {index[0]!r} and {argument('topic_column', names[0])} is "
                "given; expected the labels in one of them"
            )
        return how.label_header, how.label_header
    if len(index) > 1:
        raise ScoresError(
            f"{source} has rows with {len(index)} labels each; expected one label for each topic"
        )
    if index and not (index[0].startswith(UNNAMED_INDEX) and _is_of_numbers(rows, index[0])):
        header = "" if index[0].startswith(UNNAMED_INDEX) else index[0]
        return index[0], header
    first = names[0] if names else "score"
    if not index and (heads_labels(first, of_systems=False) or heads("system", first)):
        return first, first
    raise ScoresError(
        f"{source}: no header says which column has the labels of topics; name it by "
        f"{option('topic_column')}, which a stream needs to be told"
    )


def _is_of_numbers(rows: ParquetRows, column: str) -> bool:
    """Tell whether an index without a name may only number the rows."""
    import pyarrow as pa

    return bool(pa.types.is_integer(rows.schema.field(column).type))


def _pandas(batch: Any, source: str) -> pd.DataFrame:
    import pyarrow as pa

    try:
        frame: pd.DataFrame = batch.replace_schema_metadata(None).to_pandas(use_threads=False)
    except (UnicodeDecodeError, pa.ArrowException) as error:
        raise ScoresError(f"{source} is damaged: it has text that is not UTF-8") from error
    return frame
