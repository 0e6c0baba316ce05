"""Notes and cautions of merging: on omitted lists, ties, duplicates and weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import counted, listed, part_of
from cdfscore.merging.normalization import Normalized
from cdfscore.merging.pool import Pool
from cdfscore.schemes.base import Scheme

if TYPE_CHECKING:
    import pandas as pd


def of_raw(scheme: Scheme) -> list[str]:
    """Return a caution if raw scores of different sources are merged."""
    if not scheme.keeps_unit:
        return []
    return [
        "raw scores are merged as they are: the order is right only if all sources score documents "
        "on the same scale"
    ]


def of_constant(found: Sequence[Normalized], scheme: Scheme, policy: str) -> list[str]:
    """Return a caution with the number of lists of equal scores, and the score they get."""
    places = [(each.run, topic) for each in found for topic in each.constant]
    if not places or scheme.keeps_unit:
        return []
    run, topic = places[0]
    place = run.topics.index(topic)
    value = run.scores[run.starts[place]]
    lists = sum(len(each.run.topics) for each in found)
    return [
        f"{len(places)} of {counted(lists, 'list')} have equal scores only, as a list of one "
        f"document has (source {run.system!r}, topic {topic!r}): by the policy {policy} their "
        f"documents get {value:g}"
    ]


@dataclass
class Ties:
    """Numbers of documents with the same score as another document of their topic.

    Attributes
    ----------
    documents
        Number of all documents.
    equal
        Number of documents with the same score as another document.
    nearly
        Number of documents with the score of the document before in single precision only.
    topics
        Number of topics.
    at_the_top
        For topics with several documents of the highest score, the number of these documents.
    """

    documents: int = 0
    equal: int = 0
    nearly: int = 0
    topics: int = 0
    at_the_top: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, pool: Pool) -> Ties:
        """Count the ties of some ranked topics."""
        tied = pool.tied
        with np.errstate(over="ignore"):
            single = pool.scored(pool.scores.astype(np.float32).astype(np.float64))
        # The documents at the top end before the first document with another score.
        ends = np.flatnonzero(~np.append(tied, False))
        first = pool.starts[:-1]
        number = ends[np.searchsorted(ends, first, side="right")] - first
        return cls(
            len(tied),
            int((tied | np.append(tied[1:], False)).sum()),
            int((single.tied & ~tied).sum()),
            len(pool.topics),
            number[number > 1].tolist(),
        )

    def add(self, others: Ties) -> None:
        """Add the ties of other topics."""
        self.documents += others.documents
        self.equal += others.equal
        self.nearly += others.nearly
        self.topics += others.topics
        self.at_the_top += others.at_the_top

    @property
    def cautions(self) -> list[str]:
        """Return cautions if documents are ordered by their ids, mostly or at the top of lists."""
        said = [f"{self._equal}: most of the order is arbitrary"] if self._are_most else []
        if self.at_the_top:
            most = max(self.at_the_top)
            said.append(
                f"in {part_of(len(self.at_the_top), self.topics, 'topic')} several documents (up "
                f"to {most}) share the highest score: they are ordered by their ids, which affects "
                "measures of the first ranks, such as P@10"
            )
        return said

    @property
    def notes(self) -> list[str]:
        """Return notes on documents with equal scores, or with scores equal in single precision."""
        said = [self._equal] if self.equal and not self._are_most else []
        if self.nearly:
            said.append(
                f"{counted(self.nearly, 'document')} with the score of the document before in "
                "single precision, but a lower score in double precision: trec_eval orders them by "
                "descending document id"
            )
        return said

    @property
    def _are_most(self) -> bool:
        return 2 * self.equal > self.documents

    @property
    def _equal(self) -> str:
        return (
            f"{self.equal:,} of {counted(self.documents, 'document')} have the same score as "
            "another document of their topic, and are ordered by descending document id, as in "
            "trec_eval"
        )


def of_absent(topics: Mapping[str, Collection[str]]) -> list[str]:
    """Return a note on sources without lists for some topics, from the topics of each source."""
    every = len(set().union(*topics.values()))
    short = {source: every - len(own) for source, own in topics.items() if len(own) < every}
    if not short:
        return []
    words = [f"{source} for {count}" for source, count in short.items()]
    return [f"of {counted(every, 'topic')}, some sources have no list: {listed(words)}"]


def of_unfitted(found: Sequence[Normalized], scheme: Scheme) -> list[str]:
    """Return a note on lists that were omitted because the scheme cannot be fitted to them."""
    left = [
        (each.run.system, topic, reason)
        for each in found
        for topic, reason in each.unfitted.items()
    ]
    if not left:
        return []
    system, topic, reason = left[0]
    return [
        f"{counted(len(left), 'list')} omitted, because {scheme} cannot be fitted: source "
        f"{system!r}, topic {topic!r}: {reason}" + (", and others" if len(left) > 1 else "")
    ]


_ONCE = {
    "best": "with its highest score",
    "sum": "with the sum of its scores",
    "mnz": "with the sum of its scores times the number of its lists",
}


def of_duplicates(repeated: int, policy: str) -> list[str]:
    """Return a note with the number of documents that several sources return."""
    if not repeated:
        return []
    number = counted(repeated, "document")
    return [f"{number} in the lists of several sources: each is kept once, {_ONCE[policy]}"]


def of_weights(weights: pd.DataFrame, sources: Collection[str]) -> list[str]:
    """Return a note on sources with weights but without lists."""
    absent = [str(source) for source in weights.columns if source not in sources]
    return [f"sources with weights and without lists: {listed(absent)}"] if absent else []


def of_zero_weights(weights: pd.DataFrame, topics: Mapping[str, Collection[str]]) -> list[str]:
    """Return a caution with the number of lists with weight 0, whose documents all score 0."""
    zero = {
        source: int((weights[source].reindex(list(own)) == 0).sum())
        for source, own in topics.items()
        if source in weights
    }
    if not any(zero.values()):
        return []
    lists = counted(sum(len(own) for own in topics.values()), "list")
    return [
        f"{sum(zero.values())} of {lists} have the weight 0: their documents have the score 0, and "
        "are ordered by their ids, not as in their lists"
    ]
