"""Exact null distributions of rank statistics: by enumeration, and in whole numbers."""

import itertools
from math import comb

import numpy as np
import pytest

from cdfscore.stats.significance.kolmogorov_smirnov import _at_least
from cdfscore.stats.significance.rank_tests import untied_cdf
from cdfscore.stats.significance.wilcoxon_signed_rank import _untied_cdf


@pytest.mark.clause("wilcoxon_signed_rank.2")
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_the_signed_rank_distribution_is_the_one_of_all_signs(n: int) -> None:
    v = [sum(r for r in range(1, n + 1) if s >> (r - 1) & 1) for s in range(2**n)]
    counts = np.cumsum(np.bincount(v))
    np.testing.assert_array_equal(_untied_cdf(n), counts / 2**n)


@pytest.mark.clause("mann_whitney.2")
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 5), (4, 3), (5, 5)])
def test_the_rank_sum_distribution_is_the_one_of_all_arrangements(n: int, m: int) -> None:
    w = [sum(c) - n * (n + 1) // 2 for c in itertools.combinations(range(1, n + m + 1), n)]
    counts = np.cumsum(np.bincount(w))
    np.testing.assert_array_equal(untied_cdf((n, m)), counts / comb(n + m, n))
    np.testing.assert_array_equal(untied_cdf((n, m)), untied_cdf((m, n)))


@pytest.mark.clause("kolmogorov_smirnov.2")
@pytest.mark.parametrize(("n", "m"), [(1, 4), (4, 3), (5, 5)])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_kolmogorov_paths_are_those_of_all_arrangements(n: int, m: int, alternative: str) -> None:
    rng = np.random.default_rng(3)
    sign = -1 if alternative == "less" else 1
    for share in (0.0, 0.3, 1.0):  # of scores that tie with the next
        ends = rng.random((1, n + m)) >= share
        ends[:, -1] = True
        reached = []
        for chosen in itertools.combinations(range(n + m), n):
            gap = np.cumsum(np.where(np.isin(np.arange(n + m), chosen), m, -n))
            gap = (np.abs(gap) if alternative == "two-sided" else sign * gap)[ends[0]]
            reached.append(gap.max())
        for d in np.unique(reached):
            p = _at_least(np.array([d]), ends, n, m, alternative)
            assert p[0] == pytest.approx(np.mean(np.array(reached) >= d), rel=1e-14)


def test_a_small_kolmogorov_tail_keeps_its_digits() -> None:
    ends = np.ones((2, 160), dtype=np.bool_)
    p = _at_least(np.array([6400, 79 * 80]), ends, 80, 80, "greater")
    # By reflection: comb(2 n, n + k) paths get k steps away.
    np.testing.assert_allclose(p, [1 / comb(160, 80), 160 / comb(160, 80)], rtol=1e-13)
