"""Exact p values with ties and zeros: all small samples by plain enumeration, and refusals.

Every outcome is written down, its statistic computed in whole numbers, and counted. What R's
packages coin 1.4-2 and exactRankTests 0.8-35 found is written as numbers.
"""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats import significance

ALTERNATIVES = ("two-sided", "less", "greater")
Whole = tuple[int, ...]


def twice_midranks(values: Whole) -> list[int]:
    return [sum(w < v for w in values) + sum(w <= v for w in values) + 1 for v in values]


def shares(outcomes: list[int], twice_mean: int, alternative: str) -> dict[int, float]:
    """Return which share of the outcomes is as extreme as each of them."""
    toward: dict[str, Callable[[int], int]] = {
        "two-sided": lambda value: abs(2 * value - twice_mean),
        "less": lambda value: -value,
        "greater": lambda value: value,
    }
    sizes = np.array([toward[alternative](value) for value in outcomes])
    return {
        value: float(Fraction(int((sizes >= toward[alternative](value)).sum()), len(sizes)))
        for value in set(outcomes)
    }


def all_ties(n: int) -> list[Whole]:
    """Return the ascending scores of each pattern of ties but that of equal scores."""
    steps = itertools.product((0, 1), repeat=n - 1)
    return [tuple(itertools.accumulate(each, initial=0)) for each in steps if any(each)]


@pytest.mark.clause("wilcoxon_signed_rank.1", "wilcoxon_signed_rank.2")
@pytest.mark.parametrize(("n", "largest"), [(1, 3), (2, 3), (3, 3), (4, 3), (5, 2)])
def test_wilcoxon_of_all_differences(n: int, largest: int) -> None:
    every = list(itertools.product(range(-largest, largest + 1), repeat=n))
    every.remove((0,) * n)
    d = np.array(every, dtype=np.float64)
    expected = dict[Whole, dict[str, dict[int, float]]]()
    for alternative in ALTERNATIVES:
        found = significance.wilcoxon_signed_rank(d, 0 * d, exact=True, alternative=alternative)
        for row, v, p in zip(every, found.statistic, found.p_value, strict=True):
            sizes = tuple(abs(value) for value in row if value)
            if sizes not in expected:
                ranks = twice_midranks(sizes)
                sums = [
                    sum(r for r, is_in in zip(ranks, chosen, strict=True) if is_in)
                    for chosen in itertools.product((False, True), repeat=len(sizes))
                ]
                expected[sizes] = {each: shares(sums, sum(ranks), each) for each in ALTERNATIVES}
            assert p == expected[sizes][alternative][round(2 * v)]
    assert all("exact" in each for each in found.method)


@pytest.mark.clause("mann_whitney.1", "mann_whitney.2", "test.6")
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("n", "m"), [(n, m) for n in range(1, 6) for m in range(1, 8 - n)])
def test_mann_whitney_of_all_ties(n: int, m: int) -> None:
    for pooled in all_ties(n + m):
        ranks = twice_midranks(pooled)
        chosen = list(itertools.combinations(range(n + m), n))
        others = [[i for i in range(n + m) if i not in each] for each in chosen]
        x, y = (np.array(pooled)[np.array(places)] for places in (chosen, others))
        sums = [sum(ranks[i] for i in each) for each in chosen]
        for alternative in ALTERNATIVES:
            found = significance.mann_whitney(x, y, exact=True, alternative=alternative)
            expected = shares(sums, 2 * n * (n + m + 1), alternative)
            assert found.p_value.tolist() == [expected[each] for each in sums]


def excess(x: Whole, y: Whole) -> int:
    pairs = itertools.combinations(zip(x, y, strict=True), 2)
    products = [(a - c) * (b - d) for (a, b), (c, d) in pairs]
    return sum(p > 0 for p in products) - sum(p < 0 for p in products)


def products(x: Whole, y: Whole) -> int:
    return sum(map(int.__mul__, twice_midranks(x), twice_midranks(y)))


def mean_of_products(n: int) -> int:
    return n * (n + 1) ** 2


@pytest.mark.clause("spearman.1", "spearman.2", "kendall.1", "kendall.2", "test.6")
@pytest.mark.parametrize("n", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("test", "statistic", "mean"),
    [
        (significance.spearman, products, mean_of_products),
        (significance.kendall, excess, lambda n: 0),
    ],
    ids=["spearman", "kendall"],
)
def test_correlations_of_all_ties(
    test: Any, statistic: Callable[[Whole, Whole], int], mean: Callable[[int], int], n: int
) -> None:
    for x, y in itertools.product(all_ties(n), repeat=2):
        orders = sorted(set(itertools.permutations(y)))  # each stands for equally many
        each = [statistic(x, order) for order in orders]
        rows = np.array(orders, dtype=np.float64)
        for alternative in ALTERNATIVES:
            found = test(np.broadcast_to(x, rows.shape), rows, exact=True, alternative=alternative)
            expected = shares(each, 2 * mean(n), alternative)
            assert found.p_value.tolist() == [expected[value] for value in each]


