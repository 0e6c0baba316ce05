"""Scores of a Parquet file, in blocks: a column per system, or a row per score."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cdfscore.errors import MissingScoreError, ScoresError
from cdfscore.io.atomic import FOLDER, PREFIX, hold, remove_leftovers
from cdfscore.io.files import refuse_sparse
from cdfscore.io.results.table import Columns
from cdfscore.io.scores.cautions import of_reading
from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.memory import remember
from cdfscore.io.scores.parquet import (
    ATTRS,
    LongFile,
    ParquetRows,
    Partition,
    RowsOfTopics,
    SeenLabels,
    WideFile,
    writing,
)
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.spelling import argument
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies import direction
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.standardization.streaming.streamed import Block, Tally, standardized_block

if TYPE_CHECKING:
    import pandas as pd


class File(Protocol):
    """A file of scores of which the labels can be read again."""

    @property
    def source(self) -> str:
        """The name of the file in messages."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""

    def labels(self) -> Iterable[Sequence[str]]:
        """Yield the labels of the topics, some at a time."""

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        """Return what is known of the labels."""


def check_labels_of(file: File, reading: How, how: Standardizer) -> tuple[SeenLabels, bool]:
    """Check the labels of topics, and that those that the user gives are among them.

    Returns what is known of the labels, and if lower is better on all topics. Raises `ScoresError`.
    """
    lower = () if how.lower_is_better is True else how.lower_is_better
    seen = file.seen({*lower, *reading.kept.topics})
    unknown = {*lower, *reading.kept.topics} - seen.found
    if unknown or reading.kept.systems:
        topics = [label for labels in file.labels() for label in labels] if unknown else []
        if reading.kept:
            reading.refuse_unknown(file.source, topics or seen.found, file.systems)
        if unknown:
            direction.check_labels(how.lower_is_better, topics, file.systems)
    return seen, how.lower_is_better is True or len(set(lower)) == seen.number


def with_memory(frame: pd.DataFrame, known: Mapping[str, Any]) -> None:
    """Make a frame remember what that of the file did."""
    remember(frame, **known)


def search_first(
    source: str,
    given: ScoreMatrix,
    kept: Labels,
    seen: SeenLabels,
    how: Standardizer,
    *,
    whole: bool,
) -> list[str]:
    """Raise `ScoresError` for summaries, as far as the first block tells; return the cautions."""
    labels = (given.topics, given.systems)
    of_reading(source, labels, given.values, kept, telling=None if whole else seen.telling)
    remember(given.frame, keep_topics=sorted(kept.topics), keep_systems=sorted(kept.systems))
    lower = direction.reversed_topics(how.lower_is_better, given.topics)
    doubts = given.doubts(lower, reference=True, raw=how.scheme.keeps_unit)
    first = "" if whole else f"on the first {counted(len(given.topics), 'topic')}, "
    return [f"{first}{each.sentence}" for each in doubts]


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


# Number of labels checked together.
_LABELS = 1 << 16


def matrix_of_rows(
    source: str,
    rows: RowsOfTopics,
    systems: tuple[str, ...],
    how: Standardizer,
    places: Callable[[str, str], tuple[str, str]],
) -> ScoreMatrix:
    """Return the scores of some topics, topics x systems, for a result with the same rows.

    `places` are those of the first two rows of a topic and a system. Raises `ScoresError` for
    an infinite score, and for two of one system on one topic; and `MissingScoreError` under
    ``missing="zero"`` for a row that is absent, as its score could not be in the result.
    """
    import pandas as pd

    values, twice = rows.matrix(len(systems))
    if twice >= 0:
        topic, system = rows.topics[rows.topic[twice]], systems[rows.system[twice]]
        first, second = places(topic, system)
        raise ScoresError(
            f"{source}, {second}, topic {topic!r}, system {system!r}: this score was given before, "
            f"in {first}; expected one"
        )
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ScoresError(
            f"{source}, topic {rows.topics[row]!r}, system {systems[column]!r}: "
            f"{values[row, column]} is not finite; expected a score, or NaN where it is missing"
        )
    if how.missing == "zero" and len(rows.score) < values.size:
        there = np.zeros(values.shape, dtype=np.bool_)
        there[rows.topic, rows.system] = True
        row, column = np.argwhere(~there)[0]
        raise MissingScoreError(
            f"{source}, topic {rows.topics[row]!r}, system {systems[column]!r}: there is no row, "
            f"in which the score of 0 by {argument('missing', 'zero')} could be standardized; "
            "expected a row for each system on each topic, or another policy"
        )
    index = pd.Index(rows.topics, dtype=str, name="topic")
    frame = pd.DataFrame(values, index=index, columns=pd.Index(systems, dtype=str))
    return ScoreMatrix(frame, values, tuple(rows.topics), systems, True)


def scores_of_rows(block: Block, rows: RowsOfTopics) -> Array:
    """Return the standardized score of each row, NaN on topics that are not kept."""
    full = np.full(block.given.values.shape, np.nan)
    full[block.kept] = block.y
    return np.asarray(full[rows.topic, rows.system])


