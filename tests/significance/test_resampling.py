"""Resampling tests without R: known values, drawn resamples, degenerate data."""

import dataclasses
import importlib
import itertools
import math
import sys
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import significance
from cdfscore.errors import SignificanceError
from cdfscore.significance import bootstrap, resampling, sign_flips

DIVISIONS: Any = importlib.import_module("cdfscore.significance.permutation_unpaired")

PAIRED = ["permutation", "bootstrap_shift", "bootstrap_studentized"]
TWO_SAMPLES = [*PAIRED, "permutation_unpaired"]
MIRRORED = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
# Darwin's maize, cross- minus self-fertilized, in eighths of an inch: Fisher (1935), section 17.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def scores(topics, systems, digits=4):
    rng = np.random.default_rng(topics * systems)
    return rng.beta(1, 3, (topics, systems)).round(digits)


def drawn(monkeypatch):
    """Let nothing be enumerated, so that exact and drawn p values can be compared."""
    for module in (sign_flips, DIVISIONS, bootstrap):
        monkeypatch.setattr(module, "MOST_ENUMERATED", 1)


@pytest.mark.clause("test.9", "max_t.1", "max_t_baseline.1")
@pytest.mark.parametrize("name", ["max_t", "max_t_baseline"])
@pytest.mark.parametrize("seed", range(30))
def test_ties_are_those_of_the_decimals(name, seed):
    """Tenths near 90 have differences that are not equal where those of whole numbers are."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(900, 912, (int(rng.integers(3, 7)), 3)).astype(float)
    test = getattr(significance, name)
    first, second = [0, 1], [2, 2]
    tenths, expected = (test.over_pairs(m, first, second) for m in (whole / 10, whole))
    np.testing.assert_array_equal(tenths.p_value, expected.p_value)


def test_ties_of_resamples_are_those_of_the_decimals_of_either_sample():
    """All 4^4 resamples of whole numbers are counted; tenths of them are rounded."""
    for whole in np.random.default_rng(3).integers(-9, 10, (20, 4)):
        shifts = np.array(list(itertools.product(whole, repeat=4))).sum(axis=1) - whole.sum()
        expected = (np.abs(shifts) >= abs(whole.sum())).sum() / 4**4
        for x, y in ((whole / 10, np.zeros(4)), (np.zeros(4), whole / 10)):
            assert significance.bootstrap_shift(x, y).p_value == expected


@pytest.mark.clause("permutation.1", "test.7")
def test_darwin_s_maize():
    result = significance.permutation(DARWIN, np.zeros(15))
    assert result.p_value * 2**15 == 1726
    assert result.p_value_stderr == 0
    assert result.method == "all 2^15 sign flips"
    greater = significance.permutation(DARWIN, np.zeros(15), alternative="greater")
    assert greater.p_value * 2**15 == 863


def test_flips_are_enumerated_as_scipy_enumerates_them():
    from scipy import stats

    x, y = scores(2, 9)
    theirs = stats.permutation_test(
        (x, y), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=2**9
    )
    assert significance.permutation(x, y).p_value == theirs.pvalue


@pytest.mark.clause("test.9")
def test_a_tie_that_rounding_hides_counts():
    # 0.3 - 0.1 and 0.5 - 0.3 differ as doubles: the four flips tie in pairs.
    x, y = [0.3, 0.3], [0.1, 0.5]
    assert significance.permutation(x, y).p_value == 1
    assert significance.permutation_unpaired([0.1 + 0.2], [0.3]).p_value == 1
    assert significance.permutation(x, y, alternative="greater").p_value == 0.75


@pytest.mark.clause("test.8")
@pytest.mark.parametrize("name", TWO_SAMPLES)
@pytest.mark.parametrize("alternative", MIRRORED)
def test_drawn_resamples_approach_the_exact_p_value(monkeypatch, name, alternative):
    test = getattr(significance, name)
    x, y = scores(2, 7, digits=1)
    exact = test(x, y, alternative=alternative)
    drawn(monkeypatch)
    found = test(x, y, alternative=alternative, B=20_000, seed=4)
    assert "B = 20000, seed 4" in found.method
    assert abs(found.p_value - exact.p_value) < 5 * found.p_value_stderr
    expected = math.sqrt(found.p_value * (1 - found.p_value) / 20_001)
    assert found.p_value_stderr == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", ["max_t", "max_t_baseline"])
def test_drawn_flips_approach_the_exact_family(monkeypatch, name):
    test = getattr(significance, name)
    pairs = [(1, 0), (2, 0), (3, 0)]
    matrix = scores(9, 4, digits=1)
    exact = test(matrix, pairs)
    drawn(monkeypatch)
    found = test(matrix, pairs, B=20_000)
    assert (np.abs(found.p_value - exact.p_value) <= 5 * found.p_value_stderr + 1e-4).all()
    if name == "max_t_baseline":
        np.testing.assert_allclose(found.conf_low, exact.conf_low, atol=0.02)


@pytest.mark.clause("test.6", "test.8")
@given(
    differences=st.lists(st.integers(-9, 9), min_size=22, max_size=30).filter(
        lambda d: len(set(d)) > 1
    ),
    name=st.sampled_from(PAIRED),
    alternative=st.sampled_from(sorted(MIRRORED)),
)
def test_p_values_have_bounds_and_mirror(differences, name, alternative):
    test = getattr(significance, name)
    x, y = np.array(differences) / 10, np.zeros(len(differences))
    one = test(x, y, alternative=alternative, B=199)
    other = test(y, x, alternative=MIRRORED[alternative], B=199)
    assert 1 / 200 <= one.p_value <= 1
    assert one.p_value == other.p_value
    assert one.statistic == -other.statistic
    assert (one.p_value * 200) == pytest.approx(round(one.p_value * 200), abs=1e-9)
    if name != "permutation":
        np.testing.assert_allclose(one.conf_int, -other.conf_int[::-1], rtol=1e-9, atol=1e-14)


def test_swapped_unpaired_samples_mirror():
    x, y = scores(1, 5)[0], scores(1, 8)[0]
    for alternative, mirrored in MIRRORED.items():
        one = significance.permutation_unpaired(x, y, alternative=alternative)
        other = significance.permutation_unpaired(y, x, alternative=mirrored)
        assert (one.p_value, one.estimate) == (other.p_value, -other.estimate)


@pytest.mark.parametrize("alternative", MIRRORED)
@pytest.mark.parametrize("null_value", [0.0, 0.1])
@pytest.mark.parametrize(("topics", "digits"), [(60, 4), (60, 1), (12, 1)])
def test_flips_for_pairs_of_systems_are_those_of_a_batch(topics, digits, null_value, alternative):
    matrix = scores(topics, 13, digits)
    first, second = np.triu_indices(13, 1)
    given = {"B": 2_000, "seed": 5, "null_value": null_value, "alternative": alternative}
    pairs = significance.permutation.over_pairs(matrix, first, second, **given)
    batch = significance.permutation(matrix.T[first], matrix.T[second], **given)
    for name in ("p_value", "p_value_stderr", "estimate", "statistic", "method"):
        assert np.array_equal(getattr(pairs, name), getattr(batch, name)), name
    # Integers have no rounding, so the counts are those without a tolerance too.
    single = significance.permutation(matrix[:, first[7]], matrix[:, second[7]], **given)
    assert single.p_value == pairs.p_value[7]


@pytest.mark.clause("test.8")
def test_flips_of_integers_are_counted_one_by_one():
    d = np.random.default_rng(0).integers(-6, 7, 25).astype(float)
    signs = np.concatenate(list(sign_flips.signs(25, 500, 9)))
    b = (np.abs(signs @ d) >= abs(d.sum())).sum()
    assert significance.permutation(d, 0 * d, B=500, seed=9).p_value == (b + 1) / 501


@pytest.mark.clause("test.10")
@pytest.mark.parametrize("name", [*TWO_SAMPLES, "max_t", "max_t_baseline", "randomized_tukey_hsd"])
def test_seed_and_generator(name):
    test = getattr(significance, name)
    matrix = scores(25, 2)
    data = (*matrix.T,) if name in TWO_SAMPLES else (matrix, [(0, 1)])

    def p(seed):
        return np.ravel(test(*data, B=300, seed=seed).p_value)[0]

    assert p(1) == p(1)
    assert p(np.random.default_rng(3)) == p(int(np.random.default_rng(3).integers(2**63)))
    assert len({p(seed) for seed in range(6)}) > 1


@pytest.mark.clause("test.10")
@pytest.mark.parametrize("n", [21, 64, 65, 249])
def test_trial_k_does_not_depend_on_blocks(monkeypatch, n):
    def flips(B, block):
        monkeypatch.setattr(sign_flips, "_BLOCK", block)
        return np.concatenate(list(sign_flips.signs(n, B, 3)))

    whole = flips(300, 1 << 20)
    assert np.array_equal(whole, flips(300, 7 * n))
    assert np.array_equal(whole[:50], flips(50, 1))
    assert set(np.unique(whole)) == {-1.0, 1.0}
    assert abs(whole.mean()) < 5 / math.sqrt(whole.size)


@pytest.mark.parametrize("n", [12, 50])
@pytest.mark.parametrize("name", ["max_t", "max_t_baseline"])
def test_blocks_of_flips_fit_in_memory_for_many_pairs(monkeypatch, name, n):
    def found():
        return getattr(significance, name)(scores(n, 20), [(i, 0) for i in range(1, 20)], B=500)

    whole = found()
    monkeypatch.setattr(sign_flips, "_SUMS", 19 * 7)
    made = []
    monkeypatch.setattr(
        sys.modules[f"cdfscore.significance.{name}"],
        "toward",
        lambda sums, alternative: made.append(sums.size) or resampling.toward(sums, alternative),
    )
    blocks = found()
    assert max(made) == 19 * 7
    for field in ("p_value", "p_value_stderr", "statistic", "method"):
        assert np.array_equal(getattr(blocks, field), getattr(whole, field)), field
    np.testing.assert_allclose(blocks.conf_low, whole.conf_low, rtol=1e-13)


def test_sums_of_signs_are_bounded():
    tracemalloc.start()
    block = next(sign_flips.signs(50, 10_000, 0, 44_850))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert len(block) * 44_850 * 8 <= 1 << 23


@pytest.mark.clause("test.10")
def test_divisions_do_not_depend_on_blocks(monkeypatch):
    def groups(block):
        monkeypatch.setattr(DIVISIONS, "_BLOCK", block)
        return np.concatenate(list(DIVISIONS.divisions(30, 40, 200, 3)))

    whole = groups(1 << 20)
    assert np.array_equal(whole, groups(500))
    assert (whole.sum(axis=1) == 30).all()
    every = np.concatenate(list(DIVISIONS.divisions(3, 4, 1, 0)))
    assert len(np.unique(every, axis=0)) == len(every) == 35


@pytest.mark.clause("test.7", "test.10")
def test_resamples_stand_for_all():
    all_of_five = bootstrap.resamples(5, 1, 0)
    assert (all_of_five.total, all_of_five.exact) == (5**5, True)
    assert (all_of_five.counts.sum(axis=1) == 5).all()
    some = bootstrap.resamples(30, 2_000, 0)
    assert (some.counts.sum(axis=1) == 30).all()
    assert np.abs(some.counts.mean(axis=0) - 1).max() < 5 / math.sqrt(2_000)
    assert np.array_equal(some.counts[:100], bootstrap.resamples(30, 100, 0).counts)


@pytest.mark.clause("bootstrap_shift.2")
def test_quantiles_of_drawn_and_weighted_values():
    values = np.random.default_rng(2).random((3, 200))
    ones = bootstrap.Resamples(np.ones((200, 1)), np.ones(200), False, "")
    weighted = bootstrap.Resamples(ones.counts, np.ones(200), True, "")
    for share in (0.001, 0.025, 0.5, 0.99, 0.9999):
        expected = np.quantile(values, share, axis=1, method="weibull")
        np.testing.assert_allclose(bootstrap.quantile(values, ones, share), expected, rtol=1e-12)
        np.testing.assert_allclose(
            bootstrap.quantile(values, weighted, share), expected, rtol=1e-12
        )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
@pytest.mark.parametrize("n", [2, 7, 30, 249])
def test_sums_of_resamples_are_exact(n, scale):
    rng = np.random.default_rng(n)
    values = np.array([rng.random(n) - 0.3, np.zeros(n), 10.0 ** rng.integers(-12, 3, n)]) * scale
    if scale > 1:
        values /= 1e6  # no sum is infinite
    counts = bootstrap.resamples(n, 40, 0).counts
    exact = [
        [float(sum(Fraction(v) * int(c) for v, c in zip(row, of, strict=True))) for of in counts]
        for row in values
    ]
    assert np.array_equal(bootstrap.sums(values, counts), exact)
    # Each row is on its own, beside others of any size.
    beside = np.array([values[0], np.full(n, 1e-30 * scale), values[0] * 1e-40])
    alone = [bootstrap.sums(row[np.newaxis], counts)[0] for row in beside]
    assert np.array_equal(bootstrap.sums(beside, counts), alone)
    # Whatever the order of summation is: a change of threads changes it too.
    order = rng.permutation(n)
    assert np.array_equal(bootstrap.sums(values[:, order], counts[:, order]), exact)


def test_the_order_of_topics_does_not_change_the_means_of_resamples(monkeypatch):
    x, y = scores(2, 249)
    drawn_once = bootstrap.resamples(249, 300, 0)
    order = np.random.default_rng(0).permutation(249)
    shuffled = dataclasses.replace(drawn_once, counts=drawn_once.counts[:, order])
    one = significance.bootstrap_shift(x, y, B=300)
    monkeypatch.setattr(bootstrap, "resamples", lambda *_: shuffled)
    other = significance.bootstrap_shift(x[order], y[order], B=300)
    assert np.array_equal(one.conf_int, other.conf_int)


@pytest.mark.clause("bootstrap_shift.2")
def test_percentile_interval_of_the_drawn_means():
    x, y = scores(2, 30)
    means = bootstrap.resamples(30, 999, 7).counts @ (x - y) / 30
    result = significance.bootstrap_shift(x, y, B=999, seed=7, conf_level=0.9)
    np.testing.assert_allclose(result.conf_int, np.sort(means)[[49, 949]], rtol=1e-12)


@pytest.mark.clause("bootstrap_studentized.3")
def test_studentized_interval_contains_what_is_not_rejected():
    x, y = scores(2, 40)
    inside = significance.bootstrap_studentized(x, y, B=1999, alternative="greater", conf_level=0.9)
    for null_value, rejected in ((inside.conf_low - 1e-6, True), (inside.conf_low + 1e-6, False)):
        p = significance.bootstrap_studentized(
            x, y, B=1999, alternative="greater", null_value=null_value
        ).p_value
        assert (p <= 0.1) == rejected


@pytest.mark.clause("max_t.1", "max_t_baseline.1")
def test_step_down_is_at_most_single_step():
    matrix = scores(30, 5) + np.arange(5) * 0.05
    pairs = [(i, 0) for i in range(1, 5)]
    step_down = significance.max_t(matrix, pairs, B=999).p_value
    single_step = significance.max_t_baseline(matrix, pairs, B=999).p_value
    assert (step_down <= single_step).all()
    assert step_down.min() == single_step.min()
    largest = np.argsort(-np.abs(significance.max_t(matrix, pairs).statistic))
    assert (np.diff(step_down[largest]) >= 0).all()


@pytest.mark.clause("max_t.1")
def test_one_pair_is_no_family():
    matrix = scores(30, 2)
    p = significance.permutation(*matrix.T, B=999).p_value
    assert significance.max_t(matrix, B=999).p_value.tolist() == [p]
    assert significance.max_t_baseline(matrix, B=999).p_value.tolist() == [p]


@pytest.mark.clause("max_t_baseline.2")
def test_simultaneous_intervals_agree_with_the_p_values():
    matrix = scores(40, 12) + np.linspace(0, 0.12, 12)
    result = significance.max_t_baseline(matrix, [(i, 0) for i in range(1, 12)], B=1999)
    without_0 = (result.conf_low > 0) | (result.conf_high < 0)
    assert np.array_equal(without_0, result.p_value <= 0.05)
    assert 0 < without_0.sum() < 11
    assert np.isinf(significance.max_t_baseline(matrix, [(1, 0)], B=10).conf_int).all()


@st.composite
def tied_grids(draw):
    """Scores of one decimal: differences that are equal, though not all of them as doubles."""
    topics, systems = draw(st.sampled_from([2, 3, 4, 5, 8, 21])), draw(st.integers(2, 4))
    most = draw(st.integers(1, 10))
    cells = draw(
        st.lists(st.integers(0, most), min_size=topics * systems, max_size=topics * systems)
    )
    return (np.array(cells).reshape(topics, systems) + draw(st.sampled_from([0, 3, 10_000]))) / 10


@pytest.mark.clause("max_t_baseline.2")
@given(tied_grids(), st.sampled_from(sorted(MIRRORED)), st.sampled_from([0.4, 0.625, 0.9, 0.95]))
def test_simultaneous_intervals_of_tied_scores_agree_with_the_p_values(
    matrix, alternative, conf_level
):
    pairs = [(i, 0) for i in range(1, matrix.shape[1])]
    result = significance.max_t_baseline(
        matrix, pairs, alternative=alternative, conf_level=conf_level, B=99
    )
    found = ~np.isnan(result.p_value)
    with_0 = (result.conf_low <= 0) & (result.conf_high >= 0)
    # A p value that is 1 - conf_level is not above it, whatever rounding has of the two.
    above = result.p_value > (1 - conf_level) * (1 + 1e-12)
    assert np.array_equal(with_0[found], above[found])


@pytest.mark.clause("bootstrap_studentized.3")
@given(tied_grids(), st.sampled_from(["less", "greater"]), st.sampled_from([0.0, 0.1]))
def test_studentized_intervals_of_tied_scores_agree_with_the_p_values(
    matrix, alternative, null_value
):
    # The end is a t* itself, not one between two, where (B + 1) conf_level is whole.
    with pytest.MonkeyPatch.context() as patch:
        drawn(patch)
        result = significance.bootstrap_studentized(
            matrix.T[1:],
            matrix.T[0],
            alternative=alternative,
            null_value=null_value,
            conf_level=0.75,
            B=99,
        )
    found = ~np.isnan(result.p_value)
    inside = (result.conf_low <= null_value) & (result.conf_high >= null_value)
    assert np.array_equal(inside[found], result.p_value[found] > 0.25)


@pytest.mark.clause("bootstrap_shift.3", "bootstrap_studentized.4")
@pytest.mark.parametrize("name", ["bootstrap_shift", "bootstrap_studentized"])
@pytest.mark.parametrize(
    ("y", "reason"),
    [
        ([0.1, 0.2, 0.3], "all differences are 0"),
        ([0.3, 0.4, 0.5], "the differences are essentially constant"),
    ],
)
def test_constant_differences_have_no_bootstrap(name, y, reason):
    test = getattr(significance, name)
    with pytest.raises(SignificanceError, match=f"{name}: {reason}"):
        test([0.1, 0.2, 0.3], y)
    batch = test([[0.1, 0.2, 0.3], [0.1, 0.5, 0.4]], [y, y])
    assert np.isnan([batch.p_value[0], batch.conf_low[0], batch.p_value_stderr[0]]).all()
    assert not np.isnan([batch.p_value[1], batch.conf_low[1], batch.p_value_stderr[1]]).any()
    with pytest.raises(SignificanceError, match="1 pair, but at least 2 are needed"):
        test([0.1], [0.2])


@pytest.mark.clause("permutation.2", "permutation_unpaired.2")
def test_degenerate_data_of_permutations():
    same = [0.1, 0.2, 0.3]
    assert significance.permutation(same, same).p_value == 1
    assert significance.permutation(same, same, alternative="less").p_value == 1
    assert significance.permutation(same, np.add(same, 0.2)).p_value == 0.25
    assert significance.permutation([0.1], [0.2]).p_value == 1
    assert significance.permutation([0.1], [0.2], alternative="less").p_value == 0.5
    assert significance.permutation_unpaired([0.1, 0.1], [0.1, 0.1]).p_value == 1
    assert significance.permutation(np.ones(30), np.ones(30), B=9).p_value == 1
    with pytest.raises(SignificanceError, match="0 pairs, but at least 1 is needed"):
        significance.permutation([np.nan], [0.2])


@pytest.mark.clause("max_t.2", "max_t_baseline.3", "randomized_tukey_hsd.2")
def test_degenerate_families():
    alike = np.full((25, 3), 0.5)
    for test in (significance.max_t, significance.max_t_baseline):
        result = test(alike, [(0, 2), (1, 2)], B=9)
        assert np.isnan(result.p_value).all()
        assert (result.reason == "all differences are 0").all()
    assert (significance.randomized_tukey_hsd(alike, B=9).p_value == 1).all()
    assert (significance.max_t(np.arange(6.0).reshape(3, 2) ** 2).p_value == 0.25).all()


@pytest.mark.clause("max_t_baseline.1", "test.2")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m: significance.max_t_baseline(m),
            "max_t_baseline compares systems with one baseline, and",
        ),
        (
            lambda m: significance.max_t_baseline(m, [(0, 1), (0, 2)]),
            "pairs are columns 1, 2; expected the same second system in all pairs",
        ),
        (lambda m: significance.max_t(m, B=0), "max_t: B=0 is not accepted"),
        (lambda m: significance.permutation(m[0], m[1], seed=-1), "seed=-1 is not accepted"),
        (lambda m: significance.bootstrap_shift(m[0], m[1], conf_level=1), "conf_level=1"),
        (lambda m: significance.randomized_tukey_hsd(np.where(m > 0.4, np.nan, m)), "missing"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(SignificanceError, match=message):
        call(scores(30, 3))


@pytest.mark.clause("test.9")
def test_rounding_is_that_of_the_largest_sums():
    x = np.full((1, 10), 0.1)
    assert resampling.rounding(x, -x) == pytest.approx(20 * np.finfo(float).eps)


@pytest.mark.clause("max_t_baseline.2")
@pytest.mark.parametrize(
    ("level", "trials", "place"), [(0.95, 20, 19), (0.7, 10, 7), (0.951, 20, 20)]
)
def test_order_statistic(level, trials, place):
    assert resampling.order_statistic(level, trials) == place


@pytest.mark.clause("bootstrap_studentized.2")
def test_differences_that_rounding_tells_apart_are_equal_in_a_resample():
    # d = 0.1, 0.2, 0.1, 0: of the 4^4 resamples 8 have t* = 3, above t = 2.45, and one is
    # infinite. As doubles the two 0.1 differ, and resamples of them would have a t*.
    x, y = [0.3, 0.5, 0.8, 0.4], [0.2, 0.3, 0.7, 0.4]
    assert significance.bootstrap_studentized(x, y, alternative="less").p_value == 247 / 256


def test_nearly_equal_differences_of_a_resample_keep_their_digits() -> None:
    """Five of six differences 0 or 0.0028 beside one of 77: sums of squares cancel."""
    x = [-1.0431894013679062, -2.2848920053326047, 0.8156794780330311]
    y = [*x, 2.623688812866783, -78.46814767792944, 0.12861676090230056]
    x += [-2.997335002357364, -1.9276952621733765, 0.1314264454802075]
    # All 6^6 resamples at 60 digits.
    found = significance.bootstrap_studentized(x, y)
    assert found.conf_high == pytest.approx(327553.231093377983, rel=1e-12)


@pytest.mark.parametrize("end", ["conf_low", "conf_high"])
def test_the_studentized_interval_is_the_same_for_any_null_value(end):
    """Of null values at an end, and as far on the other side of the estimate, t is t* or -t*."""
    x, y = [0.31, 0.52, 0.83, 0.4, 0.9], [0.2, 0.6, 0.3, 0.1, 0.25]
    expected = significance.bootstrap_studentized(x, y)
    for null_value in (getattr(expected, end), 2 * expected.estimate - getattr(expected, end)):
        found = significance.bootstrap_studentized(x, y, null_value=null_value)
        np.testing.assert_allclose(found.conf_int, expected.conf_int, rtol=1e-13)


@pytest.mark.parametrize("unit", [2.0**600, 2.0**-600])
def test_the_studentized_bootstrap_does_not_depend_on_the_unit(unit):
    """One of the differences is their mean."""
    d = np.arange(7.0)
    found, expected = (significance.bootstrap_studentized(e, 0 * e) for e in (d * unit, d))
    assert found.p_value == expected.p_value
    np.testing.assert_array_equal(found.conf_int, expected.conf_int * unit)


def test_a_quantile_at_an_order_statistic_needs_no_other():
    """Position 2 of 3: what comes after, which may be infinite, does not count."""
    drawn = bootstrap.Resamples(np.ones((3, 2)), np.ones(3), False, "")
    rows = np.array([[np.inf, 1.0, 2.0], [5.0, -np.inf, 2.0]])
    with np.errstate(invalid="ignore"):
        assert bootstrap.quantile(rows, drawn, 0.5).tolist() == [2, 2]
    # Halfway between two that are finite, and as SciPy has it.
    rows = np.array([[4.0, 1.0, 2.0]])
    assert bootstrap.quantile(rows, drawn, 0.625).tolist() == [3]
    assert bootstrap.quantile(rows, drawn, 0.4) == np.quantile(rows, 0.4, method="weibull")


@pytest.mark.clause("max_t_baseline.2")
def test_equal_differences_have_an_infinite_t():
    """Whatever the rounding of their sum, which is 1 but for a few units in the last place."""
    for n in range(2, 200):
        sums = sign_flips.units(np.full((1, n), 0.3), np.full((1, n), 0.1))[0].sum()
        assert sign_flips.t_of(float(sums), n) == np.inf
        assert sign_flips.t_of(-float(sums), n) == -np.inf


@pytest.mark.clause("test.1", "test.9", "test.10")
@pytest.mark.parametrize(
    ("name", "seed", "size", "bits"),
    [("permutation", 1, 44, 8), ("permutation", 21, 45, 8), ("permutation_unpaired", 2, 43, 3)],
)
def test_other_rows_change_no_count_near_the_bound_of_a_tie(name, seed, size, bits):
    """Some scores are so large that sums of the others come near what ties with them."""
    test = getattr(significance, name)
    rng = np.random.default_rng(seed)
    unpaired = name == "permutation_unpaired"
    topics = 7 if unpaired else 22
    y = rng.integers(-9 * 2**bits, 10 * 2**bits, (topics, 12)) / 2.0**bits
    large = topics if unpaired else int(rng.integers(2, 6))
    y[:large] += np.rint(2.0**size * rng.uniform(-1, 1, (large, 1 if unpaired else 12)))
    together = test(y.T[1:], np.tile(y[:, 0], (11, 1)), B=500).p_value
    alone = [test(y[:, i], y[:, 0], B=500).p_value for i in range(1, 12)]
    np.testing.assert_array_equal(together, alone)


@given(seed=st.integers(0, 2**32), n=st.integers(1, 40))
def test_no_sum_of_summable_terms_is_rounded(seed, n):
    rng = np.random.default_rng(seed)
    terms = np.ldexp(rng.normal(size=(1, n)), rng.integers(-60, 60, (1, n)))
    found = resampling.summable(terms)
    signs = rng.choice([-1.0, 0.0, 1.0], n)
    exact = sum(Fraction(s) * Fraction(each) for s, each in zip(signs, found[0], strict=True))
    assert Fraction(float(signs @ found[0])) == exact
    moved = sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(terms[0], found[0], strict=True))
    assert moved <= resampling.rounding(terms)[0] / 16
