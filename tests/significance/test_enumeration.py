"""Exact and conditional distributions beside plain enumeration, of small samples with ties.

R is no judge here: every outcome is written down, its statistic computed in whole numbers or
fractions, and counted. Samples differ in size, scores are few, and all alternatives are tried.
Scores are whole, or tenths where a test takes what only rounding tells apart for a tie.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from cdfscore.stats import significance
from cdfscore.stats.adjustment import adjust
from tests import a_tenth

ALTERNATIVES = ("two-sided", "less", "greater")
Number = int | Fraction
# 1 - level is the p value of no sample of so few scores.
LEVELS = st.sampled_from((0.613, 0.713, 0.813))
Whole = list[int]


def grid(largest: int, least: int, most: int) -> st.SearchStrategy[Whole]:
    return st.lists(st.integers(0, largest), min_size=least, max_size=most)


def distinct(least: int, most: int) -> st.SearchStrategy[Whole]:
    return st.lists(st.integers(0, 40), min_size=least, max_size=most, unique=True)


def divisions(pooled: Sequence[int], n: int) -> Iterator[tuple[Whole, Whole]]:
    """Give every division of the scores into a group of n and the rest, the observed one first."""
    places = range(len(pooled))
    for chosen in itertools.combinations(places, n):
        yield [pooled[i] for i in chosen], [pooled[i] for i in places if i not in chosen]


def flips(differences: Sequence[int]) -> Iterator[Whole]:
    """Give the differences with every choice of signs, the observed ones first."""
    for signs in itertools.product((1, -1), repeat=len(differences)):
        yield [s * d for s, d in zip(signs, differences, strict=True)]


def share(outcomes: Sequence[Any], alternative: str) -> Fraction:
    """Return which share of the outcomes is as extreme as the first, the observed one."""
    toward: dict[str, Callable[[Any], Any]] = {
        "two-sided": abs,
        "less": lambda value: -value,
        "greater": lambda value: value,
    }
    values = [toward[alternative](value) for value in outcomes]
    return Fraction(sum(value >= values[0] for value in values), len(values))


def doubled(outcomes: Sequence[Any], alternative: str) -> Fraction:
    """The same, where the two-sided p value is twice the smaller tail."""
    if alternative != "two-sided":
        return share(outcomes, alternative)
    return min(Fraction(1), 2 * min(share(outcomes, "less"), share(outcomes, "greater")))


def corrected(outcomes: Sequence[Number], alternative: str, by: Number) -> Number:
    """Return how far the first outcome is from the mean, brought nearer to it by `by`."""
    away = outcomes[0] - Fraction(sum(outcomes), len(outcomes))
    if alternative == "two-sided":
        return away - by if away > 0 else away + by if away < 0 else away
    return away + by if alternative == "less" else away - by


def normal(away: Number, outcomes: Sequence[Number], alternative: str) -> float:
    """Return the normal p value of a distance from the mean, with the outcomes' variance."""
    mean = Fraction(sum(outcomes), len(outcomes))
    variance = sum((value - mean) ** 2 for value in outcomes) / len(outcomes)
    z = float(away) / math.sqrt(variance)
    if alternative == "two-sided":
        return float(2 * special.ndtr(-abs(z)))
    return float(special.ndtr(z if alternative == "less" else -z))


def midranks(values: Sequence[int]) -> list[Fraction]:
    return [
        Fraction(sum(w < v for w in values) + sum(w <= v for w in values) + 1, 2) for v in values
    ]


def cdf_distances(x: Whole, y: Whole) -> dict[str, Fraction]:
    """Return D, D- and D+ by their definition, at every score."""
    gaps = [Fraction(0)]
    for score in {*x, *y}:
        at_most = [Fraction(sum(s <= score for s in sample), len(sample)) for sample in (x, y)]
        gaps.append(at_most[0] - at_most[1])
    return {"two-sided": max(map(abs, gaps)), "less": -min(gaps), "greater": max(gaps)}


