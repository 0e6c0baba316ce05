"""The empirical distribution: conventions, plotting positions, straight lines, quantiles."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore import Standardizer, dkw_band
from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.numerics.multiples import numerators
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Normal, Uniform
from cdfscore.stats.schemes import empirical as module

NAMED = {"hazen": Fraction(1, 2), "weibull": Fraction(0), "blom": Fraction(3, 8)}
CONVENTIONS = ("weak", "strict", "mid")
#: With a whole-number denominator, and without.
POSITIONS = (None, *NAMED, 0, 1, 0.25, 0.3, 0.44, 0.9, 1 / 3)
EVERY = [Empirical(*each) for each in itertools.product(CONVENTIONS, POSITIONS, (None, "linear"))]

# Few different scores, so that there are ties, and x at, between and beyond them.
samples = st.lists(st.integers(0, 12).map(lambda k: k / 10), min_size=2, max_size=25).map(np.array)
points = st.lists(st.integers(-3, 30).map(lambda k: k / 20), min_size=1, max_size=12).map(np.array)
schemes = st.sampled_from(EVERY)


def step(scheme: Empirical, x: float, sample: list[float]) -> Fraction:
    """y of the steps, by its definition, as an exact fraction."""
    n, below = len(sample), sum(s < x for s in sample)
    at_most = sum(s <= x for s in sample)
    position = scheme.position
    if position is None:
        counts = {"weak": 2 * at_most, "strict": 2 * below, "mid": below + at_most}
        return Fraction(counts[scheme.convention], 2 * n)
    a = NAMED[position] if isinstance(position, str) else Fraction(position)
    c = {"weak": at_most, "strict": below, "mid": Fraction(below + at_most + 1, 2)}
    return min(Fraction(1), max(Fraction(0), (c[scheme.convention] - a) / (n + 1 - 2 * a)))


def truth(scheme: Empirical, x: float, sample: list[float]) -> Fraction:
    """y with the lines between neighbouring scores."""
    left, right = [s for s in sample if s <= x], [s for s in sample if s >= x]
    if scheme.interpolation is None or not left or not right or x in sample:
        return step(scheme, x, sample)
    x0, x1 = Fraction(max(left)), Fraction(min(right))
    y0, y1 = step(scheme, max(left), sample), step(scheme, min(right), sample)
    return y0 + (y1 - y0) * (Fraction(x) - x0) / (x1 - x0)


def ulp_off(y: float, exact: Fraction) -> float:
    """How far y is from an exact value, in units of its last place."""
    return float(abs(Fraction(y) - exact) / Fraction(float(np.spacing(float(exact)))))


@pytest.mark.clause("empirical.1", "empirical.2", "empirical.5", "empirical.6")
@given(schemes, samples, points)
def test_y_is_the_fraction_of_the_definition(scheme: Empirical, sample: Array, x: Array) -> None:
    x = np.concatenate([x, sample])
    found = scheme.fit(sample)(x).tolist()
    exact = [truth(scheme, value, sample.tolist()) for value in x.tolist()]
    if scheme.counts:
        assert found == [float(each) for each in exact]
    # Each operation on positions adds 1 ulp at most; where y is 0 or 1, nothing is rounded.
    allowed = 4.0 if scheme.interpolation else 3.0
    for y, value in zip(found, exact, strict=True):
        assert y == value if value in (0, 1) else ulp_off(y, value) <= allowed


@pytest.mark.clause("empirical.5")
@given(schemes, samples)
def test_beyond_the_scores_lies_what_is_left_to_1(scheme: Empirical, sample: Array) -> None:
    fitted = scheme.fit(sample)
    y = fitted(np.array([-np.inf, sample.min() - 1, sample.max() + 1, np.inf]))
    assert y[[0, 3]].tolist() == [0, 1]
    support = [float(end) for end in fitted.support]
    low = sample.min() if y[1] == 0 else -np.inf
    assert support == [low, sample.max() if y[2] == 1 else np.inf]
    if scheme.convention == "mid":
        assert y[1] == pytest.approx(1 - y[2], abs=1e-15)
    else:
        assert y[1] == 0


@pytest.mark.clause("empirical.7")
@given(schemes, samples, st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_quantile_is_the_smallest_x(scheme: Empirical, sample: Array, parts: list[int]) -> None:
    p = np.array(parts) / 40
    fitted = scheme.fit(sample)
    for probability, x in zip(p, fitted.quantile(p), strict=True):
        before, after = fitted(np.nextafter(x, [-np.inf, np.inf]))
        assert before <= probability + 1e-12 or x == -np.inf
        assert after >= probability - 1e-12


@pytest.mark.clause("empirical.7")
@pytest.mark.parametrize(
    ("position", "method"),
    [
        (None, "interpolated_inverted_cdf"),
        ("hazen", "hazen"),
        ("weibull", "weibull"),
        (1, "linear"),
        (1 / 3, "median_unbiased"),
        ("blom", "normal_unbiased"),
    ],
)
def test_quantile_between_the_scores_is_numpys_of_six_methods(
    position: float | str | None, method: Any
) -> None:
    rng = np.random.default_rng(4)
    for n in (2, 3, 9, 40):
        scores = rng.random((5, n))
        fitted = Empirical("weak", position, "linear").fit(scores)
        ends = fitted(np.column_stack([scores.min(axis=1), scores.max(axis=1)]))[0]
        p = np.linspace(*ends, 17)[1:-1]
        found = fitted.quantile(np.broadcast_to(p, (5, 15)))
        expected = np.quantile(scores, p, axis=1, method=method).T
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.clause("empirical.1")
@pytest.mark.parametrize("position", ["weibull", "blom", 0.25])
def test_means_of_permuted_ranks_are_tied(position: float | str) -> None:
    latin = (np.arange(13)[:, np.newaxis] + np.arange(13)) % 13
    scores = pd.DataFrame(latin / 13, index=[f"t{i}" for i in range(13)])
    factors = Standardizer(Empirical(position=position)).fit(scores)
    assert factors.standardize(scores).means["mean"].nunique() == 1


def test_counts_are_whole_numbers_where_they_can_be() -> None:
    fitted = Empirical("mid", "blom").fit([0.1, 0.2, 0.2])
    denominators = fitted.denominators
    k = numerators(fitted([0.2]), denominators)
    assert Fraction(int(k[0]), int(denominators[0])) == (Fraction(5, 2) - Fraction(3, 8)) / (
        3 + Fraction(1, 4)
    )
    for scheme in (Empirical(position=0.3), Empirical(interpolation="linear")):
        assert not scheme.counts
        assert scheme.fit([0.1, 0.2]).denominators is None


@pytest.mark.clause("empirical.3")
def test_the_minimum_turns_into_1_over_n_and_not_into_0() -> None:
    """Urbano, Lima and Hanjalic (2019), Section 2, beside their Eq. 7."""
    for n in (1, 2, 10, 110):
        scores = np.arange(n) / n
        y = Empirical().fit(scores)(scores)
        assert (y.min(), y.max()) == (1 / n, 1)
        if n > 1:
            y = Empirical(position=1).fit(scores)(scores)
            assert (y.min(), y.max()) == (0, 1)


@pytest.mark.clause("empirical.4")
@given(samples)
def test_means_of_conventions_follow_from_the_ties(sample: Array) -> None:
    n = len(sample)
    ties = Fraction(sum(int(t) ** 2 for t in np.unique(sample, return_counts=True)[1]), n**2)
    for convention, expected in (("weak", 1 + ties), ("mid", 1), ("strict", 1 - ties)):
        fitted = Empirical(convention).fit(sample)
        k = numerators(fitted(sample), fitted.denominators)
        assert Fraction(int(k.sum()), n * int(fitted.denominators[0])) == Fraction(expected) / 2


@pytest.mark.clause("empirical.4")
def test_mean_and_sd_without_ties() -> None:
    for n in (2, 7, 110):
        scores = np.arange(n) / n
        y = Empirical().fit(scores)(scores)
        assert y.mean() == pytest.approx((n + 1) / (2 * n), rel=1e-14)
        assert y.var(ddof=1) == pytest.approx((n + 1) / (12 * n), rel=1e-13)


# ---- counts by compiled code and by NumPy


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 100])
def test_counts_in_both_ways(n: int) -> None:
    rng = np.random.default_rng(n)
    scores = rng.integers(0, 5, (50, n)) * 1.0
    scores[:, 1:][rng.random((50, n - 1)) < 0.2] = np.nan
    scores.sort(axis=1)
    x = rng.integers(-1, 7, (50, 40)) * 1.0
    x[:, :2] = np.inf, -np.inf
    for below, side in ((True, "left"), (False, "right")):
        expected = [
            np.searchsorted(row[~np.isnan(row)], given, side)
            for row, given in zip(scores, x, strict=True)
        ]
        x[0, 5] = np.nan  # precedes nothing
        expected[0][5] = 0
        counts = np.empty(x.shape, dtype=np.int64)
        module.count_rows(scores, x, counts, below)
        assert np.array_equal(counts, expected)
        precedes = np.less if below else np.less_equal
        assert np.array_equal(module._searched(scores, x, precedes), expected)


def test_many_rows_in_threads_are_each_as_alone() -> None:
    scores = np.random.default_rng(6).beta(0.8, 2.5, (6000, 110)).round(4)
    scores[scores > 0.99] = np.nan
    for scheme in (Empirical(), Normal(), Uniform()):
        y = scheme.fit(scores)(scores)
        for rows in ([0], [5999], [2382, 2383, 2384]):
            few = scheme.fit(scores[rows])
            assert np.array_equal(few(scores[rows]), y[rows], equal_nan=True)


# ---- the Dvoretzky-Kiefer-Wolfowitz band: published widths, coverage, R


def epsilon(n: int, conf_level: float = 0.95) -> float:
    """How far below F_n = 1 the band begins."""
    low, high = dkw_band(np.arange(n), [n - 1.0], conf_level)
    assert high.tolist() == [1.0]
    return float(1 - low[0])


@pytest.mark.clause("empirical.9", "dkw_band.1")
@pytest.mark.parametrize(
    ("n", "conf_level", "expected", "digits"),
    [
        (799, 0.95, 0.048, 3),  # Wasserman (2004), All of Statistics, Example 7.6
        (10**4, 0.95, 0.013581, 6),  # 1.3581 / sqrt(n), the limit of Kolmogorov's quantile
        (10**4, 0.99, 0.016276, 6),  # 1.6276 / sqrt(n)
    ],
)
def test_widths_are_those_published(
    n: int, conf_level: float, expected: float, digits: int
) -> None:
    assert round(epsilon(n, conf_level), digits) == expected


@pytest.mark.clause("empirical.9", "dkw_band.2")
@pytest.mark.parametrize("conf_level", [0.5, 0.9, 0.95, 0.99])
def test_the_exact_probability_is_never_below_the_level(conf_level: float) -> None:
    n = np.arange(1, 200, 3)
    covered = stats.kstwo.cdf([epsilon(int(k), conf_level) for k in n], n)
    assert (covered >= conf_level).all()
    assert covered[-1] < conf_level + 0.03  # and hardly above it where n is large


@pytest.mark.clause("empirical.9", "dkw_band.2")
def test_the_whole_band_covers_in_simulations() -> None:
    """Of 4,000 samples; 5 binomial standard errors, of 0.0035, either side of the exact."""
    rng, n = np.random.default_rng(1956), 25
    sample = np.sort(rng.beta(0.5, 2.0, (4000, n)), axis=-1)
    truth = stats.beta(0.5, 2.0).cdf
    # F is farthest from a step function at the steps, or just left of them.
    low, _ = dkw_band(sample, sample)
    _, high = dkw_band(sample, np.nextafter(sample, -1.0))
    inside = (truth(sample) >= low).all(axis=1) & (truth(sample) <= high).all(axis=1)
    exact = stats.kstwo.cdf(math.sqrt(math.log(40) / (2 * n)), n)
    assert inside.mean() == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 4000))
    assert inside.mean() > 0.95 - 5 * 0.0035


@pytest.mark.clause("empirical.9", "dkw_band.1")
def test_the_band_is_around_e_std_and_kept_in_0_to_1() -> None:
    scores = np.array([[0.1, 0.2, 0.2, 0.3, np.nan], [0.5, 0.5, 0.5, np.nan, np.nan]])
    x = np.array([[0.0, 0.2, np.nan], [0.5, 0.4, 0.6]])
    low, high = dkw_band(scores, x, 0.1)
    y = Empirical().fit(scores)(x)
    for row, n in enumerate((4, 3)):
        half = math.sqrt(math.log(2 / 0.9) / (2 * n))
        np.testing.assert_array_equal(low[row], np.clip(y[row] - half, 0, 1))
        np.testing.assert_array_equal(high[row], np.clip(y[row] + half, 0, 1))
    assert np.isnan(low[0, 2])
    assert np.isnan(high[0, 2])


@pytest.mark.clause("dkw_band.1")
@pytest.mark.usefixtures("rinterface")
def test_r_has_the_same_band(rinterface: ModuleType) -> None:
    by_r = rinterface.baseenv["eval"](
        rinterface.baseenv["parse"](
            text=rinterface.StrSexpVector(
                [
                    "function(scores, x, level) {"
                    " half <- sqrt(log(2 / (1 - level)) / (2 * length(scores)));"
                    " y <- ecdf(scores)(x); c(pmax(y - half, 0), pmin(y + half, 1)) }"
                ]
            )
        )
    )
    rng = np.random.default_rng(1990)
    for n in (1, 2, 9, 110, 1000):
        scores, x = rng.integers(0, 50, n) / 50, np.linspace(-0.1, 1.1, 40)
        for level in (0.8, 0.95, 0.999):
            arguments = [rinterface.FloatSexpVector(a.tolist()) for a in (scores, x)]
            expected = np.array(by_r(*arguments, rinterface.FloatSexpVector([level])))
            assert np.concatenate(dkw_band(scores, x, level)).tolist() == expected.tolist()


@pytest.mark.parametrize("conf_level", [0, 1, 95, -0.5, float("nan"), "0.95", None])
def test_bad_levels(conf_level: object) -> None:
    message = f"^dkw_band: conf_level={re.escape(repr(conf_level))} is not accepted; expected a num"
    with pytest.raises(SchemeError, match=message):
        dkw_band([0.1, 0.2], [0.1], conf_level)


@pytest.mark.parametrize(
    ("scores", "x", "message"),
    [
        ([[0.1], [np.nan]], [[0.1], [0.1]], "^row 1: "),
        ([0.1, np.inf], [0.1], "a reference score is infinite"),
        ([[0.1, 0.2]], [0.1], r"^x has shape \(1,\); expected \(1, 'm'\)"),
    ],
)
def test_bad_scores(scores: list, x: list, message: str) -> None:
    with pytest.raises(FitError, match=message):
        dkw_band(scores, x)


@pytest.mark.clause("dkw_band.1")
def test_few_scores_say_nothing() -> None:
    """Epsilon is 1.358 for one score, and 1 - epsilon to 1 is the band at the score of four."""
    low, high = dkw_band([0.3], [0.0, 0.3, 0.9])
    assert (low.tolist(), high.tolist()) == ([0.0] * 3, [1.0] * 3)
    low, high = dkw_band([0.3] * 4, [0.3])
    assert (low[0], high[0]) == (pytest.approx(1 - 0.679051, abs=1e-6), 1.0)
