"""Standardization from a Parquet file to another, with little memory whatever their size."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

from cdfscore.cautions import warn_of
from cdfscore.errors import (
    FactorsError,
    FitError,
    MissingScoreError,
    OutputError,
    SchemeError,
    ScoresError,
)
from cdfscore.io.files import (
    FOLDER,
    PREFIX,
    check_ending,
    check_target,
    hold,
    refuse_sparse,
    remove_leftovers,
    write_whole,
)
from cdfscore.io.results.results import (
    Columns,
    Results,
    columns_of_frame,
    flat,
    long_columns,
    results_of_frame,
    scores_of,
)
from cdfscore.io.scores.cautions import of_reading
from cdfscore.io.scores.dataframes import remember
from cdfscore.io.scores.how import How, Labels
from cdfscore.io.scores.labels import check_labels, texts
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
from cdfscore.io.scores.writing import parquet_pieces
from cdfscore.io.text import counted
from cdfscore.numerics.eighty_bits.sums import RunningSums
from cdfscore.numerics.multiples import ExactSums
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.base import Scheme
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
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies import constant_refused, fit_where_possible, no_topic
from cdfscore.standardization.standardized import NO_TOPIC, MultiplesOfSystems
from cdfscore.standardization.standardizer import Standardizer, standardizer_of
from cdfscore.threads import alone, in_threads

# --- Standardization block by block: what is known of the blocks, and the result of a file ---


@dataclass(frozen=True, eq=False)
class Block:
    """Standardized scores of the topics that no policy leaves out, and what the policies did.

    `kept` tells which topics of `given` these are. `used` are their scores before the scheme.
    """

    given: ScoreMatrix
    kept: BoolArray
    y: Array
    denominators: IntArray | None = None
    constant_topics: list[str] = field(default_factory=list)
    #: As `Standardized.constant_around`.
    constant_around: Array = field(default_factory=lambda: np.empty((0, 4)))
    unfitted_topics: Mapping[str, str] = field(default_factory=dict)
    dropped_topics: list[str] = field(default_factory=list)
    #: The largest number of reference scores of a topic.
    n: int = 0
    #: As `Standardized.censored`.
    censored: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def topics(self) -> list[str]:
        """The topics that are kept."""
        return [t for t, kept in zip(self.given.topics, self.kept.tolist(), strict=True) if kept]


def standardized_block(how: Standardizer, given: ScoreMatrix) -> Block:
    """Standardize the topics of a block; topics do not depend on one another.

    Where a policy leaves out all topics of the block, nothing is kept, and there is no error: other
    blocks may have others. Under ``constant="raise"`` constant topics get their limits, and it is
    the caller who raises, with the number in all blocks. So does it for missing scores.
    Raises what `Standardizer.standardize` raises otherwise.
    """
    own = _of_block(how, given)
    if own.missing == "drop_topic":
        absent = np.isnan(given.values).any(axis=1)
        if absent.all():
            nothing = np.empty((0, len(given.systems)))
            none = np.zeros(len(given.topics), dtype=np.bool_)
            return Block(given, none, nothing, dropped_topics=list(given.topics))
    try:
        factors = own.fit_matrix(given, described=False, source="scores")
    except FitError:
        if own.unfitted == "raise":
            raise
        return _unfitted(own, given)
    found = factors.standardize_matrix(given, given)
    constant, around = found.constant_topics, found.constant_around
    if how.constant == "drop_topic":
        constant = constant if factors.fitted.parameters else policies.equal(found.used)
        found = found.without(constant)
    kept = np.ones(len(given.topics), dtype=np.bool_)
    if len(found.used.topics) < len(given.topics):
        there = set(found.used.topics)
        kept = np.fromiter((topic in there for topic in given.topics), np.bool_, len(kept))
    return Block(
        given,
        kept,
        found.frame.to_numpy(),
        found.denominators,
        constant,
        around,
        found.unfitted_topics,
        found.dropped_topics,
        0 if factors.n is None else int(factors.n.max()),
        found.censored,
    )


def _of_block(how: Standardizer, given: ScoreMatrix) -> Standardizer:
    """Return the standardizer with the labels of the block alone, on which lower is better."""
    lower = how.lower_is_better
    if lower is not True and lower:
        lower = tuple(policies.reversed_topics(lower, given.topics))
    return Standardizer(
        how.scheme,
        "limit" if how.constant in ("raise", "drop_topic") else how.constant,
        how.missing,
        how.unfitted,
        lower_is_better=lower,
        reflect_at=how.reflect_at if lower else 0.0,
    )


def _unfitted(how: Standardizer, given: ScoreMatrix) -> Block:
    """Return a block of which no topic can be fitted; raises `FitError` if the error was another.

    Under ``unfitted="nan"`` its topics have no standardized scores.
    """
    used = policies.settled(given, "scores", how.missing, how.lower_is_better, how.reflect_at)
    fitted, _, reasons = fit_where_possible(how.scheme, used.values)
    if len(reasons) < len(used.topics):
        raise FitError(f"{fitted!r} is of some topics only")  # pragma: no cover
    there = set(used.topics) if how.unfitted == "nan" else set()
    kept = np.array([topic in there for topic in given.topics])
    dropped = set(given.topics).difference(used.topics)
    return Block(
        given,
        kept,
        np.full((int(kept.sum()), len(given.systems)), np.nan),
        unfitted_topics={used.topics[row]: reasons[row] for row in sorted(reasons)},
        dropped_topics=[topic for topic in given.topics if topic in dropped],
    )


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
        self._around: list[Array] = []
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

    def see(self, given: ScoreMatrix) -> bool:
        """Look at the scores of a block; return False if it is not to be standardized."""
        missing = given.missing()
        self._missing += missing
        if missing and self.how.missing == "raise" and not self.fails:
            row, column = np.argwhere(np.isnan(given.values))[0]
            self._first_missing = given.topics[row], given.systems[column]
        return not self.fails

    def add(self, block: Block) -> None:
        """Add a block that was standardized."""
        given, y = block.given, block.y
        lower = True if self._lower_on_all else self.how.lower_is_better
        own = given if lower is True else _higher_is_better(given, lower)
        self._above.add(own.topics, own.values)
        self._means.add(y, block.denominators)
        self._constant += block.constant_topics
        self._around.append(block.constant_around)
        self._unfitted |= block.unfitted_topics
        self._dropped += block.dropped_topics
        self._censored |= block.censored
        self._topics += len(y)
        self._blocks += 1
        self._n = max(self._n, block.n)
        self._undefined += int(np.count_nonzero(np.isnan(y)))
        self._infinite += int(np.count_nonzero(np.isinf(y)))
        if lower is True:
            self._lower += block.topics[:2] if len(self._lower) < 2 else []
        elif lower:
            reversed_topics = policies.reversed_topics(lower, block.topics)
            self._lower += reversed_topics
            if not self._higher:
                self._higher = [t for t in block.topics if t not in set(reversed_topics)][:1]

    def result(self, doubts: Sequence[str], notes: Sequence[str]) -> Streamed:
        """Return the result; raise what is an error of all blocks together.

        `doubts` are of labels that may be summaries, and `notes` of the reading.
        """
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
        ]
        if how.missing in ("zero", "omit"):
            said += missing_notes(self._missing, how.missing)
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
            cautions,
            [*said, *undefined_and_infinite(self._undefined, self._infinite, scheme)],
            self._censored,
        )


def _higher_is_better(given: ScoreMatrix, lower: tuple[str, ...]) -> ScoreMatrix:
    """Return the topics of a block on which higher is better, which may be none."""
    left = set(policies.reversed_topics(lower, given.topics))
    return given.take([topic not in left for topic in given.topics])


class RunningMeans:
    """The means of `Standardized.means`, bit for bit, of blocks that are added in their order.

    Means of schemes that count are sums of whole numbers. Others are sums of 64 bits, as R's,
    whose state goes from block to block, so that every addition is the same as in one matrix.
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
            policies.check_labels(how.lower_is_better, topics, file.systems)
    return seen, how.lower_is_better is True or len(set(lower)) == seen.number


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
    lower = policies.reversed_topics(how.lower_is_better, given.topics)
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
        remember(given.frame, **self._attrs)
        source, kept = self._rows.source, self._kept
        self.doubts = search_first(source, given, kept, self._seen, self._how, whole=whole)
        self._attrs = given.frame.attrs.get("cdfscore", {})

    def _schema(self, block: Block) -> Any:
        """Return the schema that `write_scores` gives such scores."""
        index = pd.Index(block.topics[:1], dtype=str, name="topic")
        columns = pd.Index(self.systems, dtype=str)
        frame = pd.DataFrame(block.y[:1], index=index, columns=columns)
        remember(frame, **{**self._attrs, "standardized": True})
        schema = pa.Schema.from_pandas(frame)
        # Where pandas looks for it.
        saved = {ATTRS: json.dumps(frame.attrs).encode()}
        return schema.with_metadata({**schema.metadata, **saved})