class LongScores:
    """A file whose rows are scores; the other file has the same rows, in the same order."""

    repeated = True

    def __init__(
        self, rows: ParquetRows, reading: How, how: Standardizer, columns: Columns, target: Path
    ) -> None:
        self._file = LongFile.of(rows, columns)
        self._reading, self._how, self._target = reading, how, target
        self.labels = self._file.topic_column, self._file.system_column
        self.notes = columns.notes(rows.source)
        self.doubts: list[str] = []
        self.systems: tuple[str, ...] = ()
        self.lower_on_all = False
        self._block = 0
        self._partition: Partition | None = None

    @contextmanager
    def opened(self, block: int) -> Iterator[None]:
        """Read blocks of about so many scores; rows are sorted into files beside the target."""
        self._block = block
        lower = () if self._how.lower_is_better is True else self._how.lower_is_better
        scanned = self._file.scan({*lower, *self._reading.kept.topics})
        if scanned is not None:
            labels: _Labels = _SortedLabels(self._file, *scanned)
            self._check(labels)
            yield
            return
        remove_leftovers(self._target.parent)
        with ExitStack() as kept:
            with writing(self._target):
                folder = _held_folder(self._target.parent, kept)
            self._partition = Partition(self._file, folder, self._target)
            self._check(_ListedLabels(self._file, self._partition))
            yield

    def _check(self, labels: _Labels) -> None:
        self.systems = labels.systems
        self._seen, self.lower_on_all = check_labels_of(labels, self._reading, self._how)
        rows = self._file.rows
        refuse_sparse(rows.source, self._seen.number, len(self.systems), rows.rows)

    def tables(
        self, tally: Tally, each: Each, progress: Callable[[int, int], None] | None
    ) -> Iterator[Any]:
        """Yield the tables of the rows; what was done is added to the tally."""
        done, number = 0, self._seen.number
        # Rows that are partitioned are written when all topics are done.
        total = number if self._partition is None else 2 * number
        found_blocks = each(self._standardized, enumerate(self._blocks()))
        for block, (given, found) in enumerate(found_blocks):
            done += len(given.topics)
            if tally.see(given) and found is not None:
                own, table, scores = found
                tally.add(own)
                if self._partition is not None:
                    self._partition.put(block, scores, own.kept)
                elif table.num_rows:
                    yield table
            if progress is not None:
                progress(done, total)
        if self._partition is None or tally.fails:
            return
        rows = 0
        for batch, scores, kept in self._partition.restored():
            if kept.any():
                yield self._table(batch, scores, kept)
            rows += len(kept)
            if progress is not None:
                progress(number + number * rows // self._file.rows.rows, total)

    def _blocks(self) -> Iterator[RowsOfTopics]:
        if self._partition is not None:
            return self._partition.blocks(self._block)
        places = {system: place for place, system in enumerate(self.systems)}
        return self._file.sorted_blocks(places, self._block)

    def _standardized(
        self, part: tuple[int, RowsOfTopics]
    ) -> tuple[ScoreMatrix, tuple[Block, Any, Array] | None]:
        place, rows = part
        given = matrix_of_rows(self._file.rows.source, rows, self.systems, self._how, self._places)
        if not place:  # as in memory, before the scores are standardized
            self._search(given)
        if self._how.missing == "raise" and given.missing():
            return given, None
        block = standardized_block(self._how, given)
        scores = scores_of_rows(block, rows)
        if rows.table is None:
            return given, (block, None, scores)
        return given, (block, self._table(rows.table, scores, block.kept[rows.topic]), scores)

    def _places(self, topic: str, system: str) -> tuple[str, str]:
        first, second = self._file.first_rows(topic, system)
        return f"row {first}", f"row {second}"

    def _search(self, given: ScoreMatrix) -> None:
        whole = len(given.topics) == self._seen.number
        source = self._file.rows.source
        kept = self._reading.kept
        self.doubts = search_first(source, given, kept, self._seen, self._how, whole=whole)

    def _table(self, rows: Any, scores: Array, kept: BoolArray) -> Any:
        """Return rows with their standardized scores, as a table."""
        import pyarrow as pa

        table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
        name = self._file.score_column
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, pa.array(scores, from_pandas=True))
        return table if kept.all() else table.filter(pa.array(kept))


def _held_folder(parent: Path, kept: ExitStack) -> Path:
    """Make a folder, held until the end so that no other process takes it for a leftover."""
    while True:
        folder = Path(
            kept.enter_context(
                tempfile.TemporaryDirectory(
                    prefix=PREFIX, suffix=FOLDER, dir=parent, ignore_cleanup_errors=True
                )
            )
        )
        if sys.platform == "win32":  # which opens no folders
            return folder
        with suppress(FileNotFoundError):  # another process was faster, and has removed it
            descriptor = os.open(folder, os.O_RDONLY)
            kept.callback(os.close, descriptor)
            if not hold(descriptor) or folder.exists():
                return folder


class _Labels:
    """Labels of the topics of a file, which can be read again, and its systems."""

    def __init__(self, file: LongFile, systems: Sequence[str]) -> None:
        self.file, self.systems = file, tuple(systems)
        self.source = file.rows.source

    def labels(self) -> Iterable[Sequence[str]]:
        """Yield the labels of the topics, some at a time."""
        raise NotImplementedError

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        """Return what is known of the labels."""
        raise NotImplementedError


class _SortedLabels(_Labels):
    """Labels of a file whose rows are sorted by topic, which are not kept."""

    def __init__(self, file: LongFile, seen: SeenLabels, systems: Sequence[str]) -> None:
        super().__init__(file, systems)
        self._seen = seen

    def labels(self) -> Iterable[Sequence[str]]:
        for row, batch in self.file.batches([self.file.topic_column, self.file.system_column]):
            yield list(dict.fromkeys(self.file.coded(batch, row)[0].names))

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        return self._seen


class _ListedLabels(_Labels):
    """Labels of a file whose rows are in any order, which are kept as a list."""

    def __init__(self, file: LongFile, partition: Partition) -> None:
        super().__init__(file, partition.systems)
        self._topics = partition.topics

    def labels(self) -> Iterable[Sequence[str]]:
        for start in range(0, len(self._topics), _LABELS):
            yield self._topics[start : start + _LABELS]

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        found = SeenLabels(wanted)
        for labels in self.labels():
            found.add(labels)
        return found
