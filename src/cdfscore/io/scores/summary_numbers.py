"""Rows of scores whose numbers are the mean, the sum or the geometric mean of the others.

Candidates are found by their numbers, with a cost that is linear in the scores. Whether chance
would make such a row is a question of its own; see `summary_evidence`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, get_args

import numpy as np

from cdfscore.io.scores.printed import What, error_of_rounding, error_of_sums, last_decimals
from cdfscore.io.scores.summary_evidence import chance_of
from cdfscore.numerics.types import Array, IntArray

# Numbers of a row that tell by a quick look that it is no summary, some and then more, and the
# proportion of them that must be off.
_FIRST, _MORE = 8, 24
_OFF = 0.25
# If more rows that are printed alike agree with a summary than this, such rows do so easily.
_MOST = 10
# The largest proportion of the numbers of a row that may be off, such as mistakes in typing.
_MISTAKES = 0.1
# Rows at the end that may be summaries together, such as a mean and a standard deviation.
_LAST = 3
# Rows and columns that the unit of the last decimal of all is taken from.
_SOME = (1000, 50)
_SUMMARIES: tuple[What, ...] = get_args(What)
#: trec_eval puts this in place of smaller scores in a geometric mean.
LEAST_OF_GEOMETRIC = 1e-5


class Summary(NamedTuple):
    """A row that sums up the others, and how likely one like it is by chance.

    `what` is the name of the summary, of which the row has `agreeing` of its `present` numbers.
    """

    row: int
    what: str
    chance: float
    agreeing: int
    present: int


def summaries(scores: Array) -> Iterator[Summary]:
    """Yield the rows that agree with a summary of the others."""
    if len(scores) < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    places = (np.arange(min(most, width := scores.shape[1])) for most in (_FIRST, _MORE))
    first, more = (
        np.ascontiguousarray(scores[:, own * max(1, width // len(own))]) for own in places
    )
    with np.errstate(all="ignore"):
        # The finest unit may be that of the row itself.
        unit = float(np.sort(last_decimals(_spaced(scores)))[1])
        units = last_decimals(first)
        for what in _SUMMARIES:
            # Few rows are left after a look at their first numbers.
            near = _near(first, np.arange(len(scores)), what, units, unit)
            if near.size > _MOST:
                near = _near(more, near, what, units, unit)
            if near.size:
                yield from _rows(scores, near, what, unit)
            # Several summaries at the end are found one by one, each without the others.
            for last in range(2, min(_LAST, len(scores) - 2) + 1):
                for row in range(len(scores) - last, len(scores)):
                    own = np.arange(len(scores) - last + 1)
                    own[-1] = row
                    place = np.array([len(own) - 1])
                    if _near(first[own], place, what, units[own], unit).size:
                        for found in _rows(scores[own], place, what, unit):
                            yield found._replace(row=row)


def _near(first: Array, rows: IntArray, what: What, units: Array, unit: float) -> IntArray:
    """Return the rows that may be a summary by their first numbers, printed in `units` or more."""
    level = _level(first, what)
    if np.isinf(level).any():
        return rows[:0]
    found = first[rows]
    *_, widest = _margins(first, level, what, units[rows, np.newaxis], unit)
    off = np.count_nonzero(np.abs(found - level) > widest, axis=1)  # not NaN, which may be anything
    return np.asarray(rows[off <= _OFF * first.shape[1]])


def _rows(scores: Array, near: IntArray, what: What, unit: float) -> Iterator[Summary]:
    """Yield the rows that agree with a summary."""
    found, level = scores[near], _level(scores, what)
    off, present = np.abs(found - level), ~np.isnan(found)
    counts = np.count_nonzero(present, axis=1)
    seen: set[int] = set()
    (exact,) = _margins(scores, level, what)
    if np.count_nonzero((off <= exact).all(axis=1)) > _MOST:
        return
    units = last_decimals(found)
    for margin in _margins(scores, level, what, units[:, np.newaxis], unit):
        agreeing = np.count_nonzero(off <= margin, axis=1)
        agrees = (counts > 0) & (agreeing >= counts * (1 - _MISTAKES))
        for each in np.unique(units[agrees]).tolist():
            places = np.flatnonzero(agrees & (units == each)).tolist()
            if len(places) > _MOST:
                continue  # rows that are printed so agree easily, and finer ones do not
            for place in places:
                row, own = int(near[place]), (off <= margin)[place]
                if row not in seen:
                    chance = chance_of(scores, row, margin[place], what, own)
                    yield Summary(row, what, chance, int(own.sum()), int(counts[place]))
                if own[present[place]].all():
                    seen.add(row)


def _margins(
    scores: Array, level: Array, what: What, units: Array | None = None, unit_of_others: float = 0.0
) -> Iterator[Array]:
    """Yield how far rows may be from a summary, in rising order; each has shape (rows, columns).

    The row has all digits; or it was rounded to its last decimal, of scores that have no more
    digits than are seen; or the scores were rounded as well, after the summary was computed.
    Without `units` of the rows it is the first alone.
    """
    exact = error_of_sums(what, scores, level)
    if units is None:
        yield exact
        return
    yield np.broadcast_to(exact, (len(units), len(exact)))
    yield exact + 0.5 * units
    yield exact + 0.5 * units + error_of_rounding(what, len(scores), unit_of_others)


def _level(scores: Array, what: What) -> Array:
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
