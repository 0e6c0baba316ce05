"""What the pages on significance tests claim."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cdfscore import compare, datasets
from cdfscore.comparison.adjustment import adjust
from cdfscore.significance import (
    bootstrap_shift,
    conover,
    equivalence_t,
    kolmogorov_smirnov,
    mann_whitney,
    nemenyi,
    permutation,
    permutation_unpaired,
    randomized_tukey_hsd,
    sign,
    student_t,
    tukey_hsd,
    welch_t,
    wilcoxon_signed_rank,
)
from cdfscore.significance.contract import Sizes, significance_tests
from tests.claims import claim
from tests.claims.pages import number, table

UNTIED = "At 5 %, without ties and with ties"
SKEWED = "At 5 %, skewed"


def least(name: str, topics: int) -> float:
    test = significance_tests.load(name)
    return float(test.least_p(Sizes.of_topics(topics), dict(test.defaults)))


@claim(
    "docs/significance.md",
    "| `sign`, `permutation`, `max_t`, `max_t_baseline` | 2 / 2^n, of the n differences "
    "other than 0 | 0.0078 |",
)
@claim("docs/which_test.md", "The smallest p value of sign flips is 2 / 2^n: 0.0078 with 8 topics")
def test_least_p_of_signs() -> None:
    for name in ("sign", "permutation", "max_t", "max_t_baseline"):
        assert least(name, 8) == 2 / 2**8
    assert round(2 / 2**8, 4) == 0.0078
    x = np.arange(1.0, 9.0)
    assert sign(x, 0 * x).p_value == pytest.approx(2 / 2**8)
    assert permutation(x, 0 * x).p_value == pytest.approx(2 / 2**8)


@claim(
    "docs/significance.md",
    "| `wilcoxon_signed_rank` | 2 / 2^n, or that of the normal approximation where all sizes "
    "tie | 0.0060 |",
)
def test_least_p_of_signed_ranks() -> None:
    assert round(least("wilcoxon_signed_rank", 8), 4) == 0.0060
    x = np.full(8, 0.3)
    assert round(float(wilcoxon_signed_rank(x, x - 0.1).p_value), 4) == 0.0060


@claim(
    "docs/significance.md",
    "| `kolmogorov_smirnov`, `permutation_unpaired` | 2 / choose(2n, n), of two samples "
    "of n | 0.00016 |",
)
def test_least_p_of_two_samples() -> None:
    assert round(2 / math.comb(16, 8), 5) == 0.00016
    for name in ("kolmogorov_smirnov", "permutation_unpaired"):
        assert least(name, 8) == pytest.approx(2 / math.comb(16, 8))
    assert round(least("mann_whitney", 8), 5) == 0.00014


@claim(
    "docs/significance.md",
    "with 8 topics and 12 systems no sign test can find a difference, whatever the scores, as 66 "
    "times 0.0078 is 0.52",
)
def test_twelve_systems_on_eight_topics() -> None:
    assert math.comb(12, 2) == 66
    assert round(66 * 2 / 2**8, 2) == 0.52


@claim(
    "docs/significance.md",
    "for the 5,995 pairs of 110 systems Holm's correction needs 119,899 at 0.05, and 599,499 at "
    "0.01",
)
@claim("docs/significance.md", "if that times the number of pairs is at most 10^10: 200,000")
def test_resamples_for_110_systems() -> None:
    pairs = math.comb(110, 2)
    assert pairs == 5995
    for alpha, needed in ((Fraction(5, 100), 119_899), (Fraction(1, 100), 599_499)):
        assert pairs * Fraction(1, needed + 1) <= alpha < pairs * Fraction(1, needed)
    assert 1.5 * 119_899 <= 200_000
    assert 200_000 * pairs <= 10**10


@claim(
    "docs/significance.md",
    "For normal scores, with ties and without, all tests but one reject 6 % or less at the level "
    "5 %. The exception is `bootstrap_shift`: 11 % with 8 topics, 7 % with 20",
)
@claim("docs/which_test.md", "many topics; with 8 it rejects about twice as often as it should")
def test_held_levels() -> None:
    rates = {
        name: {column: number(cell) for column, cell in row.items() if "tied, " in column}
        for name, row in table("levels.md", UNTIED).items()
    }
    assert {name for name, row in rates.items() if max(row.values()) > 6} == {"bootstrap_shift"}
    shift = rates["bootstrap_shift"]
    assert (round(shift["untied, 8"]), round(shift["untied, 20"])) == (11, 7)


@claim(
    "docs/significance.md",
    "With 8 or 10 topics, no paired test of means keeps its level for strongly skewed differences. "
    "`paired_t` rejects 10 % for exponential differences with 8 topics",
)
def test_levels_of_skewed_scores() -> None:
    rows = table("levels.md", SKEWED)
    for name in ("bootstrap_shift", "bootstrap_studentized", "equivalence_t", "paired_t"):
        assert all(rows[name][f"skewed, {n}"].startswith("**") for n in (8, 10)), name
    assert round(number(rows["paired_t"]["skewed, 8"])) == 10


@claim(
    "docs/which_test.md",
    "skewed differences: 10.2 % with 8 topics, 8.1 % with 20, 6.7 % with 50 | more topics, or "
    "`bootstrap_studentized` (6.5 %, 6.1 %, 5.2 %)",
)
@claim(
    "docs/which_test.md",
    "skewed differences, 20 topics: 7.7 % and 12.5 %; with 50 topics: 6.5 % and 22.0 %",
)
@claim("docs/which_test.md", "normal differences: 11.2 % with 8 topics, 7.1 % with 20")
@claim("docs/which_test.md", "skewed scores, 20 topics: 26.5 %")
def test_levels_if_an_assumption_fails() -> None:
    skewed, untied = table("levels.md", SKEWED), table("levels.md", UNTIED)

    def rates(name: str, *topics: int) -> list[float]:
        return [number(skewed[name][f"skewed, {n}"]) for n in topics]

    assert rates("paired_t", 8, 20, 50) == [10.2, 8.1, 6.7]
    assert rates("bootstrap_studentized", 8, 20, 50) == [6.5, 6.1, 5.2]
    assert rates("permutation", 20, 50) == [7.7, 6.5]
    assert rates("wilcoxon_signed_rank", 20, 50) == [12.5, 22.0]
    assert rates("variance_ratio", 20) == [26.5]
    shift = untied["bootstrap_shift"]
    assert [number(shift[f"untied, {n}"]) for n in (8, 20)] == [11.2, 7.1]


@claim(
    "docs/which_test.md",
    "`student_t`, `permutation_unpaired`, `mann_whitney` | 10 topics with sd 3, and 40 with sd 1: "
    "25 %, 26 % and 14 % | `welch_t` (5 %)",
)
def test_unequal_spread_of_two_samples() -> None:
    rng = np.random.default_rng(1)
    few, many = rng.normal(0, 3, (4000, 10)), rng.normal(0, 1, (4000, 40))

    def percent(p_value: object) -> int:
        return round(100 * np.mean(np.asarray(p_value) <= 0.05))

    assert percent(student_t(few, many).p_value) == 25
    assert percent(permutation_unpaired(few, many, B=199).p_value) == 26
    assert percent(mann_whitney(few, many).p_value) == 14
    assert percent(welch_t(few, many).p_value) == 5


@pytest.mark.long
@claim(
    "docs/which_test.md",
    "50 topics, errors with sd 1 for two systems and sd 4 for two others: `tukey_hsd` rejects the "
    "pair with sd 4 in 6 to 7 % of the data sets, and the pair with sd 1 in none",
)
def test_unequal_variances_of_four_systems() -> None:
    rng, pairs = np.random.default_rng(1), [(0, 1), (2, 3)]
    draws = rng.normal(0, 1, (1000, 50, 4)) * [1, 1, 4, 4] + rng.normal(0, 1, (1000, 50, 1))
    found = np.array([tukey_hsd(scores, pairs).p_value <= 0.05 for scores in draws])
    assert found[:, 0].sum() == 0
    assert 0.06 <= found[:, 1].mean() <= 0.07


@claim(
    "docs/significance.md",
    "The enumerated p value of a bootstrap is not exact, because the distribution of the resamples "
    "only estimates the null distribution. It is 0 if no resample is as extreme as the data",
)
def test_enumerated_bootstraps_are_not_exact() -> None:
    """Of all signs of six differences, more than 5 in 100 are rejected at 5 %."""
    sizes = np.array([0.11, 0.19, 0.32, 0.41, 0.57, 0.73])
    signs = np.array(list(itertools.product([-1, 1], repeat=6)))
    found = bootstrap_shift(sizes * signs, np.zeros((64, 6)))
    there = ~np.isnan(found.p_value)
    assert (found.p_value_stderr[there] == 0).all()
    assert (found.p_value[there] <= 0.05).mean() > 0.05
    assert found.p_value[there].min() == 0


@claim(
    "docs/significance.md",
    "the right value is 13/28 = 0.464, and R gives 0.107",
)
def test_kolmogorov_smirnov_with_ties() -> None:
    """All 28 divisions of the eight scores are counted."""
    x, y = [0.1, 0.2, 0.2, 0.2, 0.1, 0], [0.1, 0.1]
    together = [Fraction(str(each)) for each in (*x, *y)]

    def largest(second: tuple[int, ...]) -> Fraction:
        b = [together[i] for i in second]
        a = [together[i] for i in range(8) if i not in second]
        return max(
            Fraction(sum(v <= t for v in b), 2) - Fraction(sum(v <= t for v in a), 6)
            for t in together
        )

    drawn = [largest(second) for second in itertools.combinations(range(8), 2)]
    p = Fraction(sum(d >= largest((6, 7)) for d in drawn), 28)
    assert p == Fraction(13, 28)
    assert kolmogorov_smirnov(x, y, alternative="less").p_value == pytest.approx(13 / 28)
    assert round(13 / 28, 3) == 0.464


@claim("docs/significance.md", "(249 topics, 110 systems) has 27,032, and p is off by up to 2e-4")
def test_degrees_of_freedom_of_robust(shared_data: Path) -> None:
    path = shared_data / "robust2004" / "robust2004_ap.csv"
    with path.open(encoding="utf-8") as file:
        systems = len(next(file).split(",")) - 1
        topics = sum(1 for _ in file)
    assert (topics, systems, (topics - 1) * (systems - 1)) == (249, 110, 27_032)


@claim(
    "docs/significance.md",
    "Every setting has a default, except `margin` of `equivalence_t`",
)
def test_settings_have_defaults() -> None:
    required = {name: significance_tests.load(name).required for name in significance_tests.names()}
    assert {name: each for name, each in required.items() if each} == {
        "equivalence_t": equivalence_t.required
    }
    assert list(equivalence_t.required) == ["margin"]


@claim(
    "docs/significance.md",
    "`tukey_hsd`, `randomized_tukey_hsd` and `nemenyi` is always all systems of the matrix",
)
def test_families_of_all_pairs() -> None:
    scores = datasets.load_cranfield("ap").iloc[:10, :4]
    for name in ("tukey_hsd", "randomized_tukey_hsd:B=99", "nemenyi"):
        assert len(compare(scores, name).table) == 6


@pytest.mark.long
@claim(
    "docs/which_test.md",
    "Each of the three tests reported a difference between two of the 8 systems in more than 10 % "
    "of the data sets, at alpha = 0.05",
)
def test_weak_control() -> None:
    """Of 20 systems 8 have one distribution; a rejection of one of their 28 pairs is an error."""
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(20, 1)
    equal = (first < 8) & (second < 8)
    found = []
    for _ in range(100):
        scores = np.tile(np.linspace(-0.1, 0.1, 20), (50, 1))
        scores[:, :8] = rng.standard_normal((50, 8))
        adjusted = (
            nemenyi(scores).p_value,
            adjust(conover(scores).p_value, "holm"),
            randomized_tukey_hsd(scores, B=199).p_value,
        )
        found.append([p[equal].min() <= 0.05 for p in adjusted])
    assert (np.mean(found, axis=0) > 0.1).all()