@pytest.mark.clause("kolmogorov_smirnov.1", "kolmogorov_smirnov.2")
@a_tenth
@given(grid(4, 1, 6), grid(4, 1, 4))
def test_kolmogorov_smirnov(x: Whole, y: Whole) -> None:
    every = [cdf_distances(a, b) for a, b in divisions(x + y, len(x))]
    for alternative in ALTERNATIVES:
        found = significance.kolmogorov_smirnov(x, y, alternative=alternative, exact=True)
        distances = [distance[alternative] for distance in every]
        assert found.statistic == float(distances[0])
        assert found.p_value == pytest.approx(float(share(distances, "greater")), rel=1e-14, abs=0)


@pytest.mark.clause("kolmogorov_smirnov.2")
def test_kolmogorov_smirnov_of_two_sizes_with_ties() -> None:
    """By hand: 13 of the 28 divisions; the lattice paths to the other side are 3 of 28."""
    x, y = [0.1, 0.2, 0.2, 0.2, 0.1, 0.0], [0.1, 0.1]
    less = significance.kolmogorov_smirnov(x, y, alternative="less")
    greater = significance.kolmogorov_smirnov(y, x, alternative="greater")
    assert less.p_value == greater.p_value == pytest.approx(13 / 28, rel=1e-15, abs=0)


def test_a_small_kolmogorov_tail_keeps_its_digits() -> None:
    """By reflection: comb(2 n, n + k) paths get k steps away."""
    x = np.arange(80)
    apart = significance.kolmogorov_smirnov(x, x + 80, alternative="greater", exact=True)
    assert apart.p_value == pytest.approx(1 / math.comb(160, 80), rel=1e-13, abs=0)
    y = np.append(x[1:] + 80, 78.5)  # one score of x is above one of y
    near = significance.kolmogorov_smirnov(x, y, alternative="greater", exact=True)
    assert near.p_value == pytest.approx(160 / math.comb(160, 80), rel=1e-13, abs=0)


@pytest.mark.clause("mann_whitney.1", "mann_whitney.3")
@given(grid(4, 1, 5), grid(4, 1, 4), st.booleans())
def test_mann_whitney_with_ties(x: Whole, y: Whole, correct: bool) -> None:
    assume(1 < len({*x, *y}) < len(x + y))
    twice = [
        sum((a > b) + (a >= b) for a in first for b in second)
        for first, second in divisions(x + y, len(x))
    ]
    w = [Fraction(number, 2) for number in twice]
    for alternative in ALTERNATIVES:
        found = significance.mann_whitney(x, y, alternative=alternative, correct=correct)
        away = corrected(w, alternative, Fraction(int(correct), 2))
        expected = normal(away, w, alternative)
        assert found.statistic == w[0]
        assert found.p_value == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.clause("wilcoxon_signed_rank.1", "wilcoxon_signed_rank.3")
@given(grid(8, 2, 8), st.booleans())
def test_wilcoxon_signed_rank_with_ties_and_zeros(shifted: Whole, correct: bool) -> None:
    d = [value - 4 for value in shifted]
    others = [value for value in d if value]
    assume(others and (len(others) < len(d) or len({*map(abs, others)}) < len(others)))
    ranks = midranks([abs(value) for value in others])
    v = [sum(r for r, f in zip(ranks, flip, strict=True) if f > 0) for flip in flips(others)]
    for alternative in ALTERNATIVES:
        found = significance.wilcoxon_signed_rank(
            d, [0] * len(d), alternative=alternative, correct=correct
        )
        away = corrected(v, alternative, Fraction(int(correct), 2))
        expected = normal(away, v, alternative)
        assert found.statistic == v[0]
        assert found.p_value == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.clause("sign.1")
@given(grid(6, 1, 9))
def test_sign(shifted: Whole) -> None:
    d = [value - 3 for value in shifted]
    others = [value for value in d if value]
    assume(others)
    above = [sum(f > 0 for f in flip) for flip in flips(others)]
    for alternative in ALTERNATIVES:
        found = significance.sign(d, [0] * len(d), alternative=alternative)
        assert (found.statistic, found.parameter) == (above[0], len(others))
        assert found.p_value == pytest.approx(float(doubled(above, alternative)), rel=1e-13, abs=0)


