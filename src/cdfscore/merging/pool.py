"""Documents of all sources together, by topic, each with the score of its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.run import Run


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
    topic: IntArray
    source: IntArray
    document: IntArray
    scores: Array

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Pool:
        """Put the lists of sources together."""
        import pyarrow as pa

        numbers: dict[str, int] = {}
        for run in runs:
            for label in run.topics:
                numbers.setdefault(label, len(numbers))
        topics = [
            np.repeat([numbers[label] for label in run.topics], np.diff(run.starts)) for run in runs
        ]
        coded = pa.chunked_array([run.documents for run in runs]).dictionary_encode().chunks
        topic: IntArray = np.concatenate(topics).astype(np.int64)
        order = np.argsort(topic, kind="stable")
        source: IntArray = np.repeat(np.arange(len(runs)), [len(each) for each in topics])
        return cls(
            tuple(run.system for run in runs),
            tuple(numbers),
            coded[-1].dictionary,  # that of all
            topic[order],
            source[order],
            np.concatenate([each.indices.to_numpy() for each in coded])[order],
            np.concatenate([run.scores for run in runs])[order],
        )

    @property
    def lists(self) -> IntArray:
        """Number of the list of each document: topic x sources + source."""
        return self.topic * len(self.sources) + self.source

    @property
    def rank(self) -> Array:
        """Rank of each document in its list, from 1, before the pool is ranked."""
        return within_runs(self.lists).astype(np.float64) + 1

    def chosen(self, places: IntArray, scores: Array | None = None) -> Pool:
        """Return some of the documents, in this order, perhaps with other scores."""
        return Pool(
            self.sources,
            self.topics,
            self.ids,
            self.topic[places],
            self.source[places],
            self.document[places],
            self.scores[places] if scores is None else scores,
        )

    def scored(self, scores: Array) -> Pool:
        """Return the documents with other scores."""
        return replace(self, scores=scores)

    def ranked(self) -> Pool:
        """Order the documents of each topic by descending score, then by descending id."""
        order: IntArray = np.lexsort((-self.scores, self.topic))
        found = self.chosen(order)
        tied = found.tied
        if tied.any():
            member = tied | np.append(tied[1:], False)
            places = order[member]
            group = np.cumsum(~tied)[member]
            order[member] = places[np.lexsort((-self._rank_of_ids(places), group))]
            found = self.chosen(order)
        return found

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
        ranks = np.empty(len(codes), dtype=np.intp)
        ranks[order] = np.arange(len(codes))
        return ranks[own]

    def as_run(self, name: str) -> Run:
        """Return the documents of a ranked pool as a run, ranks from 1."""
        sizes = np.bincount(self.topic, minlength=len(self.topics))
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        ranks = np.arange(len(self.topic)) - starts[self.topic] + 1.0
        return Run(
            name, name, self.topics, starts, self.ids.take(self.document), self.scores, ranks
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
