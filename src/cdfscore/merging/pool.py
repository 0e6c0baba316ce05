"""Documents of all sources together, by topic, each with the score of its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.run import Run

#: Numbers of topics, sources and ids: there are millions of each, and 4 bytes hold them.
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents of the lists of all sources, by topic; within one by source and rank.

    Attributes
    ----------
    sources
        Names of the sources.
    topics
        Labels of the topics: those of the first source, then others as they come.
    ids
        Ids of all documents, each once, a pyarrow array of strings.
    topic, source
        Number of the topic and of the source of each document, from 0, (documents,).
    document
        Number of its id.
    scores
        Its score; higher is better.
    """

    sources: tuple[str, ...]
    topics: tuple[str, ...]
    ids: Any
    topic: Codes
    source: Codes
    document: Codes
    scores: Array

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Pool:
        """Put the lists of sources together."""
        import pyarrow as pa

        numbers: dict[str, int] = {}
        for run in runs:
            for label in run.topics:
                numbers.setdefault(label, len(numbers))
        own = [np.array([numbers[label] for label in run.topics], np.int32) for run in runs]
        lengths = [np.diff(run.starts) for run in runs]
        topic = np.concatenate([np.repeat(*each) for each in zip(own, lengths, strict=True)])
        order = _stable_order(topic, len(numbers))
        # One after another, as each has tens of megabytes.
        topic = topic[order]
        source = np.repeat(np.arange(len(runs), dtype=np.int32), list(map(np.sum, lengths)))[order]
        scores = np.concatenate([run.scores for run in runs])[order]
        coded = pa.chunked_array([run.documents for run in runs]).unify_dictionaries().chunks
        document = np.concatenate([each.indices.to_numpy() for each in coded])[order]
        ids = coded[-1].dictionary  # that of all
        names = tuple(run.system for run in runs)
        return cls(names, tuple(numbers), ids, topic, source, document, scores)

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

    @property
    def starts(self) -> IntArray:
        """Where the documents of each topic begin, and where the last end, (topics + 1,)."""
        sizes = np.bincount(self.topic, minlength=len(self.topics))
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    def chosen(self, places: IntArray, scores: Array | None = None) -> Pool:
        """Return some of the documents, in this order, perhaps with other scores."""
        return replace(
            self,
            topic=self.topic[places],
            source=self.source[places],
            document=self.document[places],
            scores=self.scores[places] if scores is None else scores,
        )

    def scored(self, scores: Array) -> Pool:
        """Return the documents with other scores."""
        return replace(self, scores=scores)

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
        same = (self.scores[1:] == self.scores[:-1]) & (self.topic[1:] == self.topic[:-1])
        return np.append(False, same)

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

        starts = self.starts
        ranks = np.arange(1.0, len(self.topic) + 1) - starts[self.topic]
        documents = pa.DictionaryArray.from_arrays(self.document, self.ids)
        return Run(name, name, self.topics, starts, documents, self.scores, ranks)


def _stable_order(numbers: Codes, count: int) -> IntArray:
    """Return the order of some of `count` numbers, equal ones as they come."""
    # NumPy sorts numbers of 16 bits in linear time.
    small = numbers.astype(np.uint16) if count <= 1 << 16 else numbers
    return np.argsort(small, kind="stable")


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
