"""Significance tests on all pairs of 110 systems, beside SciPy, statsmodels, NumPy and R."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import PairsTogether, TwoSamples, significance_tests
from cdfscore.stats.significance.paired_t import paired_t
from cdfscore.stats.significance.permutation import permutation
from cdfscore.stats.significance.randomized_tukey_hsd import randomized_tukey_hsd
from cdfscore.stats.significance.tukey_hsd import tukey_hsd
from validation.benchmarks.standardization import SYSTEMS, TOPICS, quiet, robust2004, timer_in_r
from validation.benchmarks.timing import Job


def jobs() -> list[Job]:
    """Return the jobs; what takes minutes is timed on a part and multiplied."""
    scores = robust2004().to_numpy()
    systems = np.ascontiguousarray(scores.T)
    first, second = np.triu_indices(SYSTEMS, 1)
    pairs = len(first)
    in_r = timer_in_r(scores, runs=1)
    size = f"all {pairs:,} pairs of {SYSTEMS} systems, {TOPICS} topics"
    ranges = tukey_hsd.over_pairs(scores, first, second).statistic

    def loop(test: Callable[[Array, Array], object], count: int) -> Callable[[], float]:
        chosen = np.linspace(0, pairs - 1, count).astype(int)
        return _part(
            lambda: [test(systems[first[k]], systems[second[k]]) for k in chosen], pairs / count
        )

    return [
        Job(
            f"Paired t test, {size}",
            {
                "cdfscore paired_t": quiet(lambda: paired_t.over_pairs(scores, first, second)),
                "R t.test in a loop": in_r("paired_t"),
                "scipy.stats.ttest_rel in a loop": loop(stats.ttest_rel, 600),
                "scipy.stats.ttest_rel on a batch": quiet(
                    lambda: stats.ttest_rel(systems[first], systems[second], axis=1)
                ),
                "statsmodels DescrStatsW on a batch": quiet(
                    lambda: DescrStatsW((systems[first] - systems[second]).T).ttest_mean()
                ),
            },
            runs=5,
        ),
        Job(
            f"Paired permutation test, B = 10,000, {size}",
            {
                "cdfscore permutation": quiet(
                    lambda: permutation.over_pairs(scores, first, second, B=10_000)
                ),
                "scipy.stats.permutation_test, from 2 pairs": loop(_permutation_in_scipy, 2),
            },
            runs=3,
        ),
        Job(
            f"Tukey's HSD blocked by topic, p values and intervals, {size}",
            {
                "cdfscore tukey_hsd": quiet(lambda: tukey_hsd.over_pairs(scores, first, second)),
                "R ptukey, only p values": in_r("ptukey"),
                "scipy.stats.studentized_range, only p values, from 20": _part(
                    lambda: stats.studentized_range.sf(
                        ranges[:: pairs // 20], SYSTEMS, (SYSTEMS - 1) * (TOPICS - 1)
                    ),
                    pairs / len(ranges[:: pairs // 20]),
                ),
            },
            runs=3,
        ),
        Job(
            f"Randomized Tukey HSD, B = 100,000, {size}",
            {
                "cdfscore randomized_tukey_hsd": quiet(
                    lambda: randomized_tukey_hsd.over_pairs(scores, first, second, B=100_000)
                ),
                "NumPy, shuffle by shuffle, from 1,000": _part(
                    lambda: _ranges_in_numpy(scores, 1000), 100
                ),
            },
            runs=3,
        ),
        Job(
            f"Every test by default, {size}",
            {
                name: quiet(partial(test.over_pairs, scores, first, second, **test.example))
                for name, test in _tests_of_pairs().items()
            },
            runs=3,
        ),
    ]


def _tests_of_pairs() -> dict[str, TwoSamples[Any] | PairsTogether[Any]]:
    tests = {name: significance_tests.load(name) for name in significance_tests.names()}
    return {
        name: test
        for name, test in tests.items()
        if isinstance(test, TwoSamples)
        or (isinstance(test, PairsTogether) and not test.one_baseline)
    }


def _permutation_in_scipy(x: Array, y: Array) -> object:
    return stats.permutation_test(
        (x, y),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=10_000,
        vectorized=True,
        rng=1,
    )


def _ranges_in_numpy(scores: Array, count: int) -> Array:
    rng = np.random.default_rng(1)
    return np.array([np.ptp(rng.permuted(scores, axis=1).mean(axis=0)) for _ in range(count)])


def _part(run: Callable[[], object], times: float) -> Callable[[], float]:
    """Time a part of the work, of which there is `times` as much."""

    def timed() -> float:
        start = time.perf_counter()
        run()
        return times * (time.perf_counter() - start)

    return timed
