"""Normalization of document scores, list by list: y = F(s), with F fitted to the list."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from cdfscore.errors import FitError, SchemeError, ScoresError
from cdfscore.io.scores.given import as_scores
from cdfscore.io.text import counted
from cdfscore.merging.pool import Pool
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.minmax import Minmax
from cdfscore.standardization import policies
from cdfscore.standardization.policies import fit_all, fit_where_possible
from cdfscore.trec.runs import Run

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame


ConstantListPolicy = Literal["limit", "half", "raise"]
UnfittedListPolicy = Literal["raise", "drop_list"]


@dataclass(frozen=True, eq=False)
class Normalized:
    """The lists of a source, normalized.

    Attributes
    ----------
    run
        Its lists with y instead of the scores, without empty lists.
    constant
        Topics whose list has equal scores only, such as a list of one document.
    unfitted
        The reason for each list to which the scheme cannot be fitted, by topic.
    """

    run: Run
    constant: tuple[str, ...]
    unfitted: dict[str, str]

    @property
    def topics(self) -> list[str]:
        """Topics for which the source has a list, including omitted lists."""
        return [*self.run.topics, *self.unfitted]


def check_policies(constant: str, unfitted: str, scheme: Scheme) -> None:
    """Raise `SchemeError` for an unknown policy, or one that is not defined for `scheme`.

    For constant lists, whose scores are all equal:

    limit      the limit of the scheme as the spread goes to 0; each scheme documents it
    half       1/2 for every document, for a cdf
    raise      an error that names the source and the topic

    For lists to which the scheme cannot be fitted:

    raise      an error that names the source, the topic and the reason
    drop_list  omit the list
    """
    _check("constant", constant, get_args(ConstantListPolicy))
    check_unfitted(unfitted)
    if constant != "raise":  # which is an error of the scores, whatever the scheme
        policies.check_constant(constant, scheme)


def check_unfitted(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy for lists without a fit; see `check_policies`."""
    _check("unfitted", policy, get_args(UnfittedListPolicy))


def to_drop_lists() -> str:
    """Return the part of a message that names the policy to omit lists without a fit."""
    return "longer lists, or unfitted='drop_list', which omits such lists"


def _check(name: str, policy: str, known: tuple[str, ...]) -> None:
    if policy not in known:
        raise SchemeError(
            f"{name}={policy!r} is not accepted for lists; expected one of {', '.join(known)}"
        )


def normalized(
    run: Run, scheme: Scheme, constant: ConstantListPolicy, unfitted: UnfittedListPolicy
) -> Normalized:
    """Fit the scheme to the scores of each list, and evaluate it at these scores.

    Raises `FitError` and `ConstantTopicError`, with source and topic, under the policies "raise".
    """
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
        raise FitError(f"{_place(run, first)}: {reasons[first]}; expected {to_drop_lists()}")
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


def caution_on_constant(found: Sequence[Normalized], scheme: Scheme, policy: str) -> list[str]:
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


def note_on_unfitted(found: Sequence[Normalized], scheme: Scheme) -> list[str]:
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
    """Return lambda as a number, at least 0 or infinite; raises `SchemeError` for another."""
    number = math.inf if lam == math.inf else finite_number(lam)
    if number is None or number < 0:
        raise SchemeError(
            f"lam={shown(lam)} is not accepted; expected a number of at least 0, or infinity"
        )
    return number


def of_documents(pool: Pool, weights: pd.DataFrame) -> Array:
    """Return the weight of each document of a pool, that of its topic and source.

    Raises `ScoresError` for a source or a topic without weights, and for a weight that is missing
    or below 0.
    """
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
