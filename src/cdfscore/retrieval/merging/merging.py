"""Merging of ranked lists: normalized scores, weights, and the methods."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import compress
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from cdfscore.common.text import counted, listed
from cdfscore.errors import CdfscoreWarning, FitError, RunError, SchemeError, ScoresError
from cdfscore.retrieval.measuring import AnyMeasure, Measured, parse_measure
from cdfscore.retrieval.measuring import measure as measured_by
from cdfscore.retrieval.merging.pool import (
    DuplicatePolicy,
    Merged,
    Pool,
    batches,
    check_duplicates,
    finished,
    read_all,
)
from cdfscore.retrieval.runs import AnyQrels, AnyRuns, Run, qrels_given
from cdfscore.scores.dataframes import IntoFrame
from cdfscore.scores.frame import as_scores
from cdfscore.standardization import policies
from cdfscore.standardization.policies import fit_all, fit_where_possible
from cdfscore.stats.numerics.numbers import finite_number, shown
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.base import Scheme, parse_scheme
from cdfscore.stats.schemes.minmax import Minmax

# --- Normalization of document scores, list by list: y = F(s), with F fitted to the list ---


ConstantListPolicy = Literal["limit", "half", "raise"]
UnfittedListPolicy = Literal["raise", "drop_list"]


@dataclass(frozen=True, eq=False)
class Normalized:
    """The lists of a source, normalized and without empty ones.

    `constant` are the topics whose list has equal scores only, and `unfitted` has the reason for
    each list without a fit, by topic.
    """

    run: Run
    constant: tuple[str, ...]
    unfitted: dict[str, str]


def check_policies(constant: str, unfitted: str, scheme: Scheme) -> None:
    """Raise `SchemeError` for an unknown policy, or one that is not defined for `scheme`.

    For constant lists, whose scores are all equal: "limit" (of the scheme as the spread goes to 0),
    "half" (1/2, for a cdf) or "raise". For lists to which the scheme cannot be fitted: "raise" or
    "drop_list". Specified in merge.2.
    """
    _check("constant", constant, ConstantListPolicy)
    check_unfitted(unfitted)
    if constant != "raise":  # which is an error of the scores, whatever the scheme
        policies.check_constant(constant, scheme)


def check_unfitted(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy for lists without a fit."""
    _check("unfitted", policy, UnfittedListPolicy)


#: What is expected where a list has no fit.
TO_DROP_LISTS = "longer lists, or unfitted='drop_list', which omits such lists"
_RAW = (
    "raw scores are merged as they are: the order is right only if all sources score documents on "
    "the same scale"
)


def _check(name: str, policy: str, accepted: Any) -> None:
    if policy not in (known := get_args(accepted)):
        raise SchemeError(
            f"{name}={policy!r} is not accepted for lists; expected one of {', '.join(known)}"
        )


def normalized(
    run: Run, scheme: Scheme, constant: ConstantListPolicy, unfitted: UnfittedListPolicy
) -> Normalized:
    """Fit the scheme to the scores of each list, and evaluate it at these scores."""
    y = np.full(len(run.scores), np.nan)
    reasons: dict[int, str] = {}
    equal: list[int] = []
    for lists, places in _of_similar_lengths(run):
        inside = places >= 0
        scores = np.where(inside, run.scores[places], np.nan)
        fitted, rows, refused = fit_where_possible(scheme, scores)
        reasons |= {int(lists[row]): reason for row, reason in refused.items()}
        if len(rows):
            own = inside[rows]
            y[places[rows][own]] = policies.evaluate(constant, fitted, scores[rows])[own]
            alike = np.nanmin(scores[rows], axis=1) == np.nanmax(scores[rows], axis=1)
            equal += lists[rows[alike]].tolist()
    if reasons and unfitted == "raise":
        first = min(reasons)
        raise FitError(f"{_place(run, first)}: {reasons[first]}; expected {TO_DROP_LISTS}")
    if equal and constant == "raise":
        raise policies.constant_refused(
            f"{_place(run, min(equal))}: all scores are equal",
            expected="another policy for constant lists, such as 'limit'",
        )
    return Normalized(
        _without(replace(run, scores=y), reasons),
        tuple(run.topics[each] for each in sorted(equal)),
        {run.topics[each]: reasons[each] for each in sorted(reasons)},
    )


