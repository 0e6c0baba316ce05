"""Sizes, limits and defaults that the pages name."""

import re

import numpy as np

from cdfscore.stats.significance import (
    kendall,
    kolmogorov_smirnov,
    mann_whitney,
    permutation,
    spearman,
    wilcoxon_signed_rank,
)
from cdfscore.stats.significance.contract import significance_tests
from tests.claims import claim


def exact(method: object) -> bool:
    return re.search(r"exact|all \d", str(method)) is not None


@claim("docs/significance.md", "| n < 50, no zeros, no ties; on request with both")
@claim("docs/significance.md", "| n < 50, no ties; on request n ≤ 170, ties in one sample too")
@claim("docs/significance.md", "| n ≤ 9, no ties; on request n ≤ 10, ties too |")
@claim("docs/significance.md", "| n and m < 50, no ties; on request with ties |")
@claim("docs/significance.md", "| n m < 10,000, ties too |")
def test_from_which_size_on_a_test_is_approximate() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 200))
    for n, is_exact in ((49, True), (50, False)):
        assert exact(wilcoxon_signed_rank(x[:n], y[:n]).method) == is_exact
        assert exact(kendall(x[:n], y[:n]).method) == is_exact
        assert exact(mann_whitney(x[:n], y[:n]).method) == is_exact
    assert exact(kendall(x[:170], y[:170], exact=True).method)
    ten = spearman(x[:10], y[:10])
    nine = spearman(x[:9], y[:9])
    assert str(nine.method) != str(ten.method)
    assert exact(kolmogorov_smirnov(x[:99], y[:100]).method)
    assert not exact(kolmogorov_smirnov(x[:100], y[:100]).method)


@claim("docs/significance.md", "| `wilcoxon_signed_rank` | 1,000 nonzero differences, 300 with t")
@claim("docs/significance.md", "| `mann_whitney` | 400 scores in both samples together, 100 with")
@claim("docs/significance.md", "| `spearman` | 10 pairs |")
@claim("docs/significance.md", "| `kendall` | 170 pairs, 10 with ties in both samples |")
@claim("docs/significance.md", "| `kolmogorov_smirnov` | any number |")
def test_up_to_which_size_a_p_value_is_exact_on_request() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 1000))
    few, others = np.round([x, y], 1)
    assert exact(wilcoxon_signed_rank(x, y, exact=True).method)
    assert exact(wilcoxon_signed_rank(few[:300], others[:300], exact=True).method)
    assert exact(mann_whitney(x[:5], y[:395], exact=True).method)
    assert exact(mann_whitney(few[:50], others[:50], exact=True).method)
    assert exact(kendall(x[:170], others[:170], exact=True).method)
    for test in (kendall, spearman):
        assert exact(test(few[:10].round(), others[:10].round(), exact=True).method)
    assert exact(kolmogorov_smirnov(few, others, exact=True).method)


@claim(
    "docs/significance.md", "all 2^n flips for n ≤ 20 (`permutation`, `max_t`, `max_t_baseline`)"
)
@claim("docs/significance.md", "all n^n resamples for n ≤ 7 (the bootstraps)")
def test_up_to_which_size_all_are_enumerated() -> None:
    x = np.random.default_rng(4).normal(size=21)
    for n, all_of_them in ((20, True), (21, False)):
        p = permutation(x[:n], 0 * x[:n], B=99)
        assert (float(p.p_value_stderr) == 0) == all_of_them
    for name in ("bootstrap_shift", "bootstrap_studentized"):
        test = significance_tests.load(name)
        assert float(test(x[:7], 0 * x[:7]).p_value_stderr) == 0
        assert float(test(x[:8], 0 * x[:8], B=99).p_value_stderr) > 0
