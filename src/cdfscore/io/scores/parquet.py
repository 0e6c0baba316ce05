"""Parquet files of scores, as a whole or one block of topics after another."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cdfscore.errors import OutputError, ScoresError
from cdfscore.io.files import most_bytes, most_cells, read_bytes, readable, refuse_others
from cdfscore.io.results.results import Coded, Columns
from cdfscore.io.scores.cautions import telling_labels
from cdfscore.io.scores.dataframes import refuse_damaged_memory, remembered
from cdfscore.io.scores.frame import part_of_frame
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import (
    check_labels,
    heads,
    heads_labels,
    names_labels,
    refuse_labels_elsewhere,
    refuse_unsaid_rows,
    texts,
)
from cdfscore.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

#: Arguments of pyarrow for whatever reads.
CHECKED: Final[dict[str, Any]] = {"page_checksum_verification": True}
#: Arguments of pyarrow for whatever writes.
CHECKSUMS: Final[dict[str, Any]] = {"write_page_checksum": True}
_OF_CHECKSUM = "CRC checksum"


def fault(error: Exception, otherwise: str = "is not a Parquet file") -> str:
    """Return what is wrong with a file that cannot be opened or read, such as "is damaged: ..."."""
    if "decrypt" in str(error):
        return "is encrypted; expected a file without encryption"
    damaged = isinstance(error, UnicodeDecodeError) or _OF_CHECKSUM in str(error)
    damaged |= "base64" in str(error)  # of the schema that pyarrow saves
    return f"{'is damaged' if damaged else otherwise}: {reason(error)}"


def reason(error: Exception) -> str:
    """Return in one line why pyarrow cannot read a file."""
    if _OF_CHECKSUM in str(error):  # a page is not the one that was written
        return "a page of it was changed after it was written (its checksum is another)"
    return " ".join(str(error).split())


# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"
_OR = "or a program has renamed columns and kept the old schema: expected it without that one"


def frame_of_parquet(path: Path) -> pd.DataFrame:
    """Return the content of a Parquet file; raises `ScoresError`.

    It does so too where the file says that it is too large. What it says is not checked: pyarrow
    takes up to 2 GB for a page of a damaged file, and repeats a text as often as the file says.
    """
    import pandas as pd
    from pyarrow import parquet

    with readable(path, ScoresError):  # the same message as for text where there is no such file
        content = read_bytes(path)
    refuse_no_parquet(str(path), content)
    try:
        said = parquet.read_metadata(io.BytesIO(content))
        refuse_lists(str(path), said.schema)
        refuse_changed_names(str(path), said)
        refuse_large(str(path), said, len(content))
        frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
        refuse_damaged_memory(str(path), frame)
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise ScoresError(f"{path} {fault(error)}") from error
    if len(frame) != said.num_rows:
        raise ScoresError(
            f"{path} is damaged: it has {len(frame):,} rows, and says that it has {said.num_rows:,}"
        )
    return frame


def refuse_no_parquet(source: str, content: bytes) -> None:
    """Raise `ScoresError` for a file of another kind, by its first bytes."""
    if not content.startswith(b"PAR"):  # PARE if it is encrypted
        refuse_others(source, content, ScoresError, "a Parquet file")


def refuse_large(source: str, said: Any, size: int) -> None:
    """Raise `ScoresError` for a file that would fill the memory, by what it says of itself."""
    decompressed = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    limit, cells = most_bytes(size), most_cells(size)
    if decompressed > limit:
        raise ScoresError(
            f"{source} has {size:,} bytes, and {decompressed:,} when it is decompressed; expected "
            f"at most {limit:,}"
        )
    if said.num_rows * said.num_columns > cells:
        raise ScoresError(
            f"{source} has {size:,} bytes for {said.num_rows:,} rows and {said.num_columns:,} "
            f"columns; expected at most {cells:,} scores"
        )


def refuse_lists(source: str, schema: Any) -> None:
    """Raise `ScoresError` for a column of lists: nothing but reading tells how long they are."""
    for i in range(len(schema)):
        if schema.column(i).max_repetition_level:
            name = schema.column(i).path.partition(".")[0]
            raise ScoresError(
                f"{source}: the column {name!r} has lists; expected a number, or text, in each row"
            )


def refuse_changed_names(source: str, said: Any) -> None:
    """Raise `ScoresError` if the schema of Arrow, where a file has one, has other names.

    It is written from the same names: a flipped bit of one would be the name of another system. A
    program that renames columns may keep the old schema, and then it does not say which is right.
    Names within structures are not compared.
    """
    import pyarrow as pa

    saved = (said.metadata or {}).get(_ARROW)
    if saved is None:
        return
    names = said.schema.to_arrow_schema().names
    twice = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(saved))).names
    if len(names) != len(twice):
        raise ScoresError(
            f"{source} is damaged: it has {len(names):,} columns, and {len(twice):,} in its other "
            f"schema (ARROW:schema); {_OR}"
        )
    for name, again in zip(names, twice, strict=True):
        if name != again:
            raise ScoresError(
                f"{source} is damaged: the column {name!r} has the name {again!r} in its other "
                f"schema (ARROW:schema); {_OR}"
            )


#: The key of the schema under which pandas saves what a frame remembers.
ATTRS = b"PANDAS_ATTRS"
# Bytes of a column that are read at a time, so that a row group is never in memory as a whole.
_BUFFER = 1 << 18
# Bytes that tell what a file is, if it is no Parquet file.
_BEGINNING = 512
# A column of an index without a name, as pandas writes it.
UNNAMED_INDEX = "__index_level_"
# Cells that tell whether a column is one of words.
_SOME = 10_000


@dataclass(frozen=True, eq=False)
class ParquetRows:
    """A Parquet file; its batches are read from the file each time."""

    path: Path
    file: Any
    schema: Any
    #: The file itself, which stays open, and the size and time of change that it had.
    descriptor: int
    stamp: tuple[int, int]
    #: What the frame that pandas wrote remembers; see `memory.remembered`.
    known: dict[str, Any]

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[ParquetRows]:
        """Open a file for as long as it is needed; raises `ScoresError`."""
        with readable(path, ScoresError):
            stream = path.open("rb")
        with stream:
            refuse_no_parquet(str(path), stream.read(_BEGINNING))
            stamp = _stamp(stream.fileno())
            try:
                file = _opened(path)
                schema = file.schema_arrow
                frame = _without_rows(schema)
            except ScoresError:
                raise
            except Exception as error:  # pyarrow raises many kinds for a damaged file
                raise ScoresError(f"{path} {fault(error)}") from error
            refuse_damaged_memory(str(path), frame)
            with file:
                yield cls(path, file, schema, stream.fileno(), stamp, remembered(frame))

    @property
    def source(self) -> str:
        """The name of the file in messages."""
        return str(self.path)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.file.metadata.num_rows)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def headers(self) -> list[str]:
        """The names of the columns, "" for that of an index without a name."""
        return ["" if name.startswith(UNNAMED_INDEX) else name for name in self.names]

    def index_columns(self) -> list[str]:
        """Return the columns that pandas takes as the index, if it wrote the file.

        Another program may have left some of them out.
        """
        known = self.schema.pandas_metadata or {}
        names = set(self.names)
        return [
            name
            for name in known.get("index_columns", [])
            if isinstance(name, str) and name in names
        ]

    def cells(self, place: int) -> list[str]:
        """Return some cells of a column as text."""
        batch = next(self.batches([self.names[place]], _SOME), None)
        return [] if batch is None else texts(self.cells_of(batch.column(0)))

    def cells_of(self, column: Any) -> list[Any]:
        """Return the cells of a column of labels; raises `ScoresError`, as text is decoded now."""
        import pyarrow as pa

        try:
            return list(column.to_pylist())
        except UnicodeDecodeError as error:
            raise ScoresError(f"{self.path} is damaged: it has text that is not UTF-8") from error
        except (ValueError, OverflowError, pa.ArrowException) as error:  # such as the year 10000
            raise ScoresError(
                f"{self.path} has labels of {column.type} that cannot be read: {reason(error)}"
            ) from error

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield some columns, at most so many rows at a time.

        Raises `ScoresError` for a damaged file, and for one that was changed since it was opened.
        """
        found = self.file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False)
        number = 0
        while True:
            try:
                batch = next(found, None)
                if batch is not None:
                    batch.validate(full=False)
            except Exception as error:
                self._refuse_change()
                raise ScoresError(f"{self.path} {fault(error, 'is damaged')}") from error
            self._refuse_change()
            if batch is None:
                break
            number += batch.num_rows
            if batch.num_rows:
                yield batch.select(list(columns))
        if number != self.rows:
            raise ScoresError(
                f"{self.path} is damaged: it has {number:,} rows, and says that it has "
                f"{self.rows:,}"
            )

    def _refuse_change(self) -> None:
        if _stamp(self.descriptor) != self.stamp:
            raise self.changed()

    def changed(self) -> ScoresError:
        """Return the error of a file that was changed."""
        return ScoresError(
            f"{self.path} was changed while it was read; expected it to stay as it is"
        )


