"""Policies for documents that several sources return for a topic."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from cdfscore.errors import RunError, SchemeError
from cdfscore.io.text import listed
from cdfscore.merging.pool import Pool
from cdfscore.numerics.types import IntArray
from cdfscore.spelling import argument

DuplicatePolicy = Literal["refuse", "best", "sum"]
POLICIES: tuple[str, ...] = get_args(DuplicatePolicy)


def check_policy(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    refuse  an error that names the topic, the document and its sources
    best    the highest of the scores of the document
    sum     the sum of its scores, added in the order of the sources: CombSUM of Fox and Shaw (1994)
    """
    if policy not in POLICIES:
        raise SchemeError(
            f"{argument('duplicates', policy)} is not accepted; expected one of "
            f"{', '.join(POLICIES)}"
        )


def resolved(policy: DuplicatePolicy, pool: Pool) -> tuple[Pool, int]:
    """Return each document of a topic once, and how many were there more than once.

    A document is of the source of its highest score, the first of several. Raises `RunError`
    under "refuse".
    """
    if _are_of_one_source(pool):
        return pool, 0
    key = pool.keys
    order = np.argsort(key, kind="stable")  # by source within a document
    new = np.append(True, np.diff(key[order]) > 0)
    if new.all():
        return pool, 0
    (first,) = np.nonzero(new)
    count = np.diff(np.append(first, len(key)))
    if policy == "refuse":
        raise _refused(pool, order[first[count > 1].min() :][: int(count[count > 1][0])])
    scores = pool.scores[order]
    best = np.maximum.reduceat(scores, first)
    group = np.cumsum(new) - 1
    at_best = np.flatnonzero(scores == best[group])
    places = order[at_best[np.unique(group[at_best], return_index=True)[1]]]
    # One after another: reduceat adds the first score last.
    values = best if policy == "best" else np.bincount(group, scores).astype(np.float64)
    back = np.argsort(places, kind="stable")
    return pool.chosen(places[back], values[back]), int((count > 1).sum())


def _are_of_one_source(pool: Pool) -> bool:
    """Tell whether each id is of one source, whose lists have it once."""
    source_of = np.zeros(len(pool.ids), np.int32)
    source_of[pool.document] = pool.source
    return bool((source_of[pool.document] == pool.source).all())


def _refused(pool: Pool, places: IntArray) -> RunError:
    topic = pool.topics[pool.topic[places[0]]]
    document = pool.ids[int(pool.document[places[0]])].as_py()
    sources = listed([repr(pool.sources[each]) for each in pool.source[places]])
    return RunError(
        f"topic {topic!r}: document {document!r} is in the lists of the sources {sources}; "
        f"expected each document in one list, or {argument('duplicates', 'best', 'sum')}"
    )
