"""Runs pooled by topic: duplicates, remarks, sources, and the merged result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import counted, listed, notes_of_files, part_of
from cdfscore.common.threads import in_threads
from cdfscore.errors import RunError, SchemeError, check_one_of
from cdfscore.retrieval.runs import (
    AnyRuns,
    NamedRun,
    Ranking,
    Run,
    check_labels,
    lines_of,
    named_once,
    read_run,
    runs_given,
)
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# --- Documents of all sources together, by topic, each with the score of its source ---

#: Numbers of topics, sources and ids: there may be millions of each, and 4 bytes are enough.
Codes = NDArray[np.int32]


# Number of documents sorted at a time; limits the memory besides the lists and the result.
_BATCH = 1 << 18


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents of the lists of all sources, by topic; within one by source and rank.

    `ids` has the id of each document once. `starts` (topics + 1,) has where the documents of each
    topic begin, and where the last end. Each document has the number of its `source`, of its id
    (`document`) and its score. `of_one_source` is True if each id is in one source only.
    """

    sources: tuple[str, ...]
    topics: tuple[str, ...]
    ids: Any
    starts: IntArray
    source: Codes
    document: Codes
    scores: Array
    of_one_source: bool

    @classmethod
    def joined(cls, parts: Iterable[Pool]) -> Pool:
        """Put pools of different topics together, one after another."""
        found = list(parts)
        before = np.cumsum([0, *(len(part.source) for part in found)])
        starts = [part.starts[1:] + offset for part, offset in zip(found, before, strict=False)]
        return replace(
            found[0],
            topics=tuple(topic for part in found for topic in part.topics),
            starts=np.concatenate([[0], *starts]),
            source=np.concatenate([part.source for part in found]),
            document=np.concatenate([part.document for part in found]),
            scores=np.concatenate([part.scores for part in found]),
        )

    @property
    def topic(self) -> Codes:
        """Number of the topic of each document."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.starts))

    @property
    def lists(self) -> IntArray:
        """Number of the list of each document: topic x sources + source."""
        return self.topic * np.int64(len(self.sources)) + self.source

    @property
    def keys(self) -> IntArray:
        """Number of each pair of a topic and a document."""
        return self.topic * np.int64(len(self.ids)) + self.document

    @property
    def rank(self) -> Array:
        """Rank of each document in its list, from 1, before the pool is ranked."""
        return within_runs(self.lists).astype(np.float64) + 1

    def chosen(self, places: IntArray, scores: Array | None = None) -> Pool:
        """Return some of the documents, by topic, in this order, perhaps with other scores."""
        sizes = np.bincount(self.topic[places], minlength=len(self.topics))
        return replace(
            self,
            starts=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
            source=self.source[places],
            document=self.document[places],
            scores=self.scores[places] if scores is None else scores,
        )

    def ranked(self, keep: int | None = None) -> Pool:
        """Order the documents of each topic by descending score, then by descending id.

        Of those below the `keep`-th highest score none is sorted, and `keep` of a topic stay:
        finding this score takes a seventh of the time of sorting.
        """
        if keep is not None and (np.diff(self.starts) > keep).any():
            kept = np.ones(len(self.scores), np.bool_)
            for start, end in pairwise(self.starts.tolist()):
                if end - start > keep:
                    own = self.scores[start:end]
                    place = end - start - int(keep)  # of a number such as 10.0
                    kept[start:end] = own >= np.partition(own, place)[place]
            found = self.chosen(np.flatnonzero(kept)).ranked()
            sizes = np.diff(found.starts)
            within = np.arange(len(found.source)) - np.repeat(found.starts[:-1], sizes)
            return found.chosen(np.flatnonzero(within < keep))
        starts, down = self.starts.tolist(), -self.scores
        order = np.empty(len(down), np.int64)
        # Topic by topic: sorting all at once by two keys takes five times as long.
        for start, end in pairwise(starts):
            order[start:end] = np.argsort(down[start:end])
            order[start:end] += start
        found = self.chosen(order)
        tied = found.tied
        if not tied.any():
            return found
        (member,) = np.nonzero(tied | np.append(tied[1:], False))
        places = order[member]
        group = np.cumsum(~tied)[member]
        by_id = pc.rank(self.ids.take(self.document[places]), tiebreaker="dense").to_numpy()
        order[member] = places[np.lexsort((-by_id.astype(np.int64), group))]
        return self.chosen(order)

    @property
    def tied(self) -> BoolArray:
        """True for each document that has the score of the one before it in its topic."""
        same = np.append(False, self.scores[1:] == self.scores[:-1])
        same[self.starts[:-1][np.diff(self.starts) > 0]] = False
        return same

    def as_run(self, name: str) -> Run:
        """Return the documents of a ranked pool as a run, ranks from 1; ids as they are coded."""
        ranks = np.arange(1.0, len(self.source) + 1) - self.starts[self.topic]
        documents = pa.DictionaryArray.from_arrays(self.document, self.ids)
        return Run(name, name, self.topics, self.starts, documents, self.scores, ranks)


def batches(runs: Sequence[Run]) -> Iterator[Pool]:
    """Put the lists of sources together, and yield the documents of some topics at a time."""
    labels = tuple(dict.fromkeys(topic for run in runs for topic in run.topics))
    numbers = {label: number for number, label in enumerate(labels)}
    # Where the list of each source and topic begins, and how long it is, (topics, sources).
    starts, lengths = np.zeros((2, len(labels), len(runs)), dtype=np.int64)
    for source, run in enumerate(runs):
        own = [numbers[label] for label in run.topics]
        starts[own, source], lengths[own, source] = run.starts[:-1], np.diff(run.starts)
    coded = pa.chunked_array([run.documents for run in runs]).unify_dictionaries().chunks
    codes = [each.indices.to_numpy() for each in coded]
    names, ids = tuple(run.system for run in runs), coded[-1].dictionary  # that of all
    source_of = np.full(len(ids), -1, np.int32)
    of_one_source = True
    for source, own in enumerate(codes):
        of_one_source &= bool(np.isin(source_of[own], (-1, source)).all())
        source_of[own] = source
    ends = np.cumsum(lengths.sum(axis=1))
    batch = ends // _BATCH
    for number in np.unique(batch).tolist():
        chosen = slice(*np.searchsorted(batch, [number, number + 1]).tolist())
        own_lengths = lengths[chosen]
        # The place of each list here.
        first = np.cumsum(own_lengths).reshape(own_lengths.shape) - own_lengths
        document, scores = np.empty(own_lengths.sum(), np.int32), np.empty(own_lengths.sum())
        for source, run in enumerate(runs):
            sizes = own_lengths[:, source]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            here = np.repeat(first[:, source], sizes) + within
            there = np.repeat(starts[chosen, source], sizes) + within
            document[here], scores[here] = codes[source][there], run.scores[there]
        yield Pool(
            names,
            labels[chosen],
            ids,
            np.concatenate([[0], np.cumsum(own_lengths.sum(axis=1))]),
            np.repeat(
                np.tile(np.arange(len(runs), dtype=np.int32), len(own_lengths)), own_lengths.ravel()
            ),
            document,
            scores,
            of_one_source,
        )


def within_runs(codes: IntArray) -> IntArray:
    """Return the number of each element within its run of equal ones, from 0."""
    new = np.append(True, codes[1:] != codes[:-1])
    (starts,) = np.nonzero(new)
    found: IntArray = np.arange(len(codes)) - starts[np.cumsum(new) - 1]
    return found


# --- Policies for documents that several sources return for a topic ---

DuplicatePolicy = Literal["refuse", "best", "sum", "mnz"]


def check_duplicates(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy; specified in merge.4."""
    check_one_of("duplicates", policy, get_args(DuplicatePolicy), SchemeError)


