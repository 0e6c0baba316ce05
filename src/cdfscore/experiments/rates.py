"""Proportions of pairs that t tests reject, for each sample of topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from cdfscore.errors import ExperimentError
from cdfscore.experiments.rejections import (
    Rejections,
    TLevels,
    counts_by_level,
    paired_rejections,
    unpaired_rejections,
)
from cdfscore.experiments.t_levels import LEVELS, MOST_LEVELS, t_levels
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.paired_t import paired_t
from cdfscore.significance.welch_t import welch_t
from cdfscore.spelling import argument

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
