"""Statistics of a trial, tables of all trials, and proportions of pairs that t tests reject."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy import special

from cdfscore.common.text import counted
from cdfscore.errors import ExperimentError, ScoresError
from cdfscore.stats.numerics.compiled import compiled, njit
from cdfscore.stats.numerics.eighty_bits.rows import column_means
from cdfscore.stats.numerics.numbers import whole_number_from
from cdfscore.stats.numerics.offset import pearson_r
from cdfscore.stats.numerics.quantiles import quantile_r
from cdfscore.stats.numerics.tails import central_counts
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.r_random import LARGEST_SEED
from cdfscore.stats.rank_correlation import drmse
from cdfscore.stats.rank_correlation.coefficients import Pairs, swap_rate_of, tau_ap_b_of, tau_b_of
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.welch_t import welch_t

# --- Common parts of experiments on topics: statistics of a trial, tables of all trials ---


#: The coefficients of a trial, by the names of the 2019 paper's files.
COEFFICIENTS = ("tau", "tauAP", "r")
#: The statistics of two halves of the topics, and their least and largest possible values.
LIMITS = {
    "drmse": (0.0, math.inf),
    "false_positives": (0.0, 1.0),
    "tau": (-1.0, 1.0),
    "tauAP": (-1.0, 1.0),
    "r": (-1.0, 1.0),
    "swap_rate": (0.0, 1.0),
}
#: The level of confidence intervals of percentiles.
_LEVEL = 0.95


def check_seed(seed: int) -> int:
    """Return the seed as Python's int; raise `ExperimentError` for what is not a seed of R."""
    return whole_number_from("seed", seed, -LARGEST_SEED, LARGEST_SEED, ExperimentError)


def check_topics(topics: int, samples: int = 1, of: str = "") -> None:
    """Raise `ScoresError` if there are no 2 topics for each sample; `of` says of which scores."""
    if topics < 2 * samples:
        verb = "is" if topics == 1 else "are"
        each = ", 2 in each of the two samples" * (samples == 2)
        raise ScoresError(
            f"there {verb} {counted(topics, 'topic')}{of}; expected {2 * samples} or more{each}"
        )


