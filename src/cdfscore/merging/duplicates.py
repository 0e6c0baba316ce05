"""Policies for documents that several sources return for a topic."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from cdfscore.errors import RunError, SchemeError
from cdfscore.io.text import listed
from cdfscore.merging.pool import Pool
from cdfscore.numerics.types import IntArray
from cdfscore.spelling import argument, check_one_of

DuplicatePolicy = Literal["refuse", "best", "sum", "mnz"]
POLICIES: tuple[str, ...] = get_args(DuplicatePolicy)


def check_policy(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy.

    refuse  an error that names the topic, the document and its sources
    best    the highest of the scores of the document
    sum     the sum of its scores: CombSUM of Fox and Shaw (1994)
    mnz     that sum times the number of its lists: CombMNZ of Fox and Shaw (1994)
    """
    check_one_of("duplicates", policy, POLICIES, SchemeError)


def resolved(policy: DuplicatePolicy, pool: Pool) -> tuple[Pool, int]:
    """Return each document of a topic once, and the number of documents in several lists.

    The source of a document is the first one with its highest score. Raises `RunError` under
    "refuse".
    """
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
        raise _refused(pool, np.sort(order[place : place + number]))
    values = scores[first]
    if policy != "best":
        # Added from the highest on, so that the sum does not depend on the order of the sources.
        values = np.bincount(np.cumsum(new) - 1, scores).astype(np.float64)
    if policy == "mnz":
        values = values * count
    back = np.argsort(order[first], kind="stable")
    return pool.chosen(order[first][back], values[back]), int((count > 1).sum())


def _refused(pool: Pool, places: IntArray) -> RunError:
    topic = pool.topics[pool.topic[places[0]]]
    document = pool.ids[int(pool.document[places[0]])].as_py()
    sources = listed([repr(pool.sources[each]) for each in pool.source[places]])
    return RunError(
        f"topic {topic!r}: document {document!r} is in the lists of the sources {sources}; "
        f"expected each document in one list, or {argument('duplicates', 'best', 'sum', 'mnz')}"
    )
