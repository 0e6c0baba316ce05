"""Columns of a leaderboard that may be no tasks, by their names and by their numbers.

A number cannot be told from a score by itself, so that each reason is one to ask. Arrays are
columns of the leaderboard x systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from cdfscore.numerics.types import Array, BoolArray

#: Whole words of a header that say that a column is no task.
_NO_TASKS = frozenset(
    {
        *("size", "params", "parameters", "flops", "gflops", "mflops", "tflops", "macs"),
        *("memory", "vram", "dim", "dims", "dimension", "dimensions", "epoch", "epochs"),
        *("speed", "latency", "throughput", "runtime", "time", "seconds", "hours", "rtf", "rtfx"),
        *("rank", "ranking", "year", "date", "licence", "license", "cost", "price", "downloads"),
        *("std", "stdev", "stddev", "stderr", "variance"),
    }
)
#: Words that say so of whole numbers; a task may have them in its name.
_COUNTS = frozenset(
    {
        *("n", "count", "counts", "index", "seed", "seeds", "votes", "likes"),
        *("tokens", "length", "context", "samples", "examples", "steps", "iterations"),
        *("layers", "heads", "runs"),
    }
)
#: Words and signs of a spread, beside the name of another column: ``A_sd``, ``A ±``.
_SPREADS = frozenset({"sd", "se", "sem", "ci", "var", "±", "+/-"})
_WORD = re.compile(r"[^\W\d_]+|\+/-|±")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_UNKNOWN = -1.0  # as leaderboards write it
# A typical number of a column, over the largest of the others: of whole numbers beside fractions,
# and of others.
_WHOLE, _ANY = 3.0, 10.0
# The largest score in most units: 1, and 100 percent. Of fewer tasks than these, all may be hard
# but one, so that numbers of up to 100 are no evidence.
_UNITS = (1.0, 100.0)
_OTHERS = 3
# So many equal numbers are no chance.
_ENOUGH = 3


def may_be_no_tasks(labels: Sequence[str], columns: Array) -> dict[str, str]:
    """Return the columns that may be no tasks, each with the reason."""
    found = dict(_by_name(labels, columns))
    while True:  # what is far above the others may hide what is less so
        rest = [place for place, label in enumerate(labels) if label not in found]
        more = {labels[rest[place]]: why for place, why in _by_numbers(columns[rest])}
        if not more:
            return found
        found |= more


def _by_name(labels: Sequence[str], columns: Array) -> Iterator[tuple[str, str]]:
    """Yield the columns that are no tasks by their names, or by -1 for unknown."""
    names = [_WORD.findall(label.casefold()) for label in labels]
    whole = _whole(columns)
    for label, words, row, integers in zip(labels, names, columns, whole, strict=True):
        known = row[~np.isnan(row)]
        unknown = known == _UNKNOWN
        every = {*words, *(part.casefold() for part in _CAMEL.findall(label))}
        told = every & (_NO_TASKS | _COUNTS if integers else _NO_TASKS)
        spread = [word for word in words if word in _SPREADS]
        beside = [word for word in words if word not in _SPREADS]
        if unknown.any() and (known[~unknown] >= 0).all():
            yield label, "-1 as if unknown, else at least 0"
        elif told:
            yield label, f"by its name, {min(told)}"
        elif spread and (beside in names or not spread[0].isalpha()):
            yield label, f"by its name, {spread[0]}"


def _by_numbers(columns: Array) -> Iterator[tuple[int, str]]:
    """Yield the places of columns far above the others, and of the same whole number throughout."""
    filled = ~np.isnan(columns).all(axis=1)
    top = np.where(np.isnan(columns), 0.0, np.abs(columns)).max(axis=1, initial=0.0)
    level = np.zeros(len(columns))
    # Of halves, as a median of two is half of their sum, which may be no double.
    level[filled] = 2 * np.nanmedian(np.abs(columns[filled]) / 2, axis=1)
    whole = _whole(columns)
    far = _far(level, top, whole)
    for place, row in enumerate(columns):
        if far[place]:
            largest = top[~far].max()
            yield place, f"about {level[place]:.4g}, and most others are at most {largest:g}"
            continue
        present, others = row[~np.isnan(row)], np.delete(np.arange(len(columns)), place)
        if (
            len(present) >= _ENOUGH
            and whole[place]
            and np.ptp(present) == 0
            and _most_are_fractions(whole[others])
            and present[0] > _most_of_unit(float(np.median(top[others])))
        ):
            yield place, f"{present[0]:g} for every system"


def _far(level: Array, top: Array, whole: BoolArray) -> BoolArray:
    """Tell which columns are far above most others, which agree with each other.

    These are fewer than the others. `level` is a typical number of a column and `top` the largest,
    without its sign.
    """
    order = np.argsort(-level, kind="stable")
    far = np.zeros(len(level), np.bool_)
    for count in range((len(level) - 1) // 2, 0, -1):
        high, others = order[:count], order[count:]
        largest, smallest = top[others].max(), top[others][top[others] > 0].min(initial=np.inf)
        with np.errstate(over="ignore"):
            least = np.full(count, max(_ANY, largest / smallest))
            if _most_are_fractions(whole[others]):
                least[whole[high]] = _WHOLE
            bound = np.maximum(least * largest, _most_of_unit(largest))
            if len(others) < _OTHERS:
                bound = np.maximum(bound, max(_UNITS))
        if largest > 0 and (level[high] > bound).all():
            far[high] = True
            return far
    return far


def _most_are_fractions(whole: BoolArray) -> bool:
    return 2 * int(np.count_nonzero(whole)) < len(whole)


def _most_of_unit(score: float) -> float:
    """Return the largest score in the unit that `score` may be in: 1, 100 percent, or unknown."""
    return next((most for most in _UNITS if score <= most), score)


def _whole(columns: Array) -> BoolArray:
    """Tell which columns have whole numbers alone."""
    return np.asarray(((columns == np.rint(columns)) | np.isnan(columns)).all(axis=1))
