"""Refusal of summaries among scores: the row ``all`` of trec_eval, a column of averages.

A summary that is taken for a topic or a system changes n, every mean and every p value. It is
known by its name or by its numbers, which are the mean, the sum or the geometric mean of the
others. Where chance might make such numbers, it is accepted with a caution. A frame remembers in
its `attrs` which labels its reader keeps all the same, the cautions, and the mark of the labels
and scores that were searched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.how import Labels
from cdfscore.io.scores.labels import role_of
from cdfscore.io.scores.memory import remember, remembered
from cdfscore.io.scores.summary_names import named_summaries
from cdfscore.io.scores.summary_numbers import summaries
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

# A row is refused if so few matrices of other scores would have one like it, and there is a
# caution if these are more, but few.
_REFUSED = 1e-6
_DOUBTED = 1e-2


def kept_by(frame: pd.DataFrame) -> Labels:
    """Return the labels that a frame remembers to keep, whatever their name and their numbers."""
    known = remembered(frame)
    return Labels(frozenset(known.get("keep_topics", ())), frozenset(known.get("keep_systems", ())))


def refuse_summaries(
    source: str, frame: pd.DataFrame, labels: tuple[list[str], list[str]], kept: Labels
) -> None:
    """Raise `ScoresError` for a topic or system that sums up the others, except those kept.

    The frame remembers the labels that are kept, and by its mark that it was searched; it is
    not searched again if it remembers the same already. It remembers what may be a summary, and
    may be by chance, as well; see `doubts`.
    """
    values = frame.to_numpy()
    search: dict[str, object] = {
        "keep_topics": sorted(kept.topics),
        "keep_systems": sorted(kept.systems),
        "mark": _mark(labels, values),
    }
    if search.items() <= remembered(frame).items():
        return
    _refuse_columns_of_labels(source, labels[1], values, kept.systems)
    doubts = [
        *_search(source, "topic", labels[0], values, kept.topics),
        *_search(source, "system", labels[1], values.T, kept.systems),
    ]
    remember(frame, **search, doubts=doubts)


def refuse_summaries_of_part(
    source: str,
    frame: pd.DataFrame,
    systems: list[str],
    kept: Labels,
    telling: Sequence[str],
    number: int,
) -> None:
    """Raise `ScoresError` as `refuse_summaries` does, as far as a part of the topics tells.

    Systems are searched by name and by their numbers on these topics; of the topics, `number` in
    all, those with `telling` labels are searched by name. The frame remembers the doubts.
    """
    values = frame.to_numpy()
    _refuse_columns_of_labels(source, systems, values, kept.systems)
    _refuse_names(source, "topic", named_summaries("topic", telling, number), kept.topics)
    remember(
        frame,
        keep_topics=sorted(kept.topics),
        keep_systems=sorted(kept.systems),
        doubts=_search(source, "system", systems, values.T, kept.systems),
    )


def _refuse_columns_of_labels(
    source: str, systems: list[str], values: Array, keep: frozenset[str]
) -> None:
    """Raise `ScoresError` for a column `run_id` of whole numbers, of a table with a row a score."""
    for system, column in zip(systems, values.T, strict=True):
        role = role_of(system)
        if role not in ("system", "measure") or system in keep:
            continue
        present = column[~np.isnan(column)]
        if (present == np.rint(present)).all():
            raise ScoresError(
                f"{source} has the column {system!r} of whole numbers, which are labels of "
                f"{role}s in a table with a row for each score; expected columns headed topic, "
                f"system and score there; {_advice('system', system)}"
            )


def doubts(frame: pd.DataFrame, topics: Sequence[str]) -> list[str]:
    """Return a sentence on each of the topics and on each system that may be a summary."""
    found = remembered(frame).get("doubts", [])
    return [
        f"{kind} {label!r} has the {what} of the scores of all other {kind}s, which may be chance: "
        f"{_advice(kind, label)}"
        for kind, label, what in found
        if kind == "system" or label in topics  # some may have been left out since
    ]


def _search(
    source: str, kind: str, labels: list[str], scores: Array, keep: frozenset[str]
) -> list[list[str]]:
    """Raise `ScoresError` for a summary; return kind, label and summary of what may be one."""
    _refuse_names(source, kind, named_summaries(kind, labels), keep)
    doubted: dict[str, tuple[float, str]] = {}
    for row, what, chance, agreeing, present in summaries(scores):
        label = labels[row]
        if agreeing < present:
            what = f"{what} in {agreeing:,} of {present:,} cells,"
        if label not in keep and chance < _REFUSED:
            raise ScoresError(
                f"{source}: {kind} {label!r} has the {what} of the scores of all other {kind}s; "
                f"{_advice(kind, label)}"
            )
        if label not in keep and chance < _DOUBTED:
            doubted[label] = min(doubted.get(label, (1.0, "")), (chance, what))
    return [[kind, label, what] for label, (_, what) in doubted.items()]


def _refuse_names(source: str, kind: str, names: Iterable[str], keep: frozenset[str]) -> None:
    for label in names:
        if label not in keep:
            raise ScoresError(
                f"{source} has a {kind} {label!r}, the name of a summary and not of a {kind}; "
                f"{_advice(kind, label)}"
            )


def _advice(kind: str, label: str) -> str:
    return (
        f"leave it out by {argument(f'drop_{kind}s', [label])}, or, if it is a {kind}, keep it by "
        f"{argument(f'keep_{kind}s', [label])}"
    )


def _mark(labels: tuple[list[str], list[str]], values: Array) -> str:
    """Return a digest that tells labels and scores from others.

    It is of a weighted sum of each row, which takes a tenth of the time that all scores would: a
    score that is changed, or exchanged for another, changes it. What is lost in the rounding of
    the sum is not seen. Another machine may round otherwise, and search once more.
    """
    with np.errstate(all="ignore"):
        sums = values @ np.sqrt(np.arange(2.0, values.shape[1] + 2))
    told = sums if np.isfinite(sums).all() else values  # not with missing scores
    text = "\x1e".join(map("\x1f".join, labels))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(np.ascontiguousarray(told).data)
    return digest.hexdigest()
