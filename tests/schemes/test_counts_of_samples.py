"""Counts by compiled code and by NumPy are those of NumPy's searchsorted."""

import numpy as np
import pytest

from cdfscore.stats.schemes import Empirical, Normal, Uniform
from cdfscore.stats.schemes import empirical as module


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 100])
def test_counts_in_both_ways(n: int) -> None:
    rng = np.random.default_rng(n)
    scores = rng.integers(0, 5, (50, n)) * 1.0
    scores[:, 1:][rng.random((50, n - 1)) < 0.2] = np.nan
    scores.sort(axis=1)
    x = rng.integers(-1, 7, (50, 40)) * 1.0
    x[:, :2] = np.inf, -np.inf
    for below, side in ((True, "left"), (False, "right")):
        expected = [
            np.searchsorted(row[~np.isnan(row)], given, side)
            for row, given in zip(scores, x, strict=True)
        ]
        x[0, 5] = np.nan  # precedes nothing
        expected[0][5] = 0
        counts = np.empty(x.shape, dtype=np.int64)
        module.count_rows(scores, x, counts, below)
        assert np.array_equal(counts, expected)
        precedes = np.less if below else np.less_equal
        assert np.array_equal(module._searched(scores, x, precedes), expected)


def test_many_rows_in_threads_are_each_as_alone() -> None:
    scores = np.random.default_rng(6).beta(0.8, 2.5, (6000, 110)).round(4)
    scores[scores > 0.99] = np.nan
    for scheme in (Empirical(), Normal(), Uniform()):
        y = scheme.fit(scores)(scores)
        for rows in ([0], [5999], [2382, 2383, 2384]):
            few = scheme.fit(scores[rows])
            assert np.array_equal(few(scores[rows]), y[rows], equal_nan=True)
