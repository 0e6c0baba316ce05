"""Equal differences and equal means are ties, whatever the rounding of decimals."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import compare, read_scores
from cdfscore.r.session import RSession
from cdfscore.report.comparison import caption
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.effect_size import rank_biserial, rank_biserial_paired
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import (
    bootstrap_shift,
    bootstrap_studentized,
    friedman,
    kendall,
    kolmogorov_smirnov,
    mann_whitney,
    max_t,
    permutation,
    permutation_unpaired,
    randomized_tukey_hsd,
    sign,
    spearman,
    wilcoxon_signed_rank,
)
from tests import a_tenth
from tests.significance.in_r import rows_in_r

ALTERNATIVES = ("two-sided", "less", "greater")
SHIFTED = (wilcoxon_signed_rank, mann_whitney, sign)
UNSHIFTED = (kendall, spearman, kolmogorov_smirnov)
RESAMPLED = (permutation, permutation_unpaired, bootstrap_shift, bootstrap_studentized)


def as_written(counts: list[int] | Array, decimals: int) -> Array:
    """Return count / 10^decimals, as a file of scores is read."""
    return np.array([float(f"{int(k)}e-{decimals}") for k in np.ravel(counts)]).reshape(
        np.shape(counts)
    )


def decisions(p: Array) -> tuple[Array, Array]:
    return p <= 0.05, adjust(p, "holm") <= 0.05


@pytest.mark.parametrize(
    ("name", "systems", "raw", "holm"),
    [("adhoc8_p10", 129, 132, 83), ("adhoc8_ap", 129, 0, 0), ("adhoc5_p10", 61, 38, 27)],
)
def test_decisions_that_rounding_made(
    shared_data: Path, name: str, systems: int, raw: int, holm: int
) -> None:
    scores = read_scores(shared_data / "adhoc" / f"{name}.csv").to_numpy()
    first, second = np.triu_indices(systems, 1)
    by_default, in_r, rounded = (
        wilcoxon_signed_rank.over_pairs(scores, first, second, **given)
        for given in ({}, {"ties_at": "all_digits"}, {"ties_at": 6})
    )
    changed = [
        int((ours != theirs).sum())
        for ours, theirs in zip(decisions(by_default.p_value), decisions(in_r.p_value), strict=True)
    ]
    assert changed == [raw, holm]
    np.testing.assert_array_equal(by_default.statistic, rounded.statistic)
    np.testing.assert_array_equal(by_default.p_value, rounded.p_value)
    unit = 10 if name.endswith("p10") else 10_000
    told = f"; ties at multiples of 1/{unit}; "
    assert all(told in f"{method}; " for method in by_default.method)


def exact_wilcoxon(d: list[Fraction], alternative: str) -> tuple[float, float]:
    """Return V and its p value by the normal approximation, from the definition."""
    d = [each for each in d if each]
    ranks = [
        Fraction(sum(abs(b) < abs(a) for b in d) * 2 + sum(abs(b) == abs(a) for b in d) + 1, 2)
        for a in d
    ]
    n, v = len(d), sum(rank for rank, a in zip(ranks, d, strict=True) if a > 0)
    z = v - Fraction(n * (n + 1), 4)
    # Given the sizes, V is a sum of independent terms, each a rank or 0.
    sigma = math.sqrt(sum(rank**2 for rank in ranks) / 4)
    half = Fraction(1, 2)
    upper, lower = (math.erfc(float(s) / sigma / math.sqrt(2)) / 2 for s in (z - half, -z - half))
    if alternative == "two-sided":
        return float(v), min(1.0, 2 * min(upper, lower)) if z else 1.0
    return float(v), upper if alternative == "greater" else lower


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_every_pair_of_samples_of_four_tenths(alternative: Any) -> None:
    """All samples of 4 differences of 0, 0.1, ..., 0.4, each from two scores, against fractions."""
    scores = list(itertools.product(range(5), repeat=2))
    kinds = list(itertools.combinations_with_replacement(scores[1::2], 4))
    a, b = np.array(kinds).transpose(2, 0, 1)
    result = wilcoxon_signed_rank(
        as_written(a, 1), as_written(b, 1), alternative=alternative, exact=False
    )
    for row, kind in enumerate(kinds):
        d = [Fraction(i - j, 10) for i, j in kind]
        if not any(d):
            assert math.isnan(result.p_value[row])
            continue
        v, p = exact_wilcoxon(d, alternative)
        assert result.statistic[row] == v
        assert result.p_value[row] == pytest.approx(p, rel=1e-12)


COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=3, max_size=24)


@given(COUNTS, st.integers(1, 6), st.integers(-5, 5), st.sampled_from(ALTERNATIVES))
def test_decimals_are_tested_as_their_whole_numbers(
    counts: list[tuple[int, int]], decimals: int, shift: int, alternative: Any
) -> None:
    a, b = np.array(counts).T
    x, y = as_written(a, decimals), as_written(b, decimals)
    null = float(f"{shift}e-{decimals}")
    # Two of a batch, so that a sample without a number is one with a reason.
    whole, tenths = np.stack([a, b]).astype(np.float64), np.stack([x, y])
    for test in SHIFTED:
        ours = test(tenths, tenths[::-1], null_value=null, alternative=alternative)
        theirs = test(
            whole,
            whole[::-1],
            null_value=float(shift),
            alternative=alternative,
            ties_at="all_digits",
        )
        np.testing.assert_array_equal(ours.statistic, theirs.statistic)
        np.testing.assert_array_equal(ours.p_value, theirs.p_value)
        np.testing.assert_array_equal(ours.reason, theirs.reason)
    for other in UNSHIFTED:
        ours = other(tenths, tenths[::-1], alternative=alternative)
        theirs = other(whole, whole[::-1], alternative=alternative)
        np.testing.assert_array_equal(ours.p_value, theirs.p_value)
    for effect in (rank_biserial, rank_biserial_paired):
        ours, theirs = effect(x, y), effect(a, b)
        for name in ("estimate", "conf_low", "conf_high"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_array_equal(
        friedman(tenths[np.newaxis].swapaxes(1, 2)).p_value,
        friedman(whole[np.newaxis].swapaxes(1, 2)).p_value,
    )


@a_tenth
@given(COUNTS, st.integers(1, 6))
def test_resamples_of_decimals_are_counted_as_those_of_whole_numbers(
    counts: list[tuple[int, int]], decimals: int
) -> None:
    a, b = np.array(counts).T
    whole, tenths = np.stack([a, b]).astype(np.float64), as_written(np.stack([a, b]), decimals)
    for test in RESAMPLED:
        ours = test(tenths, tenths[::-1], B=100)
        theirs = test(whole, whole[::-1], B=100)
        np.testing.assert_array_equal(ours.p_value, theirs.p_value)
    for family in (max_t, randomized_tukey_hsd):
        np.testing.assert_array_equal(
            family(tenths.T, B=100).p_value, family(whole.T, B=100).p_value
        )


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.05, 1 / 3])
@pytest.mark.parametrize("test", SHIFTED, ids=lambda t: t.name)
def test_the_twin_takes_the_same_ties(rinterface: ModuleType, test: Any, shift: float) -> None:
    rng = np.random.default_rng(14)
    x, y = (np.round(rng.binomial(10, 0.4, (40, 20)) / 10, 1) for _ in range(2))
    x[20:30] = rng.integers(0, 111, (10, 20)) / 110
    x[30:35, 7] += 1e-16  # in the last place, and no tenth any more
    x[5:8, :3] = np.nan
    for ties_at in ("resolution", "all_digits"):
        settings = {"null_value": shift, "ties_at": ties_at}
        ours = test(x, y, **settings)
        theirs = rows_in_r(RSession(), test, test.settings(settings), x, y).numbers
        np.testing.assert_array_equal(ours.statistic, theirs["statistic"])
        np.testing.assert_allclose(ours.p_value, theirs["p_value"], rtol=1e-11)
    assert (ours.p_value != test(x, y, null_value=shift).p_value).any() == (
        test is wilcoxon_signed_rank or shift == 0.1
    )


def test_the_caption_says_what_ties_are(
    shared_data: Path, cdfscore: Callable[..., Any], tmp_path: Path
) -> None:
    path = shared_data / "adhoc" / "adhoc8_p10.csv"
    scores = read_scores(path).iloc[:, :5]
    said = {
        "wilcoxon_signed_rank": "as multiples of 1/10.",
        "wilcoxon_signed_rank:ties_at=all_digits": "in all digits.",
        "sign:ties_at=2": "after rounding to 2 decimals.",
    }
    for test, rule in said.items():
        assert f"Differences tie if they are equal {rule}" in caption(compare(scores, test))
    both = caption(compare(scores, "wilcoxon_signed_rank", scheme=["raw", "normal"]))
    assert "tie if they are equal as multiples of 1/10 (raw scores); to 12 digits (N-std)." in both
    alike = caption(compare(scores, "sign:ties_at=3", scheme=["raw", "normal"]))
    assert "tie if they are equal after rounding to 3 decimals. " in alike
    assert " tie if " not in caption(compare(scores, "paired_t"))
    out = tmp_path / "pairs.md"
    test = "wilcoxon_signed_rank:ties_at=all_digits"
    found = cdfscore("compare", str(path), "--test", test, "-o", str(out))
    assert found.status == 0
    assert "Differences tie if they are equal in all digits." in out.read_text()