def _opened(path: Path) -> Any:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False, **CHECKED)
    refuse_lists(str(path), file.schema)
    refuse_changed_names(str(path), file.metadata)
    return file


def _without_rows(schema: Any) -> pd.DataFrame:
    """Return the frame that pandas makes of no rows, if it can read what it once wrote."""
    frame: pd.DataFrame = schema.empty_table().to_pandas()
    saved = (schema.metadata or {}).get(ATTRS)
    frame.attrs = json.loads(saved) if saved else {}
    return frame


def _stamp(descriptor: int) -> tuple[int, int]:
    """Return the size of an open file and when it was changed.

    A file that is renamed onto its name changes neither, and what is read stays the first one.
    """
    known = os.fstat(descriptor)
    return known.st_size, known.st_mtime_ns


class SeenLabels:
    """Labels of topics that were seen, of which a number of 8 bytes each is kept.

    `wanted` are labels to look for, and `found` those of them that there are.
    """

    def __init__(self, wanted: Iterable[str] = ()) -> None:
        self.number = 0
        self.telling: list[str] = []
        self.found: set[str] = set()
        self._wanted = frozenset(wanted)
        self._hashes: list[IntArray] = []
        self._nameless: list[int] = []

    def add(self, labels: Sequence[str]) -> None:
        """Take notice of the next labels."""
        self.telling += telling_labels(labels)
        if self._wanted:
            self.found |= self._wanted.intersection(labels)
        self._hashes.append(np.fromiter(map(hash, labels), np.int64, len(labels)))
        if "" in labels:
            self._nameless += [self.number + i for i, each in enumerate(labels) if not each]
        self.number += len(labels)

    def suspects(self) -> IntArray:
        """Return the places of labels that may be there twice, or are empty; nearly always none."""
        hashes = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(np.diff(hashes[order]) == 0)
        places = np.concatenate([order[same], order[same + 1], np.array(self._nameless, np.int64)])
        return np.unique(places)

    def check(self, source: str, again: Callable[[], Iterable[Sequence[str]]]) -> None:
        """Raise `ScoresError` for a label that is empty or there twice.

        `again` gives all labels once more, for those whose numbers are equal.
        """
        suspects = self.suspects()
        if not suspects.size:
            return
        found: list[str] = []
        start = 0
        for labels in again():
            own = suspects[(suspects >= start) & (suspects < start + len(labels))] - start
            found += [labels[place] for place in own.tolist()]
            start += len(labels)
        if start != self.number:
            raise ScoresError(f"{source} was changed while it was read")
        check_labels(source, "topic", found, (f"row {place + 1}" for place in suspects.tolist()))


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
                f"{source} has the index {index[0]!r} and topic_column={names[0]!r} is given; "
                "expected the labels in one of them"
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
        "topic_column=..., which a stream needs to be told"
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
