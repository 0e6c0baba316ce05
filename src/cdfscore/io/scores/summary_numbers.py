"""Rows of scores whose numbers are the mean, the sum or the geometric mean of the others.

Candidates are found by their numbers, with a cost that is linear in the scores. Whether chance
would make such a row is a question of its own; see `summary_evidence`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cdfscore.io.scores.summary_evidence import chance_of
from cdfscore.numerics.types import Array, IntArray

# Numbers that tell by a quick look that a row is no summary, and how far off they may be.
_FIRST = 4
_NEAR = 0.02
_MOST_DECIMALS = 12
# If more rows than this agree with a summary, scores are like that.
_MOST = 10
# Rows at the end that may be summaries together, such as a mean and a standard deviation.
_LAST = 3
# Rows and columns that the unit of the last decimal of all is taken from.
_SOME = (1000, 50)
_SUMMARIES = ("mean", "sum", "geometric mean")
_EPS = float(np.finfo(np.float64).eps)
#: trec_eval puts this in place of smaller scores in a geometric mean.
LEAST_OF_GEOMETRIC = 1e-5


class Summary(NamedTuple):
    """A row that sums up the others, and how many matrices have one like it by chance."""

    row: int
    what: str
    chance: float


def summaries(scores: Array) -> Iterator[Summary]:
    """Yield the rows that agree with a summary of the others."""
    if len(scores) < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    first = np.ascontiguousarray(scores[:, :_FIRST])
    with np.errstate(all="ignore"):
        # The finest unit may be that of the row itself.
        unit = float(np.sort(last_decimals(_spaced(scores)))[1])
        for what in _SUMMARIES:
            # Few rows are left after a look at their first numbers, and then after another.
            near = _near(first, np.arange(len(scores)), what, unit)
            if near.size:
                yield from (Summary(row, what, p) for row, p in _rows(scores, near, what, unit))
            # Several summaries at the end are found one by one, each without the others.
            for last in range(2, min(_LAST, len(scores) - 2) + 1):
                for row in range(len(scores) - last, len(scores)):
                    own = [*range(len(scores) - last), row]
                    place = np.array([len(own) - 1])
                    if _near(first[own], place, what, unit).size:
                        for _, chance in _rows(scores[own], place, what, unit):
                            yield Summary(row, what, chance)


def _near(first: Array, rows: IntArray, what: str, unit: float) -> IntArray:
    """Return the rows that may be a summary by their first numbers."""
    level = _level(first, what)
    largest = np.where(np.isnan(first), 0.0, np.abs(first)).max(axis=0)
    # False for NaN, which may be anything.
    far = (np.abs(first - level) > _NEAR * (largest + np.abs(level))).any(axis=1)
    rows = rows[~far[rows] & ~np.isinf(level).any()]
    if not rows.size:
        return rows
    found = first[rows]
    *_, widest = _margins(first, level, what, last_decimals(found)[:, np.newaxis], unit)
    return rows[~(np.abs(found - level) > widest).any(axis=1)]


def _rows(scores: Array, near: IntArray, what: str, unit: float) -> Iterator[tuple[int, float]]:
    """Yield the rows that agree with a summary, with the chance of each."""
    found, level = scores[near], _level(scores, what)
    off, present = np.abs(found - level), ~np.isnan(found)
    seen: set[int] = set()
    (exact,) = _margins(scores, level, what)
    if np.count_nonzero((off <= exact).all(axis=1)) > _MOST:
        return
    for margin in _margins(scores, level, what, last_decimals(found)[:, np.newaxis], unit):
        agrees = ((off <= margin) | ~present).all(axis=1) & present.any(axis=1)
        places = np.flatnonzero(agrees).tolist()
        if len(places) > _MOST:
            return
        for place in places:
            row = int(near[place])
            if row not in seen:
                yield row, chance_of(scores, row, margin[place], what)
            seen.add(row)


def _margins(
    scores: Array, level: Array, what: str, units: Array | None = None, unit_of_others: float = 0.0
) -> Iterator[Array]:
    """Yield how far rows may be from a summary, in rising order; each has shape (rows, columns).

    The row has all digits; or it was rounded to its last decimal, of scores that have no more
    digits than are seen; or the scores were rounded as well, after the summary was computed, each
    by half a unit at most. In a sum of n these add up to 2 sqrt(n) units and hardly more; in a
    geometric mean small scores weigh more. Without `units` of the rows it is the first alone.
    """
    n = len(scores)
    total = np.nansum(np.abs(scores), axis=0)
    # Bounds of the error of a sum of n doubles, in any order.
    exact = _EPS * {"mean": 2 * total, "sum": 2 * n * total, "geometric mean": 32 * n * level}[what]
    if units is None:
        yield exact
        return
    times = {"mean": 0.5, "sum": 2 * math.sqrt(n), "geometric mean": 2.0}[what]
    yield np.broadcast_to(exact, (len(units), len(exact)))
    yield exact + 0.5 * units
    yield exact + 0.5 * units + times * unit_of_others


def _level(scores: Array, what: str) -> Array:
    """Return a summary: the scores (columns,) of a row that is that of the other rows.

    A row is the mean of the others if it is the mean of all: S / n = (S - x) / (n - 1); and
    it is their sum if it is half of the sum of all. Where there is none it is infinite: negative
    scores have no geometric mean, and no one adds scores of both signs, such as z scores, some of
    which cancel each other.
    """
    present = ~np.isnan(scores)
    n = np.count_nonzero(present, axis=0)
    if what == "sum":
        mixed = (scores < 0).any(axis=0) & (scores > 0).any(axis=0)
        return np.where(mixed, np.inf, np.where(present, scores, 0.0).sum(axis=0) / 2)
    if what == "geometric mean":
        logs = np.log(np.maximum(scores, LEAST_OF_GEOMETRIC))
        level = np.exp(np.where(present, logs, 0.0).sum(axis=0) / n)
        return np.where((scores < 0).any(axis=0), np.inf, level)
    return np.asarray(np.where(present, scores, 0.0).sum(axis=0) / n)


def _spaced(scores: Array) -> Array:
    """Return some of the rows and columns, from all places."""
    rows, columns = (max(1, size // most) for size, most in zip(scores.shape, _SOME, strict=True))
    return scores[::rows, ::columns]


def last_decimals(scores: Array) -> Array:
    """Return the unit of the last decimal of each row, 0 if its scores have all digits."""
    units = np.zeros(len(scores))
    for decimals in range(_MOST_DECIMALS, -1, -1):
        written = (np.round(scores, decimals) == scores) | np.isnan(scores)
        units[written.all(axis=1)] = 10.0**-decimals
    return units
