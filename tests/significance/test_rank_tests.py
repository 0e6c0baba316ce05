"""Rank and sign tests: known values, what is refused, data that gives no number, batches."""

from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer
from cdfscore.errors import SignificanceError
from cdfscore.stats.effect_size import rank_biserial_paired
from cdfscore.stats.significance.friedman import friedman
from cdfscore.stats.significance.kolmogorov_smirnov import kolmogorov_smirnov
from cdfscore.stats.significance.mann_whitney import mann_whitney
from cdfscore.stats.significance.rank_tests import rounded
from cdfscore.stats.significance.sign import sign
from cdfscore.stats.significance.wilcoxon_signed_rank import wilcoxon_signed_rank

ALTERNATIVES = ("two-sided", "less", "greater")


@pytest.mark.clause("ties_at.2")
def test_decimals_make_ties_and_zeros() -> None:
    x, y = [0.3, 0.2, 0.7, 0.1 + 0.2], [0.2, 0.1, 0.2, 0.3]
    assert sign(x, y).statistic == 4
    assert sign(x, y, ties_at=9).statistic == sign(x, y, ties_at=9).parameter == 3
    assert "exact" in wilcoxon_signed_rank(x, y, ties_at="all_digits").method
    result = wilcoxon_signed_rank(x, y, ties_at=9)
    assert result.statistic == 6
    assert "exact" not in result.method
    assert mann_whitney(x[3:], y[3:], ties_at="all_digits").statistic == 1
    assert mann_whitney(x[2:], y[2:], ties_at=9).statistic == 3.5


@pytest.mark.clause("wilcoxon_signed_rank.5", "sign.3", "mann_whitney.5", "test.5")
@pytest.mark.parametrize(
    ("test", "x", "y", "reason"),
    [
        (wilcoxon_signed_rank, [1.0, 2.0], [1.0, 2.0], "all differences are 0"),
        (sign, [1.0, 2.0], [1.0, 2.0], "all differences are 0"),
        (mann_whitney, [1.0, 1.0], [1.0, 1.0], "all scores are equal"),
        (wilcoxon_signed_rank, [np.nan, 1.0], [1.0, np.nan], "0 pairs, but at least 1 is needed"),
        (sign, [np.nan], [1.0], "0 pairs, but at least 1 is needed"),
        (mann_whitney, [np.nan], [1.0], "x has 0 scores, but at least 1 is needed"),
        (kolmogorov_smirnov, [1.0], [np.nan], "y has 0 scores, but at least 1 is needed"),
    ],
)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_number_is_said_so(test: Any, x: Any, y: Any, reason: str, alternative: str) -> None:
    with pytest.raises(SignificanceError, match=f"{test.name}: {reason}"):
        test(x, y, alternative=alternative)
    batch = test([x], [y], alternative=alternative)
    assert reason in batch.reason[0]
    for name in ("statistic", "p_value", "estimate", "conf_low", "conf_high", "parameter"):
        assert np.isnan(getattr(batch, name)).all()


@pytest.mark.clause("friedman.2")
def test_friedman_of_tied_systems() -> None:
    with pytest.raises(SignificanceError, match="all systems are tied in every topic"):
        friedman(np.ones((3, 4)))
    with pytest.raises(SignificanceError, match="1 topic, but at least 2 are needed"):
        friedman([[1.0, 2.0]])
    one = friedman([[1.0, 1.0], [1.0, 2.0]])
    assert one.statistic == 1  # a topic without a tie is enough


@pytest.mark.clause("wilcoxon_signed_rank.2", "sign.3", "mann_whitney.5", "kolmogorov_smirnov.4")
def test_one_pair_and_equal_samples_have_a_number() -> None:
    assert wilcoxon_signed_rank([1.0], [0.5]).p_value == 1
    assert wilcoxon_signed_rank([1.0], [0.5], alternative="greater").p_value == 0.5
    assert sign([1.0], [0.5]).p_value == 1
    assert mann_whitney([1.0], [0.5]).p_value == 1
    equal = kolmogorov_smirnov([1.0, 1.0], [1.0])
    assert (equal.statistic, equal.p_value) == (0, 1)


