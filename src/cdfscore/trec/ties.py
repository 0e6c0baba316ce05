"""What the ranks in the file of a run say of the order in which it is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.io.text import counted, listed, part_of
from cdfscore.numerics.types import BoolArray
from cdfscore.trec.ranking import Ranking


@dataclass(frozen=True)
class RankConflicts:
    """How often the order of a run is not that of the ranks in its file.

    Attributes
    ----------
    topics
        Number of topics.
    contradicted
        Topics with documents of a better rank and a lower score.
    reordered
        Of the other topics, those with equal scores in another order than their ranks.
    documents
        Documents with such scores.
    """

    topics: int
    contradicted: int
    reordered: int
    documents: int

    @classmethod
    def of(cls, ranking: Ranking) -> RankConflicts:
        """Compare the order of a ranking with the ranks of the file."""
        ranks, topic, tied = ranking.run.ranks[ranking.order], ranking.topic, ranking.tied
        topics = len(ranking.run.topics)
        inverted = np.concatenate(
            [[False], (ranks[1:] < ranks[:-1]) & (topic[1:] == topic[:-1])]  # False for NaN
        )
        contradicted = _any(inverted & ~tied, topic, topics)
        group = np.cumsum(~tied)  # of equal scores
        groups = np.zeros(len(ranks) + 1, np.bool_)
        groups[group[inverted & tied & ~contradicted[topic]]] = True
        reordered = _any(groups[group], topic, topics)
        return cls(topics, int(contradicted.sum()), int(reordered.sum()), int(groups[group].sum()))


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
    reordered = {name: each for name, each in conflicts.items() if each.reordered}
    if reordered:
        where = [
            f"{name!r} ({c.documents:,} documents in {part_of(c.reordered, c.topics, 'topic')})"
            for name, c in reordered.items()
        ]
        found.append(
            "scores that are equal in single precision stand in another order than their ranks in "
            f"the file of {counted(len(where), 'system')}, {listed(where)}: they are ordered by "
            "descending document id, as in trec_eval; scores with more digits would have no such "
            "ties"
        )
    return found


def _any(flags: BoolArray, topic: Sequence[int] | np.ndarray, topics: int) -> BoolArray:
    """Tell which topics have a document with a flag."""
    found = np.zeros(topics, np.bool_)
    found[np.asarray(topic)[flags]] = True
    return found
