"""Traps: t tests of constant differences, and which t test is the default."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from validation.traps.r_functions import RFunctions

REFUSAL = "data are essentially constant"


def essentially_constant(*samples: Array) -> bool:
    """The recipe: R's condition for one sample (or the differences of pairs), or for two."""
    means, errors = [], []
    for x in samples:
        mean, sd = (moment.item() for moment in mean_and_sd(x))
        means.append(abs(mean))
        errors.append(np.sqrt(sd**2 / len(x)))
    return bool(np.hypot.reduce(errors) < 10 * np.finfo(float).eps * max(means))


def silently(test: object, *samples: Array, **settings: bool) -> tuple[float, float]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        result = test(*samples, **settings)  # type: ignore[operator]
    return float(result.statistic), float(result.pvalue)


def test_a_constant_difference_in_doubles(r: RFunctions) -> None:
    x = np.array([0.3, 0.5, 0.9, 0.7])
    y = x - 0.1
    assert len(set((x - y).tolist())) > 1  # 0.1 is not the same double everywhere
    assert r.stops_with("t.test", x, y, paired=True) == REFUSAL
    assert essentially_constant(x - y)
    with pytest.warns(RuntimeWarning, match="Precision loss"):
        t, p = stats.ttest_rel(x, y)
    assert t > 1e16  # and p = 1e-48: "significant"
    assert p < 1e-47


def test_an_exactly_constant_difference(r: RFunctions) -> None:
    x = np.array([0.25, 0.5, 0.75, 1.0])
    assert r.stops_with("t.test", x, x - 0.125, paired=True) == REFUSAL
    assert silently(stats.ttest_rel, x, x - 0.125) == (np.inf, 0.0)


def test_no_difference_at_all_is_nan_in_both(r: RFunctions) -> None:
    x = np.array([0.25, 0.5, 0.75, 1.0])
    assert not essentially_constant(x - x)  # 0 < 0 is false
    assert r.stops_with("t.test", x, x, paired=True) == ""
    assert np.isnan(r.numbers("t_numbers", x, x, paired=True)[[0, 2]]).all()
    assert np.isnan(silently(stats.ttest_rel, x, x)).all()


def test_two_constant_samples(r: RFunctions) -> None:
    x, y = np.full(5, 0.5), np.full(4, 0.25)
    assert r.stops_with("t.test", x, y) == REFUSAL
    assert essentially_constant(x, y)
    assert silently(stats.ttest_ind, x, y, equal_var=False)[0] == np.inf


def test_the_condition_is_rs(r: RFunctions) -> None:
    rng = np.random.default_rng(8)
    refused = []
    for _ in range(600):
        n = int(rng.integers(2, 60))
        d = rng.choice([0.1, -0.7, 100.0]) * (1 + 10 ** rng.uniform(-17, -12) * rng.random(n))
        other = rng.choice([0.1, 3.0]) * (1 + 10 ** rng.uniform(-17, -12) * rng.random(n + 1))
        for samples in ((d,), (d, other)):
            refused.append(essentially_constant(*samples))
            assert r.stops_with("t.test", *samples) == (REFUSAL if refused[-1] else "")
    assert 0.2 < np.mean(refused) < 0.8


def test_welch_is_rs_default_and_student_is_scipys(r: RFunctions) -> None:
    rng = np.random.default_rng(9)
    far = 0.0
    for _ in range(200):
        x = np.round(rng.random(rng.integers(3, 60)), 4)
        y = np.round(rng.random(rng.integers(3, 60)) * 0.3, 4)
        welch = stats.ttest_ind(x, y, equal_var=False)
        student = stats.ttest_ind(x, y)
        by_r = r.numbers("t_numbers", x, y)
        assert [welch.statistic, welch.df, welch.pvalue] == pytest.approx(by_r, rel=1e-11, abs=0)
        by_r_equal = r.numbers("t_numbers", x, y, var__equal=True)
        assert [student.statistic, student.df, student.pvalue] == pytest.approx(
            by_r_equal, rel=1e-11, abs=0
        )
        far = max(far, student.pvalue / welch.pvalue, welch.pvalue / student.pvalue)
    assert far > 10


def test_the_documented_example_of_welch(r: RFunctions) -> None:
    x, y = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([0.0, 0.9, 0.8])
    assert r.numbers("t_numbers", x, y)[1:] == pytest.approx([2.2499, 0.4501], abs=5e-5)
    assert stats.ttest_ind(x, y).pvalue == pytest.approx(0.2872, abs=5e-5)