@pytest.mark.clause("sign.2")
@given(grid(6, 1, 9), st.sampled_from((0.5, 0.8, 0.95)))
def test_the_interval_of_the_sign_test(shifted: Whole, conf_level: float) -> None:
    others = [value - 3 for value in shifted if value != 3]
    assume(others)
    m, above = len(others), sum(value > 0 for value in others)

    def probability(counts: range, of: float) -> float:
        terms = (
            math.comb(m, k) * Fraction(of) ** k * (1 - Fraction(of)) ** (m - k) for k in counts
        )
        return float(sum(terms))

    for alternative in ALTERNATIVES:
        tail = (1 - conf_level) / (2 if alternative == "two-sided" else 1)
        found = significance.sign(others, [0] * m, alternative=alternative, conf_level=conf_level)
        if alternative == "less" or above == 0:
            assert found.conf_low == 0
        else:
            reached = probability(range(above, m + 1), float(found.conf_low))
            assert reached == pytest.approx(tail, rel=1e-12, abs=0)
        if alternative == "greater" or above == m:
            assert found.conf_high == 1
        else:
            reached = probability(range(above + 1), float(found.conf_high))
            assert reached == pytest.approx(tail, rel=1e-12, abs=0)


@pytest.mark.clause("permutation.1", "test.7", "test.9")
@given(grid(6, 1, 7), st.data(), st.integers(-2, 2))
def test_permutation(x: Whole, data: st.DataObject, null_value: int) -> None:
    y = data.draw(grid(6, len(x), len(x)))
    sums = [sum(flip) for flip in flips([a - b - null_value for a, b in zip(x, y, strict=True)])]
    for alternative in ALTERNATIVES:
        found = significance.permutation(
            np.array(x) / 10, np.array(y) / 10, alternative=alternative, null_value=null_value / 10
        )
        assert found.p_value == float(share(sums, alternative))


@pytest.mark.clause("permutation_unpaired.1", "test.7")
@given(grid(5, 1, 6), grid(5, 1, 4), st.integers(-2, 2))
def test_permutation_unpaired(x: Whole, y: Whole, null_value: int) -> None:
    n, m = len(x), len(y)
    every = divisions([score - null_value for score in x] + y, n)
    differences = [Fraction(sum(a), n) - Fraction(sum(b), m) for a, b in every]
    for alternative in ALTERNATIVES:
        found = significance.permutation_unpaired(
            np.array(x) / 10, np.array(y) / 10, alternative=alternative, null_value=null_value / 10
        )
        assert found.p_value == float(share(differences, alternative))


def excess(x: Sequence[int], y: Sequence[int]) -> int:
    """Return concordant less discordant pairs."""
    pairs = itertools.combinations(zip(x, y, strict=True), 2)
    products = [(a - c) * (b - d) for (a, b), (c, d) in pairs]
    return sum(p > 0 for p in products) - sum(p < 0 for p in products)


@pytest.mark.clause("kendall.1", "kendall.2")
@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(2, 6))
def test_kendall(x: Whole, y: Whole, n: int) -> None:
    x, y = x[:n], y[:n]
    each = [excess(x, order) for order in itertools.permutations(y)]
    for alternative in ALTERNATIVES:
        found = significance.kendall(x, y, alternative=alternative)
        assert found.p_value == float(doubled(each, alternative))


@pytest.mark.clause("kendall.3")
@a_tenth
@given(grid(3, 3, 6), st.data(), st.booleans())
def test_kendall_with_ties(x: Whole, data: st.DataObject, continuity: bool) -> None:
    y = data.draw(grid(3, len(x), len(x)))
    assume(len({*x}) > 1 and len({*y}) > 1)
    assume(len({*x}) < len(x) or len({*y}) < len(y))
    each = [excess(x, order) for order in itertools.permutations(y)]
    # As in R nearer to 0, whatever the alternative.
    away = corrected(each, "two-sided", int(continuity))
    for alternative in ALTERNATIVES:
        found = significance.kendall(x, y, alternative=alternative, continuity=continuity)
        assert found.p_value == pytest.approx(normal(away, each, alternative), rel=1e-12, abs=0)


@pytest.mark.clause("spearman.1", "spearman.2")
@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(2, 6))
def test_spearman(x: Whole, y: Whole, n: int) -> None:
    x, y = x[:n], y[:n]
    ranks = [[sorted(sample).index(score) for score in sample] for sample in (x, y)]
    # A small sum of squares is a large correlation.
    each = [
        -sum((a - b) ** 2 for a, b in zip(ranks[0], order, strict=True))
        for order in itertools.permutations(ranks[1])
    ]
    for alternative in ALTERNATIVES:
        found = significance.spearman(x, y, alternative=alternative)
        assert (found.statistic, found.p_value) == (-each[0], float(doubled(each, alternative)))


