"""Parquet files with a row a score: topic, system, score; one block of topics after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cdfscore.errors import OutputError, ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.columns import Columns
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.parquet.file import ParquetRows
from cdfscore.io.scores.parquet.labels import SeenLabels
from cdfscore.numerics.types import Array, BoolArray, IntArray

#: Rows that are read at a time.
ROWS = 1 << 20
_ROW = np.dtype([("topic", np.int32), ("system", np.int32), ("score", np.float64)])
_CODES = np.dtype([("topic", np.int32), ("system", np.int32)])


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
        if columns.system is None or columns.measure is not None or len(columns.scores) > 1:
            raise ScoresError(
                f"{source} has a row for each score; expected columns of topic, system and score "
                "alone, to be streamed"
            )
        (score,) = columns.scores.values()
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


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Raise `OutputError`, which names the target, for what cannot be written beside it."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written: {error.strerror or error}, in the folder of rows beside "
            "it, which takes 24 bytes a row"
        ) from error


class Partition:
    """The rows of a file by blocks of topics, in files in a folder.

    Raises `OutputError`, which names `target`, where these cannot be written.
    """

    def __init__(self, file: LongFile, folder: Path, target: Path) -> None:
        self._file, self._folder, self._target = file, folder, target
        self._codes = folder / "codes"
        topics: dict[str, int] = {}
        systems: dict[str, int] = {}
        with writing(target), self._codes.open("wb") as stream:
            for row, batch in file.batches([file.topic_column, file.system_column]):
                own = np.empty(batch.num_rows, dtype=_CODES)
                for name, place, coded in zip(
                    _CODES.names or (), (topics, systems), file.coded(batch, row), strict=True
                ):
                    numbers = list(map(place.get, coded.names))
                    if None in numbers:
                        numbers = [place.setdefault(each, len(place)) for each in coded.names]
                    own[name] = np.array(numbers, dtype=np.int32)[coded.codes]
                stream.write(own.data)
        self.topics, self.systems = list(topics), list(systems)
        self._kept = np.ones(len(self.topics), dtype=np.bool_)
        self._step = 0

    def blocks(self, scores: int) -> Iterator[RowsOfTopics]:
        """Yield the rows of some topics, about so many scores, in the order of the file."""
        self._step = topics_of_block(len(self.systems), scores)
        for codes, batch in self._batches([self._file.score_column]):
            rows = np.empty(len(codes), dtype=_ROW)
            rows["topic"], rows["system"] = codes["topic"], codes["system"]
            rows["score"] = self._file.scores(batch)
            for block, own in self._by_block(codes["topic"]):
                with writing(self._target), self._path("rows", block).open("ab") as stream:
                    stream.write(rows[own].data)
        for start in range(0, len(self.topics), self._step):
            path = self._path("rows", start // self._step)
            topics = self.topics[start : start + self._step]
            # Of more rows than cells, one is there twice, which is refused.
            found = np.fromfile(path, dtype=_ROW, count=len(topics) * len(self.systems) + 1)
            path.unlink()
            yield RowsOfTopics(
                topics,
                found["topic"].astype(np.int64) - start,
                found["system"].astype(np.int64),
                np.ascontiguousarray(found["score"]),
            )

    def put(self, block: int, scores: Array, kept: BoolArray) -> None:
        """Take the standardized scores of the rows of a block, and which of its topics are kept."""
        with writing(self._target):
            self._path("y", block).write_bytes(scores.data)
        start = block * self._step
        self._kept[start : start + len(kept)] = kept

    def restored(self) -> Iterator[tuple[Any, Array, BoolArray]]:
        """Yield the rows of the file, their standardized scores, and which of them are kept."""
        taken = np.zeros(-(-len(self.topics) // self._step), dtype=np.int64)
        for codes, batch in self._batches(None):
            scores = np.empty(len(codes))
            for block, own in self._by_block(codes["topic"]):
                path, offset = self._path("y", block), int(taken[block]) * 8
                scores[own] = np.fromfile(path, dtype=np.float64, count=len(own), offset=offset)
                taken[block] += len(own)
            yield batch, scores, self._kept[codes["topic"]]

    def _batches(self, columns: list[str] | None) -> Iterator[tuple[Any, Any]]:
        """Yield the numbers of topics and systems of each batch, and the batch."""
        with self._codes.open("rb") as stream:
            for _, batch in self._file.batches(columns):
                yield np.fromfile(stream, dtype=_CODES, count=batch.num_rows), batch

    def _by_block(self, topics: Any) -> Iterator[tuple[int, IntArray]]:
        """Yield the blocks that some rows are of, with the rows of each in their order."""
        blocks = topics // self._step
        # Numbers of 16 bits are sorted in linear time.
        order = np.argsort(
            blocks.astype(np.uint16) if blocks.max() < 1 << 16 else blocks, kind="stable"
        )
        starts = np.flatnonzero(np.diff(blocks[order], prepend=-1))
        for own in np.split(order, starts[1:]):
            yield int(blocks[own[0]]), own

    def _path(self, kind: str, block: int) -> Path:
        return self._folder / f"{kind}-{block}"
