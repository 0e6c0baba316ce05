"""What the ranks in the file of a run, or its lines, say of the order in which it is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.ranking import Ranking


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
