"""Columns of a leaderboard that are no tasks: averages, and numbers such as a size or a speed.

The rows of a leaderboard are systems, and what stands beside their scores would be a topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.summary_names import named_summaries
from cdfscore.io.scores.summary_numbers import last_decimals
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

#: Whole words of a header that say that a column is no task.
_NO_TASKS = frozenset(
    {
        *("size", "params", "parameters", "flops", "memory", "speed", "latency", "throughput"),
        *("runtime", "rtf", "rtfx", "rank", "ranking", "year", "date", "licence", "license"),
        *("cost", "price"),
    }
)
_UNKNOWN = -1.0  # as leaderboards write it
# An average agrees in so many of the rows; published ones are stale in a few.
_AGREES = 0.9
_EPS = float(np.finfo(np.float64).eps)


def refuse_no_tasks(source: str, scores: pd.DataFrame, keep: frozenset[str]) -> None:
    """Raise `ScoresError` for all columns that may be no tasks, unless they are to be kept."""
    found = dict(_no_tasks(scores, keep))
    if not found:
        return
    labels = list(found)
    columns = " and ".join(f"{label!r} ({reason})" for label, reason in found.items())
    one = len(labels) == 1
    raise ScoresError(
        f"{source}: the column{'s'[one:]} {columns} may be no task{'s'[one:]}; leave out what is "
        f"none by {argument('drop_topics', labels)}, and keep what is one by "
        f"{argument('keep_topics', labels)}"
    )


def averages(
    source: str, scores: pd.DataFrame, keep: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Return the columns that have the name of a summary and are the mean of the others; notes.

    Raises `ScoresError` for a column that has such a name and other numbers.
    """
    topics, systems = labels_of(scores)
    named = [label for label in named_summaries("topic", topics) if label not in keep]
    if not named:
        return [], []
    rows = dict(zip(topics, scores.to_numpy(), strict=True))
    others = np.array([row for label, row in rows.items() if label not in named])
    notes = []
    for label in named:
        if not len(others):
            raise ScoresError(
                f"{source} has no columns but those with names of summaries, such as {label!r}; "
                f"expected tasks, or {argument('keep_topics', named)} if they are tasks"
            )
        present = ~np.isnan(rows[label])
        agrees = _is_mean(rows[label], others)
        apart = [system for system, bad in zip(systems, present & ~agrees, strict=True) if bad]
        count = int(present.sum())
        if not count or len(apart) > (1 - _AGREES) * count:
            raise ScoresError(
                f"{source}: the column {label!r} has the name of a summary, and is not the mean of "
                f"the other {len(others)} columns for {len(apart)} of {count} systems; leave it "
                f"out by {argument('drop_topics', [label])}, or, if it is a task, keep it by "
                f"{argument('keep_topics', [label])}"
            )
        but = f", but for {len(apart)} of {count} systems ({listed(apart)})" if apart else ""
        notes.append(
            f"{source}: the column {label!r} is the mean of the other {len(others)} columns{but}, "
            "and is left out"
        )
    return named, notes


def _no_tasks(scores: pd.DataFrame, keep: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns that may be no tasks, each with the reason."""
    topics, _ = labels_of(scores)
    summaries = set(named_summaries("topic", topics))
    for label, row in zip(topics, scores.to_numpy(), strict=True):
        if label in keep or label in summaries:
            continue
        known = row[~np.isnan(row)]
        unknown = known == _UNKNOWN
        if unknown.any() and (known[~unknown] >= 0).all():
            yield label, "-1 as if unknown, else at least 0"
        elif word := _NO_TASKS.intersection(re.findall(r"[^\W\d_]+", label.casefold())):
            yield label, f"by its name, {min(word)}"


def _is_mean(row: Array, others: Array) -> BoolArray:
    """Tell where a row (n,) is the mean of the others (m, n), to the decimals that are written."""
    present = ~np.isnan(others)
    count = np.maximum(present.sum(axis=0), 1)
    total = np.where(present, others, 0.0)
    mean = total.sum(axis=0) / count
    own, of_others = last_decimals(row[:, np.newaxis]), last_decimals(others.T)
    margin = 0.5 * (own + of_others) + 2 * _EPS * np.abs(total).sum(axis=0)
    return np.asarray((np.abs(row - mean) <= margin) & present.any(axis=0))
