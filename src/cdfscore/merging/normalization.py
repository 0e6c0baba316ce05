"""Normalization of document scores, list by list: y = F(s), with F fitted to the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.types import IntArray
from cdfscore.schemes.base import Scheme
from cdfscore.spelling import argument
from cdfscore.standardization.policies import constant as constant_lists
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.trec.run import Run

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
        constant_lists.check_policy(constant, scheme)


def check_unfitted(policy: str) -> None:
    """Raise `SchemeError` for an unknown policy for lists without a fit; see `check_policies`."""
    _check("unfitted", policy, get_args(UnfittedListPolicy))


def to_drop_lists() -> str:
    """Return the part of a message that names the policy to omit lists without a fit."""
    return f"longer lists, or {argument('unfitted', 'drop_list')}, which omits such lists"


def _check(name: str, policy: str, known: tuple[str, ...]) -> None:
    if policy not in known:
        raise SchemeError(
            f"{argument(name, policy)} is not accepted for lists; expected one of "
            f"{', '.join(known)}"
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
            y[places[rows][own]] = constant_lists.evaluate(constant, fitted, scores[rows])[own]
            alike = np.nanmin(scores[rows], axis=1) == np.nanmax(scores[rows], axis=1)
            equal += lists[rows[alike]].tolist()
    if reasons and unfitted == "raise":
        first = min(reasons)
        raise FitError(f"{_place(run, first)}: {reasons[first]}; expected {to_drop_lists()}")
    if equal and constant == "raise":
        raise constant_lists.refused(
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