@st.composite
def matrices(draw: st.DrawFn, topics: int = 5, systems: int = 3) -> list[Whole]:
    """Draw scores on a grid, in rows of topics, of which no difference of systems is constant."""
    rows = draw(st.lists(grid(5, systems, systems), min_size=2, max_size=topics))
    for i, j in itertools.combinations(range(systems), 2):
        assume(len({row[i] - row[j] for row in rows}) > 1)
    return rows


def signed_squares(rows: list[Whole], pairs: list[tuple[int, int]]) -> list[list[Fraction]]:
    """Return, for every flip of topics, the sign of t and its size in each pair.

    The size is sum(d)^2 / sum(d^2), of which t^2 is an increasing function.
    """
    found = []
    for signs in itertools.product((1, -1), repeat=len(rows)):
        sums = [sum(s * (r[i] - r[j]) for s, r in zip(signs, rows, strict=True)) for i, j in pairs]
        squares = [sum((row[i] - row[j]) ** 2 for row in rows) for i, j in pairs]
        found.append([Fraction(s * abs(s), q) for s, q in zip(sums, squares, strict=True)])
    return found


def turned(values: list[Fraction], alternative: str) -> list[Fraction]:
    if alternative == "two-sided":
        return [abs(value) for value in values]
    return [-value for value in values] if alternative == "less" else values


@pytest.mark.clause("max_t.1", "max_t_baseline.1")
@a_tenth
@given(matrices())
def test_max_t_and_max_t_baseline(rows: list[Whole]) -> None:
    scores = np.array(rows) / 10
    for alternative, pairs in itertools.product(
        ALTERNATIVES, ([(0, 1), (0, 2), (1, 2)], [(1, 0), (2, 0)])
    ):
        every = [turned(values, alternative) for values in signed_squares(rows, pairs)]
        observed = every[0]
        single = [Fraction(sum(max(values) >= t for values in every), len(every)) for t in observed]
        if len(pairs) == 2:
            found = significance.max_t_baseline(scores, pairs, alternative=alternative)
            assert found.p_value.tolist() == [float(p) for p in single]
        # Step down: the pair itself and those with a smaller t, and no less than the one before.
        steps = {
            t: Fraction(
                sum(
                    max(v for v, o in zip(values, observed, strict=True) if o <= t) >= t
                    for values in every
                ),
                len(every),
            )
            for t in observed
        }
        stepped = [max(p for other, p in steps.items() if other >= t) for t in observed]
        found = significance.max_t(scores, pairs, alternative=alternative)
        assert found.p_value.tolist() == [float(p) for p in stepped]


@pytest.mark.clause("randomized_tukey_hsd.1")
@given(st.lists(grid(4, 3, 3), min_size=1, max_size=3))
def test_randomized_tukey_hsd(rows: list[Whole]) -> None:
    orders = [list(itertools.permutations(row)) for row in rows]
    ranges = []
    for shuffled in itertools.product(*orders):
        sums = [sum(system) for system in zip(*shuffled, strict=True)]
        ranges.append(max(sums) - min(sums))
    totals = [sum(system) for system in zip(*rows, strict=True)]
    found = significance.randomized_tukey_hsd(np.array(rows) / 10)
    for (i, j), p in zip(itertools.combinations(range(3), 2), found.p_value, strict=True):
        reached = sum(value >= abs(totals[i] - totals[j]) for value in ranges)
        assert p == float(Fraction(reached, len(ranges)))


