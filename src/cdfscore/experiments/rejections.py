"""Numbers of pairs of systems that two-sided t tests reject at each level, for each sample.

The counts are from critical values and not from p values. Pairs that rounding might decide are
returned as a list, for which the test itself must be called: t^2 within 1e-9 of a critical
value, and samples that are constant or almost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.compiled import njit
from cdfscore.numerics.types import Array, IntArray

# Relative distance of t^2 from a critical value at which the p value decides.
_TOO_NEAR = 1e-9
# A variance of pairs below this proportion of their squares has lost digits to cancellation, and
# so have squared means of samples if an error is below that proportion of them.
_LITTLE_SPREAD_OF_PAIRS, _LITTLE_SPREAD = 1e-5, 1e-8
# Sums of squares outside of these have lost bits to underflow, or all to overflow.
_SMALLEST, _LARGEST = 1e-280, 1e280


class TLevels(NamedTuple):
    """Critical values of t^2 for levels in falling order, and the table of cells.

    Attributes
    ----------
    series
        Chebyshev coefficients of each log critical value, shape (levels, degree + 1).
    lowest, rows_per_unit
        The row of the table is (1/df - lowest) * rows_per_unit.
    scale
        A statistic's cell is its proportion t^2 / (t^2 + scale) of all cells.
    passed
        The number of levels that a cell passes, shape (rows, cells). Where a part of the cell
        passes more than the rest, -1 - n, n being what all of it passes.
    """

    series: Array
    lowest: float
    rows_per_unit: float
    scale: float
    passed: NDArray[np.int8]


class Rejections(NamedTuple):
    """Results of a batch of tests.

    Attributes
    ----------
    passed
        Pairs that pass 0, 1, ... of the levels, the highest level first; (samples, levels + 1).
    undecided
        Rows (sample, first system, second system) of the pairs that are in no count.
    """

    passed: IntArray
    undecided: IntArray


def counts_by_level(passed: IntArray) -> IntArray:
    """Turn counts of pairs that pass 0, 1, ... levels into counts for rising levels."""
    counts: IntArray = np.cumsum(passed[..., ::-1], axis=-1)[..., :-1]
    return counts


def paired_rejections(scores: Array, rows: IntArray, levels: TLevels) -> Rejections:
    """Test each pair of columns of `scores` (topics, systems) over each sample of rows.

    `rows` is (samples, size). A pair of equal columns is in no count, and is not undecided.
    """
    return Rejections(*_paired(_contiguous(scores), _contiguous(rows), levels))


def unpaired_rejections(
    scores: Array, first: IntArray, second: IntArray, levels: TLevels
) -> tuple[Rejections, Rejections]:
    """Test each column on one sample of rows against each on another, by Welch's t test.

    Returns the tests of systems against themselves, and of each against all others, both
    ways. `first` and `second` are (samples, size).
    """
    same, different, undecided = _unpaired(
        _contiguous(scores), _contiguous(first), _contiguous(second), levels
    )
    own = undecided[:, 1] == undecided[:, 2]
    return Rejections(same, undecided[own]), Rejections(different, undecided[~own])


# Of each function one version is compiled, which takes seconds.
_contiguous = np.ascontiguousarray


@njit(error_model="numpy")
def _paired(scores: Array, rows: IntArray, levels: TLevels) -> tuple[IntArray, IntArray]:
    samples, n = rows.shape
    systems = scores.shape[1]
    passed = np.zeros((samples, len(levels.series) + 1), dtype=np.int64)
    undecided, found = np.empty((64, 3), dtype=np.int64), 0
    sample = np.empty((systems, n))
    total, squares, square, rest = np.empty((4, systems))
    inverse_df = np.full(systems, levels.lowest)
    count = np.empty(systems, dtype=np.int64)
    for k in range(samples):
        for t in range(n):
            for i in range(systems):
                sample[i, t] = scores[rows[k, t], i]
        for i in range(systems):
            _sums_of_differences(sample, i, total, squares)
            for j in range(i + 1, systems):
                # t^2 = (n - 1) n mean^2 / (sum of squares - n mean^2)
                explained = total[j] * total[j] / n
                square[j] = (n - 1) * explained
                rest[j] = squares[j] - explained
            _levels_passed(levels, square, rest, inverse_df, i + 1, count)
            for j in range(i + 1, systems):
                if squares[j] == 0 and _equal(sample, i, j):
                    continue
                varies = rest[j] > _LITTLE_SPREAD_OF_PAIRS * squares[j]
                # Not the other way round: what is NaN is undecided.
                safe = varies and _SMALLEST < squares[j] < _LARGEST
                if count[j] < 0 or not safe:
                    undecided = _append(undecided, found, k, i, j)
                    found += 1
                else:
                    passed[k, count[j]] += 1
    return passed, undecided[:found].copy()


@njit()
def _equal(sample: Array, i: int, j: int) -> bool:
    """Compare two systems score by score; squares of small differences may underflow to 0."""
    return np.array_equal(sample[i], sample[j])


# Sums in any order, so that the compiler may add four at a time.
@njit(fastmath={"reassoc", "contract", "nsz"})
def _sums_of_differences(sample: Array, i: int, total: Array, squares: Array) -> None:
    """Add the differences of system i and each later one, and the squares of the differences."""
    systems, n = sample.shape
    x = sample[i]
    for j in range(i + 1, systems):
        y = sample[j]
        sum_, sum_of_squares = 0.0, 0.0
        for t in range(n):
            difference = x[t] - y[t]
            sum_ += difference
            sum_of_squares += difference * difference
        total[j], squares[j] = sum_, sum_of_squares


@njit(error_model="numpy")
def _unpaired(
    scores: Array, first: IntArray, second: IntArray, levels: TLevels
) -> tuple[IntArray, IntArray, IntArray]:
    samples, n = first.shape
    m = second.shape[1]
    systems = scores.shape[1]
    same = np.zeros((samples, len(levels.series) + 1), dtype=np.int64)
    different = np.zeros_like(same)
    undecided, found = np.empty((64, 3), dtype=np.int64), 0
    mean_x, error_x, mean_y, error_y = np.empty((4, systems))
    square, error, inverse_df = np.empty((3, systems))
    count = np.empty(systems, dtype=np.int64)
    for k in range(samples):
        _means_and_squared_errors(scores, first[k], mean_x, error_x)
        _means_and_squared_errors(scores, second[k], mean_y, error_y)
        for i in range(systems):
            for j in range(systems):
                square[j] = (mean_x[i] - mean_y[j]) ** 2
                error[j] = error_x[i] + error_y[j]
                # Proportions of the squared error: squares of tiny errors would underflow.
                share_x, share_y = error_x[i] / error[j], error_y[j] / error[j]
                inverse_df[j] = share_x * share_x / (n - 1) + share_y * share_y / (m - 1)
            _levels_passed(levels, square, error, inverse_df, 0, count)
            for j in range(systems):
                largest = max(abs(mean_x[i]), abs(mean_y[j]))
                varies = error[j] > _LITTLE_SPREAD * largest * largest
                safe = varies and _SMALLEST < error[j] < _LARGEST
                if count[j] < 0 or not safe:
                    undecided = _append(undecided, found, k, i, j)
                    found += 1
                elif i == j:
                    same[k, count[j]] += 1
                else:
                    different[k, count[j]] += 1
    return same, different, undecided[:found].copy()


@njit()
def _means_and_squared_errors(scores: Array, rows: IntArray, mean: Array, error: Array) -> None:
    n = len(rows)
    mean[:] = 0
    error[:] = 0
    for t in rows:
        for j in range(len(mean)):
            mean[j] += scores[t, j]
    for j in range(len(mean)):
        mean[j] /= n
    for t in rows:
        for j in range(len(mean)):
            error[j] += (scores[t, j] - mean[j]) ** 2
    for j in range(len(mean)):
        error[j] /= n * (n - 1)


@njit()
def _append(undecided: IntArray, found: int, k: int, i: int, j: int) -> IntArray:
    if found == len(undecided):
        longer = np.empty((2 * found, 3), dtype=np.int64)
        longer[:found] = undecided
        undecided = longer
    undecided[found, 0], undecided[found, 1], undecided[found, 2] = k, i, j
    return undecided


@njit(error_model="numpy")
def _levels_passed(
    levels: TLevels, square: Array, rest: Array, inverse_df: Array, first: int, passed: IntArray
) -> None:
    """Count the critical values that t^2 = square / rest reaches; -1 if too near to one.

    Arrays are one-dimensional, and are read and written from index `first` on.
    """
    table, scale = levels.passed, levels.scale
    lowest, rows_per_unit = levels.lowest, levels.rows_per_unit
    rows, cells = table.shape
    # Unsigned, because a signed index may count from the end and has to be tested for that.
    last_row, last_cell = np.uint32(rows - 1), np.uint32(cells - 1)
    for j in range(first, len(square)):
        row = np.uint32((inverse_df[j] - lowest) * rows_per_unit)
        cell = np.uint32(square[j] / (square[j] + scale * rest[j]) * cells)
        passed[j] = table[min(row, last_row), min(cell, last_cell)]
    for j in range(first, len(square)):
        if passed[j] < 0:
            log_square = np.log(square[j] / rest[j])
            passed[j] = _compared(levels, log_square, inverse_df[j], -1 - passed[j])


@njit()
def _compared(levels: TLevels, log_square: float, inverse_df: float, count: int) -> int:
    """Continue counting with the critical value after the first `count`."""
    at = 2 * (inverse_df - levels.lowest) * levels.rows_per_unit / len(levels.passed) - 1
    for k in range(count, len(levels.series)):
        beyond = log_square - _clenshaw(levels.series[k], at)
        if abs(beyond) <= _TOO_NEAR:
            return -1
        if beyond < 0:
            break
        count += 1
    return count


@njit()
def _clenshaw(coefficients: Array, at: float) -> float:
    """Evaluate a Chebyshev series."""
    later, latest = 0.0, 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        later, latest = coefficients[k] + 2 * at * later - latest, later
    value: float = coefficients[0] + at * later - latest
    return value
