"""Parquet files with a row a score: topic, system, score; one block of topics after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.columns import Columns
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.labels import SeenLabels
from cdfscore.numerics.types import Array, IntArray

#: Rows that are read at a time.
ROWS = 1 << 20


class RowsOfTopics(NamedTuple):
    """All scores of some topics: for each row the numbers of its topic and system, and its score.

    `table` has the rows as they are in the file, if they stand together there.
    """

    topics: list[str]
    topic: IntArray
    system: IntArray
    score: Array
    table: Any = None

    def matrix(self, systems: int) -> tuple[Array, int]:
        """Return the scores, topics x systems, NaN where there is no row; and a row too many.

        That is the first row whose topic and system another row has as well, or -1.
        """
        cells = self.topic * systems + self.system
        values = np.full(len(self.topics) * systems, np.nan)
        values[cells] = self.score
        rows = np.bincount(cells, minlength=len(values))
        twice = int(np.argmax(rows[cells] > 1)) if rows.max() > 1 else -1
        return values.reshape(-1, systems), twice


@dataclass(frozen=True, eq=False)
class LongFile:
    """A file with a row a score, and the names of its columns."""

    rows: ParquetRows
    topic_column: str
    system_column: str
    score_column: str

    @classmethod
    def of(cls, rows: ParquetRows, columns: Columns) -> LongFile:
        """Raise `ScoresError` unless there are columns of topic, system and score alone."""
        import pyarrow as pa

        source, names = rows.source, rows.names
        if columns.system is None or columns.measure is not None or None not in columns.scores:
            raise ScoresError(
                f"{source} has a row for each score; expected columns of topic, system and score "
                "alone, to be streamed"
            )
        score = columns.scores[None]
        found = cls(rows, names[columns.topic], names[columns.system], names[score])
        kind = rows.schema.field(score).type
        if not any(
            is_number(kind)
            for is_number in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
        ):
            raise ScoresError(
                f"{source}: the column {found.score_column!r} holds {kind}; expected numbers"
            )
        if not rows.rows:
            raise ScoresError(f"{source} has no scores; expected a row for each")
        return found

    def coded(self, batch: Any, row: int) -> tuple[Coded, Coded]:
        """Return topics and systems of a batch that begins at a row; raises `ScoresError`."""
        return (
            self._coded(batch, self.topic_column, "topic", row),
            self._coded(batch, self.system_column, "system", row),
        )

    def _coded(self, batch: Any, column: str, kind: str, row: int) -> Coded:
        import pyarrow as pa

        cells = batch.column(column)
        if isinstance(cells, pa.ChunkedArray):
            cells = cells.combine_chunks()
        if pa.types.is_dictionary(cells.type):  # of which some may be of no row
            cells = cells.dictionary_decode()
        cells = cells.dictionary_encode()
        given = self.rows.cells_of(cells.dictionary)
        nameless = cells.is_null() if cells.null_count else None
        codes = cells.indices.fill_null(0).to_numpy(zero_copy_only=False)
        names = texts(given)
        # Text that had no spaces around it is still different; to look for it takes a while.
        own = codes.astype(np.int64)
        found = Coded(names, own) if names == given else Coded.of(names, own)
        if nameless is not None or "" in found.names:
            absent = found.are("") if nameless is None else nameless.to_numpy(zero_copy_only=False)
            place = row + int(np.argmax(absent)) + 1
            raise ScoresError(
                f"{self.rows.source}, row {place}: the {kind} has no name; expected a label"
            )
        return found

    def scores(self, batch: Any) -> Array:
        """Return the scores of a batch, NaN where one is missing."""
        import pyarrow as pa

        # As in memory, a whole number above 2^53 becomes the nearest double.
        column = batch.column(self.score_column).cast(pa.float64(), safe=False)
        return np.array(column.to_numpy(zero_copy_only=False), dtype=np.float64)

    def batches(self, columns: Iterable[str] | None = None) -> Iterator[tuple[int, Any]]:
        """Yield the first row and the rows of each batch; all columns if none are given."""
        row = 0
        for batch in self.rows.batches(list(columns or self.rows.names), ROWS):
            yield row, batch
            row += batch.num_rows

    def scan(self, wanted: Iterable[str]) -> tuple[SeenLabels, list[str]] | None:
        """Return what is known of the topics, and the systems, if the rows are sorted by topic.

        None if the rows of a topic do not all stand together.
        """
        seen, systems, last, looked = SeenLabels(wanted), dict[str, None](), None, ROWS
        for row, batch in self.batches([self.topic_column, self.system_column]):
            topics, of_rows = self.coded(batch, row)
            systems |= dict.fromkeys(of_rows.names[code] for code in np.unique(of_rows.codes))
            labels = [topics.names[code] for code in topics.codes[_starts(topics.codes)].tolist()]
            last, first = labels[-1], last
            seen.add(labels[1:] if labels[0] == first else labels)
            if len(set(labels)) < len(labels):
                return None
            if seen.number > looked:  # not after each batch, as it sorts what is known
                if seen.suspects().size:
                    return None
                looked = 2 * seen.number
        return None if seen.suspects().size else (seen, list(systems))

    def sorted_blocks(self, systems: dict[str, int], scores: int) -> Iterator[RowsOfTopics]:
        """Yield the rows of some topics, of a file that is sorted by topic.

        Their matrix, topics x systems, has so many cells at most, if it has more than one topic.
        """
        import pyarrow as pa

        step = topics_of_block(len(systems), scores)
        parts: list[Any] = []
        size, row, number, last = 0, 0, 0, None
        for first, batch in self.batches():
            topics = self._coded(batch, self.topic_column, "topic", first)
            starts = _starts(topics.codes)
            if topics.names[topics.codes[0]] == last:
                starts = starts[1:]
            last = topics.names[topics.codes[-1]]
            begin = 0
            for cut in starts.tolist():
                if number == step:
                    parts.append(batch.slice(begin, cut - begin))
                    yield self._block(pa.Table.from_batches(parts), systems, row)
                    row += size + cut - begin
                    parts, size, number, begin = [], 0, 0, cut
                number += 1
            parts.append(batch.slice(begin))
            size += batch.num_rows - begin
            if size > number * len(systems):  # a score is there twice, which is refused
                break
        yield self._block(pa.Table.from_batches(parts), systems, row)

    def _block(self, table: Any, systems: dict[str, int], row: int) -> RowsOfTopics:
        topics, of_rows = self.coded(table, row)
        lookup = np.array([systems.get(name, -1) for name in of_rows.names], dtype=np.int64)
        if lookup.min() < 0:  # a system that was not there before
            raise self.rows.changed()
        score = self.scores(table)
        return RowsOfTopics(topics.names, topics.codes, lookup[of_rows.codes], score, table)

    def first_rows(self, topic: str, system: str) -> list[int]:
        """Return the first two rows of a topic and a system, counted from 1.

        Raises `ScoresError` if there are no longer two.
        """
        found: list[int] = []
        for row, batch in self.batches([self.topic_column, self.system_column]):
            topics, systems = self.coded(batch, row)
            own = np.flatnonzero(topics.are(topic) & systems.are(system))
            found += (own[:2] + row + 1).tolist()
            if len(found) > 1:
                return found[:2]
        raise self.rows.changed()


def topics_of_block(systems: int, scores: int) -> int:
    """Return how many topics have a matrix of about so many scores, missing ones included."""
    return max(1, scores // systems)


def _starts(codes: IntArray) -> IntArray:
    """Return the rows where another label begins, the first one too."""
    return np.flatnonzero(np.diff(codes, prepend=-1))
