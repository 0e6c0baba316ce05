"""Order of the documents of a run, as trec_eval has it, and what the ranks in its file say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.qrels import Qrels
from cdfscore.trec.run import Run


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents of a run in the order in which they are measured.

    By topic, score and document id, the last two descending. Scores are compared in single
    precision, as trec_eval 9 and pytrec_eval keep them; ids by their bytes in UTF-8.

    Attributes
    ----------
    run
        The run.
    order
        Place in the run of each document, in this order, (documents,).
    topic
        Number of its topic in the run, from 0.
    tied
        True if its score is that of the document before it in the topic.
    """

    run: Run
    order: IntArray
    topic: IntArray
    tied: BoolArray

    @classmethod
    def of(cls, run: Run) -> Ranking:
        """Order the documents of each topic."""
        topic = np.repeat(np.arange(len(run.topics)), np.diff(run.starts))
        with np.errstate(over="ignore"):  # a larger score is infinite for trec_eval, too
            key = run.scores.astype(np.float32)
        new = topic[1:] != topic[:-1]
        if ((key[1:] <= key[:-1]) | new).all():
            order = np.arange(len(key))
        else:
            order = np.lexsort((-key, topic))
        sorted_key = key[order]
        tied = np.concatenate([[False], (sorted_key[1:] == sorted_key[:-1]) & ~new])
        if tied.any():
            member = tied | np.concatenate([tied[1:], [False]])
            order[member] = _by_document(run.documents, order[member], np.cumsum(~tied)[member])
        return cls(run, order, topic, tied)

    @property
    def rank(self) -> IntArray:
        """Rank of each document in its topic, from 1."""
        return np.arange(len(self.order)) - self.run.starts[self.topic] + 1

    def top(self, depth: int | None = None) -> Run:
        """Return the run in this order without ranks, of each topic the first `depth` documents."""
        run, order = self.run, self.order
        starts, scores, documents = run.starts, run.scores, run.documents
        if depth is not None and (np.diff(starts) > depth).any():
            order = order[self.rank <= depth]
            sizes = np.minimum(np.diff(starts), depth)
            starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        if len(order) < len(scores) or (order[1:] < order[:-1]).any():
            scores, documents = scores[order], documents.take(order)
        none = np.broadcast_to(np.nan, scores.shape)  # of no memory
        return replace(run, starts=starts, documents=documents, scores=scores, ranks=none)

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return {topic: {document: score}}, with scores of this order, without ties and above 0.

        Some of the programs that ir_measures runs break ties in other ways, and one takes 0 for
        what was not returned.
        """
        run = self.run
        documents = run.documents.take(self.order).to_pylist()
        scores = (run.starts[self.topic + 1] - np.arange(len(self.order)) + 0.0).tolist()
        ends = run.starts.tolist()
        return {  # the form that ir_measures takes
            topic: dict(zip(documents[start:end], scores[start:end], strict=True))
            for topic, start, end in zip(run.topics, ends[:-1], ends[1:], strict=True)
        }


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged documents of a ranking, by topic of the run and rank.

    Attributes
    ----------
    topic
        Number of the topic in the qrels, from 0, (judged,).
    rank, relevance
        Rank in the topic, from 1, and relevance.
    """

    topic: IntArray
    rank: IntArray
    relevance: IntArray

    @classmethod
    def of(cls, ranking: Ranking, qrels: Qrels) -> Judged:
        """Find the relevance of the documents of a ranking."""
        import pyarrow.compute as pc

        words, keys, order = qrels.index
        numbers = {topic: i for i, topic in enumerate(qrels.topics)}
        topics = np.array([numbers.get(topic, -1) for topic in ranking.run.topics])[ranking.topic]
        ids = ranking.run.documents
        known_ids = pc.fill_null(pc.index_in(ids.dictionary, value_set=words), -1).to_numpy()
        documents = known_ids[ids.indices.to_numpy()][ranking.order]
        wanted = topics * len(words) + documents
        place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        known = (topics >= 0) & (documents >= 0) & (keys[place] == wanted)
        judgments = order[place[known]]
        return cls(topics[known], ranking.rank[known], qrels.relevance[judgments])