def resolved(policy: DuplicatePolicy, pool: Pool) -> tuple[Pool, int]:
    """Return each document of a topic once, and the number of documents in several lists."""
    if pool.of_one_source:
        return pool, 0
    # The highest score of a document first; of equal scores, the first source first.
    order = np.lexsort((-pool.scores, pool.keys))
    key, scores = pool.keys[order], pool.scores[order]
    new = np.append(True, np.diff(key) > 0)
    if new.all():
        return pool, 0
    (first,) = np.nonzero(new)
    count = np.diff(np.append(first, len(key)))
    if policy == "refuse":
        place, number = int(first[count > 1][0]), int(count[count > 1][0])
        places = np.sort(order[place : place + number])
        topic, document = pool.topics[pool.topic[places[0]]], int(pool.document[places[0]])
        sources = listed([repr(pool.sources[each]) for each in pool.source[places]])
        raise RunError(
            f"topic {topic!r}: document {pool.ids[document].as_py()!r} is in the lists of the "
            f"sources {sources}; expected each document in one list, or duplicates='best', 'sum' "
            "or 'mnz'"
        )
    values = scores[first]
    if policy != "best":
        # Added from the highest on, so that the sum does not depend on the order of the sources.
        values = np.bincount(np.cumsum(new) - 1, scores).astype(np.float64)
    if policy == "mnz":
        values = values * count
    back = np.argsort(order[first], kind="stable")
    return pool.chosen(order[first][back], values[back]), int((count > 1).sum())


