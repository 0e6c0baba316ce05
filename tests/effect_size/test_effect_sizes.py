"""Effect sizes: R's numbers, exact intervals, and data that gives none."""

from typing import Any

import numpy as np
import pytest
from scipy import special

from cdfscore.errors import SignificanceError
from cdfscore.r.analysis import SIGNIFICANCE
from cdfscore.r.session import RSession
from cdfscore.stats.effect_size import (
    d_av,
    d_z,
    effect,
    hedges_g,
    rank_biserial,
    rank_biserial_paired,
)
from cdfscore.stats.effect_size.effects import Effect, EffectSize
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import terms_of_end
from tests.significance.in_r import in_own_unit

QUANTITIES = ("estimate", "conf_low", "conf_high")
EFFECTS = [d_z, d_av, hedges_g, rank_biserial_paired, rank_biserial]


def in_r(r: RSession, effect: Effect, x: Array, y: Array, conf_level: float) -> dict[str, Array]:
    twin = r.function_of(effect.twin(), "effect_size")
    found = r.function("test_rows", SIGNIFICANCE)(
        twin if effect.in_unit else in_own_unit(r, twin, ()),
        r.matrix(x),
        r.matrix(y),
        r.as_list({"conf_level": conf_level}),
        r.strings(QUANTITIES),
    )
    return dict(zip(QUANTITIES, np.atleast_2d(r.array(found)).T, strict=True))


@pytest.mark.clause(
    "d_z.1",
    "d_z.2",
    "d_av.1",
    "d_av.2",
    "hedges_g.1",
    "hedges_g.2",
    "rank_biserial.1",
    "rank_biserial.2",
    "rank_biserial_paired.1",
    "rank_biserial_paired.2",
)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("effect", EFFECTS, ids=lambda e: e.name)
@pytest.mark.parametrize("conf_level", [0.95, 0.8])
def test_parity_with_r(r: RSession, effect: Effect, conf_level: float) -> None:
    for n in (3, 10, 50, 249):
        rng = np.random.default_rng(n)
        x = rng.beta(0.7, 1.5, (30, n))
        y = 0.6 * x + 0.4 * rng.beta(0.7, 1.5, (30, n)) - rng.uniform(-0.1, 0.1, (30, 1))
        x[:10], y[:10] = np.round(x[:10], 1), np.round(y[:10], 1)
        x[10:20][rng.random((10, n)) < 0.1] = np.nan
        ours, theirs = effect(x, y, conf_level=conf_level), in_r(r, effect, x, y, conf_level)
        known = np.isfinite(theirs["estimate"])
        assert known.sum() > 20
        size = np.abs(ours.estimate)
        for quantity, stated in effect.tolerances.items():
            mine, r_has = getattr(ours, quantity), theirs[quantity]
            terms = size if quantity == "estimate" else terms_of_end(mine, ours.estimate)
            distance = stated.distance(mine, r_has, terms)[known]
            assert distance.max() <= stated.ulp, (quantity, n)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("effect", [d_z, hedges_g], ids=lambda e: e.name)
@pytest.mark.parametrize("sd", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12])
def test_large_effects_are_those_of_r(r: RSession, effect: Effect, sd: float) -> None:
    for n in (2, 3, 10, 249):
        rng = np.random.default_rng(n)
        x, y = sd * rng.standard_normal((2, 6, n)) + [[[0.3]], [[0.0]]]
        x[3:], y[3:] = y[3:], x[3:].copy()
        ours, theirs = effect(x, y, conf_level=0.9), in_r(r, effect, x, y, 0.9)
        for quantity, stated in effect.tolerances.items():
            distance = stated.distance(getattr(ours, quantity), theirs[quantity])
            assert distance.max() <= stated.ulp, (quantity, n)


@pytest.mark.clause("d_z.2")
def test_ends_are_where_t_is_an_outer_quantile() -> None:
    # the distribution of SciPy, at the ends that were found
    from scipy import stats

    rng = np.random.default_rng(1)
    for n in (3, 12, 249):
        x, y = rng.standard_normal((2, 50, n)) + np.linspace(0, 4, 50)[:, np.newaxis] * [
            [[1]],
            [[0]],
        ]
        found = d_z(x, y, conf_level=0.9)
        t = found.estimate * np.sqrt(n)
        above = stats.nct.sf(t, n - 1, found.conf_low * np.sqrt(n))
        below = stats.nct.cdf(t, n - 1, found.conf_high * np.sqrt(n))
        np.testing.assert_allclose(above, 0.05, 1e-9)
        np.testing.assert_allclose(below, 0.05, 1e-9)


