"""Merging by ranks only: round robin, and reciprocal rank fusion.

ranx also has reciprocal rank fusion; the tests compare both. ranx rejects sources without a list
for a topic, which are usual if sources are selected, and it takes ranks from the order of the lines
of a file, not from the scores; docs/decisions/0027 has the measurements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.merging.merged import Merged, finished
from cdfscore.merging.pool import batches
from cdfscore.merging.sources import read_all
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.spelling import argument

if TYPE_CHECKING:
    from cdfscore.trec.given import AnyRuns

#: The constant of reciprocal rank fusion in its paper.
RRF_K = 60


def round_robin(
    runs: AnyRuns,
    *,
    depth: int | None = None,
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge lists in turns: the first documents of all sources, then the second, and so on.

    Within a turn, sources have the order in which they are given; a source without further
    documents is skipped. A document that several sources return has its first position. The scores
    are n - 1, n - 2, ..., 0 for the n documents of a topic, so that trec_eval keeps the order.

    Parameters
    ----------
    runs, depth, keep, name
        As of `merge`.

    Raises
    ------
    RunError, SchemeError
        As `merge`, for runs and depths.

    Examples
    --------
    >>> from cdfscore.merging import round_robin
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d7": 0.2}}}
    >>> round_robin(lists).frame()["document"].tolist()
    ['d1', 'd7', 'd2']
    """
    lists, told = read_all(runs, depth, keep)
    # By turn, and within a turn by source: whole numbers, each once in a topic.
    pools = (pool.scored(-(pool.rank * len(pool.sources) + pool.source)) for pool in batches(lists))
    found = finished(pools, "best", name, keep=keep, notes=told)
    ranked = found.pool
    sizes = np.repeat(np.diff(ranked.starts), np.diff(ranked.starts))
    scores = sizes - ranked.as_run(name).ranks
    return replace(found, parts=(ranked.scored(scores),))


def rrf(
    runs: AnyRuns,
    k: float = RRF_K,
    *,
    depth: int | None = None,
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge lists by reciprocal rank fusion: the score of a document is the sum of 1 / (k + rank).

    The sum is over the lists that contain the document, with ranks from 1. In disjoint lists all
    documents with the same rank have the same score, so most of the order is arbitrary.

    Parameters
    ----------
    runs, depth, keep, name
        As of `merge`.
    k
        A number of at least 0; 60 in the paper.

    Raises
    ------
    RunError, SchemeError
        As `merge`, for runs and depths, and for k.

    Warns
    -----
    CdfscoreWarning
        If most merged scores are equal.

    References
    ----------
    Cormack, Clarke and Buettcher (2009), Reciprocal Rank Fusion Outperforms Condorcet and
    Individual Rank Learning Methods.

    Examples
    --------
    >>> from cdfscore.merging import rrf
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d2": 0.2, "d7": 0.1}}}
    >>> rrf(lists).frame()[["document", "score"]].round(4).values.tolist()
    [['d2', 0.0325], ['d1', 0.0164], ['d7', 0.0161]]
    """
    number = finite_number(k)
    if number is None or number < 0:
        raise SchemeError(
            f"{argument('k', k, shown=shown)} is not accepted; expected a number of at least 0"
        )
    lists, told = read_all(runs, depth, keep)
    pools = (pool.scored(1 / (number + pool.rank)) for pool in batches(lists))
    return finished(pools, "sum", name, keep=keep, notes=told)