def _of_similar_lengths(run: Run) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the numbers of lists, and the places of their documents, -1 after the last.

    The longest list of a group is less than twice as long as the shortest, to limit the padding.
    """
    lengths = np.diff(run.starts)
    (there,) = np.nonzero(lengths)
    group = np.frexp(lengths[there].astype(np.float64))[1]
    for exponent in np.unique(group).tolist():
        lists = there[group == exponent]
        columns = np.arange(lengths[lists].max())
        places = run.starts[lists][:, np.newaxis] + columns
        yield lists, np.where(columns < lengths[lists][:, np.newaxis], places, -1)


def _place(run: Run, number: int) -> str:
    return f"source {run.system!r}, topic {run.topics[number]!r}"


def _without(run: Run, lists: dict[int, str]) -> Run:
    """Return the run without some lists and without empty lists."""
    lengths = np.diff(run.starts)
    kept = lengths > 0
    kept[list(lists)] = False
    if kept.all():
        return run
    documents = np.repeat(kept, lengths)
    (places,) = np.nonzero(documents)
    return replace(
        run,
        topics=tuple(compress(run.topics, kept.tolist())),
        starts=np.concatenate([[0], np.cumsum(lengths[kept], dtype=np.int64)]),
        documents=run.documents.take(places),
        scores=run.scores[places],
        ranks=run.ranks[places],
    )


def _remarks(
    given: Sequence[Run],
    found: Sequence[Normalized],
    scheme: Scheme,
    constant: str,
    weights: pd.DataFrame | None,
) -> tuple[list[str], list[str]]:
    """Return notes and cautions on weights, on lists without a fit, and on those of one score."""
    notes, cautions = list[str](), [_RAW] * scheme.keeps_unit
    equal = [(each.run, topic) for each in found for topic in each.constant]
    if equal and not scheme.keeps_unit:
        run, topic = equal[0]
        value = run.scores[run.starts[run.topics.index(topic)]]
        lists = counted(sum(len(each.run.topics) for each in found), "list")
        cautions.append(
            f"{len(equal)} of {lists} have equal scores only, as a list of one document has "
            f"(source {run.system!r}, topic {topic!r}): by the policy {constant} their documents "
            f"get {value:g}"
        )
    if weights is not None:
        topics = {run.system: list(run.topics) for run in given}
        if absent := [str(source) for source in weights.columns if source not in topics]:
            notes.append(f"sources with weights and without lists: {listed(absent)}")
        known = [weights[name].reindex(own) for name, own in topics.items() if name in weights]
        if zero := sum(int((each == 0).sum()) for each in known):
            lists = counted(sum(map(len, topics.values())), "list")
            cautions.append(
                f"{zero} of {lists} have the weight 0: their documents have the score 0, and are "
                "ordered by their ids, not as in their lists"
            )
    left = [(each.run.system, *own) for each in found for own in each.unfitted.items()]
    if left:
        system, topic, reason = left[0]
        notes.append(
            f"{counted(len(left), 'list')} omitted, because {scheme} cannot be fitted: source "
            f"{system!r}, topic {topic!r}: {reason}" + ", and others" * (len(left) > 1)
        )
    return notes, cautions


# --- Weights of sources: how much the lists of a source count for a topic, w(C|q) ---

#: The weight of the selection score in CORI, against 1 for the document score.
CORI_LAMBDA = 0.4


def selection_weights(selection: IntoFrame, lam: float = CORI_LAMBDA) -> pd.DataFrame:
    """Return the weights of sources from their selection scores, as in CORI merging.

    ``w(C|q) = (1 + lambda * m) / (1 + lambda)`` with ``m = (s(C|q) - min) / (max - min)`` over the
    sources of the topic, and m = 1/2 if all their scores are equal. With lambda = 0 all weights are
    1. As lambda grows, w tends to m, which is used for ``math.inf``. The source with the lowest
    score then has the weight 0, so all its documents have the score 0, and their order is lost.
    Callan (2000) uses the smallest and the largest possible belief instead of the smallest and the
    largest score over the sources; this is the simpler form of the slides.

    Parameters
    ----------
    selection
        Scores s(C|q), topics x sources, higher for sources that fit the topic better; missing for a
        source that is not searched for a topic. The minimum and the maximum are over all sources,
        also those without a list.
    lam
        The parameter lambda, at least 0; 0.4 in CORI.

    Returns
    -------
    pandas.DataFrame
        Weights in [0, 1], topics x sources.

    Raises
    ------
    SchemeError
        For lambda below 0 or NaN.
    ScoresError
        If `selection` is not a table of scores.
    FitError
        For a topic whose scores are all missing.

    References
    ----------
    Callan (2000), Distributed Information Retrieval; Markov, Linear Score Normalization Revisited,
    Parameterized CORI Results Merging.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.48], "b": [0.40], "c": [0.44]}, index=["301"])
    >>> selection_weights(scores).round(4).loc["301"].tolist()
    [1.0, 0.7143, 0.8571]
    """
    number = check_lambda(lam)
    frame = as_scores(selection)
    scores = frame.to_numpy()
    m = fit_all(Minmax(), scores, lambda row: f"scores of selection, topic {frame.index[row]!r}")(
        scores
    )
    found = frame.copy()
    found[:] = m if number == math.inf else (1 + number * m) / (1 + number)
    return found


def check_lambda(lam: float) -> float:
    """Return lambda as a number; raises `SchemeError` unless it is at least 0, or infinite."""
    number = math.inf if lam == math.inf else finite_number(lam)
    if number is None or number < 0:
        raise SchemeError(
            f"lam={shown(lam)} is not accepted; expected a number of at least 0, or infinity"
        )
    return number


def of_documents(pool: Pool, weights: pd.DataFrame) -> Array:
    """Return the weight of each document of a pool; raises `ScoresError` where there is none."""
    for kind, labels, known in (
        ("source", pool.sources, weights.columns),
        ("topic", pool.topics, weights.index),
    ):
        lacking = [label for label in labels if label not in known]
        if lacking:
            raise ScoresError(
                f"the weights lack {kind} {lacking[0]!r}; expected weights of every {kind} that "
                "has documents"
            )
    table = weights.loc[list(pool.topics), list(pool.sources)].to_numpy()
    found: Array = table[pool.topic, pool.source]
    bad = ~(found >= 0)  # NaN too
    if bad.any():
        place = int(bad.argmax())
        value = "missing" if np.isnan(found[place]) else f"{found[place]:g}"
        raise ScoresError(
            f"the weight of source {pool.sources[pool.source[place]]!r} for topic "
            f"{pool.topics[pool.topic[place]]!r} is {value}, and the source has documents; "
            "expected a number of at least 0"
        )
    return found


# --- Merging by ranks only: round robin, and reciprocal rank fusion ---
# ranx also has reciprocal rank fusion; docs/decisions/0027 says why it is not used here.

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
    >>> from cdfscore.retrieval.merging import round_robin
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d7": 0.2}}}
    >>> round_robin(lists).frame()["document"].tolist()
    ['d1', 'd7', 'd2']
    """
    lists, told = read_all(runs, depth, keep)
    # By turn, and within a turn by source: whole numbers, each once in a topic.
    pools = (
        replace(pool, scores=-(pool.rank * len(pool.sources) + pool.source))
        for pool in batches(lists)
    )
    found = finished(pools, "best", name, keep=keep, notes=told)
    ranked = found.pool
    sizes = np.repeat(np.diff(ranked.starts), np.diff(ranked.starts))
    scores = sizes - ranked.as_run(name).ranks
    return replace(found, parts=(replace(ranked, scores=scores),))


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
    >>> from cdfscore.retrieval.merging import rrf
    >>> lists = {"a": {"301": {"d1": 9.0, "d2": 8.0}}, "b": {"301": {"d2": 0.2, "d7": 0.1}}}
    >>> rrf(lists).frame()[["document", "score"]].round(4).values.tolist()
    [['d2', 0.0325], ['d1', 0.0164], ['d7', 0.0161]]
    """
    number = finite_number(k)
    if number is None or number < 0:
        raise SchemeError(f"k={shown(k)} is not accepted; expected a number of at least 0")
    lists, told = read_all(runs, depth, keep)
    pools = (replace(pool, scores=1 / (number + pool.rank)) for pool in batches(lists))
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
        The lists, one run for each source, in any form that `cdfscore.retrieval.measure` accepts.
        Within a list, documents are ordered as in trec_eval. A source may lack lists for some
        topics; a source without any document is rejected.
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
        `cdfscore.retrieval.merging.merging.check_policies`.
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
        As `cdfscore.retrieval.read_run`; for two sources with the same name; for a document in
        several lists of a topic under "refuse"; for a merged score that is too large for a double;
        and if there is no document.
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
    >>> from cdfscore.retrieval.merging import merge
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
    given, told = read_all(runs, depth, keep)
    lists = [normalized(run, scheme, constant, unfitted) for run in given]
    pools = batches([each.run for each in lists])
    notes, cautions = _remarks(given, lists, scheme, constant, table)
    return finished(
        pools if table is None else (_weighted(pool, table, scheme) for pool in pools),
        duplicates,
        name,
        notes=[*told, *notes],
        cautions=cautions,
        keep=keep,
        weights=table,
    )


def _weighted(pool: Pool, weights: pd.DataFrame, scheme: Scheme) -> Pool:
    if (pool.scores < 0).any():
        place = int(pool.scores.argmin())
        raise SchemeError(
            f"normalize={str(scheme)!r} gives scores below 0, such as {pool.scores[place]:.3g} in "
            f"source {pool.sources[pool.source[place]]!r}, which a smaller weight would move up; "
            "expected no weights, or scores of at least 0, such as those of minmax, sum and every "
            "cdf"
        )
    with np.errstate(over="ignore"):  # an infinite score is refused with its document
        return replace(pool, scores=of_documents(pool, weights) * pool.scores)


# --- Choice of lambda, the strength of resource selection, by cross-validation ---


#: Values of lambda to choose from: no selection, CORI's 0.4, ..., selection scores alone.
LAMBDAS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)


@dataclass(frozen=True, eq=False, repr=False)
class ChosenLambda:
    """Result of `cross_validated_lambda`: the chosen values of lambda, and the weights.

    Attributes
    ----------
    scores
        The measure of the merged lists, topics x values of lambda.
    by_topic
        The value for each topic: the one with the highest mean over the other judged topics.
    weights
        The weights of sources by these values, topics x sources, for `merge`.
    """

    scores: pd.DataFrame
    by_topic: pd.Series[float]
    weights: pd.DataFrame

    @property
    def note(self) -> str:
        """The chosen values in one sentence, with the number of topics of each."""
        counts = self.by_topic.value_counts().sort_index()
        values = ", ".join(f"{v:g} ({counted(n, 'topic')})" for v, n in counts.items())
        unjudged = len(self.by_topic.index.difference(self.scores.index))
        without = f"; {counted(unjudged, 'topic')} without judgments, by all judged topics"
        of_others = without if unjudged else ""
        return (
            f"lambda is chosen for each topic by the mean over all other judged topics{of_others}: "
            f"{values}"
        )

    def __repr__(self) -> str:
        return f"<ChosenLambda: {self.note}>"


def cross_validated_lambda(
    runs: AnyRuns,
    selection: IntoFrame,
    qrels: AnyQrels,
    measure: AnyMeasure = "AP",
    *,
    lambdas: Sequence[float] = LAMBDAS,
    normalize: Scheme | str = "minmax",
    depth: int | None = None,
    duplicates: DuplicatePolicy = "refuse",
    constant: ConstantListPolicy = "limit",
    unfitted: UnfittedListPolicy = "raise",
) -> ChosenLambda:
    """Choose lambda of `selection_weights` for each topic by leave-one-out over topics.

    For each topic, the chosen value gives the merged lists with the highest mean of the measure
    over all other judged topics; of equal values the smallest is chosen. For a topic without
    judgments, the mean is over all judged topics. The choice for a topic does not depend on its own
    judgments, so the merged lists can be tested against others.

    Parameters
    ----------
    runs, normalize, depth, duplicates, constant, unfitted
        As of `merge`.
    selection
        Scores of resource selection, topics x sources, as of `selection_weights`.
    qrels, measure
        As of `cdfscore.retrieval.measure`; one measure.
    lambdas
        Values to choose from, each at least 0 or infinite.

    Raises
    ------
    SchemeError
        For fewer than two values of lambda, and as `merge`.
    RunError
        For fewer than two judged topics, and as `merge` and `cdfscore.retrieval.measure`.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore.retrieval.merging import cross_validated_lambda
    >>> lists = {
    ...     "a": {"1": {"a1": 3.0, "a2": 1.0}, "2": {"a3": 3.0, "a4": 1.0}},
    ...     "b": {"1": {"b1": 3.0, "b2": 1.0}, "2": {"b3": 3.0, "b4": 1.0}},
    ... }
    >>> selection = pd.DataFrame({"a": [0.5, 0.4], "b": [0.4, 0.5]}, index=["1", "2"])
    >>> judged = {"1": {"a1": 1}, "2": {"b3": 1}}
    >>> cross_validated_lambda(lists, selection, judged, lambdas=[0, 1]).by_topic.tolist()
    [0.0, 1.0]
    """
    values = sorted({check_lambda(each) for each in lambdas})
    if len(values) < 2:
        raise SchemeError(
            f"there {'are no values' if not values else 'is one value'} of lambda to choose from; "
            "expected two or more"
        )
    parsed, judged = parse_measure(measure), qrels_given(qrels)
    frame = as_scores(selection)
    lists, _ = read_all(runs, depth)
    columns: dict[float, pd.Series[float]] = {}
    with warnings.catch_warnings():  # these warnings are repeated when the lists are merged
        warnings.simplefilter("ignore", CdfscoreWarning)
        for value in values:
            merged = merge(
                lists,
                normalize,
                weights=selection_weights(frame, value),
                duplicates=duplicates,
                constant=constant,
                unfitted=unfitted,
            )
            found: Measured = measured_by(merged.run, judged, parsed, missing_topics="omit")
            (matrix,) = found.matrices.values()
            columns[value] = matrix.iloc[:, 0]
    scores = pd.DataFrame(columns).dropna()
    if len(scores) < 2:
        raise RunError(
            f"{len(scores)} of the topics are judged; expected at least two, because the value for "
            "each topic is chosen on the other topics"
        )
    table = scores.to_numpy()
    # Fractions, as equal sums must be equal; the smallest value of equal ones is first.
    exact = [[Fraction(score) for score in row] for row in table.tolist()]
    sums = [sum(column) for column in zip(*exact, strict=True)]
    others = [[total - own for total, own in zip(sums, row, strict=True)] for row in exact]
    best = [each.index(max(each)) for each in others]
    everywhere = values[sums.index(max(sums))]
    by_topic = pd.Series(everywhere, index=frame.index, dtype=float, name="lambda")
    of_judged = pd.Series(np.array(values)[best], index=scores.index)
    by_topic[scores.index] = of_judged
    weights = pd.concat(
        [selection_weights(rows, float(value)) for value, rows in frame.groupby(by_topic)]
    )
    return ChosenLambda(scores, by_topic, weights.loc[frame.index])