@pytest.mark.clause("mann_whitney.2", "wilcoxon_signed_rank.2")
@pytest.mark.parametrize(
    ("alternative", "of_sums", "of_signs"),
    [
        ("two-sided", 0.0095634628655586005, 0.057045256904530106),
        ("less", 0.004782820520833733, 0.97194967212999472),
        ("greater", 0.99533804014046523, 0.028522628452265053),
    ],
)
def test_more_scores_are_as_in_coin_and_exact_rank_tests(
    alternative: Any, of_sums: float, of_signs: float
) -> None:
    x, y = 7 * np.arange(30) % 11, 5 * np.arange(25) % 13 + 2
    found = significance.mann_whitney(x, y, exact=True, alternative=alternative)
    assert found.p_value == pytest.approx(of_sums, rel=1e-13, abs=0)
    x, y = 7 * np.arange(40) % 17, 5 * np.arange(40) % 13  # with a zero
    found = significance.wilcoxon_signed_rank(x, y, exact=True, alternative=alternative)
    assert found.p_value == pytest.approx(of_signs, rel=1e-13, abs=0)


@pytest.mark.clause("wilcoxon_signed_rank.4")
@pytest.mark.parametrize("conf_level", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("support", [(-1, 1), (-1, 0, 1), (-2, -1, 0, 1, 2)])
def test_the_interval_of_tied_differences_has_its_level(support: Whole, conf_level: float) -> None:
    """Noether (1967): with its ends, of all samples of a symmetric distribution, n = 5."""
    d = np.array(list(itertools.product(support, repeat=5)), dtype=np.float64)
    for alternative in ALTERNATIVES:
        found = significance.wilcoxon_signed_rank(
            d,
            0 * d,
            null_value=7,
            exact=True,
            conf_int=True,
            alternative=alternative,
            conf_level=conf_level,
        )
        level = np.array(["cannot be reached" not in each for each in found.method])
        covers = (found.conf_low <= 0) & (found.conf_high >= 0)
        assert not level.all() or covers.mean() >= conf_level


@pytest.mark.clause("mann_whitney.4")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("conf_level", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("largest", [1, 2, 3])
def test_the_interval_of_tied_samples_has_its_level(largest: int, conf_level: float) -> None:
    every = np.array(list(itertools.product(range(largest + 1), repeat=6)), dtype=np.float64)
    every = every[np.ptp(every, axis=1) > 0]  # which have no interval, and would cover
    missing = largest + 1
    for alternative in ALTERNATIVES:
        found = significance.mann_whitney(
            every[:, :3],
            every[:, 3:],
            exact=True,
            conf_int=True,
            alternative=alternative,
            conf_level=conf_level,
        )
        covers = (found.conf_low <= 0) & (found.conf_high >= 0)
        assert (covers.sum() + missing) / (len(every) + missing) >= conf_level


@pytest.mark.clause(
    "exact.1", "wilcoxon_signed_rank.2", "mann_whitney.2", "spearman.2", "kendall.2"
)
@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("wilcoxon_signed_rank", 301, "301 differences with ties is not accepted; expected 300 or"),
        ("mann_whitney", 51, "102 scores with ties is not accepted; expected 100 or fewer, or ex"),
        ("spearman", 11, "11 pairs is not accepted; expected 10 or fewer, or exact=False"),
        ("kendall", 11, "11 pairs and ties in both samples is not accepted; expected 10 or fewer"),
    ],
)
def test_more_scores_with_ties_are_refused(name: str, n: int, message: str) -> None:
    test = getattr(significance, name)
    x = np.r_[1.0, np.arange(1.0, n)]
    y = -x[::-1]  # x - y is the same read backwards
    with pytest.raises(SignificanceError, match=f"^{name}: exact=True with {message}"):
        test(x, y, exact=True)
    for exact in (None, False):
        assert "exact" not in str(test(x, y, exact=exact).method)
    assert "exact" in str(test(x[:10], y[:10], exact=True).method)


@pytest.mark.clause("wilcoxon_signed_rank.2", "mann_whitney.2")
@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("wilcoxon_signed_rank", 1001, "1,001 differences is not accepted; expected 1,000 or few"),
        ("mann_whitney", 201, "402 scores is not accepted; expected 400 or fewer"),
    ],
)
def test_more_scores_without_ties_are_refused(name: str, n: int, message: str) -> None:
    x, y = np.random.default_rng(0).random((2, n))
    with pytest.raises(SignificanceError, match=f"exact=True with {message}"):
        getattr(significance, name)(x, y, exact=True)


@pytest.mark.clause("exact.1")
@pytest.mark.parametrize("name", ["wilcoxon_signed_rank", "mann_whitney", "spearman", "kendall"])
def test_none_is_exact_without_ties_only_and_true_always(name: str) -> None:
    """As R's `exact = NULL`: its numbers of ties are those of the approximation."""
    test = getattr(significance, name)
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 9, (2, 40, 7)).astype(np.float64)
    x[:20], y[:20] = rng.random((2, 20, 7))
    plain = np.arange(40) < 20
    by_rule, exact, other = (test(x, y, exact=each) for each in (None, True, False))
    expected = np.where(plain, exact.p_value, other.p_value)
    np.testing.assert_array_equal(by_rule.p_value, expected)
    assert (exact.p_value != other.p_value)[~plain].any()
    assert by_rule.method[20:].tolist() == other.method[20:].tolist()
