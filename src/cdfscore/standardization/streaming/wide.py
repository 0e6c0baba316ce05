"""Blocks of a Parquet file with a row a topic and a column a system, and their tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.parquet.file import ATTRS, ParquetRows
from cdfscore.io.scores.parquet.wide import WideFile
from cdfscore.numerics.types import Array
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.standardization.streaming.block import Block, standardized_block
from cdfscore.standardization.streaming.checks import check_labels_of, search_first, with_memory
from cdfscore.standardization.streaming.streamed import Tally

if TYPE_CHECKING:
    import pandas as pd

#: Calls a function for each item, perhaps in threads, and yields the results in order.
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


class WideScores:
    """A file whose topics are rows; the other file has the columns of `Standardized.scores`."""

    labels = ("topic",)
    repeated = False

    def __init__(self, rows: ParquetRows, reading: How, how: Standardizer) -> None:
        self._rows, self._how = rows, how
        self._attrs = rows.known
        self._file = WideFile.of(rows, reading)
        self.systems = self._file.systems
        self.notes = list(self._attrs.get("notes", []))
        self.doubts: list[str] = []
        self._kept = Labels(
            reading.kept.topics.union(self._attrs.get("keep_topics", ())),
            reading.kept.systems.union(self._attrs.get("keep_systems", ())),
        )
        self._seen, self.lower_on_all = check_labels_of(self._file, reading, how)
        self._block = 0

    @contextmanager
    def opened(self, block: int) -> Iterator[None]:
        """Read blocks of about so many scores."""
        self._block = block
        yield

    def tables(
        self, tally: Tally, each: Each, progress: Callable[[int, int], None] | None
    ) -> Iterator[Any]:
        """Yield the table of each block; what was done is added to the tally."""
        done, schema = 0, None
        for given, found in each(self._standardized, enumerate(self._file.blocks(self._block))):
            done += len(given.topics)
            if tally.see(given) and found is not None:
                block, table = found
                tally.add(block)
                if table is not None:
                    schema = schema or self._schema(block)
                    yield table.cast(schema)
            if progress is not None:
                progress(done, self._rows.rows)

    def _standardized(self, part: Any) -> tuple[ScoreMatrix, tuple[Block, Any] | None]:
        place, (labels, frame) = part
        given = _matrix(labels, frame, self.systems)
        if not place:  # as in memory, before the scores are standardized
            self._search(given)
        if self._how.missing == "raise" and given.missing():
            return given, None
        block = standardized_block(self._how, given)
        return given, (block, _table(block, self.systems) if len(block.y) else None)

    def _search(self, given: ScoreMatrix) -> None:
        """Search the first block for summaries."""
        whole = len(given.topics) == self._rows.rows
        with_memory(given.frame, self._attrs)
        source, kept = self._rows.source, self._kept
        self.doubts = search_first(source, given, kept, self._seen, self._how, whole=whole)
        self._attrs = given.frame.attrs.get("cdfscore", {})

    def _schema(self, block: Block) -> Any:
        """Return the schema that `write_scores` gives such scores."""
        import pandas as pd
        import pyarrow as pa

        index = pd.Index(block.topics[:1], dtype=str, name="topic")
        columns = pd.Index(self.systems, dtype=str)
        frame = pd.DataFrame(block.y[:1], index=index, columns=columns)
        with_memory(frame, {**self._attrs, "standardized": True})
        schema = pa.Schema.from_pandas(frame)
        # Where pandas looks for it.
        saved = {ATTRS: json.dumps(frame.attrs).encode()}
        return schema.with_metadata({**schema.metadata, **saved})


def _matrix(labels: list[str], frame: pd.DataFrame, systems: tuple[str, ...]) -> ScoreMatrix:
    values: Array = np.ascontiguousarray(frame.to_numpy())
    return ScoreMatrix(frame, values, tuple(labels), systems, True)


def _table(block: Block, systems: tuple[str, ...]) -> Any:
    """Return the standardized scores as a table, the topics last, as pandas writes an index."""
    import pyarrow as pa

    columns = [pa.array(own, from_pandas=True) for own in np.ascontiguousarray(block.y.T)]
    topics = pa.array(block.topics, pa.large_string())
    return pa.Table.from_arrays([*columns, topics], names=[*systems, "topic"])
