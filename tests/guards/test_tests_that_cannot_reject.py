"""A family in which no pair can be rejected is told so first, and what could reject."""

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, Standardizer, compare
from cdfscore.comparison import attainable
from cdfscore.comparison.attainable import Limits
from cdfscore.comparison.pairs import chosen_test
from cdfscore.report.comparison import caption
from cdfscore.stats.adjustment import METHODS, adjust
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import (
    bootstrap_shift,
    bootstrap_studentized,
    kolmogorov_smirnov,
    mann_whitney,
    max_t,
    permutation,
    permutation_unpaired,
    randomized_tukey_hsd,
    sign,
    wilcoxon_signed_rank,
)
from cdfscore.stats.significance.contract import Sizes, significance_tests

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES = ("two-sided", "less", "greater")
WILCOXON = [
    {"exact": exact, "correct": correct}
    for exact in (None, True, False)
    for correct in (True, False)
]
CASES: list[tuple[Any, dict[str, Any]]] = [
    *((test, {"alternative": side}) for test in (sign, permutation) for side in ALTERNATIVES),
    *((wilcoxon_signed_rank, {"alternative": s} | w) for s in ALTERNATIVES for w in WILCOXON),
]
UNPAIRED: list[tuple[Any, dict[str, Any]]] = [
    *(
        (test, {"alternative": side})
        for test in (permutation_unpaired, kolmogorov_smirnov)
        for side in ALTERNATIVES
    ),
    *((mann_whitney, {"alternative": s} | w) for s in ALTERNATIVES for w in WILCOXON),
]


def all_rows(values: range, n: int) -> Array:
    return np.array(list(itertools.product(values, repeat=n)), dtype=np.float64)


@pytest.mark.clause("test.11")
@pytest.mark.parametrize(("test", "settings"), CASES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_least_p_values_of_paired_tests_by_enumeration(
    test: Any, settings: dict[str, Any], n: int
) -> None:
    """Over all differences from -n to n, which have all ties, zeros and orders."""
    rows = all_rows(range(-n, n + 1), n)
    p = test(rows, np.zeros_like(rows), **settings).p_value
    nonzero = (rows != 0).sum(axis=1)
    for k in range(1, n + 1):
        least = test.least_p(Sizes(n, n, k), test.settings(settings))
        assert least == pytest.approx(np.nanmin(p[nonzero == k]), rel=1e-12)


@pytest.mark.clause("test.11")
@pytest.mark.one_in(6)
@pytest.mark.parametrize(("test", "settings"), UNPAIRED)
@pytest.mark.parametrize(("n", "m"), [(1, 3), (2, 2), (2, 3), (3, 2), (3, 3)])
def test_least_p_values_of_unpaired_tests_by_enumeration(
    test: Any, settings: dict[str, Any], n: int, m: int
) -> None:
    rows = all_rows(range(n + m), n + m)
    p = test(rows[:, :n], rows[:, n:], **settings).p_value
    least = test.least_p(Sizes(n, m, 0), test.settings(settings))
    assert least == pytest.approx(np.nanmin(p), rel=1e-12)


@pytest.mark.clause("test.11")
@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (3, 2), (2, 3)])
def test_least_p_values_of_shuffles_by_enumeration(shape: tuple[int, int]) -> None:
    topics, systems = shape
    matrices = all_rows(range(systems), topics * systems).reshape(-1, topics, systems)
    found = min(randomized_tukey_hsd(each).p_value.min() for each in matrices)
    test: Any = randomized_tukey_hsd
    sizes = Sizes.of_topics(topics, systems)
    assert found == pytest.approx(test.least_p(sizes, test.settings({})), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_least_p_values_of_max_t_by_enumeration(n: int, alternative: Any) -> None:
    test: Any = max_t
    settings = {"alternative": alternative}
    columns = all_rows(range(3), n).T
    # Of no difference and each other, in both orders.
    pairs = [pair for i in range(1, len(columns[0])) for pair in ((i, 0), (0, i))]
    rows = [max_t(columns, [pair], **settings).p_value[0] for pair in pairs]
    least = test.least_p(Sizes.of_topics(n, 2), test.settings(settings))
    assert np.nanmin(rows) == pytest.approx(least, rel=1e-12)


@pytest.mark.clause("test.11")
@pytest.mark.parametrize("test", [bootstrap_shift, bootstrap_studentized])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 4])
def test_least_p_values_of_bootstraps_by_enumeration(test: Any, alternative: Any, n: int) -> None:
    around = all_rows(range(-1, 2), n)
    rows = np.concatenate([100 + around, around - 100])
    found = np.nanmin(test(rows, np.zeros_like(rows), alternative=alternative).p_value)
    settings = test.settings({"alternative": alternative, "B": 99})
    assert found == test.least_p(Sizes.of_topics(n), settings)
    assert test.least_p(Sizes.of_topics(8), settings) == 0.01


