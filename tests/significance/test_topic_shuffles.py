"""The largest range of shuffled topics: each trial on its own, and every order as likely."""

import importlib
from typing import Any

import numpy as np
import pytest

from cdfscore.stats import significance
from cdfscore.stats.numerics import compiled

SHUFFLES: Any = importlib.import_module("cdfscore.stats.significance.randomized_tukey_hsd")

SCORES = np.random.default_rng(6).random((9, 5))


@pytest.mark.clause("test.10")
def test_threads_and_blocks_change_no_number(monkeypatch):
    one = SHUFFLES.drawn_ranges(SCORES, 1500, 2)
    assert np.array_equal(one[:70], SHUFFLES.drawn_ranges(SCORES, 70, 2))
    monkeypatch.setattr(SHUFFLES, "_BLOCK", 17)
    assert np.array_equal(one, SHUFFLES.drawn_ranges(SCORES, 1500, 2))
    monkeypatch.setattr(compiled, "MANY", 0)
    monkeypatch.setattr(compiled, "threads_here", lambda: 2)
    assert np.array_equal(one, SHUFFLES.drawn_ranges(SCORES, 1500, 2))
    assert not np.array_equal(one, SHUFFLES.drawn_ranges(SCORES, 1500, 3))
    assert len(np.unique(one)) == 1500


@pytest.mark.parametrize("shape", [(1, 6), (3, 4), (4, 3), (9, 2)])
def test_drawn_ranges_are_those_of_all_orders(shape):
    # Powers of two, whose sums are exact and differ for different shuffles.
    scores = 2.0 ** np.random.default_rng(1).permutation(shape[0] * shape[1]).reshape(shape)
    values, sizes = np.unique(SHUFFLES.all_ranges(scores), return_counts=True)
    found = SHUFFLES.drawn_ranges(scores, 50_000, 8)
    assert np.isin(found, values).all()
    share = sizes.cumsum() / sizes.sum()
    reached = np.searchsorted(np.sort(found), values, side="right") / 50_000
    assert (np.abs(reached - share) <= 5 * np.sqrt(share * (1 - share) / 50_000)).all()


@pytest.mark.clause("randomized_tukey_hsd.1", "test.8")
def test_randomized_tukey_counts_the_drawn_ranges():
    scores = np.random.default_rng(6).integers(0, 9, (30, 6)).astype(float)
    result = significance.randomized_tukey_hsd(scores, B=999, seed=4)
    sums = scores.sum(axis=0)
    first, second = np.triu_indices(6, 1)
    ranges = SHUFFLES.drawn_ranges(scores, 999, 4)
    b = (ranges >= np.abs(sums[first] - sums[second])[:, np.newaxis]).sum(axis=1)
    assert np.array_equal(result.p_value, (b + 1) / 1000)
    swapped = significance.randomized_tukey_hsd(scores, np.c_[second, first], B=999, seed=4)
    assert np.array_equal(swapped.p_value, result.p_value)
    assert np.array_equal(swapped.estimate, -result.estimate)
    assert result.method[0] == "shuffles within topics, B = 999, seed 4"