def _matrix(labels: list[str], frame: pd.DataFrame, systems: tuple[str, ...]) -> ScoreMatrix:
    values: Array = np.ascontiguousarray(frame.to_numpy())
    return ScoreMatrix(frame, values, tuple(labels), systems, True)


def _table(block: Block, systems: tuple[str, ...]) -> Any:
    """Return the standardized scores as a table, the topics last, as pandas writes an index."""
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
            "in which the score of 0 by missing='zero' could be standardized; expected a row for "
            "each system on each topic, or another policy"
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
            seen, systems = scanned
            self._check(_SortedLabels(self._file, seen, tuple(systems)))
            yield
            return
        remove_leftovers(self._target.parent)
        with ExitStack() as kept:
            with writing(self._target):
                folder = _held_folder(self._target.parent, kept)
            self._partition = Partition(self._file, folder, self._target)
            found = self._partition
            self._check(_ListedLabels(self._file.rows.source, found.topics, tuple(found.systems)))
            yield

    def _check(self, labels: File) -> None:
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


@dataclass(frozen=True)
class _SortedLabels:
    """Labels of a file whose rows are sorted by topic, which are not kept."""

    file: LongFile
    known: SeenLabels
    systems: tuple[str, ...]

    @property
    def source(self) -> str:
        return self.file.rows.source

    def labels(self) -> Iterable[Sequence[str]]:
        for row, batch in self.file.batches([self.file.topic_column, self.file.system_column]):
            yield list(dict.fromkeys(self.file.coded(batch, row)[0].names))

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        return self.known