def _by_document(documents: Any, places: IntArray, group: IntArray) -> IntArray:
    """Order places by group, and by document id descending."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.table({"group": group, "document": documents.take(places).dictionary_decode()})
    keys = [("group", "ascending"), ("document", "descending")]
    return np.asarray(places[pc.sort_indices(table, sort_keys=keys).to_numpy()])


@dataclass(frozen=True)
class RankConflicts:
    """How often the order of a run is not that of the ranks in its file.

    A run has no ranks if it is no file, if one of them is no number, and if all of a topic are the
    same. Equal scores are compared with the order of the input then.

    Attributes
    ----------
    topics
        Number of topics.
    contradicted
        Topics with documents of a better rank and a lower score.
    reordered
        Of the other topics, those with equal scores in another order than their ranks, or, without
        ranks, than the input.
    documents
        Documents with such scores.
    ranked
        True if the run has ranks.
    """

    topics: int
    contradicted: int
    reordered: int
    documents: int
    ranked: bool = True

    @classmethod
    def of(cls, ranking: Ranking) -> RankConflicts:
        """Compare the order of a ranking with the ranks of the file."""
        topic, tied, topics = ranking.topic, ranking.tied, len(ranking.run.topics)
        same = topic[1:] == topic[:-1]
        ranks = ranking.run.ranks[ranking.order]
        ranked = not np.isnan(ranks).any() and bool((ranks[1:] != ranks[:-1])[same].any())
        if not ranked:
            ranks = ranking.order.astype(np.float64)
        inverted = np.concatenate([[False], (ranks[1:] < ranks[:-1]) & same])
        if not inverted.any():  # most runs
            return cls(topics, 0, 0, 0, ranked)
        worse = _worse(ranks, topic, tied) if ranked else np.zeros_like(tied)
        contradicted = _any(worse, topic, topics)
        group = np.cumsum(~tied)  # of equal scores
        groups = np.zeros(len(ranks) + 1, np.bool_)
        groups[group[inverted & tied & ~contradicted[topic]]] = True
        reordered = _any(groups[group], topic, topics)
        counts = [int(flags.sum()) for flags in (contradicted, reordered, groups[group])]
        return cls(topics, counts[0], counts[1], counts[2], ranked)


def cautions(conflicts: dict[str, RankConflicts]) -> list[str]:
    """Return a sentence on the systems of either kind of conflict."""
    found = []
    contradicted = {name: each for name, each in conflicts.items() if each.contradicted}
    if contradicted:
        where = [
            f"{name!r} ({part_of(c.contradicted, c.topics, 'topic')})"
            for name, c in contradicted.items()
        ]
        found.append(
            f"the ranks in the file contradict the scores of {counted(len(where), 'system')}, "
            f"{listed(where)}: documents are ordered by descending score, as in trec_eval"
        )
    for ranked, order in (
        (True, "the ranks in the file"),
        (False, "their order in the input, which has no ranks"),
    ):
        where = [
            f"{name!r} ({c.documents:,} documents in {part_of(c.reordered, c.topics, 'topic')})"
            for name, c in conflicts.items()
            if c.reordered and c.ranked == ranked
        ]
        if where:
            found.append(
                "documents with equal scores, compared in single precision, are ordered by "
                f"descending document id, as in trec_eval, and not by {order}: "
                f"{counted(len(where), 'system')}, {listed(where)}; scores with more digits avoid "
                "such ties"
            )
    return found


def _worse(ranks: Array, topic: IntArray, tied: BoolArray) -> BoolArray:
    """Tell which scores begin that are lower than one of a worse rank, in any distance."""
    starts = np.flatnonzero(~tied)
    # Whole numbers in the order of the ranks, larger in each later topic.
    key = topic * len(ranks) + np.unique(ranks, return_inverse=True)[1]
    worst = np.maximum.accumulate(np.maximum.reduceat(key, starts))
    best = np.minimum.reduceat(key, starts)
    found = np.zeros(len(ranks), np.bool_)
    found[starts[1:]] = best[1:] < worst[:-1]
    return found


def _any(flags: BoolArray, topic: Sequence[int] | np.ndarray, topics: int) -> BoolArray:
    """Tell which topics have a document with a flag."""
    found = np.zeros(topics, np.bool_)
    found[np.asarray(topic)[flags]] = True
    return found