def check_size(size: int, topics: int, samples: int = 1) -> int:
    """Return the number of topics of each sample as Python's int."""
    check_topics(topics, samples)
    return whole_number_from("size", size, 2, topics // samples, ExperimentError)


def of_systems(number: int) -> str:
    """Return the number of systems of a sample, for a message."""
    return f"{number} system{'s' * (number != 1)}"


def rankings_agree(x: Array, y: Array) -> dict[str, Array]:
    """Correlate means x and y of shape (trials, systems): tau_b, tau_ap_b, Pearson's r."""
    return _agreement(Pairs.of("tau_b", x, y))


def _agreement(pairs: Pairs) -> dict[str, Array]:
    coefficients = (tau_b_of(pairs), tau_ap_b_of(pairs), pearson_r(pairs.x, pairs.y))
    return {name: np.asarray(c) for name, c in zip(COEFFICIENTS, coefficients, strict=True)}


def samples_compared(
    of_schemes: Iterable[Array], first: IntArray, second: IntArray
) -> dict[str, Array]:
    """Compare the means over two samples of topics: `rankings_agree`, dRMSE and swap rate."""
    found = []
    for scores in of_schemes:
        x, y = column_means(scores, first), column_means(scores, second)
        pairs = Pairs.of("tau_b", x, y)
        distances = {"drmse": np.asarray(drmse(x, y)), "swap_rate": np.asarray(swap_rate_of(pairs))}
        found.append({**_agreement(pairs), **distances})
    return stacked(found)


def stacked(found: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Join the results (trials, ...) of schemes, or of sizes, as the second axis."""
    return {name: np.stack([each[name] for each in found], axis=1) for name in found[0]}


def per_trial(results: dict[str, NDArray[Any]], labels: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return each statistic as a table with one row per trial and one column per scheme."""
    return {
        name: pd.DataFrame(results[name], columns=list(labels))
        for name in LIMITS
        if name in results
    }


def error_of_mean(trials: Array) -> float:
    """Return the standard error of the mean of trials; NaN for one trial."""
    return float(trials.std(ddof=1) / math.sqrt(len(trials))) if len(trials) > 1 else math.nan


def percentile(trials: Array, percent: float) -> float:
    """Return a percentile of the trials, computed as R's ``quantile`` does; NaN of no trial."""
    return float(quantile_r(trials, percent / 100)[0]) if len(trials) else math.nan


def percentile_interval(
    trials: Array, percent: float, limits: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    r"""Return a 95 % confidence interval of a percentile, from two order statistics.

    If there is no trial with such a rank, it ends at a limit: 0 and 1 are those of a rate. Source:
    Conover, Practical Nonparametric Statistics (3rd edition, 1999), Section 3.2.
    """
    if not len(trials):
        return math.nan, math.nan
    ordered = np.concatenate([limits[:1], np.sort(trials), limits[1:]])
    low, high = central_counts(_LEVEL, len(trials), percent / 100)
    return float(ordered[low]), float(ordered[high + 1])


def summary(trials: Array, limits: tuple[float, float]) -> dict[str, float]:
    """Return mean, standard error and percentiles of trials in which a statistic is defined."""
    low, high = percentile_interval(trials, 97.5, limits)
    return {
        "trials": len(trials),
        "mean": float(trials.mean()) if len(trials) else math.nan,
        "standard_error": error_of_mean(trials),
        **{f"percentile_{percent}": percentile(trials, percent) for percent in (2.5, 50, 97.5)},
        "percentile_97.5_low": low,
        "percentile_97.5_high": high,
    }


def mean_rates(
    rejected: IntArray, tests: IntArray, alphas: Sequence[float], labels: Sequence[str]
) -> pd.DataFrame:
    """Average the proportion of tests (trials, schemes) that reject over the trials with a test."""
    made = tests > 0
    rates = rejected / np.where(made, tests, 1)[:, :, np.newaxis]
    trials = made.sum(axis=0)[:, np.newaxis]
    means = np.where(trials > 0, rates.sum(axis=0) / np.maximum(trials, 1), np.nan)
    table = pd.DataFrame(means.T, columns=list(labels))
    table.insert(0, "alpha", alphas)
    return table


# --- Proportions of pairs that t tests reject, for each sample of topics ---
#
# p <= alpha if t^2 >= c(df), the square of the upper alpha/2 quantile of the t distribution. log c
# is a smooth function of 1/df. A Chebyshev series of degree 32 approximates it to 1e-10 over the
# range of a pair of samples, from 1 to 100 degrees of freedom, and more closely elsewhere. First, a
# table of cells of (1/df, t^2) is used: for all but a few statistics in a thousand, the cell
# contains no critical value, and the table has the number of critical values below it.
#
# Pairs that rounding might decide are returned as a list, for which the test itself must be called:
# t^2 within 1e-8 of a critical value, and samples that are constant or almost.


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
# Systems in a vector of a processor, at most; and rows and columns that are multiplied together.
_LANES, _TILE = 8, 4
# Tests that are made at a time.
_BLOCK = 1 << 14
# Relative distance of t^2 from a critical value at which the p value decides.
_TOO_NEAR = 1e-8
# Squared means of samples have lost digits to cancellation if an error is below this share of them.
_LITTLE_SPREAD = 1e-8
# Differences of systems i and j have the sum of squares S_ii + S_jj - 2 S_ij, S being products of
# columns of n scores, less the mean of all systems on each topic. Let G = S_ii + S_jj, u = 2^-53.
# In any order, rounding changes the sum of squares by (2n + 10) u G at most. Totals are added in
# parts of `_PART` topics, b = 127 + n/128 additions deep at most. So the total of differences
# changes by (b + 2) u sqrt(2nG), and the rest, which is sum of squares - total^2/n, by 20 n u G.
# Pairs with a rest below e n G, e being this proportion, are undecided. Other rests change by
# 20 u/e = 2.3e-9 of them. Near a critical value c of t^2, total^2 > c e n G, and it changes by at
# most 2.9 (b + 2) u / sqrt(c e) of it: 7.4e-9 for 20,000 topics, the most, and the level 0.99. In
# all, t^2 changes by less than `_TOO_NEAR`, and its cell by a quarter of that, below `_MARGIN`.
_LITTLE_SPREAD_OF_PAIRS, _PART, _MOST_TOPICS = 1e-6, 128, 20_000
# Sums of squares outside of these have lost bits to underflow, or all to overflow.
_SMALLEST, _LARGEST = 1e-280, 1e280


@dataclass(frozen=True, eq=False)
class Tested:
    """Numbers of tests with p <= alpha, (samples, levels), and with a p value, (samples,)."""

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
            f"alphas={levels!r} is not accepted; expected 1 to {MOST_LEVELS} rising levels from "
            f"{lowest} to {highest}"
        )
    return levels


def paired_tests(scores: Array, rows: IntArray, alphas: tuple[float, ...]) -> Tested:
    """Test all pairs of systems by `paired_t` over each sample of topics, (samples, size)."""
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
    """Test each system on one sample of topics against itself and others on another."""
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
    coefficients: Array = np.array(series)
    last = np.flatnonzero((np.abs(coefficients) > _NEGLIGIBLE).any(axis=0)).max(initial=0)
    coefficients = np.ascontiguousarray(coefficients[:, : last + 1])
    return TLevels(coefficients, lowest, rows_per_unit, scale, passed)


def _log_critical(inverse_df: Array | float, tail: Array) -> Array:
    log_square: Array = 2 * np.log(-special.stdtrit(1 / np.asarray(inverse_df), tail))
    return log_square


class TLevels(NamedTuple):
    """Critical values of t^2 for levels in falling order, and the table of cells.

    `series` has the Chebyshev coefficients of each log critical value. The row of the table is
    (1/df - lowest) * rows_per_unit, and the column is a statistic's proportion t^2 / (t^2 + scale)
    of all cells. `passed` is the number of levels that a cell passes. Where a part of the cell
    passes more than the rest, it is -1 - n, n being what all of it passes.
    """

    series: Array
    lowest: float
    rows_per_unit: float
    scale: float
    passed: NDArray[np.int8]


class Rejections(NamedTuple):
    """Counts (samples, levels + 1), the highest first, and undecided (sample, system, system)."""

    passed: IntArray
    undecided: IntArray


def counts_by_level(passed: IntArray) -> IntArray:
    """Turn counts of pairs that pass 0, 1, ... levels into counts for rising levels."""
    return np.cumsum(passed[..., ::-1], axis=-1)[..., :-1]


def paired_rejections(scores: Array, rows: IntArray, levels: TLevels) -> Rejections:
    """Test each pair of columns over each sample of rows; equal ones are in no count."""
    return Rejections(*_paired(_contiguous(scores), _contiguous(rows), levels))


def unpaired_rejections(
    scores: Array, first: IntArray, second: IntArray, levels: TLevels
) -> tuple[Rejections, Rejections]:
    """Test each column on one sample of rows against itself, and others, on another."""
    passed, undecided = _unpaired(
        _contiguous(scores), _contiguous(first), _contiguous(second), levels
    )
    own = undecided[:, 1] == undecided[:, 2]
    return Rejections(passed[:, 0], undecided[own]), Rejections(passed[:, 1], undecided[~own])


# Of each function one version is compiled, which takes seconds.
_contiguous = np.ascontiguousarray


@compiled
def _paired(scores: Array, rows: IntArray, levels: TLevels) -> tuple[IntArray, IntArray]:
    samples, n = rows.shape
    systems = scores.shape[1]
    padded = -(-systems // _LANES) * _LANES
    passed = np.zeros((samples, len(levels.series) + 1), dtype=np.int64)
    undecided, found = np.empty((64, 3), dtype=np.int64), 0
    centered = np.zeros((len(scores), padded))
    for t in range(len(scores)):
        centered[t, :systems] = scores[t] - scores[t].mean()
    # Topics and systems whose scores are 0 fill the last tiles.
    sample = _aligned(-(-n // _TILE) * _TILE, padded)
    products = _aligned(padded, padded)
    totals, part, own = np.empty(padded), np.empty(padded), np.empty(padded)
    table, cells = levels.passed.ravel(), np.empty(padded, dtype=np.int64)
    for k in range(samples):
        totals[:] = 0
        for start in range(0, n, _PART):
            part[:] = 0
            for t in range(start, min(start + _PART, n)):
                source, row = centered[rows[k, t]], sample[t]
                for i in range(padded):
                    row[i] = source[i]
                    part[i] += source[i]
            for i in range(padded):
                totals[i] += part[i]
        _products(sample, products)
        for i in range(systems):
            own[i] = products[i, i]
        for i in range(systems):
            first = (i + 1) // _LANES * _LANES
            # Without the systems before, because indices from 0 are compiled to quicker code.
            product, other, total = products[i, first:], own[first:], totals[first:]
            for j in range(len(other)):
                square, rest, safe = _t_of_pair(
                    n, own[i] + other[j], product[j], totals[i] - total[j]
                )
                cells[j] = _cell(levels, square, rest, levels.lowest, safe)
            for j in range(i + 1 - first, systems - first):
                count = table[cells[j]] if cells[j] >= 0 else -1
                if count < 0:
                    square, rest, safe = _t_of_pair(
                        n, own[i] + other[j], product[j], totals[i] - total[j]
                    )
                    count = _compared(levels, square, rest, levels.lowest, safe, -1 - count)
                if count >= 0:
                    passed[k, count] += 1
                elif not _equal(scores, rows[k], i, first + j):
                    undecided = _append(undecided, found, k, i, first + j)
                    found += 1
    return passed, undecided[:found].copy()


@compiled
def _t_of_pair(n: int, both: float, product: float, total: float) -> tuple[float, float, bool]:
    """Return the parts of t^2 = (n - 1) n mean^2 / (sum of squares - n mean^2); are they exact?"""
    explained = total * total / n
    rest = both - 2 * product - explained
    least = _LITTLE_SPREAD_OF_PAIRS * n * both if n <= _MOST_TOPICS else np.inf
    # Not the other way round: what is NaN is undecided.
    safe = (rest > least) & (both > _SMALLEST) & (both < _LARGEST)
    return (n - 1) * explained, rest, safe


@compiled
def _aligned(rows: int, columns: int) -> Array:
    """Return zeros that begin, as do their rows, where a line of the processor's cache begins."""
    whole = np.zeros(rows * columns + _LANES - 1)
    first = -whole.ctypes.data % 64 // 8
    return whole[first : first + rows * columns].reshape(rows, columns)


# "contract": a product and a sum may be one instruction, which rounds once.
@njit(fastmath={"contract": True})
def _products(x: Array, products: Array) -> None:
    """Multiply each column by those from the first of its lanes on, a tile at a time."""
    n, m = x.shape
    for i in range(0, m, _TILE):
        at = i // _LANES * _LANES
        p0, p1 = products[i, at:], products[i + 1, at:]
        p2, p3 = products[i + 2, at:], products[i + 3, at:]
        p0[:], p1[:], p2[:], p3[:] = 0, 0, 0, 0
        for t in range(0, n, _TILE):
            a, b, c, d = x[t, at:], x[t + 1, at:], x[t + 2, at:], x[t + 3, at:]
            a0, a1, a2, a3 = x[t, i], x[t, i + 1], x[t, i + 2], x[t, i + 3]
            b0, b1, b2, b3 = x[t + 1, i], x[t + 1, i + 1], x[t + 1, i + 2], x[t + 1, i + 3]
            c0, c1, c2, c3 = x[t + 2, i], x[t + 2, i + 1], x[t + 2, i + 2], x[t + 2, i + 3]
            d0, d1, d2, d3 = x[t + 3, i], x[t + 3, i + 1], x[t + 3, i + 2], x[t + 3, i + 3]
            for j in range(m - at):
                p0[j] = p0[j] + a0 * a[j] + b0 * b[j] + c0 * c[j] + d0 * d[j]
                p1[j] = p1[j] + a1 * a[j] + b1 * b[j] + c1 * c[j] + d1 * d[j]
                p2[j] = p2[j] + a2 * a[j] + b2 * b[j] + c2 * c[j] + d2 * d[j]
                p3[j] = p3[j] + a3 * a[j] + b3 * b[j] + c3 * c[j] + d3 * d[j]


@compiled
def _equal(scores: Array, rows: IntArray, i: int, j: int) -> bool:
    return np.array_equal(scores[rows, i], scores[rows, j])


@compiled
def _unpaired(
    scores: Array, first: IntArray, second: IntArray, levels: TLevels
) -> tuple[IntArray, IntArray]:
    samples, n = first.shape
    m = second.shape[1]
    systems = scores.shape[1]
    # Of the same system, and of two.
    passed = np.zeros((samples, 2, len(levels.series) + 1), dtype=np.int64)
    undecided, found = np.empty((64, 3), dtype=np.int64), 0
    # One by one, as parts of a larger array are compiled to slower code.
    mean_x, error_x = np.empty(systems), np.empty(systems)
    mean_y, error_y = np.empty(systems), np.empty(systems)
    table, cells = levels.passed.ravel(), np.empty(systems, dtype=np.int64)
    for k in range(samples):
        _means_and_squared_errors(scores, first[k], mean_x, error_x)
        _means_and_squared_errors(scores, second[k], mean_y, error_y)
        for i in range(systems):
            x = mean_x[i], error_x[i]
            for j in range(systems):
                square, error, inverse_df, safe = _t_of_samples(n, m, x, (mean_y[j], error_y[j]))
                cells[j] = _cell(levels, square, error, inverse_df, safe)
            for j in range(systems):
                count = table[cells[j]] if cells[j] >= 0 else -1
                if count < 0:
                    square, error, inverse_df, safe = _t_of_samples(
                        n, m, x, (mean_y[j], error_y[j])
                    )
                    count = _compared(levels, square, error, inverse_df, safe, -1 - count)
                if count >= 0:
                    passed[k, np.int64(i != j), count] += 1
                else:
                    undecided = _append(undecided, found, k, i, j)
                    found += 1
    return passed, undecided[:found].copy()


@compiled
def _t_of_samples(
    n: int, m: int, x: tuple[float, float], y: tuple[float, float]
) -> tuple[float, float, float, bool]:
    """Return the parts of t^2 of two means and their squared errors, and 1/df; are they exact?"""
    (mean_x, error_x), (mean_y, error_y) = x, y
    difference = mean_x - mean_y
    error = error_x + error_y
    # A proportion of the squared error: squares of tiny errors would underflow.
    share = error_x / error
    inverse_df = share * share / (n - 1) + (1 - share) * (1 - share) / (m - 1)
    largest = max(abs(mean_x), abs(mean_y))
    varies = error > _LITTLE_SPREAD * largest * largest
    safe = varies & (error > _SMALLEST) & (error < _LARGEST)
    return difference * difference, error, inverse_df, safe


@compiled
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


@compiled
def _append(undecided: IntArray, found: int, k: int, i: int, j: int) -> IntArray:
    if found == len(undecided):
        longer = np.empty((2 * found, 3), dtype=np.int64)
        longer[:found] = undecided
        undecided = longer
    undecided[found, 0], undecided[found, 1], undecided[found, 2] = k, i, j
    return undecided


@compiled
def _cell(levels: TLevels, square: float, rest: float, inverse_df: float, safe: bool) -> int:
    """Return the cell of t^2 = square / rest, -1 if not safe, without a branch, for vectors."""
    rows, cells = levels.passed.shape
    row = min((inverse_df - levels.lowest) * levels.rows_per_unit, rows - 1.0)
    cell = min(square / (square + levels.scale * rest) * cells, cells - 1.0)
    return np.int64(row) * cells + np.int64(cell) if safe else -1


@compiled
def _compared(
    levels: TLevels, square: float, rest: float, inverse_df: float, safe: bool, count: int
) -> int:
    """Count the critical values that t^2 reaches, `count` or more; -1 if near one, or not safe."""
    if not safe:
        return -1
    log_square = np.log(square / rest)
    at = 2 * (inverse_df - levels.lowest) * levels.rows_per_unit / len(levels.passed) - 1
    for k in range(count, len(levels.series)):
        beyond = log_square - _clenshaw(levels.series[k], at)
        if abs(beyond) <= _TOO_NEAR:
            return -1
        if beyond < 0:
            break
        count += 1
    return count


@compiled
def _clenshaw(coefficients: Array, at: float) -> float:
    later, latest = 0.0, 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        later, latest = coefficients[k] + 2 * at * later - latest, later
    value: float = coefficients[0] + at * later - latest
    return value