@pytest.mark.clause("hedges_g.1")
def test_r_has_g_of_samples_whose_sizes_multiply_to_more_than_its_whole_numbers(
    r: RSession,
) -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 1, 50_000))
    ours, theirs = hedges_g(x, y, conf_level=0.9), in_r(r, hedges_g, x, y, 0.9)
    for quantity in QUANTITIES:
        np.testing.assert_allclose(getattr(ours, quantity), theirs[quantity], rtol=1e-11)


@pytest.mark.clause("hedges_g.1")
@pytest.mark.parametrize("sizes", [(2, 2), (4, 7), (160, 161), (161, 161), (162, 162), (3000, 40)])
def test_the_correction_of_g_at_50_digits(sizes: tuple[int, int]) -> None:
    from mpmath import mp, mpf

    n, m = sizes
    x, y = np.arange(n) / n, np.arange(m) / m + 0.25
    k = n + m - 2
    with mp.workdps(50):
        a = mpf(k) / 2
        j = mp.exp(mp.loggamma(a) - mp.loggamma(a - mpf(1) / 2)) / mp.sqrt(a)
    pooled = np.sqrt(((n - 1) * x.var(ddof=1) + (m - 1) * y.var(ddof=1)) / k)
    assert hedges_g(x, y).estimate == pytest.approx(
        float(j) * (x.mean() - y.mean()) / pooled, 1e-12
    )


def standard_error(found: EffectSize, conf_level: float) -> Array:
    """Return the standard error of r that the interval was made with."""
    width = np.arctanh(found.conf_high) - np.arctanh(found.conf_low)
    z = special.ndtri((1 + conf_level) / 2)
    return np.asarray(width / (2 * z) * (1 - found.estimate**2))


@pytest.mark.clause("rank_biserial.1", "rank_biserial.2")
@pytest.mark.parametrize("decimals", [1, 8])
def test_rank_biserial_compares_each_score_with_each(decimals: int) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random((20, 9)).round(decimals), rng.random((20, 7)).round(decimals)
    signs = np.sign(x[:, :, np.newaxis] - y[:, np.newaxis])
    found = rank_biserial(x, y, conf_level=0.9)
    np.testing.assert_allclose(found.estimate, signs.mean(axis=(1, 2)), 1e-12, 1e-15)
    of_x, of_y = signs.mean(axis=2).var(axis=1, ddof=1), signs.mean(axis=1).var(axis=1, ddof=1)
    np.testing.assert_allclose(standard_error(found, 0.9), np.sqrt(of_x / 9 + of_y / 7), 1e-12)


@pytest.mark.clause("rank_biserial_paired.1", "rank_biserial_paired.2")
@pytest.mark.parametrize("step", [0.25, 1e-8])
def test_rank_biserial_paired_adds_each_difference_to_each(step: float) -> None:
    # by the definition, a pair of samples at a time because each has its own number of zeros
    rng = np.random.default_rng(4)
    x, y = np.round(rng.random((2, 20, 9)) / step) * step
    found = rank_biserial_paired(x, y, conf_level=0.9)
    for row, d in enumerate(x - y):
        d = d[d != 0]
        k = len(d)
        signs = np.sign(np.add.outer(d, d))
        estimate = signs[np.triu_indices(k)].mean()
        assert found.estimate[row] == pytest.approx(estimate, 1e-12, 1e-15)
        error = 2 * signs.sum(axis=1).std(ddof=1) / np.sqrt(k) / (k + 1)
        assert standard_error(found, 0.9)[row] == pytest.approx(error, 1e-12)


@pytest.mark.clause("rank_biserial.2", "rank_biserial_paired.2")
def test_standard_errors_by_hand() -> None:
    # sums of signs 2, 2, -2, 4 with variance 19 / 3
    paired = rank_biserial_paired([1, 2, 0, 4], [0, 0, 3, 0])
    assert paired.estimate == pytest.approx(0.4, 1e-15)
    assert standard_error(paired, 0.95) == pytest.approx((19 / 75) ** 0.5, 1e-14)
    # mean signs 0, 1, 1 with variance 1 / 3, and 1, 1 / 3 with variance 2 / 9
    unpaired = rank_biserial([2, 4, 4], [1, 3])
    assert unpaired.estimate == pytest.approx(2 / 3, 1e-15)
    assert standard_error(unpaired, 0.95) == pytest.approx((2 / 9) ** 0.5, 1e-14)


STEPS = np.arange(5) / 8


