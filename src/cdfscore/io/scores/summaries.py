"""Refusal of summaries among scores: the row ``all`` of trec_eval, a column of averages.

A summary that is taken for a topic or a system changes n, every mean and every p value. It is
known by its name or by its numbers, which are the mean, the sum or the geometric mean of the
others. A frame remembers in its `attrs` which labels its reader keeps all the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

_MEANS = {"amean", "average", "avg", "gm_map", "gmean", "mean", "overall", "sum", "total"}
#: Names (in lower case) of rows that sum up topics, as those of trec_eval.
OF_TOPICS = frozenset(_MEANS | {"all"})
#: Names of columns that are no scores of a system.
OF_SYSTEMS = frozenset(_MEANS | {"measure", "num_q", "num_rel", "num_rel_ret", "num_ret"})

_ATTRIBUTE = "cdfscore"
# Numbers that tell by a quick look that a row is no summary, and how far off they may be.
_FIRST = 4
_NEAR = 0.02
_MOST_DECIMALS = 12
# A row is refused if so few matrices of other scores would have one like it.
_CHANCE = 1e-6
# However many digits agree, one number may be a summary for another reason, as in 0, 1/7, 2/7.
_LEAST_OF_ONE = 1e-2
# trec_eval puts this in place of smaller scores in a geometric mean.
_LEAST_OF_GEOMETRIC = 1e-5


@dataclass(frozen=True)
class Kept:
    """Labels that are no summaries, whatever their name and their numbers."""

    topics: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Kept:
        """Return the labels that a frame remembers."""
        known = frame.attrs.get(_ATTRIBUTE, {})
        return cls(
            frozenset(known.get("keep_topics", ())), frozenset(known.get("keep_systems", ()))
        )

    def with_labels(self, topics: Iterable[str], systems: Iterable[str]) -> Kept:
        """Return these labels and others."""
        return Kept(self.topics | frozenset(topics), self.systems | frozenset(systems))

    def remember(self, frame: pd.DataFrame) -> None:
        """Make a frame remember these labels and its shape, as what JSON can hold."""
        frame.attrs[_ATTRIBUTE] = {
            "keep_topics": sorted(self.topics),
            "keep_systems": sorted(self.systems),
            "shape": list(frame.shape),
        }


def is_known_to_have_none(frame: pd.DataFrame) -> bool:
    """Tell whether a frame was searched for summaries when it had the shape that it has."""
    return bool(frame.attrs.get(_ATTRIBUTE, {}).get("shape") == list(frame.shape))


def refuse_summaries(
    source: str, topics: list[str], systems: list[str], values: Array, kept: Kept
) -> None:
    """Raise `ScoresError` for a topic or system that sums up the others, except those kept."""
    for kind, labels, scores, names, keep in (
        ("topic", topics, values, OF_TOPICS, kept.topics),
        ("system", systems, values.T, OF_SYSTEMS, kept.systems),
    ):
        for label in labels:
            if label.lower() in names and label not in keep:
                raise ScoresError(
                    f"{source} has a {kind} {label!r}, the name of a summary and not of a {kind}; "
                    f"{_advice(kind, label)}"
                )
        for row, what in _summaries(scores):
            if labels[row] not in keep:
                raise ScoresError(
                    f"{source}: {kind} {labels[row]!r} has the {what} of the scores of all other "
                    f"{kind}s; {_advice(kind, labels[row])}"
                )


def _advice(kind: str, label: str) -> str:
    return f"leave it out, or, if it is a {kind}, keep it by {argument(f'keep_{kind}s', [label])}"


def _summaries(scores: Array) -> Iterator[tuple[int, str]]:
    """Yield the rows that sum up the others, each with the name of the summary."""
    if len(scores) < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    with np.errstate(all="ignore"):
        near = {
            what: np.flatnonzero(_is_near(scores[:, :_FIRST], level))
            for what, level in _levels(scores[:, :_FIRST])
        }
        if not any(rows.size for rows in near.values()):
            return
        units, levels = _last_decimals(scores), dict(_levels(scores))
        finest = np.sort(units)[:2]
        for what, rows in near.items():
            if what not in levels:  # of negative scores there is no geometric mean
                continue
            for row in rows.tolist():
                of_others = finest[int(units[row] == finest[0])]
                if _is_summary(scores, row, levels[what], what, (units[row], of_others)):
                    yield row, what


def _levels(scores: Array) -> Iterator[tuple[str, Array]]:
    """Yield each summary: the scores (1, columns) of a row that is that of the other rows.

    A row is the mean of the others if it is the mean of all: S / n = (S - x) / (n - 1); and
    it is their sum if it is half of the sum of all.
    """
    present = ~np.isnan(scores)
    n = np.count_nonzero(present, axis=0)
    total = np.where(present, scores, 0.0).sum(axis=0)
    yield "mean", total / n
    yield "sum", total / 2
    if not (scores < 0).any():
        logs = np.log(np.maximum(scores, _LEAST_OF_GEOMETRIC))
        yield "geometric mean", np.exp(np.where(present, logs, 0.0).sum(axis=0) / n)


def _is_near(scores: Array, level: Array) -> BoolArray:
    """Tell which rows may have these scores, whatever the number of their decimals."""
    spread = _largest(scores) + np.abs(level)
    far = np.abs(scores - level) > _NEAR * spread  # False for NaN, which may be anything
    return np.asarray(~far.any(axis=1))


def _is_summary(
    scores: Array, row: int, level: Array, what: str, units: tuple[float, float]
) -> bool:
    """Tell whether a row has a summary of the others at its decimals, and not by chance.

    `units` are those of the last decimal of the row and of the others. Most rows are refuted by a
    subtraction.
    """
    found = scores[row]
    present = ~np.isnan(found)
    if not present.any():
        return False
    margin = _margin(found[present], scores[:, present], what, units)
    if not (np.abs(found - level)[present] <= margin).all():
        return False
    others = np.delete(scores[:, present], row, axis=0)
    return 3 * len(scores) * _chance(others, margin) < _CHANCE


def _margin(found: Array, scores: Array, what: str, units: tuple[float, float]) -> Array:
    """Return how far a summary may be from that of the scores as they are written, by column.

    It was computed before they were rounded, and rounded itself: each time by half a unit of the
    last decimal at most. In a sum of n the roundings add up to 2 sqrt(n) units and hardly more; in
    a geometric mean small scores weigh more.
    """
    n = len(scores)
    times = {"mean": 0.5, "sum": 2 * math.sqrt(n), "geometric mean": 2.0}[what]
    of_all_digits = 4 * n * np.finfo(np.float64).eps * np.abs(found)
    return 0.5 * units[0] + times * units[1] + of_all_digits


def _last_decimals(scores: Array) -> Array:
    """Return the unit of the last decimal of each row, 0 if its scores have all digits."""
    units = np.zeros(len(scores))
    for decimals in range(_MOST_DECIMALS, -1, -1):
        written = (np.round(scores, decimals) == scores) | np.isnan(scores)
        units[written.all(axis=1)] = 10.0**-decimals
    return units


def _chance(others: Array, margin: Array) -> float:
    """Return how likely a row of such scores is to be as near to a summary, about.

    The scores of a topic go together, so that after the first column the evidence is in the
    differences of neighbouring columns. A normal density is at most 1 / (2.5 sd).
    """
    steps = np.column_stack([others[:, :1], np.diff(others, axis=1)])
    missing = np.isnan(steps)
    n = np.count_nonzero(~missing, axis=0)
    deviations = steps - np.where(missing, 0.0, steps).sum(axis=0) / n
    sd = np.sqrt(np.where(missing, 0.0, deviations**2).sum(axis=0) / n)
    width = 2 * margin / (2.5 * sd)
    width = np.where(width < 1, np.maximum(width, _LEAST_OF_ONE), 1.0)  # 1 for NaN: no evidence
    return math.exp(float(np.log(width).sum()))


def _largest(scores: Array) -> Array:
    """Return the largest size of each column, 0 where all are missing."""
    return np.asarray(np.where(np.isnan(scores), 0.0, np.abs(scores)).max(axis=0))