@pytest.mark.parametrize("test", [permutation, max_t])
def test_random_flips_of_one_sign_have_the_least_p_value(test: Any) -> None:
    x = np.linspace(0.2, 0.9, 30)
    settings = test.settings({"B": 199})
    found = permutation(x, 0 * x, B=199).p_value
    assert found == test.least_p(Sizes.of_topics(30), settings) == 0.005


@pytest.mark.clause("cannot_reject.1", "cannot_reject.3")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pairs", [1, 3, 66, 780])
@pytest.mark.parametrize("spelled", ["sign", "wilcoxon_signed_rank", "permutation"])
def test_the_numbers_that_are_needed_are_the_smallest(
    method: str, pairs: int, spelled: str
) -> None:
    limits = Limits(chosen_test(spelled), pairs, 12, method, 0.05)

    def passes(p: float) -> bool:
        return bool((adjust(np.full(pairs, p), method) <= 0.05).any())

    topics = limits.topics_needed()
    assert topics is not None
    assert passes(limits.least_p(Sizes.of_topics(topics)))
    assert not passes(limits.least_p(Sizes.of_topics(topics - 1)))
    B = limits.resamples_needed()
    assert passes(1 / (B + 1 + (method == "hommel")))  # whose 0.05 times 1 is above 0.05
    assert not passes(1 / B)


@pytest.mark.clause("cannot_reject.1", "test.11")
@pytest.mark.parametrize(
    ("test", "smallest", "adjusted"),
    [
        ("sign", "0.0078", "0.52"),
        ("wilcoxon_signed_rank", "0.006", "0.39"),
        ("permutation", "0.0078", "0.52"),
    ],
)
def test_eight_topics_and_66_pairs(
    robust: pd.DataFrame, test: str, smallest: str, adjusted: str
) -> None:
    few = robust.iloc[:8, :12]
    with pytest.warns(CdfscoreWarning, match="no adjusted p value can be 0.05 or less") as caught:
        found = compare(few, test)
    assert (found.table["p_adjusted"] > 0.05).all()
    assert caught[0].filename == __file__
    assert found.notes[0] == str(caught[0].message)
    assert found.notes[0] == (
        "no adjusted p value can be 0.05 or less, whatever the scores: the smallest p value of "
        f"{significance_tests.load(test).called} with 8 topics is {smallest}, and {adjusted} after "
        "Holm's correction for 66 pairs; the step-down max-T test (max_t), which needs no "
        "correction, or 12 topics or more could find a difference"
    )
    assert f"N{found.notes[0][1:]}." in caption(found)


def test_max_t_is_proposed_for_the_alternative_that_is_asked_for(robust: pd.DataFrame) -> None:
    """Of five topics the smallest p value of max_t is 1/32 to one side, and 1/16 to both."""
    for alternative, proposed in (("two-sided", False), ("less", True)):
        with pytest.warns(CdfscoreWarning, match="no adjusted p value can be") as caught:
            compare(robust.iloc[:5, :12], f"sign:alternative={alternative}")
        assert ("max_t" in str(caught[0].message)) == proposed


def test_what_is_proposed_finds_differences(robust: pd.DataFrame) -> None:
    """The best case of twelve systems: each above the next on every topic."""
    steps = np.add.outer(np.linspace(0, 0.05, 12), np.linspace(0.9, 0.1, 12))
    steps += 0.001 * np.random.default_rng(5).normal(size=steps.shape)
    ordered = pd.DataFrame(steps, columns=[f"s{i}" for i in range(12)])
    for test in ("sign", "permutation", "wilcoxon_signed_rank"):
        assert (compare(ordered, test).table["p_adjusted"] <= 0.05).any()
        with pytest.warns(CdfscoreWarning, match="12 topics or more"):
            compare(ordered.iloc[:11], test)
    assert (compare(robust.iloc[:8, :12], "max_t").table["p_adjusted"] <= 0.05).any()


def test_zeros_count(robust: pd.DataFrame) -> None:
    x = np.where(np.arange(30) < 26, 0.0, 0.1)
    found = pd.DataFrame({"a": 0.3 + x, "b": np.full(30, 0.3)})
    with pytest.warns(CdfscoreWarning, match="with 30 topics, 26 or more without a difference, is"):
        compare(found, "sign")


@pytest.mark.clause("cannot_reject.2")
def test_a_step_up_correction_names_the_number_of_pairs(robust: pd.DataFrame) -> None:
    with pytest.warns(CdfscoreWarning, match="Hochberg correction can find .* 11 or more of 66"):
        compare(robust.iloc[:8, :12], "sign", adjust="BH")
    p = np.where(np.arange(66) < 11, 2 / 256, 1.0)
    assert (adjust(p, "BH") <= 0.05).sum() == 11
    assert (adjust(np.where(np.arange(66) < 10, 2 / 256, 1.0), "BH") <= 0.05).sum() == 0


