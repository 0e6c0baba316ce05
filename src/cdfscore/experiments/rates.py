"""Proportions of pairs that t tests reject, for each sample of topics.

p <= alpha if t^2 >= c(df), the square of the upper alpha/2 quantile of the t distribution. log c is
a smooth function of 1/df. A Chebyshev series of degree 32 approximates it to 1e-10 over the range
of a pair of samples, from 1 to 100 degrees of freedom, and more closely elsewhere. First, a table
of cells of (1/df, t^2) is used: for all but a few statistics in a thousand, the cell contains no
critical value, and the table has the number of critical values below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import special

from cdfscore.errors import ExperimentError
from cdfscore.experiments.rejections import (
    Rejections,
    TLevels,
    counts_by_level,
    paired_rejections,
    unpaired_rejections,
)
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.paired_t import paired_t
from cdfscore.significance.welch_t import welch_t
from cdfscore.spelling import argument

#: Beyond these levels, quantiles of the t distribution lose digits.
LEVELS = (1e-12, 0.99)
#: More levels than this do not fit the table.
MOST_LEVELS = 127
_DEGREE = 32
# Coefficients below this are rounding errors.
_NEGLIGIBLE = 1e-13
_ROWS, _CELLS = 64, 4096
# Cells are widened by this much, so that rounding errors move no statistic out of its cell.
_MARGIN = 1e-7

#: The levels of Urbano, Lima and Hanjalic (2019): 0.001 to 0.009 and 0.01 to 0.1.
ALPHAS = (*(k / 1000 for k in range(1, 10)), *(k / 100 for k in range(1, 11)))


# Tests that are made at a time.
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class Tested:
    """Number of tests with p <= alpha, and number of tests with a p value.

    `rejected` is (samples, levels), `tests` (samples,).
    """

    rejected: IntArray
    tests: IntArray


def check_alphas(alphas: Sequence[float]) -> tuple[float, ...]:
    """Return the levels; raise `ExperimentError` if they do not increase between 0 and 1."""
    levels = tuple(float(alpha) for alpha in alphas)
    rising = all(a < b for a, b in pairwise(levels))
    lowest, highest = LEVELS
    within = all(lowest <= level <= highest for level in levels)
    if not 1 <= len(levels) <= MOST_LEVELS or not rising or not within:
        raise ExperimentError(
            f"{argument('alphas', levels)} is not accepted; expected 1 to {MOST_LEVELS} rising "
            f"levels from {lowest} to {highest}"
        )
    return levels


def paired_tests(scores: Array, rows: IntArray, alphas: tuple[float, ...]) -> Tested:
    """Test all pairs of systems by `paired_t` over each sample of topics.

    `scores` is (topics, systems), `rows` (samples, size). Pairs without a p value, such as
    systems that are equal on the sample, are not counted, as R's ``ecdf`` omits NaN.
    """
    df = rows.shape[1] - 1
    found = paired_rejections(scores, rows, _levels(alphas, df, df))

    def p_values(sample: IntArray, first: IntArray, second: IntArray) -> Array:
        x = scores[rows[sample], first[:, np.newaxis]]
        y = scores[rows[sample], second[:, np.newaxis]]
        return np.asarray(paired_t(x, y).p_value)

    return _tested(found, p_values, alphas)


def unpaired_tests(
    scores: Array, first: IntArray, second: IntArray, alphas: tuple[float, ...]
) -> tuple[Tested, Tested]:
    """Test each system on one sample of topics against each on another, by `welch_t`.

    Returns the tests of systems against themselves, whose null hypothesis is true, and the tests
    against other systems, in both directions.
    """
    n, m = first.shape[1], second.shape[1]
    levels = _levels(alphas, min(n, m) - 1, n + m - 2)

    def p_values(sample: IntArray, system: IntArray, other: IntArray) -> Array:
        x = scores[first[sample], system[:, np.newaxis]]
        y = scores[second[sample], other[:, np.newaxis]]
        return np.asarray(welch_t(x, y).p_value)

    own, others = unpaired_rejections(scores, first, second, levels)
    return _tested(own, p_values, alphas), _tested(others, p_values, alphas)


@lru_cache(maxsize=16)
def _levels(alphas: tuple[float, ...], fewest: float, most: float) -> TLevels:
    return t_levels(alphas, fewest, most)


def _tested(
    found: Rejections,
    p_values: Callable[[IntArray, IntArray, IntArray], Array],
    alphas: tuple[float, ...],
) -> Tested:
    """Perform the undecided tests, a block at a time, and add them to the counts."""
    rejected = counts_by_level(found.passed)
    tests = found.passed.sum(axis=1)
    for start in range(0, len(found.undecided), _BLOCK):
        sample, first, second = found.undecided[start : start + _BLOCK].T
        p = p_values(sample, first, second)
        np.add.at(tests, sample[~np.isnan(p)], 1)
        np.add.at(rejected, sample, p[:, np.newaxis] <= np.array(alphas))
    return Tested(rejected, tests)


def t_levels(alphas: Sequence[float], fewest: float, most: float) -> TLevels:
    """Prepare the levels `alphas`, within `LEVELS`, for `fewest` to `most` degrees of freedom."""
    tails = np.sort(alphas)[::-1, np.newaxis] / 2
    lowest, highest = 1 / most, 1 / fewest
    if highest > lowest:
        rows, rows_per_unit = _ROWS, _ROWS / (highest - lowest)
        series = [
            Chebyshev.interpolate(_log_critical, _DEGREE, [lowest, highest], (tail,)).coef
            for tail in tails
        ]
    else:
        rows, rows_per_unit = 1, 0.0
        series = [_log_critical(lowest, tail) for tail in tails]
    edges = np.linspace(lowest, highest, rows + 1)
    critical = np.exp(_log_critical(edges, tails))
    scale = float(np.median(critical))
    shares = critical / (critical + scale)
    cells = np.arange(_CELLS + 1) / _CELLS
    passed = np.empty((rows, _CELLS), dtype=np.int8)
    for row in range(rows):  # critical values rise with 1/df
        below = np.searchsorted(shares[:, row + 1] + _MARGIN, cells[:-1], side="right")
        above = np.searchsorted(shares[:, row] - _MARGIN, cells[1:], side="right")
        passed[row] = np.where(below == above, below, -1 - below)
    return TLevels(_trimmed(np.array(series)), lowest, rows_per_unit, scale, passed)


def _trimmed(series: Array) -> Array:
    last = np.flatnonzero((np.abs(series) > _NEGLIGIBLE).any(axis=0)).max(initial=0)
    return np.ascontiguousarray(series[:, : last + 1])


def _log_critical(inverse_df: Array | float, tail: Array) -> Array:
    log_square: Array = 2 * np.log(-special.stdtrit(1 / np.asarray(inverse_df), tail))
    return log_square
