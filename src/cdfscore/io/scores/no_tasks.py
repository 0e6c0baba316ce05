"""Columns of a leaderboard that may be no tasks, by their names and by their numbers.

A number cannot be told from a score by itself, so that each reason is one to ask. Arrays are
columns of the leaderboard x systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from cdfscore.numerics.types import Array, BoolArray

#: Whole words of a header that say that a column is no task.
_NO_TASKS = frozenset(
    {
        *("size", "params", "parameters", "flops", "gflops", "mflops", "tflops", "macs", "vram"),
        *("latency", "throughput", "runtime", "rtf", "rtfx", "ranking", "licence", "license"),
        *("downloads", "std", "stdev", "stddev", "stderr"),
    }
)
#: Words that say so at the end of a header; a task may have them elsewhere, as in TimeQA.
_AT_THE_END = frozenset(
    {
        *("dim", "dims", "dimension", "dimensions", "memory", "epoch", "epochs", "speed", "time"),
        *("seconds", "hours", "rank", "year", "date", "cost", "price", "variance"),
    }
)
#: Words that say so at the end, of whole numbers among columns of fractions.
_COUNTS = frozenset(
    {
        *("n", "count", "counts", "index", "seed", "seeds", "votes", "likes"),
        *("tokens", "length", "context", "samples", "examples", "steps", "iterations"),
        *("layers", "heads", "runs"),
    }
)
# What may stand behind the last word: a unit.
_UNIT = re.compile(r"(?:[(\[][^()\[\]]*[)\]]|[\s_](?:s|ms|h|b|m|k|gb|mb))\s*$", re.IGNORECASE)
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
    """Yield the columns that are no tasks by their names, by -1 for unknown, or without a score."""
    names = [_WORD.findall(label.casefold()) for label in labels]
    whole = _whole(columns)
    fractions = _most_are_fractions(whole)
    rows = {tuple(words): row for words, row in zip(names, columns, strict=True)}
    for label, words, row, integers in zip(labels, names, columns, whole, strict=True):
        known = row[~np.isnan(row)]
        unknown = known == _UNKNOWN
        last = _last_words(label)
        told = ({*words} | last) & _NO_TASKS | last & _AT_THE_END
        told |= last & _COUNTS if integers and fractions else set()
        spread = [word for word in words if word in _SPREADS]
        of = rows.get(tuple(word for word in words if word not in _SPREADS))
        if len(row) and not len(known):  # some systems are left
            yield label, "no score"
        elif unknown.any() and (known[~unknown] >= 0).all():
            yield label, "-1 may mean unknown, all others are at least 0"
        elif told:
            yield label, f"by its name, {min(told)}"
        elif spread and (not spread[0].isalpha() or (of is not None and _is_small(row, of))):
            yield label, f"by its name, {spread[0]}"


def _last_words(label: str) -> set[str]:
    """Return the last word of a header before a unit, whole and from its last capital on.

    Examples
    --------
    >>> sorted(_last_words("modelSize")), sorted(_last_words("Training time [h]"))
    (['modelsize', 'size'], ['time'])
    """
    words = _WORD.findall(_UNIT.sub("", label)) or _WORD.findall(label)
    if not words:
        return set()
    return {words[-1].casefold(), *(part.casefold() for part in _CAMEL.findall(words[-1])[-1:])}


def _is_small(row: Array, of: Array) -> bool:
    """Tell whether numbers are small beside those that they may be the spread of."""
    both = ~np.isnan(row) & ~np.isnan(of)
    return bool(both.any()) and bool(np.median(row[both]) < np.median(np.abs(of[both])) / 2)


def _by_numbers(columns: Array) -> Iterator[tuple[int, str]]:
    """Yield the places of columns far above the others, and of the same whole number throughout."""
    filled = ~np.isnan(columns).all(axis=1)
    top = np.where(np.isnan(columns), 0.0, np.abs(columns)).max(axis=1, initial=0.0)
    level = np.zeros(len(columns))
    # Of halves, as a median of two is half of their sum, which may be no double.
    level[filled] = 2 * np.nanmedian(np.abs(columns[filled]) / 2, axis=1)
    whole = _whole(columns)
    far = _far(level, top, whole)
    wholes, median_without = int(np.count_nonzero(whole)), _medians_without_one(top)
    for place, row in enumerate(columns):
        if far[place]:
            largest = top[~far].max()
            yield place, f"about {level[place]:.4g}, and most others are at most {largest:g}"
            continue
        present = row[~np.isnan(row)]
        if (
            whole[place]
            and len(present) >= _ENOUGH
            and np.ptp(present) == 0
            and 2 * (wholes - 1) < len(columns) - 1
            and present[0] > _most_of_unit(median_without(place))
        ):
            yield place, f"{present[0]:g} for every system"


def _far(level: Array, top: Array, whole: BoolArray) -> BoolArray:
    """Tell which columns are far above most others, which agree with each other.

    These are fewer than the others. `level` is a typical number of a column and `top` the largest,
    without its sign.
    """
    order = np.argsort(-level, kind="stable")
    counts = np.arange(1, (len(level) - 1) // 2 + 1)  # of those that may be far above
    if not len(counts):
        return np.zeros(len(level), np.bool_)
    level, top, whole = level[order], top[order], whole[order]
    # Of those after each place: the largest, the smallest, and how many are whole.
    largest = np.maximum.accumulate(top[::-1])[::-1][counts]
    smallest = np.minimum.accumulate(np.where(top > 0, top, np.inf)[::-1])[::-1][counts]
    fractions = 2 * np.cumsum(whole[::-1])[::-1][counts] < len(level) - counts
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        unit = np.where(largest <= _UNITS[0], _UNITS[0], np.maximum(largest, _UNITS[1]))
        unit = np.where(len(level) - counts < _OTHERS, np.maximum(unit, _UNITS[1]), unit)
        bound = np.maximum(np.maximum(_ANY, largest / smallest) * largest, unit)
        of_whole = np.where(fractions, np.maximum(_WHOLE * largest, unit), bound)
    # All of those before each place must be above.
    least, least_whole = (
        np.minimum.accumulate(np.where(whole == own, level, np.inf))[counts - 1]
        for own in (False, True)
    )
    enough = (largest > 0) & (least > bound) & (least_whole > of_whole)
    far = np.zeros(len(level), np.bool_)
    if enough.any():
        far[order[: counts[enough].max()]] = True
    return far


def _medians_without_one(values: Array) -> Callable[[int], float]:
    """Return what gives the median of all values but that at a place, whatever their number."""
    order = np.argsort(values, kind="stable")
    ranks = np.argsort(order)

    def median(place: int) -> float:
        middle = (len(values) - 2) // 2, (len(values) - 1) // 2
        low, high = (float(values[order[k + (k >= ranks[place])]]) for k in middle)
        return low / 2 + high / 2

    return median


def _most_are_fractions(whole: BoolArray) -> bool:
    return 2 * int(np.count_nonzero(whole)) < len(whole)


def _most_of_unit(score: float) -> float:
    """Return the largest score in the unit that `score` may be in: 1, 100 percent, or unknown."""
    return next((most for most in _UNITS if score <= most), score)


def _whole(columns: Array) -> BoolArray:
    """Tell which columns have whole numbers alone."""
    return np.asarray(((columns == np.rint(columns)) | np.isnan(columns)).all(axis=1))