# --- Notes and cautions of merging: on omitted lists, ties, duplicates and weights ---


def on_ties(parts: Sequence[Pool]) -> tuple[list[str], list[str]]:
    """Return cautions and notes on documents with the same score as another one of their topic."""
    documents = equal = nearly = topics = 0
    at_the_top = list[int]()
    for pool in parts:
        tied = pool.tied
        with np.errstate(over="ignore"):
            single = replace(pool, scores=pool.scores.astype(np.float32).astype(np.float64))
        # The documents at the top end before the first document with another score.
        ends = np.flatnonzero(~np.append(tied, False))
        first = pool.starts[:-1]
        number = ends[np.searchsorted(ends, first, side="right")] - first
        at_the_top += number[number > 1].tolist()
        documents += len(tied)
        equal += int((tied | np.append(tied[1:], False)).sum())
        nearly += int((single.tied & ~tied).sum())
        topics += len(pool.topics)
    said = (
        f"{equal:,} of {counted(documents, 'document')} have the same score as another document of "
        "their topic, and are ordered by descending document id, as in trec_eval"
    )
    are_most = 2 * equal > documents
    cautions = [f"{said}: most of the order is arbitrary"] * are_most
    notes = [said] * (equal > 0 and not are_most)
    if at_the_top:
        cautions.append(
            f"in {part_of(len(at_the_top), topics, 'topic')} several documents (up to "
            f"{max(at_the_top)}) share the highest score: they are ordered by their ids, which "
            "affects measures of the first ranks, such as P@10"
        )
    if nearly:
        notes.append(
            f"{counted(nearly, 'document')} with the score of the document before in single "
            "precision, but a lower score in double precision: trec_eval orders them by descending "
            "document id"
        )
    return cautions, notes


_ONCE = {
    "best": "with its highest score",
    "sum": "with the sum of its scores",
    "mnz": "with the sum of its scores times the number of its lists",
}


# --- Runs of sources: read, ordered as by trec_eval, and cut at a depth ---


def read_all(
    runs: AnyRuns, depth: int | None, keep: int | None = None
) -> tuple[list[Run], list[str]]:
    """Return the first `depth` documents of all lists, a run for each source, and notes.

    Raises `SchemeError` for a depth below 1, and such a number to keep, before a run is read.
    """
    check_depth("depth", depth)
    check_depth("keep", keep)
    given = runs_given(runs)
    tops = in_threads(partial(_top, depth), given.runs)
    found: list[Run] = list(named_once(tops, "source", "lists"))
    notes = notes_of_files([(run.source, note) for run in found for note in run.notes], len(found))
    every = len(set().union(*(run.topics for run in found)))
    if short := [
        f"{run.system} for {every - len(run.topics)}" for run in found if len(run.topics) < every
    ]:
        notes.append(f"of {counted(every, 'topic')}, some sources have no list: {listed(short)}")
    return found, [*given.notes, *notes]


def as_read(runs: AnyRuns) -> list[Run]:
    """Return the runs as they are given or read, in their own order, without checks of names."""
    return [run if isinstance(run, Run) else read_run(run, n) for run, n in runs_given(runs).runs]


