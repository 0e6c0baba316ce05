"""Columns of a leaderboard that are no tasks: averages, and numbers such as a size or a speed.

The rows of a leaderboard are systems, and what stands beside their scores would be a topic.

A number cannot be told from a score by itself, so that each reason is one to ask. Arrays are
columns of the leaderboard x systems.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.printed import error_of_rounding, error_of_sums, last_decimals
from cdfscore.io.scores.summary_names import named_summaries
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

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

# An average agrees in so many of the rows; published ones are stale in a few.
_AGREES = 0.9
# An average is that of all columns but so many, if there are no more ways to choose them, and if
# chance would hardly find such a way.
_LEFT_OUT = 3
_WAYS = 5000
_CHANCE = 1e-6
# The ways are tried on so many rows, and the best of them on all.
_SOME_ROWS, _BEST = 20, 50


def refuse_no_tasks(source: str, scores: pd.DataFrame, keep: frozenset[str]) -> None:
    """Raise `ScoresError` for all columns that may be no tasks, unless they are to be kept."""
    topics, _ = labels_of(scores)
    values = scores.to_numpy()
    summaries = set(named_summaries("topic", topics))
    places = [place for place, label in enumerate(topics) if label not in summaries]
    found = may_be_no_tasks([topics[place] for place in places], values[places])
    for place, label in enumerate(topics):
        if label in summaries and label not in keep:
            rest = [i for i in places if topics[i] not in found or topics[i] in keep]
            free = [topics[i] not in keep for i in rest]
            for other in _not_averaged(values[place], values[rest], free):
                found[topics[rest[other]]] = f"not in the average {label!r}"
    found = {label: why for label, why in found.items() if label not in keep}
    if not found:
        return
    labels = [label for label in topics if label in found]
    *most, last = (f"{label!r} ({found[label]})" for label in labels)
    columns = f"{', '.join(most)} and {last}" if most else last
    drop, keep_them = argument("drop_topics", labels), argument("keep_topics", labels)
    if len(labels) == 1:
        raise ScoresError(
            f"{source}: the column {columns} may not be a task; leave it out by {drop}, or, if it "
            f"is a task, keep it by {keep_them}"
        )
    raise ScoresError(
        f"{source}: the columns {columns} may not be tasks; leave them out by {drop}, or, if they "
        f"are tasks, keep them by {keep_them}"
    )


def averages(
    source: str, scores: pd.DataFrame, keep: frozenset[str], dropped: pd.DataFrame
) -> tuple[list[str], list[str]]:
    """Return the columns that have the name of a summary and are the mean of the others; notes.

    The others may be with the columns that the user has `dropped`, which were tasks perhaps.
    Raises `ScoresError` for a column that has such a name and other numbers.
    """
    topics, systems = labels_of(scores)
    named = [label for label in named_summaries("topic", topics) if label not in keep]
    if not named:
        return [], []
    rows = dict(zip(topics, scores.to_numpy(), strict=True))
    tasks = [label for label in topics if label not in named]
    others = np.array([rows[label] for label in tasks])
    ways = [(others, "")]
    for more in _dropped_tasks(tasks, others.reshape(-1, len(systems)), dropped):
        are = "that is" if len(more) == 1 else "that are"
        every = np.concatenate([others.reshape(-1, len(systems)), more])
        ways.append((every, f" and {len(more)} {are} dropped"))
    notes = []
    for label in named:
        if not len(others):
            raise ScoresError(
                f"{source} has only columns with names of summaries, such as {label!r}; expected "
                f"columns of tasks, or {argument('keep_topics', named)} if these are tasks"
            )
        present = ~np.isnan(rows[label])
        found = [(_is_mean(rows[label], each), with_those) for each, with_those in ways]
        agrees, with_those = max(found, key=lambda each: np.count_nonzero(each[0]))
        apart = [system for system, bad in zip(systems, present & ~agrees, strict=True) if bad]
        count = int(present.sum())
        if not count or count - len(apart) < _AGREES * count:
            raise ScoresError(
                f"{source}: the column {label!r} has the name of a summary, but is not the mean of "
                f"the other {len(others)} columns for {len(apart)} of {count} systems; leave it "
                f"out by {argument('drop_topics', [label])}, or, if it is a task, keep it by "
                f"{argument('keep_topics', [label])}"
            )
        but = f", but for {len(apart)} of {count} systems ({listed(apart)})" if apart else ""
        notes.append(
            f"{source}: the column {label!r} is the mean of the other {len(others)} columns"
            f"{with_those}{but}, and is left out"
        )
    return named, notes


def _dropped_tasks(tasks: Sequence[str], others: Array, dropped: pd.DataFrame) -> Iterator[Array]:
    """Yield which columns that the user dropped may have been tasks: those that look so, and all.

    A column of words is not a task.
    """
    values, labels = dropped.to_numpy(), labels_of(dropped)[0]
    filled = ~np.isnan(values).all(axis=1)
    values, labels = values[filled], [x for x, has in zip(labels, filled, strict=True) if has]
    if not len(values):
        return
    none = {*may_be_no_tasks([*tasks, *labels], np.concatenate([others, values]))}
    none.update(named_summaries("topic", labels))
    likely = [label not in none for label in labels]
    yield values[likely]
    if not all(likely):
        yield values


def _is_mean(row: Array, others: Array) -> BoolArray:
    """Tell where a row (n,) is the mean of the others (m, n), to the decimals that are written."""
    present = ~np.isnan(others)
    mean = np.where(present, others, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    rounding = error_of_rounding("mean", len(others), last_decimals(others.T))
    margin = 0.5 * last_decimals(row[:, np.newaxis]) + rounding + error_of_sums("mean", others)
    return np.asarray((np.abs(row - mean) <= margin) & present.any(axis=0))


def _not_averaged(row: Array, others: Array, free: Sequence[bool]) -> tuple[int, ...]:
    """Return which of the others (m, n) a row (n,) is not the mean of, if it is that of the rest.

    Only those that are `free` may be; none are if the row is the mean of all, or of no such part.
    """
    has = ~np.isnan(row)
    row, others = row[has], others[:, has]
    if not len(row) or np.count_nonzero(_is_mean(row, others)) >= _AGREES * len(row):
        return ()
    # The others may have more decimals than the scores.
    unit = last_decimals(row[:, np.newaxis])
    margin = 0.5 * unit + error_of_rounding("mean", len(others), unit)
    margin = margin + error_of_sums("mean", others)
    some = np.unique(np.linspace(0, len(row) - 1, _SOME_ROWS).astype(np.intp))
    tried = 0
    for left_out in _ways(np.flatnonzero(free).tolist(), len(others)):
        tried += len(left_out)
        means = _means_without(others[:, some], left_out)
        agrees = np.abs(row[some] - means) <= margin[some]
        best = np.argsort(-np.count_nonzero(agrees, axis=1), kind="stable")[:_BEST]
        apart = np.abs(row - _means_without(others, left_out[best]))
        counts = np.count_nonzero(apart <= margin, axis=1)
        found = best[int(np.argmax(counts))]
        if (
            counts.max() >= _AGREES * len(row)
            and tried * _chance(means, margin[some], agrees[found]) < _CHANCE
        ):
            return tuple(left_out[found].tolist())
    return ()


def _means_without(others: Array, left_out: np.ndarray) -> Array:
    """Return the means of all others (m, n) but some (ways, r), as ways x n; NaN of none."""
    filled, present = np.where(np.isnan(others), 0.0, others), ~np.isnan(others)
    total, count = filled.sum(axis=0), present.sum(axis=0)
    for place in left_out.T:
        total, count = total - filled[place], count - present[place]
    means = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


def _chance(means: Array, margin: Array, agrees: BoolArray) -> float:
    """Bound the chance that the means of one way agree as they do with numbers of any kind.

    In a row it is the margin over the standard deviation of the means (ways, n), somewhat more
    than the density of a normal variable gives, and the rows that do not agree are any.
    """
    spread = np.nanstd(means[:, agrees], axis=0)
    narrow = spread > margin[agrees]
    ratios = margin[agrees][narrow] / spread[narrow]
    return math.comb(len(agrees), int(agrees.sum())) * float(np.prod(ratios))


def _ways(places: Sequence[int], m: int) -> Iterator[np.ndarray]:
    """Yield arrays (ways, r) of places to leave out, r = 1, 2, ..., so that most of m are left."""
    for r in range(1, _LEFT_OUT + 1):
        if r > len(places) or 2 * r >= m or math.comb(len(places), r) > _WAYS:
            return
        yield np.array(list(itertools.combinations(places, r)), np.intp)


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
            and present.min() == present.max()
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
