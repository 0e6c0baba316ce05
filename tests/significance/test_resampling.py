"""Resampling tests without R: known values, drawn resamples, degenerate data."""

import importlib
import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cdfscore.errors import SignificanceError
from cdfscore.stats import significance
from cdfscore.stats.significance import bootstrap, resampling, sign_flips

DIVISIONS: Any = importlib.import_module("cdfscore.stats.significance.permutation_unpaired")

PAIRED = ["permutation", "bootstrap_shift", "bootstrap_studentized"]
TWO_SAMPLES = [*PAIRED, "permutation_unpaired"]
MIRRORED = {"two-sided": "two-sided", "less": "greater", "greater": "less"}


def scores(topics, systems, digits=4):
    rng = np.random.default_rng(topics * systems)
    return rng.beta(1, 3, (topics, systems)).round(digits)


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


@pytest.mark.clause("test.9")
def test_a_tie_that_rounding_hides_counts():
    # 0.3 - 0.1 and 0.5 - 0.3 differ as doubles: the four flips tie in pairs.
    x, y = [0.3, 0.3], [0.1, 0.5]
    assert significance.permutation(x, y).p_value == 1
    assert significance.permutation_unpaired([0.1 + 0.2], [0.3]).p_value == 1
    assert significance.permutation(x, y, alternative="greater").p_value == 0.75


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


@pytest.mark.clause("max_t_baseline.2")
def test_the_trial_at_a_level_is_that_of_the_exact_product() -> None:
    for level, trials, place in ((0.95, 20, 19), (0.7, 10, 7), (0.951, 20, 20)):
        assert resampling.order_statistic(level, trials) == place


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
        sys.modules[f"cdfscore.stats.significance.{name}"],
        "toward",
        lambda sums, alternative: made.append(sums.size) or resampling.toward(sums, alternative),
    )
    blocks = found()
    assert max(made) == 19 * 7
    for field in ("p_value", "p_value_stderr", "statistic", "method"):
        assert np.array_equal(getattr(blocks, field), getattr(whole, field)), field
    np.testing.assert_allclose(blocks.conf_low, whole.conf_low, rtol=1e-13)


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


@pytest.mark.clause("max_t_baseline.2")
def test_simultaneous_intervals_agree_with_the_p_values():
    matrix = scores(40, 12) + np.linspace(0, 0.12, 12)
    result = significance.max_t_baseline(matrix, [(i, 0) for i in range(1, 12)], B=1999)
    without_0 = (result.conf_low > 0) | (result.conf_high < 0)
    assert np.array_equal(without_0, result.p_value <= 0.05)
    assert 0 < without_0.sum() < 11
    assert np.isinf(significance.max_t_baseline(matrix, [(1, 0)], B=10).conf_int).all()


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
    ],
)
def test_bad_input(call, message):
    with pytest.raises(SignificanceError, match=message):
        call(scores(30, 3))


@pytest.mark.clause("bootstrap_studentized.2")
def test_differences_that_rounding_tells_apart_are_equal_in_a_resample():
    # d = 0.1, 0.2, 0.1, 0: of the 4^4 resamples 8 have t* = 3, above t = 2.45, and one is
    # infinite. As doubles the two 0.1 differ, and resamples of them would have a t*.
    x, y = [0.3, 0.5, 0.8, 0.4], [0.2, 0.3, 0.7, 0.4]
    assert significance.bootstrap_studentized(x, y, alternative="less").p_value == 247 / 256


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


@pytest.mark.parametrize("offset", [0.0, 3.0, 100.0, 1000.0])
def test_a_common_offset_is_not_rounded(offset: float) -> None:
    """Also one that is a hundred times the range of the scores."""
    x, y = (offset + np.random.default_rng(n).random(n) for n in (20, 31))
    exact = sum(map(Fraction, x.tolist())) / 20 - sum(map(Fraction, y.tolist())) / 31
    found = significance.permutation_unpaired(x, y, B=9, seed=1).estimate
    assert abs(Fraction(float(found)) - exact) <= Fraction(1, 2**52)