def _top(depth: int | None, given: NamedRun) -> Run:
    run, name = given
    return Ranking.of(run if isinstance(run, Run) else read_run(run, name)).top(depth)


def check_depth(name: str, depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is None:
        return
    number = finite_number(depth)
    if number is None or number < 1 or not number.is_integer():
        raise SchemeError(
            f"{name}={shown(depth)} is not accepted; expected a whole number of at least 1"
        )


# --- Result of `cdfscore.retrieval.merging.merge` and of the other methods of merging ---


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """Result of `merge`: one list of documents for each topic.

    Attributes
    ----------
    parts
        The documents, some topics in each part, by descending score. Equal scores are ordered by
        descending document id, as in trec_eval. If a document is in several sources, its source is
        the first one with its highest score.
    name
        The name of the merged run.
    weights
        Weights of the sources, topics x sources, or None.
    notes
        Sentences on the merging, including the cautions.
    cautions
        The notes on results that are easily misread.
    """

    parts: tuple[Pool, ...]
    name: str
    weights: pd.DataFrame | None
    notes: tuple[str, ...]
    cautions: tuple[str, ...]

    @cached_property
    def pool(self) -> Pool:
        """The documents of all topics."""
        return Pool.joined(self.parts)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources, in the order in which they were given."""
        return self.parts[0].sources

    @cached_property
    def run(self) -> Run:
        """The merged lists as a run, for `cdfscore.retrieval.measure`."""
        return self.pool.as_run(self.name)

    def encoded(self) -> Iterator[bytes]:
        """Yield the lines of the merged run as a file of TREC; raises what `encode_run` raises."""
        first = self.parts[0]
        check_labels(self.name, [topic for part in self.parts for topic in part.topics], first.ids)
        return chain.from_iterable(lines_of(part.as_run(self.name)) for part in self.parts)

    def frame(self) -> pd.DataFrame:
        """Return topic, document, rank, score and source of each document."""
        pool, run = self.pool, self.run
        return pd.DataFrame(
            {
                "topic": np.array(pool.topics, dtype=object)[pool.topic],
                "document": run.documents.dictionary_decode().to_pandas(),
                "rank": run.ranks.astype(np.int64),
                "score": pool.scores,
                "source": np.array(pool.sources, dtype=object)[pool.source],
            }
        )

    def __repr__(self) -> str:
        topics, documents = len(self.pool.topics), len(self.pool.topic)
        size = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
        return f"<Merged {self.name!r}: {counted(len(self.sources), 'source')}, {size}>"


def finished(
    pools: Iterable[Pool],
    duplicates: DuplicatePolicy,
    name: str,
    *,
    keep: int | None = None,
    notes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    weights: pd.DataFrame | None = None,
) -> Merged:
    """Return the merged lists of scored documents, given by topic, and warn of the cautions."""
    parts, repeated = list[Pool](), 0
    for part, count in in_threads(partial(_ranked, duplicates, keep), pools):
        parts.append(part)
        repeated += count
    if not any(len(part.source) for part in parts):
        raise RunError("no document is left in any list; expected one or more")
    of_ties, on_some = on_ties(parts)
    found = [*cautions, *of_ties]
    everything = list(notes)
    if repeated:
        number = counted(repeated, "document")
        everything.append(
            f"{number} in the lists of several sources: each is kept once, {_ONCE[duplicates]}"
        )
    everything += [*on_some, *found]
    warn_of(found)
    return Merged(tuple(parts), name, weights, tuple(everything), tuple(found))


def _ranked(duplicates: DuplicatePolicy, keep: int | None, pool: Pool) -> tuple[Pool, int]:
    """Return the documents of some topics in order, and how many were there twice."""
    once, repeated = resolved(duplicates, pool)
    bad = ~np.isfinite(once.scores)
    if bad.any():
        place = int(bad.argmax())
        raise RunError(
            f"topic {once.topics[once.topic[place]]!r}: the merged score of document "
            f"{once.ids[int(once.document[place])].as_py()!r} is too large for a double; expected "
            "smaller scores, or smaller weights"
        )
    return once.ranked(keep), repeated
