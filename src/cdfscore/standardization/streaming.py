"""Standardization from a Parquet file to another, with little memory whatever their size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cdfscore.common.catalogue import traces
from cdfscore.common.cautions import warn_of, with_arguments
from cdfscore.common.files import check_ending, check_target, path_of, refuse_sparse, write_whole
from cdfscore.common.text import counted, each_in_units, units, worded
from cdfscore.errors import (
    FactorsError,
    FitError,
    MissingScoreError,
    OutputError,
    SchemeError,
    ScoresError,
)
from cdfscore.scores.cautions import of_reading, telling_labels
from cdfscore.scores.dataframes import remember, remembered, units_of
from cdfscore.scores.frame import part_of_frame
from cdfscore.scores.how import How
from cdfscore.scores.labels import Labels, check_labels, text, texts
from cdfscore.scores.parquet import ATTRS, ParquetRows
from cdfscore.scores.results.results import Columns, long_columns
from cdfscore.scores.writing import parquet_pieces
from cdfscore.standardization import policies
from cdfscore.standardization.cautions import (
    ScoresAboveOne,
    constant_notes,
    dropped_notes,
    few_systems,
    missing_notes,
    standardized_by,
    undefined_and_infinite,
    unfitted_notes,
)
from cdfscore.standardization.policies import (
    ScoreMatrix,
    constant_refused,
    fit_where_possible,
    no_topic,
)
from cdfscore.standardization.standardized import NO_TOPIC, MultiplesOfSystems
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.stats.numerics.eighty_bits.rows import RunningSums
from cdfscore.stats.numerics.multiples import ExactSums
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Scheme

# --- Standardization block by block: the result of a file, and what is known of the blocks ---


@dataclass(frozen=True, eq=False)
class Streamed:
    """Result of `standardize_parquet`: means, and what each policy changed.

    `topics` is the number of topics written, and `blocks` the number of blocks of the file. The
    other attributes are those of `Standardized`, without the scores, which are in the file.

    Raises nothing itself; `standardize_parquet` lists the errors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import datasets, write_scores
    >>> from cdfscore import standardize_parquet
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_scores(datasets.load_cranfield("ap"), folder / "ap.parquet")
    >>> done = standardize_parquet(folder / "ap.parquet", folder / "y.parquet", "normal")
    >>> done.topics, len(done.systems), done.constant_topics
    (225, 67, [])
    """

    how: str
    topics: int
    systems: tuple[str, ...]
    blocks: int
    mean: Array
    topics_of_systems: IntArray
    constant_topics: list[str]
    unfitted_topics: dict[str, str]
    dropped_topics: list[str]
    cautions: list[str]
    notes: list[str]
    censored: dict[str, tuple[int, int]]

    @cached_property
    def means(self) -> pd.DataFrame:
        """The mean of each system and its number of topics, bit for bit as in `Standardized`."""
        index = pd.Index(self.systems, dtype=str, name="system")
        return pd.DataFrame({"mean": self.mean, "topics": self.topics_of_systems}, index=index)

    @property
    def size(self) -> str:
        """The numbers of topics and systems, for a report."""
        return f"{counted(self.topics, 'topic')} x {counted(len(self.systems), 'system')}"

    def __repr__(self) -> str:
        return f"<{self.size} {self.how}, in {counted(self.blocks, 'block')}>"


class Tally:
    """What is known of the blocks so far; `lower_on_all` tells if lower is better on all topics."""

    def __init__(self, how: Standardizer, systems: Sequence[str], *, lower_on_all: bool) -> None:
        self.how, self.systems = how, tuple(systems)
        self._lower_on_all = lower_on_all
        self._means = RunningMeans(len(systems), counts=how.scheme.counts)
        self._above = ScoresAboveOne(len(systems))
        self._constant: list[str] = []
        self._around = [np.empty((0, 4))]
        self._unfitted: dict[str, str] = {}
        self._dropped: list[str] = []
        self._censored: dict[str, tuple[int, int]] = {}
        # Topics that tell on which lower is better: all of these, and two others at most.
        self._lower: list[str] = []
        self._higher: list[str] = []
        self._topics = self._missing = self._undefined = self._infinite = self._n = 0
        self._blocks = 0
        self._first_missing: tuple[str, str] | None = None

    @property
    def fails(self) -> bool:
        """True if scores are missing and must not be."""
        return self._first_missing is not None

    def add(self, given: ScoreMatrix) -> tuple[BoolArray, Array] | None:
        """Standardize the topics of a block; return which are kept and their scores, None after a
        score that must not be missing.

        Other blocks may have topics where no topic of this one is kept. `result` raises for
        constant topics and missing scores, with the number in all blocks.
        """
        missing = np.isnan(given.values)
        self._missing += int(np.count_nonzero(missing))
        if self.how.missing == "raise" and not self.fails and missing.any():
            row, column = np.argwhere(missing)[0]
            self._first_missing = given.topics[row], given.systems[column]
        if self.fails:
            return None
        kept: BoolArray = np.ones(len(given.topics), dtype=np.bool_)
        if self.how.missing == "drop_topic":
            kept = np.asarray(~missing.any(axis=1))
            self._dropped += _chosen(given.topics, ~kept)
        y = np.empty((0, len(given.systems)))
        if kept.any():
            left, y = self._standardized(given.take(kept.tolist()))
            kept[kept] = left
        self._look(given, _chosen(given.topics, kept), y)
        return kept, y

    def _standardized(self, part: ScoreMatrix) -> tuple[BoolArray, Array]:
        how, lower = self.how, self.how.lower_is_better
        if lower is not True and lower:  # a part of them, which may be none
            lower = tuple(policies.reversed_topics(lower, part.topics))
        own = Standardizer(
            how.scheme,
            "limit" if how.constant in ("raise", "drop_topic") else how.constant,
            how.missing,
            "raise" if how.unfitted == "raise" else "nan",
            lower_is_better=lower,
            reflect_at=how.reflect_at if lower else 0.0,
        )
        y: Array = np.full(part.values.shape, np.nan)
        denominators: IntArray | None = None
        constant, censored = list[str](), dict[str, tuple[int, int]]()
        try:
            factors = own.fit_matrix(part, described=False, source="scores")
        except FitError:
            if how.unfitted == "raise":
                raise
            used = policies.settled(part, "scores", how.missing, lower, own.reflect_at)
            _, _, reasons = fit_where_possible(how.scheme, used.values)
            unfitted = {part.topics[row]: reasons[row] for row in sorted(reasons)}
        else:
            found = factors.standardize_matrix(part, part)
            y, denominators, censored = found.frame.to_numpy(), found.denominators, found.censored
            constant, unfitted = found.constant_topics, found.unfitted_topics
            if how.constant == "drop_topic" and not factors.fitted.parameters:
                constant = policies.equal(found.used)
            self._around.append(found.constant_around)
            self._n = max(self._n, 0 if factors.n is None else int(factors.n.max()))
        self._constant += constant
        self._unfitted |= unfitted
        gone = {*constant} if how.constant == "drop_topic" else set[str]()
        gone |= {*unfitted} if how.unfitted == "drop_topic" else set()
        left = np.array([topic not in gone for topic in part.topics])
        if gone:
            y = y[left]
            denominators = None if denominators is None else denominators[left]
        self._censored |= {topic: ends for topic, ends in censored.items() if topic not in gone}
        self._means.add(y, denominators)
        return left, y

    def _look(self, given: ScoreMatrix, topics: list[str], y: Array) -> None:
        lower = True if self._lower_on_all else self.how.lower_is_better
        if lower is not True:  # of those on which higher is better, which may be none
            left = set(policies.reversed_topics(lower, given.topics))
            given = given.take([topic not in left for topic in given.topics])
        self._above.add(given.topics, given.values)
        self._topics += len(y)
        self._blocks += 1
        self._undefined += int(np.count_nonzero(np.isnan(y)))
        self._infinite += int(np.count_nonzero(np.isinf(y)))
        if lower is True:
            self._lower += topics[:2] if len(self._lower) < 2 else []
        elif lower:
            reversed_topics = policies.reversed_topics(lower, topics)
            self._lower += reversed_topics
            if not self._higher:
                self._higher = [t for t in topics if t not in set(reversed_topics)][:1]

    def result(self, doubts: Sequence[str], notes: Sequence[str]) -> Streamed:
        """Return the result; raise what is an error of all blocks together."""
        how, scheme = self.how, self.how.scheme
        if self._first_missing is not None:
            raise policies.missing_refused("scores", *self._first_missing, self._missing)
        if how.constant == "raise" and self._constant:
            raise constant_refused(
                f"topic {self._constant[0]!r}: all its reference scores are equal (constant "
                f"topics: {len(self._constant)})"
            )
        if not self._topics and self._constant:
            raise FactorsError(NO_TOPIC)
        if not self._n and self._unfitted:
            topic, reason = next(iter(self._unfitted.items()))
            raise no_topic(scheme, f"topic {topic!r}", reason)
        if not self._topics:
            raise MissingScoreError(
                "scores: every topic has a missing score, so that missing='drop_topic' leaves none"
            )
        cautions = [*doubts, *self._above.cautions(self.systems)]
        if scheme.parameter_names():
            cautions += few_systems(self._n or None, scheme)
        said = [
            *notes,
            *cautions,
            # Only whether there are other topics matters, not how many there are.
            *policies.notes(how.lower_is_better, how.reflect_at, [*self._lower, *self._higher]),
            *constant_notes(self._constant, np.concatenate(self._around), how.constant, scheme),
            *unfitted_notes(self._unfitted, how.unfitted),
            *dropped_notes(self._dropped),
            *traces(scheme.members),
        ]
        if how.missing in ("zero", "omit"):
            said += missing_notes(self._missing, how.missing)
        said += undefined_and_infinite(self._undefined, self._infinite, scheme)
        return Streamed(
            standardized_by(scheme),
            self._topics,
            self.systems,
            self._blocks,
            self._means.result(),
            self._means.topics,
            self._constant,
            self._unfitted,
            self._dropped,
            each_in_units(units.get(), cautions),
            each_in_units(units.get(), said),
            self._censored,
        )


def _chosen(topics: Sequence[str], which: BoolArray) -> list[str]:
    return list(compress(topics, which.tolist()))


class RunningMeans:
    """The means of `Standardized.means`, bit for bit, of blocks in their order.

    The state of sums of 64 bits goes from block to block, as if there were one matrix.
    """

    def __init__(self, systems: int, *, counts: bool) -> None:
        self._exact = ExactSums() if counts else None
        self._multiples = MultiplesOfSystems(systems)
        self._sums = RunningSums(systems)
        self.topics = np.zeros(systems, dtype=np.int64)

    def add(self, y: Array, denominators: IntArray | None) -> None:
        """Add standardized scores (topics, systems), with denominators if the scheme counts."""
        self.topics += len(y) - np.count_nonzero(np.isnan(y), axis=0)
        if self._exact is not None:
            if denominators is not None:  # None where no topic of the block could be fitted
                self._exact.add(y, denominators)
            return
        self._sums.add(y)
        with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics
            self._multiples.add(y.T)

    def result(self) -> Array:
        """Return the mean of each system, NaN where it has no score."""
        if self._exact is not None:
            return self._exact.means()
        return self._multiples.settled(self._sums.means(self.topics))


# --- Scores of a Parquet file, in blocks: a column per system, or a row per score ---


def _checked(
    source: str, scores: pd.DataFrame, topics: list[str], systems: tuple[str, ...]
) -> ScoreMatrix:
    labelled = scores.set_axis(pd.Index(topics, dtype=str, name="topic"))
    labelled = labelled.set_axis(pd.Index(systems, dtype=str), axis=1)
    frame = part_of_frame(labelled, How(), source).frame
    values: Array = np.ascontiguousarray(frame.to_numpy())
    return ScoreMatrix(frame, values, tuple(topics), systems, True)


class WideScores:
    """A file whose topics are rows; the other file has the columns of `Standardized.scores`."""

    labels = ("topic",)
    repeated = False

    def __init__(self, rows: ParquetRows, how: How) -> None:
        self._rows = rows
        self.attrs = rows.known
        self.notes = list(self.attrs.get("notes", []))
        part = part_of_frame(rows.frame(), how, rows.source)
        if remembered(part.frame).get("systems_were_rows"):
            raise ScoresError(
                f"{rows.source} has a row for each system; expected a row for each topic, which is "
                "streamed"
            )
        header = remembered(part.frame).get("header")
        own = [n for n in rows.names if text(n) == header and text(n) not in part.systems]
        column = next(iter([*own, *rows.index_columns()]), None)
        self._columns = [name for name in rows.names if name != column]
        self.systems = tuple(part.systems)
        self.topics: list[str] = []
        if column is None:  # the rows are numbered
            first, step = int(part.topics[0]), rows.index().step
            self.topics = [str(first + step * i) for i in range(rows.rows)]
        for batch in rows.batches([column], ROWS) if column else ():
            self.topics += texts(rows.cells_of(batch.column(0)))
        places = (f"row {i + 1}" for i in range(len(self.topics)))
        check_labels(rows.source, "topic", self.topics, places)

    def blocks(self, scores: int) -> Iterator[ScoreMatrix]:
        """Yield the topics, about so many scores at a time, as `read_scores` reads them."""
        done = 0
        for batch in self._rows.batches(self._columns, max(1, scores // len(self.systems))):
            topics = self.topics[done : done + batch.num_rows]
            done += batch.num_rows
            frame = self._rows.frame(batch.replace_schema_metadata(None))
            yield _checked(self._rows.source, frame, topics, self.systems)

    def put(self, given: ScoreMatrix, kept: BoolArray, y: Array) -> Iterator[Any]:
        """Yield the table of a block, the topics last, as pandas writes an index."""
        if len(y):
            columns = [pa.array(own, from_pandas=True) for own in np.ascontiguousarray(y.T)]
            topics = pa.array(_chosen(given.topics, kept), pa.large_string())
            yield pa.Table.from_arrays([*columns, topics], schema=self._schema)

    @cached_property
    def _schema(self) -> Any:
        index = pd.Index(self.topics[:1], dtype=str, name="topic")
        frame = pd.DataFrame(0.0, index=index, columns=pd.Index(self.systems, dtype=str))
        remember(frame, **{**self.attrs, "standardized": True})
        schema = pa.Schema.from_pandas(frame)
        # Where pandas looks for it.
        saved = {ATTRS: json.dumps(frame.attrs).encode()}
        return schema.with_metadata({**schema.metadata, **saved})


#: Rows that are read at a time.
ROWS = 1 << 20
# Rows that tell if labels are repeated, so that their numbers are read sooner, and how often.
_SOME, _MANY = 10_000, 20
_ROW = np.dtype([("topic", np.int32), ("system", np.int32), ("score", np.float64)])


class LongScores:
    """A file whose rows are scores; the other file has the same rows, in the same order.

    The rows are copied to files without names beside the target, with numbers for their labels, and
    grouped by blocks of topics; the standardized scores replace the scores in the last copy.
    """

    repeated = True

    def __init__(
        self, rows: ParquetRows, columns: Columns, how: Standardizer, target: Path, kept: ExitStack
    ) -> None:
        source, names = rows.source, rows.names
        if columns.system is None or columns.measure is not None or len(columns.scores) > 1:
            raise ScoresError(
                f"{source} has a row for each score; expected columns of topic, system and score "
                "alone, to be streamed"
            )
        (score,) = columns.scores.values()
        self.labels, self._score = (names[columns.topic], names[columns.system]), names[score]
        kind, types = rows.schema.field(score).type, pa.types
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
            raise ScoresError(
                f"{source}: the column {self._score!r} holds {kind}; expected numbers"
            )
        if not rows.rows:
            raise ScoresError(f"{source} has no scores; expected a row for each")
        self._rows, self._how, self._target, self._open = rows, how, target, kept
        units.set(units_of(columns.header))
        self.attrs: dict[str, Any] = {}
        self.notes = columns.notes(source)
        self._copy = self._grouped = self._file()
        topics, systems = self._copied()
        self.topics, self.systems = list(topics), tuple(systems)
        refuse_sparse(source, len(topics), len(systems), rows.rows)
        self._kept = np.ones(len(topics), dtype=np.bool_)

    def blocks(self, scores: int) -> Iterator[ScoreMatrix]:
        """Yield the topics, of about so many pairs of a topic and a system at a time."""
        self._step = max(1, scores // len(self.systems))
        self._group()
        for block, start in enumerate(self._starts[:-1].tolist()):
            first = block * self._step
            topics = self.topics[first : first + self._step]
            # Of more rows than cells, one is there twice, which is refused.
            most = min(int(self._starts[block + 1]) - start, len(topics) * len(self.systems) + 1)
            self._own = self._read(self._grouped, start, most)
            self._place = first, start
            yield self._matrix(topics)

    def put(self, given: ScoreMatrix, kept: BoolArray, y: Array) -> Iterator[Any]:
        """Take the standardized scores of the block that was given last."""
        first, start = self._place
        full = np.full(given.values.shape, np.nan)
        full[kept] = y
        self._own["score"] = full[self._own["topic"] - first, self._own["system"]]
        self._write(self._grouped, self._own, start)
        self._kept[first : first + len(full)] = kept
        yield from ()

    def rest(self) -> Iterator[tuple[int, Any]]:
        """Yield how far the file is written, in topics, and rows of topics that are kept."""
        place, done = self._starts.copy(), 0
        for batch in self._rows.batches(self._rows.names, ROWS):
            rows = self._read(self._copy, done, batch.num_rows)
            scores = np.empty(len(rows))
            for block, own in self._by_block(rows):
                scores[own] = self._read(self._grouped, int(place[block]), len(own))["score"]
                place[block] += len(own)
            done += len(rows)
            table = pa.Table.from_batches([batch])
            column = table.schema.get_field_index(self._score)
            table = table.set_column(column, self._score, pa.array(scores, from_pandas=True))
            topics = done * len(self.topics) // self._rows.rows
            kept = self._kept[rows["topic"]]
            yield topics, table if kept.all() else table.filter(pa.array(kept))

    def _copied(self) -> tuple[dict[str, int], dict[str, int]]:
        topics: dict[str, int] = {}
        systems: dict[str, int] = {}
        row, last, self._in_order = 0, 0, True
        self._before: dict[str, tuple[Any, Any]] = {}
        some = next(self._rows.batches(self.labels, _SOME, coded=True))
        coded = all(_MANY * len(each.unique()) < len(some) for each in some.columns)
        for batch in self._rows.batches([*self.labels, self._score], ROWS, coded=coded):
            own = np.empty(batch.num_rows, dtype=_ROW)
            own["topic"] = self._numbers(batch.column(0), "topic", topics, row)
            own["system"] = self._numbers(batch.column(1), "system", systems, row)
            # As in memory, a whole number above 2^53 becomes the nearest double.
            scores = batch.column(2).cast(pa.float64(), safe=False)
            own["score"] = scores.to_numpy(zero_copy_only=False)
            self._in_order &= bool((np.diff(own["topic"], prepend=np.int32(last)) >= 0).all())
            last = own["topic"][-1]
            self._write(self._copy, own, row)
            row += len(own)
        return topics, systems

    def _numbers(self, cells: Any, kind: str, known: dict[str, int], row: int) -> IntArray:
        labels, numbers = self._before.get(kind, (None, None))
        same = labels is not None and labels.type == cells.type
        if not same or (codes := pc.index_in(cells, value_set=labels)).null_count:
            if not pa.types.is_dictionary(cells.type):
                cells = cells.dictionary_encode()
            used = cells.indices.unique().drop_null()  # some may be of no row
            names = texts(self._rows.cells_of(cells.dictionary, used))
            numbers = np.full(len(cells.dictionary) + 1, -1, dtype=np.int32)
            numbers[used.to_numpy()] = [known.setdefault(n, len(known)) if n else -1 for n in names]
            self._before[kind], codes = (cells.dictionary, numbers), cells.indices
        codes = codes.fill_null(len(numbers) - 1).to_numpy(zero_copy_only=False)
        found: IntArray = numbers[codes]
        if found.min() < 0:
            raise ScoresError(
                f"{self._rows.source}, row {row + int(np.argmin(found)) + 1}: the {kind} has no "
                "name; expected a label"
            )
        return found

    def _group(self) -> None:
        rows = np.zeros(-(-len(self.topics) // self._step), dtype=np.int64)
        for part in self._parts():
            rows += np.bincount(part["topic"] // self._step, minlength=len(rows))
        self._starts = np.concatenate([[0], rows.cumsum()])
        if self._in_order:
            return
        self._grouped, place = self._file(), self._starts.copy()
        for part in self._parts():
            for block, own in self._by_block(part):
                self._write(self._grouped, part[own], int(place[block]))
                place[block] += len(own)

    def _parts(self) -> Iterator[Any]:
        for start in range(0, self._rows.rows, ROWS):
            yield self._read(self._copy, start, min(ROWS, self._rows.rows - start))

    def _by_block(self, rows: Any) -> Iterator[tuple[int, IntArray]]:
        blocks = rows["topic"] // self._step
        # Numbers of 16 bits are sorted in linear time.
        short = blocks.astype(np.uint16) if blocks.max() < 1 << 16 else blocks
        order = np.argsort(short, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            yield int(blocks[own[0]]), own

    def _matrix(self, topics: list[str]) -> ScoreMatrix:
        source, systems, own = self._rows.source, self.systems, self._own
        shape = len(topics), len(systems)
        cells = (own["topic"] - self._place[0]).astype(np.int64) * len(systems) + own["system"]
        rows = np.bincount(cells, minlength=shape[0] * shape[1])
        if rows.max() > 1:
            twice = own[np.argmax(rows[cells] > 1)]
            first, second, *_ = self._places(twice["topic"], twice["system"])
            raise ScoresError(
                f"{source}, row {second}, topic {self.topics[twice['topic']]!r}, system "
                f"{systems[twice['system']]!r}: this score was given before, in row {first}; "
                "expected one"
            )
        if self._how.missing == "zero" and rows.min() == 0:
            row, column = divmod(int(np.argmin(rows)), len(systems))
            raise MissingScoreError(
                f"{source}, topic {topics[row]!r}, system {systems[column]!r}: there is no row, "
                f"in which the score of 0 by missing='zero' could be standardized; "
                "expected a row for each system on each topic, or another policy"
            )
        values = np.full(len(rows), np.nan)
        values[cells] = own["score"]
        return _checked(source, pd.DataFrame(values.reshape(shape)), topics, systems)

    def _places(self, topic: int, system: int) -> list[int]:
        found: list[int] = []
        for start, part in enumerate(self._parts()):
            own = np.flatnonzero((part["topic"] == topic) & (part["system"] == system))
            found += (own + start * ROWS + 1).tolist()
        return found

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"{self._target} cannot be written: {error.strerror or error}, in copies of the "
                "rows beside it, which take up to 32 bytes a row"
            ) from error

    def _file(self) -> IO[bytes]:
        with self._writing():
            return self._open.enter_context(TemporaryFile(dir=self._target.parent, buffering=0))

    def _write(self, file: IO[bytes], rows: Any, row: int) -> None:
        content = rows.view(np.uint8).data
        with self._writing():
            file.seek(row * _ROW.itemsize)
            while content:
                content = content[file.write(content) :]

    def _read(self, file: IO[bytes], row: int, number: int) -> Any:
        file.seek(row * _ROW.itemsize)
        return np.fromfile(file, dtype=_ROW, count=number)


# --- Standardization from a Parquet file to another, with little memory whatever their size ---

#: Scores of a block: 8 MB of doubles.
BLOCK = 1 << 20
_NOT_TAKEN = "a stream takes no {}: change the file, or standardize it without a stream"


@worded(anew=True)
def standardize_parquet(
    source: str | Path,
    target: str | Path,
    how: Scheme | str | Standardizer,
    *,
    topic_column: str | Literal[False] | None = None,
    system_column: str | None = None,
    score_column: str | None = None,
    systems_as_rows: bool | None = None,
    keep_topics: Sequence[str] = (),
    keep_systems: Sequence[str] = (),
    block: int = BLOCK,
    progress: Callable[[int, int], None] | None = None,
) -> Streamed:
    """Standardize a Parquet file, fitted to its own scores, into another of the same form.

    The file has one row per topic and one column per system, or one row per score with the columns
    topic, system and score. The other file has the same rows in the same order, with the
    standardized scores. Scores and means equal those of `Standardizer.standardize` bit for bit.

    Memory is needed for a few blocks of topics, and for the labels of all topics. The rows of a
    file with one row per score are copied to files beside `target` that have no name, of 16 bytes
    per row, or 32 where the rows of topics are not together.

    Parameters
    ----------
    source, target
        The files. `target` is written completely or not at all.
    how
        A scheme, its spelling, or a `Standardizer` with its policies.
    topic_column, system_column, score_column
        The columns of topics, systems and scores, one each, if their headers do not identify them.
        Other columns are copied. `topic_column` is False if there is none: topics are numbered.
    systems_as_rows
        False if the rows are topics and no header says so, as for `read_scores`; True is refused.
    keep_topics, keep_systems
        Labels that look like those of summaries but are not, as for `read_scores`.
    block
        Approximate number of scores of a block; at least one topic.
    progress
        Function called with the number of topics done and the total. If there is one row per score,
        each topic counts twice: when it is standardized, and when its rows are written.

    Raises
    ------
    ScoresError
        For a file that cannot be read or is not a score matrix, such as one with a topic twice.
    OutputError
        If `target` cannot be written, or is `source`.
    CdfscoreError
        For input that `Standardizer.standardize` refuses.

    Notes
    -----
    Some warnings need all scores together and are not given. If there is more than one block,
    topics that may be summaries of the others are recognized by their names only, and systems by
    their numbers on the topics of the first block. Standard deviations of raw scores on topics
    where lower is better are not compared with those of other topics.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import datasets, write_scores
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> write_scores(datasets.load_cranfield("ap"), folder / "ap.parquet")
    >>> done = standardize_parquet(folder / "ap.parquet", folder / "y.parquet", "empirical")
    >>> done
    <225 topics x 67 systems standardized by E-std, in 1 block>
    >>> done.means["mean"].idxmax()
    'combsum_bm25_lsa200'
    """
    source, target = path_of(source, ScoresError), path_of(target, OutputError)
    how = standardizer_of(how)
    if not isinstance(block, int) or isinstance(block, bool) or block < 1:
        raise SchemeError(f"block={block!r} is not accepted; expected 1 or more")
    check_ending(target, [".parquet"])
    if source.exists() and target.exists() and source.samefile(target):
        raise OutputError(f"{target} is the file of the scores; expected another file to write")
    check_target(target)
    settings = {
        "topic_column": topic_column,
        "system_column": system_column,
        "score_column": score_column,
        "systems_as_rows": systems_as_rows,
        "keep_topics": keep_topics,
        "keep_systems": keep_systems,
    }
    reading = How.given(**settings)
    try:
        with ParquetRows.opened(source) as rows, ExitStack() as kept:
            scores, reading = _scores_of(rows, reading, how, target, kept)
            done = _written(rows.source, scores, target, how, reading, block, progress)
    except ScoresError as error:
        error.args = (with_arguments(str(error), _NOT_TAKEN, *settings),)
        raise
    warn_of(done.cautions, _NOT_TAKEN, *settings)
    return done


def _scores_of(
    rows: ParquetRows, reading: How, how: Standardizer, target: Path, kept: ExitStack
) -> tuple[WideScores | LongScores, How]:
    reading, several = reading.one_header(rows.source, rows.headers)
    if several:
        raise ScoresError(
            f"{rows.source} is streamed, and a label in a stream is that of one column; "
            f"expected one instead of {several[0][0]}, or a file that fits in memory"
        )
    columns = long_columns(rows.source, rows.headers, reading, rows.cells)
    if columns is not None:
        return LongScores(rows, columns, how, target, kept), reading
    reading = reading.of_matrix(rows.source)
    return WideScores(rows, reading), reading


def _written(
    source: str,
    scores: WideScores | LongScores,
    target: Path,
    how: Standardizer,
    reading: How,
    block: int,
    progress: Callable[[int, int], None] | None,
) -> Streamed:
    topics, lower = scores.topics, how.lower_is_better
    reading.refuse_unknown(source, topics, scores.systems)
    policies.check_labels(lower, topics, scores.systems)
    lower_on_all = lower is True or (bool(lower) and len(set(lower)) == len(topics))
    tally = Tally(how, scores.systems, lower_on_all=lower_on_all)
    results: list[Streamed] = []

    def tables() -> Iterator[Any]:
        done, number, total = 0, len(topics), len(topics) * (1 + scores.repeated)
        tell = progress or (lambda done, total: None)
        for given in scores.blocks(block):
            if not done:  # as in memory, before the scores are standardized
                doubts.extend(_search_first(source, scores, given, reading.kept, how))
            done += len(given.topics)
            if (found := tally.add(given)) is not None:
                yield from scores.put(given, *found)
            tell(done, total)
        if isinstance(scores, LongScores) and not tally.fails:
            for written, table in scores.rest():
                if table.num_rows:
                    yield table
                tell(number + written, total)

    def pieces() -> Iterator[bytes]:
        yield from parquet_pieces(tables(), labels=scores.labels, repeated=scores.repeated)
        results.append(tally.result(doubts, scores.notes))  # or an error of all blocks

    doubts: list[str] = []
    write_whole({target: pieces()})
    return results[0]


def _search_first(
    source: str,
    scores: WideScores | LongScores,
    given: ScoreMatrix,
    kept: Labels,
    how: Standardizer,
) -> list[str]:
    whole = len(given.topics) == len(scores.topics)
    attrs = scores.attrs
    kept = kept.with_labels(attrs.get("keep_topics", ()), attrs.get("keep_systems", ()))
    telling = None if whole else telling_labels(scores.topics)
    of_reading(source, (given.topics, given.systems), given.values, kept, telling=telling)
    remember(given.frame, **attrs)
    remember(given.frame, keep_topics=sorted(kept.topics), keep_systems=sorted(kept.systems))
    lower = policies.reversed_topics(how.lower_is_better, given.topics)
    doubts = given.doubts(lower, reference=True, raw=how.scheme.keeps_unit)
    scores.attrs = remembered(given.frame)
    first = "" if whole else f"on the first {counted(len(given.topics), 'topic')}, "
    return [f"{first}{each.sentence}" for each in doubts]
