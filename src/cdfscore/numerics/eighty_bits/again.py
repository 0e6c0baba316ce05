"""R's sums of some rows, compiled: each addition with its rounding to 64 bits.

As in `rows`, rows stand side by side, so that the processor adds several by one instruction.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.eighty_bits.compiled_pairs import (
    divided,
    rounded,
    square,
    sum_of_pairs,
    sum_of_two,
    two_sum,
)
from cdfscore.numerics.types import Array, IntArray

# Rows and scores that are added at a time.
_ROWS, _SCORES = 32, 128


@compiled
def totals(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``sum`` of some rows; NaN is omitted."""
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        sums, _ = _sums(scores, some)
        for r in range(len(some)):
            found[some[r]] = sums[0, r]


@compiled
def single_pass_means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``colMeans`` of some rows, as if they were columns; NaN is omitted."""
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        sums, n = _sums(scores, some)
        for r in range(len(some)):
            found[some[r]] = _quotient(sums, r, n[r])[0]


@compiled
def means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``mean`` of some rows, which adds that of the residuals; NaN is omitted."""
    tile, first = np.empty((_SCORES, _ROWS)), np.zeros((2, _ROWS))
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        sums, n = _sums(scores, some)
        for r in range(len(some)):
            first[0, r], first[1, r] = _quotient(sums, r, n[r])
        sums[:] = 0
        for begin in range(0, scores.shape[1], _SCORES):
            length = _fill(tile, scores, some, begin)
            _add_residuals(tile, length, first, sums)
        for r in range(len(some)):
            high, low = _quotient(sums, r, n[r])
            found[some[r]] = sum_of_pairs(first[0, r], first[1, r], high, low)[0]


@compiled
def sds(scores: Array, rows: IntArray, means: Array, found: Array) -> None:
    """Fill in R's ``sd`` of some rows, which have two scores or more; NaN is omitted."""
    tile, mean = np.empty((_SCORES, _ROWS)), np.zeros(_ROWS)
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        sums, n = np.zeros((2, _ROWS)), np.zeros(_ROWS, dtype=np.int64)
        for r in range(len(some)):
            mean[r] = means[some[r]]
        for begin in range(0, scores.shape[1], _SCORES):
            length = _fill(tile, scores, some, begin)
            _count(tile, length, n)
            _add_squares(tile, length, mean, sums)
        for r in range(len(some)):
            found[some[r]] = math.sqrt(_quotient(sums, r, n[r] - 1)[0])


@compiled
def _sums(scores: Array, rows: IntArray) -> tuple[Array, IntArray]:
    """Return the sums of up to 32 rows (2, 32), and the numbers of scores."""
    tile = np.empty((_SCORES, _ROWS))
    sums, n = np.zeros((2, _ROWS)), np.zeros(_ROWS, dtype=np.int64)
    for begin in range(0, scores.shape[1], _SCORES):
        length = _fill(tile, scores, rows, begin)
        _count(tile, length, n)
        _add(tile, length, sums)
    return sums, n


@compiled
def _quotient(sums: Array, r: int, n: int) -> tuple[float, float]:
    high, low = divided(sums[0, r], sums[1, r], n)
    return rounded(high, low, 0.0)


@compiled
def _fill(tile: Array, scores: Array, rows: IntArray, begin: int) -> int:
    """Turn a part of some rows into columns, and return its length."""
    length: int = min(_SCORES, scores.shape[1] - begin)
    for r in range(len(rows)):
        row = scores[rows[r]]
        for k in range(length):
            tile[k, r] = row[begin + k]
    return length


@compiled
def _count(tile: Array, length: int, n: IntArray) -> None:
    for k in range(length):
        for r in range(_ROWS):
            n[r] += tile[k, r] == tile[k, r]


@compiled
def _add(tile: Array, length: int, sums: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            x = tile[k, r]
            x = x if x == x else 0.0
            sums[0, r], sums[1, r] = sum_of_two(sums[0, r], sums[1, r], x)


@compiled
def _add_residuals(tile: Array, length: int, first: Array, sums: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            x = tile[k, r]
            high, low = sum_of_two(-first[0, r], -first[1, r], x)
            high, low = (high if x == x else 0.0), (low if x == x else 0.0)
            sums[0, r], sums[1, r] = sum_of_pairs(sums[0, r], sums[1, r], high, low)


@compiled
def _add_squares(tile: Array, length: int, mean: Array, sums: Array) -> None:
    for k in range(length):
        for r in range(_ROWS):
            x = tile[k, r]
            # R's var() subtracts the mean after it was rounded to double.
            x = x if x == x else mean[r]
            high, low = two_sum(x, -mean[r])
            high, low = rounded(high, low, 0.0)
            high, low = square(high, low)
            sums[0, r], sums[1, r] = sum_of_pairs(sums[0, r], sums[1, r], high, low)
