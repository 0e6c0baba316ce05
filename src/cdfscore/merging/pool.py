"""Documents of all sources together, by topic, each with the score of its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.run import Run

#: Numbers of topics, sources and ids: there may be millions of each, and 4 bytes are enough.
Codes = NDArray[np.int32]


# Number of documents sorted at a time; limits the memory besides the lists and the result.
_BATCH = 1 << 18


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents of the lists of all sources, by topic; within one by source and rank.

    Attributes
    ----------
    sources
        Names of the sources.
    topics
        Labels of the topics.
    ids
        Ids of all documents, each once, a pyarrow array of strings.
    starts
        Where the documents of each topic begin, and where the last end, (topics + 1,).
    source
        Number of the source of each document, from 0, (documents,).
    document
        Number of its id.
    scores
        Its score; higher is better.
    of_one_source
        True if each id is in one source only, so that no topic has a document twice.
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
    def of(cls, runs: Sequence[Run]) -> Pool:
        """Put the lists of sources together."""
        return cls.joined(batches(runs))

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

    def without_empty_topics(self) -> Pool:
        """Return the pool without topics that have no document, which no file of a run has."""
        there = np.diff(self.starts) > 0
        return replace(
            self,
            topics=tuple(compress(self.topics, there.tolist())),
            starts=np.append(0, self.starts[1:][there]),
        )

    def scored(self, scores: Array) -> Pool:
        """Return the documents with other scores."""
        return replace(self, scores=scores)

    def contenders(self, keep: int | None) -> Pool:
        """Leave out documents with a score below the `keep`-th highest of their topic.

        Finding this score takes a seventh of the time of sorting.
        """
        if keep is None or not (np.diff(self.starts) > keep).any():
            return self
        kept = np.ones(len(self.scores), np.bool_)
        for start, end in pairwise(self.starts.tolist()):
            if end - start > keep:
                own = self.scores[start:end]
                place = end - start - int(keep)  # of a number such as 10.0
                kept[start:end] = own >= np.partition(own, place)[place]
        return self.chosen(np.flatnonzero(kept))

    def first(self, keep: int | None) -> Pool:
        """Return the first documents of each topic of a ranked pool; all for None."""
        if keep is None or not (np.diff(self.starts) > keep).any():
            return self
        within = np.arange(len(self.source)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        return self.chosen(np.flatnonzero(within < keep))

    def ranked(self) -> Pool:
        """Order the documents of each topic by descending score, then by descending id."""
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
        order[member] = places[np.lexsort((-self._rank_of_ids(places), group))]
        return self.chosen(order)

    @property
    def tied(self) -> BoolArray:
        """True for each document that has the score of the one before it in its topic."""
        same = np.append(False, self.scores[1:] == self.scores[:-1])
        same[self.starts[:-1][np.diff(self.starts) > 0]] = False
        return same

    def _rank_of_ids(self, places: IntArray) -> IntArray:
        """Return the ranks of the ids of some documents, by their bytes in UTF-8."""
        import pyarrow.compute as pc

        codes, own = np.unique(self.document[places], return_inverse=True)
        order = pc.sort_indices(self.ids.take(codes)).to_numpy()
        ranks = np.empty(len(codes), dtype=np.int64)
        ranks[order] = np.arange(len(codes))
        return ranks[own]

    def as_run(self, name: str) -> Run:
        """Return the documents of a ranked pool as a run, ranks from 1; ids as they are coded."""
        import pyarrow as pa

        ranks = np.arange(1.0, len(self.source) + 1) - self.starts[self.topic]
        documents = pa.DictionaryArray.from_arrays(self.document, self.ids)
        return Run(name, name, self.topics, self.starts, documents, self.scores, ranks)


def batches(runs: Sequence[Run]) -> Iterator[Pool]:
    """Put the lists of sources together, and yield the documents of some topics at a time.

    The topics of the first source come first, then other topics in the order of their appearance.
    """
    import pyarrow as pa

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
        first = (
            np.cumsum(own_lengths).reshape(own_lengths.shape) - own_lengths
        )  # place of each list here
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
    """Return the number of each element within its run of equal ones, from 0.

    Examples
    --------
    >>> within_runs(np.array([4, 4, 4, 2, 2])).tolist()
    [0, 1, 2, 0, 1]
    """
    new = np.append(True, codes[1:] != codes[:-1])
    (starts,) = np.nonzero(new)
    found: IntArray = np.arange(len(codes)) - starts[np.cumsum(new) - 1]
    return found