@pytest.mark.clause("effect_size.1", "effect_size.3")
@pytest.mark.parametrize(
    ("effect", "x", "y"),
    [
        (rank_biserial_paired, STEPS, STEPS),
        (rank_biserial, [np.nan], [0.5]),
        (d_z, STEPS + 0.5, STEPS),
        (d_z, [0.1, 0.2, 0.3], [0, 0.1, 0.2]),
        (d_z, STEPS, STEPS),
        (d_z, [0.5], [0.25]),
        (d_av, [0.1 + 0.2, 0.3, 0.3], [0.1, 0.1, 0.1]),
        (d_av, np.ones(4), np.zeros(4)),
        (d_av, [0.5], [0.25]),
        (hedges_g, [0.1 + 0.2, 0.3, 0.3], [0.1, 0.1, 0.1]),
        (hedges_g, np.zeros(4), np.zeros(4)),
        (hedges_g, [0.5, np.nan], [0.25, 0.5]),
    ],
)
def test_data_that_gives_no_number(r: RSession, effect: Effect, x: Any, y: Any) -> None:
    found = effect(x, y)
    assert np.isnan([found.estimate, found.conf_low, found.conf_high]).all()
    theirs = in_r(r, effect, np.atleast_2d(x), np.atleast_2d(y), 0.95)
    assert np.isnan(list(theirs.values())).all()


@pytest.mark.clause("effect_size.3")
@pytest.mark.parametrize("effect", [d_z, d_av, hedges_g], ids=lambda e: e.name)
def test_a_spread_above_rounding_counts(effect: Effect) -> None:
    x = 1 + np.array([0, 1, 2, 5]) * 1e-13
    found = effect(x, np.zeros(4))
    assert found.conf_low < found.estimate < found.conf_high
    assert found.estimate > 1e11


@pytest.mark.clause("rank_biserial.2", "rank_biserial_paired.2")
@pytest.mark.parametrize(
    ("effect", "x", "y", "estimate", "low", "high"),
    [
        # (2.5 %)^(1 / 5) of five pairs of scores, and (2.5 %)^(2 / 5) of five differences
        (rank_biserial, STEPS + 1, STEPS, 1, 2 * 0.025**0.2 - 1, 1),
        (rank_biserial, [0.25, 0.5], STEPS + 1, -1, -1, 1 - 2 * 0.025**0.5),
        (rank_biserial, [0.5], [0.25], 1, -0.95, 1),
        (rank_biserial_paired, STEPS + 1, STEPS, 1, 2 * 0.025**0.4 - 1, 1),
        (rank_biserial_paired, STEPS, STEPS + 1, -1, -1, 1 - 2 * 0.025**0.4),
        # one difference other than 0
        (rank_biserial_paired, [0.5, 0.25], [0.25, 0.25], 1, 2 * 0.025**2 - 1, 1),
        (rank_biserial, np.ones(4), np.ones(3), 0, np.nan, np.nan),
        (rank_biserial, [0.5], [0.25, 0.5, 0.75], 0, np.nan, np.nan),
        (rank_biserial, [0.25, 0.5, 0.75], [0.5], 0, np.nan, np.nan),
    ],
)
def test_correlations_at_the_ends_and_without_an_interval(
    r: RSession, effect: Effect, x: Any, y: Any, estimate: float, low: float, high: float
) -> None:
    found = effect(x, y)
    expected = [estimate, low, high]
    np.testing.assert_allclose([found.estimate, found.conf_low, found.conf_high], expected, 1e-14)
    theirs = in_r(r, effect, np.atleast_2d(x), np.atleast_2d(y), 0.95)
    np.testing.assert_allclose(np.ravel(list(theirs.values())), expected, 1e-14)


@pytest.mark.clause("rank_biserial.2", "rank_biserial_paired.2")
@pytest.mark.parametrize("chance", [0.2, 0.5, 0.8])
def test_the_bound_of_equal_outcomes_holds_for_every_sample(chance: float) -> None:
    """Of scores 0 and 1, in which the chance of a sample is known.

    The bound fails if r is below it and all outcomes are equal: in 2.5 % of samples at most.
    """
    for n in range(1, 9):
        # Differences of 2 and -1: a sum is positive unless both are negative.
        found = rank_biserial_paired(np.full(n, 2.0), np.zeros(n))
        r = 1 - 2 * (1 - chance) ** 2
        assert found.conf_low <= r or chance**n <= 0.025
        # x is 1 with this chance, or else -1, and y is 0: r is the same difference of chances.
        found = rank_biserial(np.ones(n), np.zeros(n))
        assert found.conf_low <= 2 * chance - 1 or chance**n <= 0.025