@pytest.mark.clause(
    "bootstrap_shift.1", "bootstrap_studentized.1", "bootstrap_studentized.2", "test.7"
)
@a_tenth
@given(grid(6, 2, 4), st.integers(-2, 2))
def test_bootstraps(shifted: Whole, null_value: int) -> None:
    d = [value - 3 for value in shifted]
    assume(len({*d}) > 1)
    mean = Fraction(sum(d), len(d))

    def squared_t(sample: Sequence[int], centre: Number) -> Fraction | float:
        """Return t^2, with the sign of t, but for a factor that depends on n alone."""
        away = Fraction(sum(sample), len(sample)) - centre
        spread = sum((value - Fraction(sum(sample), len(sample))) ** 2 for value in sample)
        if spread == 0:
            return math.copysign(math.inf, away) if away else 0
        return away * abs(away) / spread

    resamples = list(itertools.product(d, repeat=len(d)))
    means = [mean - null_value, *(Fraction(sum(s), len(s)) - mean for s in resamples)]
    roots = [squared_t(d, null_value), *(squared_t(s, mean) for s in resamples)]
    for alternative in ALTERNATIVES:
        for test, outcomes in (
            (significance.bootstrap_shift, means),
            (significance.bootstrap_studentized, roots),
        ):
            found = test(
                np.array(d) / 10,
                np.zeros(len(d)),
                alternative=alternative,
                null_value=null_value / 10,
            )
            # The observed one is no resample: it is counted once too often.
            reached = share(outcomes, alternative) * len(outcomes) - 1
            assert found.p_value == float(Fraction(reached, len(resamples)))


@pytest.mark.clause("wilcoxon_signed_rank.4")
@a_tenth
@given(distinct(4, 5), LEVELS, st.booleans())
def test_the_exact_interval_of_wilcoxon_is_what_is_not_rejected(
    d: Whole, conf_level: float, turn: bool
) -> None:
    d = [-value for value in d] if turn else d
    between = [Fraction(k, 4) for k in range(4 * min(d) - 1, 4 * max(d) + 2, 2)]
    every = [
        significance.wilcoxon_signed_rank(
            d, [0] * len(d), alternative=alternative, conf_int=True, conf_level=conf_level
        )
        for alternative in ALTERNATIVES
    ]
    assume(all("exact" in found.method and "cannot" not in found.method for found in every))
    for shift in between:  # a quarter off all means of two differences: no tie
        moved = [value - shift for value in d]
        ranks = midranks([abs(value) for value in moved])
        v = [sum(r for r, f in zip(ranks, flip, strict=True) if f > 0) for flip in flips(moved)]
        for alternative, found in zip(ALTERNATIVES, every, strict=True):
            inside = found.conf_low < shift < found.conf_high
            assert inside == (doubled(v, alternative) > 1 - conf_level)


@pytest.mark.clause("mann_whitney.4")
@a_tenth
@given(distinct(4, 8), st.data(), LEVELS)
def test_the_exact_interval_of_mann_whitney_is_what_is_not_rejected(
    pooled: Whole, data: st.DataObject, conf_level: float
) -> None:
    n = data.draw(st.integers(2, len(pooled) - 2))
    x, y = pooled[:n], pooled[n:]
    least, most = min(x) - max(y), max(x) - min(y)
    for alternative in ALTERNATIVES:
        found = significance.mann_whitney(
            x, y, alternative=alternative, conf_int=True, conf_level=conf_level
        )
        assume("cannot" not in found.method)
        for shift in [Fraction(2 * k + 1, 2) for k in range(least - 1, most + 1)]:
            moved = [value - shift for value in x]
            w = [
                sum(a > b for a in first for b in second)
                for first, second in divisions(moved + y, n)
            ]
            inside = found.conf_low < shift < found.conf_high
            assert inside == (doubled(w, alternative) > 1 - conf_level)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_corrections_are_closed_tests(fortieths: Whole) -> None:
    """A hypothesis is rejected where every intersection with it is: all subsets are tried."""
    p = [Fraction(k, 40) for k in fortieths]
    places = range(len(p))
    subsets = [s for size in places for s in itertools.combinations(places, size + 1)]

    def closed(of: Callable[[list[Fraction]], Fraction]) -> list[float]:
        found = {s: of(sorted(p[i] for i in s)) for s in subsets}
        return [float(min(1, max(value for s, value in found.items() if i in s))) for i in places]

    expected = {
        "holm": closed(lambda least: len(least) * least[0]),
        "hommel": closed(lambda least: min(len(least) * q / k for k, q in enumerate(least, 1))),
    }
    for method, numbers in expected.items():
        assert adjust([float(q) for q in p], method) == pytest.approx(numbers, rel=1e-14, abs=0)