@dataclass(frozen=True)
class _ListedLabels:
    """Labels of a file whose rows are in any order, which are kept as a list."""

    source: str
    topics: Sequence[str]
    systems: tuple[str, ...]

    def labels(self) -> Iterable[Sequence[str]]:
        for start in range(0, len(self.topics), _LABELS):
            yield self.topics[start : start + _LABELS]

    def seen(self, wanted: Iterable[str]) -> SeenLabels:
        found = SeenLabels(wanted)
        for labels in self.labels():
            found.add(labels)
        return found


# --- Standardization from a Parquet file to another, with little memory whatever their size ---

#: Scores of a block: 8 MB of doubles.
BLOCK = 1 << 20


def standardize_parquet(
    source: str | Path,
    target: str | Path,
    how: Scheme | str | Standardizer,
    *,
    jobs: int = 1,
    topic_column: str | None = None,
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

    Memory is needed for a few blocks of topics, and for 8 bytes per topic. A file with one row per
    score is first partitioned by topic into files beside `target`, of 24 bytes per row, unless the
    rows of each topic are together; then the labels of the topics are in memory as well.

    Parameters
    ----------
    source, target
        The files. `target` is written completely or not at all.
    how
        A scheme, its spelling, or a `Standardizer` with its policies.
    jobs
        Number of threads, each for one block; the result does not depend on it.
    topic_column, system_column, score_column
        The columns of topics, systems and scores, one each, if their headers do not identify them.
        Other columns are copied.
    systems_as_rows
        False if the rows are topics and no header says so, as for `read_scores`; True is refused.
    keep_topics, keep_systems
        Labels that look like those of summaries but are not, as for `read_scores`.
    block
        Approximate number of scores of a block; at least one topic.
    progress
        Function called with the number of topics done and the total. If rows are partitioned, each
        topic counts twice: when it is standardized, and when its rows are written.

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
    <225 topics x 67 systems standardized by empirical:convention=weak, in 1 block>
    >>> done.means["mean"].idxmax()
    'combsum_bm25_lsa200'
    """
    source, target, how = Path(source), Path(target), standardizer_of(how)
    for name, number in (("jobs", jobs), ("block", block)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise SchemeError(f"{name}={number!r} is not accepted; expected 1 or more")
    check_ending(target, [".parquet"])
    if source.exists() and target.exists() and source.samefile(target):
        raise OutputError(f"{target} is the file of the scores; expected another file to write")
    check_target(target)
    reading = How.given(
        topic_column=topic_column,
        system_column=system_column,
        score_column=score_column,
        systems_as_rows=systems_as_rows,
        keep_topics=keep_topics,
        keep_systems=keep_systems,
    )
    with ParquetRows.opened(source) as rows:
        reading, several = reading.one_header(rows.source, rows.headers)
        if several:
            raise ScoresError(
                f"{rows.source} is streamed, and a label in a stream is that of one column; "
                f"expected one instead of {several[0][0]}, or a file that fits in memory"
            )
        columns = long_columns(rows.source, rows.headers, reading, rows.cells)
        if columns is None:
            reading = reading.of_matrix(rows.source)
            scores: WideScores | LongScores = WideScores(rows, reading, how)
        else:
            scores = LongScores(rows, reading, how, columns, target)
        with scores.opened(block):
            done = _written(scores, target, how, jobs, progress)
    warn_of(done.cautions)
    return done


def _written(
    scores: WideScores | LongScores,
    target: Path,
    how: Standardizer,
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Streamed:
    """Write the standardized scores, unless an error is found before the last block."""
    tally = Tally(how, scores.systems, lower_on_all=scores.lower_on_all)
    results: list[Streamed] = []

    def pieces() -> Iterator[bytes]:
        tables = scores.tables(tally, partial(in_threads, threads=jobs), progress)
        yield from parquet_pieces(tables, labels=scores.labels, repeated=scores.repeated)
        results.append(tally.result(scores.doubts, scores.notes))  # or an error of all blocks

    write_whole({target: pieces()})
    return results[0]


# --- Standardization of a part of the topics, as of a data frame of Dask ---

_SOURCE = "the partition"


def standardize_partition(
    part: pd.DataFrame,
    how: Scheme | str | Standardizer,
    systems: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Standardize some topics, fitted to their own scores; for ``map_partitions`` of Dask.

    y = F_t(x) depends on one topic, so that the numbers equal those of `Standardizer.standardize`
    if all scores of a topic are in one part. Scores are topics x systems, with the topics as the
    index or the first column; or rows of topic, system and score, and the result has these rows.
    A part without rows, which Dask's shuffle may produce, is returned unchanged.

    Parameters
    ----------
    part
        A data frame of pandas.
    how
        A scheme, its spelling, or a `Standardizer` with its policies.
    systems
        The systems in the order of summation, for rows of topic, system and score only. The default
        is the order of their first rows in the part. In another order, sums may differ in the last
        digit. A system without a row on a topic has a missing score there.

    Raises
    ------
    ScoresError
        If the part has no scores; for a row without a topic or a system, and a score that is not a
        number; for a system that is not one of `systems`; if the labels of `systems` are not
        different; and if `systems` is given and there is one column per system.
    CdfscoreError
        For input that `Standardizer.standardize` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame(
    ...     {"topic": ["301"] * 3, "system": ["bm25", "lsa", "ql"], "score": [0.2, 0.4, 0.3]}
    ... )
    >>> standardize_partition(rows, "empirical").round(3)
      topic system  score
    0   301   bm25  0.333
    1   301    lsa  1.000
    2   301     ql  0.667
    """
    how = standardizer_of(how)
    names = None if systems is None else _labels(systems)
    columns = columns_of_frame(_SOURCE, part, How())
    if columns is None:
        if names is not None:
            raise ScoresError(
                f"systems are given, and {_SOURCE} has no columns of topic, system and score; "
                "expected systems only for such rows"
            )
        if part.empty:
            return part
        given = ScoreMatrix.of(part)
        return _wide(given, _block(how, given))
    if columns.system is None or columns.measure is not None or None not in columns.scores:
        raise ScoresError(
            f"{_SOURCE} has a row for each score; expected columns of topic, system and score alone"
        )
    column = columns.scores[None] - flat(part).shape[1] + part.shape[1]
    if column < 0:
        raise ScoresError(f"{_SOURCE} has the scores in its index; expected a column of scores")
    if part.empty:
        return part
    read = results_of_frame(_SOURCE, part, columns, How(), None)
    rows, names = _rows(read, names)
    given = matrix_of_rows(_SOURCE, rows, tuple(names), how, partial(_places, read))
    block = _block(how, given)
    result = part.copy()
    result.isetitem(column, scores_of_rows(block, rows))
    return result[block.kept[rows.topic]]


def _labels(systems: object) -> list[str]:
    """Return the systems that a user gives; raises `ScoresError`."""
    if isinstance(systems, str | bytes) or not isinstance(systems, Iterable):
        raise ScoresError(f"systems={systems!r} is not accepted; expected a list of labels")
    names = texts(list(systems))
    check_labels("systems", "system", names, (f"place {i + 1}" for i in range(len(names))))
    return names


def _rows(read: Results, names: list[str] | None) -> tuple[RowsOfTopics, list[str]]:
    """Return the rows, with systems numbered in the order of their names; and these."""
    read.check_names()
    topics, of_rows = read.topics, read.of_systems()
    names = of_rows.names if names is None else names
    if unknown := set(of_rows.names).difference(names):
        raise ScoresError(
            f"{_SOURCE} has the system {min(unknown)!r}, which is not one of systems; expected all"
        )
    rows = len(topics.codes)
    refuse_sparse(_SOURCE, len(topics.names), len(names), rows)
    place = {name: number for number, name in enumerate(names)}
    lookup = np.array([place[name] for name in of_rows.names], dtype=np.int64)
    scores = scores_of(read.scores, np.arange(rows), read.cell, read.missing)
    return RowsOfTopics(topics.names, topics.codes, lookup[of_rows.codes], scores), names


def _places(read: Results, topic: str, system: str) -> tuple[str, str]:
    """Return the first two rows of a topic and a system."""
    found = np.flatnonzero(read.topics.are(topic) & read.of_systems().are(system)) + 1
    return f"row {found[0]}", f"row {found[1]}"


def _block(how: Standardizer, given: ScoreMatrix) -> Block:
    block = alone(standardized_block, how, given)  # other partitions have the other cores
    if how.constant == "raise" and block.constant_topics:
        raise constant_refused(
            f"topic {block.constant_topics[0]!r}: all its reference scores are equal"
        )
    return block


def _wide(given: ScoreMatrix, block: Block) -> pd.DataFrame:
    return pd.DataFrame(block.y, index=given.frame.index[block.kept], columns=given.frame.columns)
