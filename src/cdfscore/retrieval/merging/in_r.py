"""Merging of ranked lists in R, and the differences from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdfscore.errors import VerificationError, check_one_of
from cdfscore.r.analysis import Quantity, compared
from cdfscore.r.session import ROWS, RSession
from cdfscore.retrieval.merging.merging import CORI_LAMBDA, Merged, as_read, selection_weights
from cdfscore.retrieval.merging.sources import METHODS, Samples, TermStatistics, cori
from cdfscore.retrieval.runs import AnyRuns, Ranking, Run
from cdfscore.scores.dataframes import IntoFrame
from cdfscore.scores.frame import as_scores
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Scheme, parse_scheme

_FOLDER = Path(__file__).parent
_BELIEF = Tolerance(16, "the logarithms are those of two libraries, and the score is a mean")
_WEIGHT = Tolerance(0, "the same operations in the same order")
_RANK = Tolerance(0, "a whole number")


def verify_merge(
    runs: AnyRuns,
    method: str = "merge",
    *,
    statistics: TermStatistics | None = None,
    queries: Mapping[str, str | Sequence[str]] | None = None,
    selection: IntoFrame | None = None,
    lam: float = CORI_LAMBDA,
    **settings: Any,
) -> pd.DataFrame:
    """Merge ranked lists in Python and in R, and measure the differences.

    R code orders the documents of each list, cuts the lists, and fits the scheme to each list with
    its reference implementation in R (its twin). Then it weights and adds the scores, and orders
    the documents again. For `safe`, R fits each line by ``lm``.

    Parameters
    ----------
    runs
        The lists, as for `cdfscore.retrieval.merging.merge`.
    method
        ``merge``, ``safe``, ``round_robin`` or ``rrf``.
    statistics, queries
        With ``merge``: the arguments of `cori`. R also computes the scores of resource selection.
    selection, lam
        With ``merge``: scores of resource selection and lambda, as for `selection_weights`. R also
        computes the weights.
    settings
        Other arguments of the function of `cdfscore.retrieval.merging`.

    Returns
    -------
    DataFrame
        A table as that of `cdfscore.verify`, with a row for the scores of resource selection, the
        weights, the merged scores and the ranks. The rank of a document is not compared if its
        score is as close to that of a neighbor as the tolerance.

    Raises
    ------
    RNotAvailableError, VerificationError
        As `cdfscore.verify`; if R has other documents; for weights of several kinds, weights of a
        method that does not use them, and `keep`.
    CdfscoreError
        As the functions of `cdfscore.retrieval.merging`.

    Examples
    --------
    >>> from cdfscore.retrieval.merging.in_r import verify_merge
    >>> lists = {"a": {"1": {"d1": 3.0, "d2": 1.0}}, "b": {"1": {"d7": 0.5, "d9": 0.2}}}
    >>> verify_merge(lists, normalize="z")[["quantity", "count", "max_ulp", "agrees"]]
           quantity  count  max_ulp  agrees
    0  merged score      4      0.0    True
    1          rank      4      0.0    True
    """
    check_one_of("method", method, METHODS, VerificationError)
    of_weights = {"statistics": statistics, "queries": queries, "selection": selection}
    of_weights["weights"] = settings.get("weights")
    _check_given(method, settings.get("keep"), of_weights)
    session, rows = RSession(), []
    lists = as_read(runs)
    if statistics is not None and queries is not None:
        selection = cori(statistics, queries)
        theirs = _cori_in_r(session, statistics, queries)
        rows.append(_matrices("selection score", selection, theirs, _BELIEF))
    if selection is not None:
        frame = as_scores(selection)
        settings["weights"] = selection_weights(frame, lam)
        weights = session.function("selection_weights", _FOLDER / "weights.R")
        theirs = session.noted(weights, session.matrix(frame.to_numpy()), float(lam))
        rows.append(_matrices("weight", settings["weights"], session.array(theirs), _WEIGHT))
    found = METHODS[method](lists, **settings)
    given = signature(METHODS[method]).bind(lists, **settings)
    given.apply_defaults()
    if isinstance(scheme := given.arguments.get("normalize"), str):
        given.arguments["normalize"] = parse_scheme(scheme)
    in_r = _merged_in_r(session, method, lists, given.arguments)
    rows += _of_documents(found, in_r, _tolerance(method, found, given.arguments))
    table = pd.DataFrame(rows)
    table.attrs["r_version"] = table.attrs["judge"] = session.version
    table.attrs["further"] = ["merged score", "rank"]
    table.attrs["notes"] = [*found.notes, *dict.fromkeys(session.said)]
    return table


def _check_given(method: str, keep: object, weighted_by: Mapping[str, object]) -> None:
    given = [name for name, value in weighted_by.items() if value is not None]
    if given and method != "merge":
        raise VerificationError(
            f"method={method!r} does not use {given[0]}; expected method='merge', or none"
        )
    if given not in ([], ["statistics", "queries"], ["selection"], ["weights"]):
        raise VerificationError(
            f"{' and '.join(given)} {'are' if len(given) > 1 else 'is'} given; expected statistics "
            "and queries, or selection, or weights, or none of them"
        )
    if keep is not None:
        raise VerificationError(f"keep={keep!r} is not accepted; all documents are compared")


def _tolerance(method: str, found: Merged, given: Mapping[str, Any]) -> Tolerance:
    if method == "safe":
        largest = float(np.abs(found.pool.scores).max())
        return Tolerance(
            4500, "two algorithms fit a line; 1e-12 of the largest score", floor=largest
        )
    if method != "merge":
        return Tolerance(0, "the same operations in the same order")
    stated: Tolerance = given["normalize"].tolerance
    is_rounded = given["weights"] is not None or given["duplicates"] == "sum"
    return stated.of_means(counted=False) if is_rounded else stated


def _matrices(
    name: str, ours: pd.DataFrame, theirs: Array, tolerance: Tolerance
) -> dict[str, object]:
    labels = list(map(str, ours.index)), list(map(str, ours.columns))
    return compared(
        Quantity(name, *labels, ours.to_numpy()), Quantity(name, *labels, theirs), tolerance
    )


def _of_documents(
    found: Merged, in_r: pd.DataFrame, tolerance: Tolerance
) -> list[dict[str, object]]:
    ours = found.frame().set_index(["topic", "document"])
    theirs = in_r.set_index(["topic", "document"])
    apart = ours.index.symmetric_difference(theirs.index)
    if len(apart):
        topic, document = apart[0]
        where = "Python" if (topic, document) in ours.index else "R"
        raise VerificationError(
            f"only {where} has document {document!r} of topic {topic!r} in the merged lists; "
            "expected the same documents"
        )
    theirs = theirs.loc[ours.index]
    labels = [f"topic {topic}, document {document}" for topic, document in ours.index]
    scores = ours["score"].to_numpy()
    alone = _alone(scores, found.pool.starts, tolerance)
    rows = []
    for name, column, own, chosen in (
        ("merged score", "score", tolerance, np.ones(len(scores), np.bool_)),
        ("rank", "rank", _RANK, alone),
    ):
        here = [label for label, there in zip(labels, chosen.tolist(), strict=True) if there]
        values = [frame[column].to_numpy(float)[chosen][np.newaxis] for frame in (ours, theirs)]
        if here:
            python, r = (Quantity(name, [""], here, each) for each in values)
            rows.append(compared(python, r, own))
    return rows


def _alone(scores: Array, starts: IntArray, tolerance: Tolerance) -> BoolArray:
    """Tell which documents are farther from their neighbors than the tolerance of both scores."""
    if not tolerance.ulp:
        return np.ones(len(scores), np.bool_)
    unit = np.spacing(np.fmax(np.abs(scores), tolerance.floor))
    near = np.append(np.abs(np.diff(scores)) <= 2 * tolerance.ulp * unit[1:], False)
    near[starts[1:] - 1] = False  # the last of a topic and the first of the next
    return np.asarray(~(near | np.append(False, near[:-1])))


def _cori_in_r(
    session: RSession,
    statistics: TermStatistics,
    queries: Mapping[str, str | Sequence[str]],
) -> Array:
    function = session.function("cori", _FOLDER / "cori.R")
    words = [each.split() if isinstance(each, str) else each for each in queries.values()]
    # Only the terms of the queries: a table of all terms may be larger than the memory.
    asked = {word for query in words for word in query}
    rows = [row for row, term in enumerate(statistics.terms) if term in asked]
    df = session.named(
        statistics.document_frequencies[rows].toarray(),
        [statistics.terms[row] for row in rows],
        list(statistics.sources),
    )
    as_list = session.rinterface.baseenv["list"](*map(session.strings, words))
    return session.array(session.noted(function, df, session.vector(statistics.words), as_list))


def _lists_in_r(session: RSession, lists: Sequence[Run], depth: int | None) -> Any:
    """Return the ranked lists as a data frame of R."""
    topics = [np.repeat(run.topics, np.diff(run.starts)).tolist() for run in lists]
    frame = session.rinterface.baseenv["data.frame"](
        topic=session.strings([topic for own in topics for topic in own]),
        source=session.vector(
            np.repeat(np.arange(1.0, len(lists) + 1), [len(own) for own in topics])
        ),
        document=session.strings([each for run in lists for each in run.documents.to_pylist()]),
        score=session.vector(np.concatenate([run.scores for run in lists])),
        stringsAsFactors=False,
    )
    ranked = session.function("ranked_lists", _FOLDER / "merging.R")
    return session.noted(ranked, frame, np.inf if depth is None else float(depth))


def _merged_in_r(
    session: RSession, method: str, lists: Sequence[Run], given: Mapping[str, Any]
) -> pd.DataFrame:
    """Return topic, document, rank and score of the documents that R has merged."""
    ranked = _lists_in_r(session, lists, given["depth"])
    by_rank, duplicates = _FOLDER / "rank_based.R", given.get("duplicates")
    match method:
        case "merge":
            scored = _normalized_in_r(session, lists, ranked, given)
        case "safe":
            scored = _safe_in_r(session, lists, ranked, given)
        case "rrf":
            ranks, duplicates = session.function("reciprocal_ranks", by_rank), "sum"
            scored = session.noted(ranks, ranked, float(given["k"]))
        case _:
            turns, duplicates = session.function("turns", by_rank), "best"
            scored = session.noted(turns, ranked, float(len(lists)))
    merged = session.function("merged_lists", _FOLDER / "merging.R")
    frame = session.noted(merged, scored, duplicates)
    columns = dict(zip(frame.names, frame, strict=True))
    found = pd.DataFrame(
        {
            "topic": list(map(str, columns["topic"])),
            "document": list(map(str, columns["document"])),
            "score": np.array(columns["y"]),
        }
    )
    found["rank"] = found.groupby("topic").cumcount() + 1
    if method == "round_robin":  # the score is the number of documents below
        found["score"] = found.groupby("topic")["rank"].transform("max") - found["rank"]
    return found


def _normalized_in_r(
    session: RSession, lists: Sequence[Run], ranked: Any, given: Mapping[str, Any]
) -> Any:
    scheme: Scheme = given["normalize"]
    normalized = session.function("normalized", ROWS, _FOLDER / "merging.R")
    own = session.twin(scheme), session.settings(scheme)
    scored = session.noted(normalized, ranked, *own, given["constant"])
    if given["weights"] is None:
        return scored
    weighted = session.function("weighted", _FOLDER / "weights.R")
    order = [run.system for run in lists]
    table = given["weights"][order]
    return session.noted(
        weighted, scored, session.named(table.to_numpy(), list(table.index), order)
    )


def _safe_in_r(
    session: RSession, lists: Sequence[Run], ranked: Any, given: Mapping[str, Any]
) -> Any:
    samples: Samples = given["samples"]
    (broker,) = as_read(given["sample_run"])
    places = {run.system: place for place, run in enumerate(lists, start=1)}
    of_samples = np.array([places.get(each, 0) for each in samples.sources], dtype=float)
    own = _lists_in_r(session, [Ranking.of(broker).top()], None)
    columns = dict(zip(own.names, own, strict=True))
    # In the order of R, which may differ from that of Python.
    source = [of_samples[samples.documents[str(each)]] for each in columns["document"]]
    sampled = session.rinterface.baseenv["data.frame"](
        topic=columns["topic"],
        document=columns["document"],
        score=columns["score"],
        source=session.vector(np.array(source)),
        stringsAsFactors=False,
    )
    ratio = np.full(len(lists), np.nan)
    there = of_samples > 0
    ratio[of_samples[there].astype(int) - 1] = samples.ratio[there]
    safe_scores = session.function("safe_scores", _FOLDER / "safe.R")
    return session.noted(safe_scores, ranked, sampled, session.vector(ratio))
