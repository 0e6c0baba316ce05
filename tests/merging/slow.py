"""Merging in plain Python, document by document, and lists to try it on."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from cdfscore.errors import FitError
from cdfscore.retrieval.merging import Merged
from cdfscore.stats.schemes.base import Scheme

#: Scores of documents by source, topic and document.
Lists = dict[str, dict[str, dict[str, float]]]
#: A row of a merged list: topic, document, rank, score, source.
Row = tuple[str, str, int, float, str]

SOURCES = ("a", "b", "c")
TOPICS = ("7", "8", "9")
IDS = ("d1", "d10", "d2", "D", "é", "ﬀ", "\U0001f600", "d-", "~")


def lists_of(scores: st.SearchStrategy[float], ids: tuple[str, ...] = IDS) -> Any:
    """Return lists of one source or more, with documents that several sources have."""
    of_topic = st.dictionaries(st.sampled_from(ids), scores, min_size=1)
    of_source = st.dictionaries(st.sampled_from(TOPICS), of_topic, min_size=1)
    return st.dictionaries(st.sampled_from(SOURCES), of_source, min_size=1)


#: Fractions, many of them tied.
TIED = st.integers(1, 19).map(lambda k: k / 20)


class Given(NamedTuple):
    """A document in a list: number of the source, score."""

    source: int
    score: float


def order_of(scores: Mapping[str, float], *, single: bool) -> list[str]:
    """Order documents by score, then by the bytes of the id, both descending."""

    def key(document: str) -> tuple[float, bytes]:
        with np.errstate(over="ignore"):
            score = float(np.float32(scores[document])) if single else scores[document]
        return score, document.encode()

    return sorted(scores, key=key, reverse=True)


def y_of(scheme: Scheme) -> Callable[[list[float]], list[float] | None]:
    """Return what normalizes the scores of a list; None for one without a fit."""

    def normalized(scores: list[float]) -> list[float] | None:
        try:
            found: list[float] = scheme.fit(scores)(scores).tolist()
        except FitError:
            return None
        return found

    return normalized


def slow_merge(
    lists: Lists,
    normalize: Callable[[list[float]], list[float] | None],
    *,
    weight: Callable[[str, str], float] = lambda topic, source: 1.0,
    depth: int | None = None,
    duplicates: str = "best",
    keep: int | None = None,
) -> list[Row] | None:
    """Merge by definition; None where a document of several lists is refused."""
    rows: list[Row] = []
    names = list(lists)
    every: dict[str, dict[str, list[Given]]] = {}
    for number, (source, own_lists) in enumerate(lists.items()):
        for topic, scores in own_lists.items():
            order = order_of(scores, single=True)[:depth]
            y = normalize([scores[document] for document in order])
            for document, value in zip(order, y or [], strict=y is not None):
                found = every.setdefault(topic, {})
                found.setdefault(document, []).append(Given(number, weight(topic, source) * value))
    for topic, found in every.items():
        if duplicates == "refuse" and any(len(own) > 1 for own in found.values()):
            return None
        best = {document: max(each.score for each in own) for document, own in found.items()}
        merged = best
        if duplicates == "sum":
            # From the highest on, so that the order of the sources moves no last digit.
            merged = {
                document: sum(sorted((each.score for each in own), reverse=True))
                for document, own in found.items()
            }
        for rank, document in enumerate(order_of(merged, single=False)[:keep], start=1):
            own = found[document]
            first = next(each.source for each in own if each.score == best[document])
            rows.append((topic, document, rank, merged[document], names[first]))
    return rows


def rows_of(merged: Merged) -> list[Row]:
    """Return the rows of a merged list."""
    return [tuple(row) for row in merged.frame().itertuples(index=False)]
