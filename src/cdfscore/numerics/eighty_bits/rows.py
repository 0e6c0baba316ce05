"""Almost exact sums of many rows, compiled, with what bounds R's roundings."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.eighty_bits.compiled_pairs import square_error, two_sum
from cdfscore.numerics.types import Array, IntArray

# Rows and scores that are added at a time. The rows stand side by side, so that the processor adds
# several by one instruction, each in its own order.
_ROWS, _SCORES = 32, 128


@compiled
def add(scores: Array, sums: Array, n: IntArray) -> None:
    """Add each row: fill in `sums` (4, rows), and the numbers n of scores that are not NaN.

    They are those of `few.add`.
    """
    tile, counted = np.empty((_SCORES, _ROWS)), np.empty(_ROWS, dtype=np.int64)
    zero, found = np.zeros(_ROWS), np.empty((4, _ROWS))
    for first in range(0, len(scores), _ROWS):
        rows = scores[first : first + _ROWS]
        found[:] = 0
        counted[:] = 0
        for start in range(0, scores.shape[1], _SCORES):
            part = rows[:, start : start + _SCORES]
            _fill(tile, part, zero, counted)
            _add(tile, part.shape[1], found)
        # Each rest is at most half an ulp of a partial sum, and each addition of rests rounds.
        found[2] = 2.0**-105 * counted * found[3]
        sums[:, first : first + _ROWS] = found[:, : len(rows)]
        n[first : first + _ROWS] = counted[: len(rows)]


@compiled
def add_squares(scores: Array, means: Array, sums: Array) -> None:
    """Add the squares of x - mean of each row: fill in `sums` (5, rows).

    They are those of `few.add_squares`.
    """
    tile, counted = np.empty((_SCORES, _ROWS)), np.empty(_ROWS, dtype=np.int64)
    mean, found = np.zeros(_ROWS), np.empty((6, _ROWS))
    for first in range(0, len(scores), _ROWS):
        rows = scores[first : first + _ROWS]
        mean[: len(rows)] = means[first : first + _ROWS]
        found[:] = 0
        for start in range(0, scores.shape[1], _SCORES):
            part = rows[:, start : start + _SCORES]
            _fill(tile, part, mean, counted)
            _add_squares(tile, part.shape[1], mean, found)
        found[2] = 2.0**-102 * scores.shape[1] * found[3]
        sums[:, first : first + _ROWS] = found[:5, : len(rows)]


@compiled
def _fill(tile: Array, scores: Array, missing: Array, counted: IntArray) -> None:
    """Turn rows into columns; a score that is NaN is replaced by what changes no sum."""
    for r in range(len(scores)):
        row, other, n = scores[r], missing[r], 0
        for k in range(len(row)):
            score = row[k]
            there = score == score
            n += there
            tile[k, r] = score if there else other
        counted[r] += n


@compiled
def _add(tile: Array, length: int, found: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            total, error = two_sum(found[0, r], tile[k, r])
            found[1, r] += error
            found[3, r] += abs(total)
            found[0, r] = total


@compiled
def _add_squares(tile: Array, length: int, mean: Array, found: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            d, error = two_sum(tile[k, r], -mean[r])
            square = d * d
            rest = square_error(d, square) + 2.0 * d * error
            total, error = two_sum(found[0, r], square)
            found[1, r] += error + rest
            found[3, r] += total
            found[0, r] = total
            drift = found[5, r] + d
            found[5, r] = drift
            found[4, r] += abs(drift)