@pytest.mark.clause("cannot_reject.3")
def test_resamples_are_chosen_so_that_the_correction_can_reject(
    robust: pd.DataFrame, long: bool
) -> None:
    """110 systems, with --long: 0 of 5,995 with B = 10,000, 3,547 by `paired_t`."""
    scores = robust if long else robust.iloc[:60, ::3]
    pairs, needed, chosen, differ = (
        (5_995, 119_899, 200_000, 3569) if long else (666, 13_319, 20_000, 204)
    )
    with pytest.warns(CdfscoreWarning, match=rf"B of at least {needed:,} could find a difference"):
        few = compare(scores, "permutation:B=10000", effect="")
    assert (few.table["p_adjusted"] > 0.05).all()
    found = compare(scores, "permutation", effect="")
    assert (found.table["p_adjusted"] <= 0.05).sum() == differ
    assert f"Test: paired permutation test (B {chosen}), two-sided;" in caption(found)
    assert found.cautions == []
    assert found.notes == [
        f"B = {chosen:,} was chosen, because Holm's correction needs {needed:,} resamples or more "
        f"to find a difference among {pairs:,} pairs"
    ]


@pytest.mark.parametrize("settings", WILCOXON, ids=str)
@pytest.mark.parametrize("side", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_least_p_values_without_ties_by_enumeration(
    n: int, side: str, settings: dict[str, Any]
) -> None:
    """All signs of differences of n sizes, and all divisions of n + 2 scores, none equal."""
    given = {"alternative": side, **settings}
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
    x = signs * np.sqrt(np.arange(2.0, n + 2))
    paired = wilcoxon_signed_rank(x, np.zeros_like(x), **given).p_value.min()
    sizes = Sizes.of_topics(n, tied=False)
    test: Any = wilcoxon_signed_rank
    assert test.least_p(sizes, test.settings(given)) == pytest.approx(paired, rel=1e-12)
    numbers = np.sqrt(np.arange(2.0, n + 4))
    first = np.array(list(itertools.combinations(range(n + 2), n)))
    second = np.array([sorted(set(range(n + 2)) - set(row)) for row in first.tolist()])
    unpaired = mann_whitney(numbers[first], numbers[second], **given).p_value.min()
    test = mann_whitney
    found = test.least_p(Sizes(n, 2, 0, tied=False), test.settings(given))
    assert found == pytest.approx(unpaired, rel=1e-12)


@pytest.mark.parametrize("side", ALTERNATIVES)
@pytest.mark.parametrize(("n", "m"), [(2, 5), (5, 2), (3, 4), (3, 3), (2, 2)])
def test_least_p_values_of_distances_without_ties_by_enumeration(n: int, m: int, side: str) -> None:
    numbers = np.sqrt(np.arange(2.0, n + m + 2))
    first = np.array(list(itertools.combinations(range(n + m), n)))
    second = np.array([sorted(set(range(n + m)) - set(row)) for row in first.tolist()])
    found = kolmogorov_smirnov(numbers[first], numbers[second], alternative=side).p_value.min()
    test: Any = kolmogorov_smirnov
    least = test.least_p(Sizes(n, m, 0, tied=False), test.settings({"alternative": side}))
    assert least == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("test", ["kolmogorov_smirnov", "mann_whitney"])
def test_unpaired_tests_of_few_different_scores_are_told(test: str) -> None:
    scores = pd.DataFrame({"a": [0.11, 0.25, 0.37, None], "b": [0.4, 0.5, 0.61, 0.7]})
    with pytest.warns(CdfscoreWarning, match="with 3 and 4 topics"):
        found = compare(scores, test, scheme=Standardizer("raw", missing="omit"))
    assert found.table["p_value"].min() > 0.05


def test_a_number_above_the_level_is_not_rounded_to_it() -> None:
    assert attainable._rounded(0.0504, 0.05) == "0.0504"
    assert attainable._rounded(0.05, 0.05) == "0.05"
    assert attainable._rounded(0.0625, 0.05) == "0.062"


@pytest.mark.clause("cannot_reject.1", "compare.5")
def test_a_p_value_of_alpha_rejects() -> None:
    """Of five topics the smallest p value of the sign test is 1/16."""
    values = np.add.outer(np.linspace(0.1, 0.3, 5), [0.0, 0.5])
    scores = pd.DataFrame(values, columns=["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", CdfscoreWarning)
        found = compare(scores, "sign", alpha=1 / 16)
    assert found.table["p_adjusted"].tolist() == [1 / 16]
    with pytest.warns(CdfscoreWarning, match="no p value can be 0.06 or less"):
        compare(scores, "sign", alpha=0.06)
