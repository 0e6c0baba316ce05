"""What the pages on significance tests claim."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from cdfscore.stats.adjustment import adjust
from cdfscore.stats.significance import (
    conover,
    kolmogorov_smirnov,
    mann_whitney,
    nemenyi,
    permutation_unpaired,
    randomized_tukey_hsd,
    student_t,
    tukey_hsd,
    welch_t,
)
from tests.claims import claim


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


@claim("docs/significance.md", "the right value is 13/28 = 0.464, and R gives 0.107")
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