@pytest.mark.parametrize(
    ("effect", "x", "y", "settings", "fragment"),
    [
        (d_z, [1, 2, 3], [1, 2], {}, "x has 3 scores per sample and y has 2; expected the same"),
        (d_av, [1, 2], [1, np.inf], {}, "infinite"),
        (hedges_g, [1, 2], [1, 3], {"conf_level": 1}, "between 0 and 1"),
        (rank_biserial, [[1, 2]] * 2, [[1, 2]] * 3, {}, "leading dimensions that broadcast"),
    ],
)
def test_bad_input(effect: Effect, x: Any, y: Any, settings: Any, fragment: str) -> None:
    with pytest.raises(SignificanceError, match=fragment):
        effect(x, y, **settings)


@pytest.mark.clause("d_z.1", "d_av.1", "hedges_g.1")
def test_standardized_differences_by_hand() -> None:
    # differences 1 and 3 with variance 2; scores 0, 2 and 1, 3 with variance 2
    assert d_z([1, 5], [0, 2]).estimate == pytest.approx(2**0.5, rel=1e-15)
    # variances 8 and 2, of which the mean is 5
    assert d_av([1, 5], [0, 2]).estimate == pytest.approx(2 / 5**0.5, rel=1e-15)
    # on 2 degrees of freedom J is 1 / sqrt(pi)
    assert hedges_g([1, 3], [0, 2]).estimate == pytest.approx((2 * np.pi) ** -0.5, rel=1e-15)


@pytest.mark.clause("d_av.2")
@pytest.mark.parametrize(
    ("x", "y", "square"),
    [
        # d = 1, variances 2 and 0, no covariance, variance of the differences 2
        ([0, 2], [0, 0], 4 / 8 + 2),
        # d = 1, variances 1 and 1, covariance 1/2, variance of the differences 1
        ([1, 3, 2], [0, 1, 2], 2.5 / 16 + 1 / 2),
    ],
)
def test_the_interval_of_d_av_by_hand(x: list[int], y: list[int], square: float) -> None:
    found = d_av(x, y, conf_level=0.9)
    assert found.estimate == 1
    margin = special.ndtri(0.95) * square**0.5
    assert [found.conf_low, found.conf_high] == pytest.approx([1 - margin, 1 + margin], rel=1e-14)


@pytest.mark.clause("hedges_g.2")
def test_ends_of_hedges_g_are_where_t_is_an_outer_quantile() -> None:
    from scipy import stats

    rng = np.random.default_rng(2)
    for n, m in ((3, 4), (12, 30)):
        x, y = rng.standard_normal((20, n)) + 0.8, rng.standard_normal((20, m))
        found, t = hedges_g(x, y, conf_level=0.9), stats.ttest_ind(x, y, axis=1).statistic
        root = np.sqrt(n * m / (n + m))
        low, high = found.conf_low * root, found.conf_high * root
        np.testing.assert_allclose(stats.nct.sf(t, n + m - 2, low), 0.05, 1e-8)
        np.testing.assert_allclose(stats.nct.cdf(t, n + m - 2, high), 0.05, 1e-8)


def median_difference(x: Array, y: Array, conf_level: float) -> tuple[Array, Array, Array]:
    """Return the median of the differences, without an interval."""
    SIZES.append(x.shape)
    estimate = np.median(x - y, axis=1)
    return estimate, np.full(len(x), np.nan), np.full(len(x), conf_level)


SIZES: list[tuple[int, ...]] = []


@pytest.mark.clause("effect_size.1", "effect_size.2")
def test_an_effect_size_of_your_own_has_complete_rows() -> None:
    own = effect(paired=True, method="none", minimum=3)(median_difference)
    SIZES.clear()
    x = np.array([[1.0, 2, 3, 9], [1, np.nan, 5, 7], [4, 4, 5, 9], [np.nan, np.nan, 1, 2]])
    found = own(x, [0.0, 1, 2, np.nan], conf_level=0.8)
    np.testing.assert_array_equal(found.estimate, [1, np.nan, 3, np.nan])
    assert SIZES == [(2, 3)]  # the other rows have 2 pairs or 1
    assert (found.method, found.conf_high[0]) == ("none", 0.8)
    assert own.name == "median_difference"
    with pytest.raises(SignificanceError, match="median_difference: x has 2 scores"):
        own([1, 2], [1, 2, 3])
