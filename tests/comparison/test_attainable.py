"""What a test can reject at all: how many topics and resamples that takes, counted one by one."""

import numpy as np
import pytest

from cdfscore.comparison.attainable import Facts, Limits, _sizes
from cdfscore.comparison.pairs import Family
from cdfscore.stats.significance import permutation, sign
from cdfscore.stats.significance.contract import Sizes, significance_tests


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.15, 0.35])  # 3 / 20 is more than 0.15 by rounding
def test_one_resample_less_than_needed_cannot_reject(alpha: float) -> None:
    many = Sizes.of_topics(100)
    for pairs in range(1, 100):
        limits = Limits(permutation.chosen({}), pairs, 20, "holm", alpha)
        needed = limits.resamples_needed()
        assert limits.with_resamples(needed).can_reject(many)
        assert not limits.with_resamples(needed - 1).can_reject(many)


def test_up_to_1000_topics_are_proposed() -> None:
    """The smallest two-sided p value of the sign test on n topics is 2 / 2^n."""
    for alpha, topics in ((0.05, 6), (2.0**-998, 999), (2.0**-999, 1000), (2.0**-1000, None)):
        assert Limits(sign.chosen({}), 1, 2, "none", alpha).topics_needed() == topics


def test_facts_are_shown_without_the_scores() -> None:
    facts = Facts.of(np.array([[0.1, 0.2], [0.3, 0.3]]))
    assert repr(facts) == "Facts(topics=2, complete_topics=2, systems=2, missing=0, equal=0.5)"


@pytest.mark.clause("test.13")
@pytest.mark.parametrize("test", ["sign", "wilcoxon_signed_rank", "mann_whitney", "permutation"])
@pytest.mark.parametrize(
    ("unit", "offset", "power"),
    [(1, 1e5, 0), (1, 1e9, 0), (100, 1e5, 0), (100, 1e9, 0), (1, 0, 1016), (1, 0, -1060)],
)
def test_what_all_scores_share_and_their_unit_change_no_size(
    test: str, unit: int, offset: float, power: int
) -> None:
    """Whole numbers, or decimals, of which differences tie that the doubles have apart."""
    rng = np.random.default_rng(4)
    whole = rng.integers(0, 99, (9, 6)).astype(np.float64)
    whole[:, 1] = whole[:, 0] + np.arange(1, 10)  # no ties
    whole[:, 2], whole[3:5, 3] = whole[:, 0] - 3, np.nan  # ties, missing ones
    family = Family.of(list("abcdef"))
    n, m = (np.full(len(family), 9) for _ in range(2))
    chosen = significance_tests.load(test).chosen({})
    found = [
        _sizes(np.ldexp((whole + c) / unit, k), family, n, m, chosen)
        for c, k in ((0, 0), (offset, power))
    ]
    assert found[0] == found[1]
    assert len({size.tied for size in found[0]}) == 2
