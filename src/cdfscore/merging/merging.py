"""Merging of ranked lists by normalized document scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.io.scores.given import as_scores
from cdfscore.merging.normalization import (
    ConstantListPolicy,
    UnfittedListPolicy,
    caution_on_constant,
    check_policies,
    normalized,
    note_on_unfitted,
    of_documents,
)
from cdfscore.merging.pool import (
    DuplicatePolicy,
    Merged,
    Pool,
    batches,
    caution_on_raw,
    check_duplicates,
    finished,
    note_on_absent,
    note_on_weights,
    note_on_zero_weights,
    of_reading,
    read_all,
    sources_of,
)
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.schemes.base import Scheme, parse_scheme

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    from cdfscore.trec.runs import AnyRuns


# --- Merging by ranks only: round robin, and reciprocal rank fusion ---
#
# ranx also has reciprocal rank fusion; the tests compare both. ranx rejects sources without a list
# for a topic, which are usual if sources are selected, and it takes ranks from the order of the
# lines of a file, not from the scores; docs/decisions/0027 has the measurements.

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
        raise SchemeError(f"k={shown(k)} is not accepted; expected a number of at least 0")
    lists, told = read_all(runs, depth, keep)
    pools = (pool.scored(1 / (number + pool.rank)) for pool in batches(lists))
    return finished(pools, "sum", name, keep=keep, notes=told)


# --- Merging of ranked lists by normalized document scores ---


def merge(
    runs: AnyRuns,
    normalize: Scheme | str = "minmax",
    *,
    weights: IntoFrame | None = None,
    depth: int | None = None,
    duplicates: DuplicatePolicy = "refuse",
    constant: ConstantListPolicy = "limit",
    unfitted: UnfittedListPolicy = "raise",
    keep: int | None = None,
    name: str = "merged",
) -> Merged:
    """Merge the ranked lists of several sources by their normalized document scores.

    A list has the scores s of one source C for one topic q. The scheme is fitted to each list and
    gives ``y = F(s)``: for "minmax" ``(s - min) / (max - min)``, for "z" ``(s - mean) / sd`` with
    n - 1, for "sum" ``(s - min) / sum(s_i - min)``, and for another scheme its own formula. With
    weights, the merged score is ``w(C|q) * y``. The documents of a topic are ordered by merged
    score; equal scores are ordered by descending document id, as in trec_eval.

    Parameters
    ----------
    runs
        The lists, one run for each source, in any form that `cdfscore.trec.measure` accepts. Within
        a list, documents are ordered as in trec_eval. A source may lack lists for some topics; a
        source without any document is rejected.
    normalize
        A scheme, or its spelling, such as "minmax", "z", "sum", "empirical" or "kernel".
    weights
        Weights w(C|q) of at least 0, topics x sources, such as those of `selection_weights`; all 1
        if not given.
    depth
        The number of first documents of each list that are used; the cut is made before
        normalization. All are used if None.
    duplicates
        For a document that several sources return for a topic: "refuse" (an error), "best" (its
        highest score), "sum" (the sum of its scores, CombSUM) or "mnz" (the sum times the number of
        its lists, CombMNZ).
    constant
        For lists whose scores are all equal: "limit", "half" or "raise"; see
        `cdfscore.merging.normalization.check_policies`.
    unfitted
        For lists to which the scheme cannot be fitted, such as one document for "z": "raise" or
        "drop_list".
    keep
        The number of first documents of each merged list that are kept; all if None.
    name
        The name of the merged run.

    Returns
    -------
    Merged
        The topics of the first source come first, then other topics in the order of their
        appearance. Omitted lists do not count.

    Raises
    ------
    RunError
        As `cdfscore.trec.read_run`; for two sources with the same name; for a document in several
        lists of a topic under "refuse"; for a merged score that is too large for a double; and if
        there is no document.
    SchemeError
        For an unknown scheme or policy; for a depth below 1; and for weights with a scheme that
        gives scores below 0, such as z, because a smaller weight would move such a document up.
    ScoresError
        For a source or a topic without weights, and weights below 0.
    FitError
        For a list to which the scheme cannot be fitted under "raise"; `ConstantTopicError` for a
        constant list under "raise".

    Warns
    -----
    CdfscoreWarning
        For constant lists, raw scores and weights of 0. Also if documents are ordered by their ids
        at the top of merged lists, such as for "minmax", where the first documents of all lists
        have y = 1, or in most of a list, such as for "empirical".

    References
    ----------
    Markov, Linear Score Normalization Revisited; Fox and Shaw (1994), Combination of Multiple
    Searches, for sums.

    Examples
    --------
    >>> from cdfscore.merging import merge
    >>> lists = {
    ...     "a": {"301": {"d1": 12.0, "d2": 8.0, "d3": 4.0}},
    ...     "b": {"301": {"d7": 0.9, "d8": 0.8, "d9": 0.4}},
    ... }
    >>> merge(lists, "minmax").frame()
      topic document  rank  score source
    0   301       d7     1    1.0      b
    1   301       d1     2    1.0      a
    2   301       d8     3    0.8      b
    3   301       d2     4    0.5      a
    4   301       d9     5    0.0      b
    5   301       d3     6    0.0      a
    """
    scheme = parse_scheme(normalize) if isinstance(normalize, str) else normalize
    check_policies(constant, unfitted, scheme)
    check_duplicates(duplicates)
    table = None if weights is None else as_scores(weights)
    sources = sources_of(runs, depth, keep)
    lists = [normalized(run, scheme, constant, unfitted) for run in sources.runs]
    pools = batches([each.run for each in lists])
    topics = {each.run.system: each.topics for each in lists}
    weighted = [] if table is None else note_on_weights(table, topics)
    zero = [] if table is None else note_on_zero_weights(table, topics)
    return finished(
        pools if table is None else (_weighted(pool, table, scheme) for pool in pools),
        duplicates,
        name,
        notes=[
            *sources.notes,
            *of_reading([each.run for each in lists]),
            *note_on_absent(topics),
            *weighted,
            *note_on_unfitted(lists, scheme),
        ],
        cautions=[
            *caution_on_raw(scheme),
            *caution_on_constant(lists, scheme, constant),
            *zero,
        ],
        keep=keep,
        weights=table,
    )


def _weighted(pool: Pool, weights: pd.DataFrame, scheme: Scheme) -> Pool:
    if (pool.scores < 0).any():
        place = int(pool.scores.argmin())
        raise SchemeError(
            f"normalize={scheme!r} gives scores below 0, such as {pool.scores[place]:.3g} in "
            f"source {pool.sources[pool.source[place]]!r}, which a smaller weight would move up; "
            "expected no weights, or scores of at least 0, such as those of minmax, sum and every "
            "cdf"
        )
    with np.errstate(over="ignore"):  # an infinite score is refused with its document
        return pool.scored(of_documents(pool, weights) * pool.scores)