@pytest.mark.clause("wilcoxon_signed_rank.4", "mann_whitney.4")
@pytest.mark.parametrize("test", [wilcoxon_signed_rank, mann_whitney], ids=lambda t: t.name)
def test_intervals(test: Any) -> None:
    x, y = np.random.default_rng(5).random((2, 60))
    plain, asked = test(x, y), test(x, y, conf_int=True)
    assert np.isnan([plain.estimate, plain.conf_low, plain.conf_high]).all()
    assert asked.conf_low < asked.estimate < asked.conf_high
    # The interval is what the test does not reject.
    for end, inward in ((asked.conf_low, 1e-9), (asked.conf_high, -1e-9)):
        assert test(x, y, null_value=end + inward).p_value > 0.05
        assert test(x, y, null_value=end - inward).p_value <= 0.05
    # Too few pairs for the level: the whole range. One value only: none.
    few = test([0.1, 0.5, 0.6], [0.0, 0.0, 0.0], conf_int=True, exact=False)
    assert (few.conf_low, few.conf_high) == (0.1, 0.6)
    constant = test(np.ones(60), np.zeros(60), conf_int=True)
    assert constant.estimate == 1
    assert np.isnan(constant.conf_int).all()
    half = test(np.ones(60), np.zeros(60), conf_int=True, alternative="less")
    assert np.isneginf(half.conf_low)
    assert np.isnan(half.conf_high)


@pytest.mark.clause("wilcoxon_signed_rank.4")
def test_the_ends_of_tied_differences_are_where_scipy_begins_to_reject() -> None:
    """At levels that reject a value between two means of pairs just so, and just not."""
    d = np.repeat([-3.0, 1, 2, 4, 8, 16, 32, 64], [3, 1, 4, 1, 5, 2, 2, 2])
    means = np.unique((d[:, np.newaxis] + d) / 2)
    for value in (means[1:] + means[:-1])[means[1:] < np.median(d)] / 2:
        p = float(stats.wilcoxon(d - value, method="asymptotic", correction=True).pvalue)
        for level, rejected in ((1 - 1.00001 * p, True), (1 - 0.99999 * p, False)):
            result = wilcoxon_signed_rank(d, 0 * d, conf_int=True, conf_level=level)
            assert (result.conf_low > value) == rejected


@pytest.mark.clause("mann_whitney.4")
def test_the_ends_of_tied_samples_are_where_scipy_begins_to_reject() -> None:
    """Scores tie within the samples, and shifted by these values none ties with the other."""
    x = np.repeat([0.0, 1, 3, 7, 12], [3, 1, 4, 2, 3])
    y = np.repeat([0.0, 2, 5, 6], [2, 4, 3, 2])
    differences = np.unique(np.subtract.outer(x, y))
    for value in (differences[1:] + differences[:-1])[differences[1:] < np.median(x) - 3] / 2:
        p = float(stats.mannwhitneyu(x - value, y, method="asymptotic").pvalue)
        for level, rejected in ((1 - 1.00001 * p, True), (1 - 0.99999 * p, False)):
            result = mann_whitney(x, y, conf_int=True, conf_level=level)
            assert (result.conf_low > value) == rejected


MISSED = "; interval: the whole range, conf_level cannot be reached"
THREE = ([0.31, 0.52, 0.83], [0.1, 0.2, 0.3])
SIX = ([0.11, 0.22, 0.34, 0.48, 0.55, 0.69], np.zeros(6))


@pytest.mark.clause("wilcoxon_signed_rank.4", "mann_whitney.4")
@pytest.mark.parametrize(
    ("test", "samples", "settings", "missed"),
    [
        # Of three differences the whole range has the level 1 - 2 / 2^3, of six 1 - 2 / 2^6.
        (wilcoxon_signed_rank, THREE, {}, True),
        (wilcoxon_signed_rank, THREE, {"alternative": "less"}, True),
        (wilcoxon_signed_rank, THREE, {"conf_level": 0.75}, False),
        (wilcoxon_signed_rank, THREE, {"conf_level": 0.751}, True),
        (wilcoxon_signed_rank, THREE, {"conf_level": 0.875, "alternative": "greater"}, False),
        (wilcoxon_signed_rank, SIX, {}, False),
        (wilcoxon_signed_rank, SIX, {"conf_level": 0.97}, True),
        # Corrected z of V = 21, (21 - 10.5 - 0.5) / sigma = 2.097, is that of the level 0.964.
        (wilcoxon_signed_rank, SIX, {"exact": False, "conf_level": 0.963}, False),
        (wilcoxon_signed_rank, SIX, {"exact": False, "conf_level": 0.965}, True),
        # Two samples of three are in one of 20 orders.
        (mann_whitney, THREE, {}, True),
        (mann_whitney, THREE, {"conf_level": 0.9}, False),
        (mann_whitney, THREE, {"conf_level": 0.95, "alternative": "greater"}, False),
        (mann_whitney, THREE, {"conf_level": 0.96, "alternative": "greater"}, True),
        # Corrected z of W = 9, (9 - 4.5 - 0.5) / sigma = 1.746, is that of the level 0.919.
        (mann_whitney, THREE, {"exact": False, "conf_level": 0.918}, False),
        (mann_whitney, THREE, {"exact": False, "conf_level": 0.92}, True),
    ],
)
def test_an_interval_that_misses_its_level_says_so(
    test: Any, samples: Any, settings: dict[str, Any], missed: bool
) -> None:
    result = test(*samples, conf_int=True, **settings)
    assert result.method == test(*samples, **settings).method + MISSED * missed
    differences = np.subtract(*samples)
    if test is mann_whitney:
        differences = np.subtract.outer(*map(np.array, samples))
    expected = {
        "two-sided": (differences.min(), differences.max()),
        "less": (-np.inf, differences.max()),
        "greater": (differences.min(), np.inf),
    }
    # The rows that just reach their level have the whole range too.
    ends = expected[settings.get("alternative", "two-sided")]
    np.testing.assert_allclose([result.conf_low, result.conf_high], ends, rtol=1e-13)


def test_rows_of_a_batch_miss_their_level_on_their_own() -> None:
    d = np.array([[0.1, 0.2, 0.4, 0.0, 0.0, 0.0], SIX[0], np.zeros(6), np.full(6, 0.5)])
    result = wilcoxon_signed_rank(d, 0 * d, conf_int=True)
    # No differences, and equal ones, have no interval.
    assert [method.endswith(MISSED) for method in result.method] == [True, False, False, False]
    assert (result.conf_low[0], result.conf_high[0]) == (0.1, 0.4)
    assert np.isnan(result.conf_low[2:]).all()


@pytest.mark.clause("ties_at.1")
@pytest.mark.parametrize("scheme", ["normal", "z", "uniform", "kernel"])
def test_equal_standardized_scores_tie_although_their_doubles_differ(scheme: str) -> None:
    """Of two systems, all topics have the same two standardized scores."""
    raw = pd.DataFrame(np.random.default_rng(5).random((60, 2)))
    y = Standardizer(scheme).fit_transform(raw).to_numpy()
    assert len(np.unique(np.abs(y[:, 0] - y[:, 1]))) > 1
    signs = np.sign(raw[0] - raw[1]).to_numpy()
    found, expected = (
        wilcoxon_signed_rank(*each) for each in ((y[:, 0], y[:, 1]), (signs, 0 * signs))
    )
    assert (found.statistic, found.p_value) == (expected.statistic, expected.p_value)
    assert found.method.endswith("; ties at 12 digits")
    effects = (rank_biserial_paired(*each) for each in ((y[:, 0], y[:, 1]), (signs, 0 * signs)))
    assert len({(effect.estimate, effect.conf_low) for effect in effects}) == 1


# ---- rounding to decimals beside R's `round`


@pytest.mark.clause("ties_at.2")
@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 6, 10, 12])
def test_it_is_the_one_of_r(rinterface: ModuleType, decimals: int) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate(
        [
            rng.normal(size=500) * 10.0 ** rng.integers(-20, 2, 500),
            np.arange(-151, 151, 2) / 2 / 10.0**decimals,  # halfway
            rng.integers(-(10**6), 10**6, 500) / 1e5 - rng.integers(0, 2, 500) / 3,
            [0.0, -0.0, 5e-324, 0.15, 2.5, 99.99, 1e300],
        ]
    )
    r_round = rinterface.baseenv["round"]
    vector = rinterface.FloatSexpVector(values.tolist())
    np.testing.assert_array_equal(
        rounded(values, decimals), np.array(r_round(vector, float(decimals)))
    )


@pytest.mark.clause("ties_at.2")
def test_a_decimal_below_the_half_goes_down() -> None:
    assert rounded(np.array([0.15, 0.25, 0.35, 1e-17, 0.30000000000000004]), 1).tolist() == [
        0.1,
        0.2,
        0.3,
        0.0,
        0.3,
    ]
