"""The t tests and the F test: R's numbers, known values, and data that gives none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import (
    equivalence_t,
    one_sample_t,
    paired_t,
    student_t,
    variance_ratio,
    welch_t,
)
from cdfscore.stats.significance.contract import OneSample, SignificanceTest, TestResult, Unpaired
from tests.significance.in_r import InR, assert_as_in_r, rows_in_r

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES = ("two-sided", "less", "greater")
SHIFTED = [
    {"alternative": a, "null_value": v, "conf_level": c}
    for a in ALTERNATIVES
    for v, c in [(0.0, 0.95), (0.125, 0.999)]
]
RATIOS = [{**settings, "null_value": 1 + settings["null_value"]} for settings in SHIFTED]
BOUNDS = [
    {"margin": 0.05},
    {"margin": 0.155, "centre": -0.145, "conf_level": 0.8},
    {"margin": 1e-3},
]
SETTINGS: list[tuple[SignificanceTest[Any], list[dict[str, Any]]]] = [
    (one_sample_t, SHIFTED),
    (paired_t, SHIFTED),
    (student_t, SHIFTED),
    (welch_t, SHIFTED),
    (variance_ratio, RATIOS),
    (equivalence_t, BOUNDS),
]
CASES = [(test, settings) for test, several in SETTINGS for settings in several]
IDS = [f"{test.name}-{i}" for test, several in SETTINGS for i in range(len(several))]


def scores(n: int, seed: int) -> Array:
    """Rows of many kinds: continuous, tied, far from 0, tiny, large effects, missing scores."""
    rng = np.random.default_rng(seed)
    uniform = rng.beta(0.7, 1.5, (40, n))
    rows = [
        uniform,
        np.round(uniform[:20], 1),
        1e6 + uniform[:5],
        1e-9 * uniform[:5],
        0.01 * uniform[:5] + seed % 2,
        1e-60 * uniform[:3],
        np.where(uniform < 0.8, uniform, np.nan),
    ]
    return np.concatenate(rows)


def in_both(
    r: RSession, test: SignificanceTest[Any], settings: dict[str, Any], x: Array, y: Array
) -> tuple[TestResult, InR]:
    samples = (x,) if isinstance(test, OneSample) else (x, y)
    return test(*samples, **settings), rows_in_r(r, test, test.settings(settings), *samples)


@pytest.mark.clause(
    "one_sample_t.1",
    "paired_t.1",
    "student_t.1",
    "welch_t.1",
    "variance_ratio.1",
    "equivalence_t.1",
)
@pytest.mark.one_in(6)
@pytest.mark.parametrize(("test", "settings"), CASES, ids=IDS)
def test_parity_with_r(r: RSession, test: SignificanceTest[Any], settings: dict[str, Any]) -> None:
    for n, m in [(2, 2), (3, 7), (50, 50), (249, 31)]:
        x, y = scores(n, seed=n), scores(m if isinstance(test, Unpaired) else n, seed=m + 1000)
        ours, found = in_both(r, test, settings, x, y)
        theirs = found.numbers
        known = np.array(ours.reason) == ""
        assert known.sum() > len(x) / 2
        assert_as_in_r(test, ours, found, known)
        # where there is no number here, R has none either, or divides by a spread of 0
        none = np.isnan(theirs["p_value"]) | np.isinf(theirs["statistic"])
        assert np.all(none[~known]), [found.stopped[i] for i in np.flatnonzero(~known)]


CONSTANT = np.full(6, 0.1)
STEPS = np.arange(6) / 8
ZERO = np.zeros(6)


@pytest.mark.clause(
    "test.5",
    "test.12",
    "one_sample_t.3",
    "paired_t.3",
    "student_t.3",
    "welch_t.3",
    "variance_ratio.3",
    "equivalence_t.3",
)
@pytest.mark.parametrize(
    ("test", "samples", "fragment"),
    [
        (one_sample_t, [CONSTANT], "the scores are essentially constant"),
        (one_sample_t, [ZERO], "essentially constant"),
        (one_sample_t, [1 + 1e-17 * STEPS], "essentially constant"),
        (paired_t, [STEPS, STEPS], "all differences are 0"),
        (paired_t, [STEPS + 0.5, STEPS], "the differences are essentially constant"),
        (equivalence_t, [STEPS, STEPS], "all differences are 0"),
        (equivalence_t, [STEPS + 0.5, STEPS], "the differences are essentially constant"),
        (student_t, [CONSTANT, CONSTANT + 1], "both samples are essentially constant"),
        (student_t, [[0.3], [0.1]], "each sample has only one score"),
        (welch_t, [CONSTANT, CONSTANT], "both samples are essentially constant"),
        (welch_t, [ZERO, ZERO], "both samples are essentially constant"),
        (variance_ratio, [CONSTANT, ZERO], "both samples are constant"),
        (variance_ratio, [[0.3], [0.1, 0.2]], "1 score, but at least 2 are needed"),
    ],
)
def test_data_that_gives_no_number(
    r: RSession, test: SignificanceTest[Any], samples: list[Any], fragment: str
) -> None:
    with pytest.raises(SignificanceError, match=f"{test.name}: .*{fragment}"):
        test(*samples, **test.example)
    batch = test(*(np.array([row]) for row in samples), **test.example)
    assert fragment in batch.reason[0]
    for quantity in ("statistic", "p_value", "conf_low", "conf_high"):
        assert np.isnan(getattr(batch, quantity)[0]), quantity
    theirs = rows_in_r(r, test, test.settings(test.example), *(np.array([row]) for row in samples))
    # R divides by the spread of 0 where the mean is 0 as well, and null_value is not
    assert np.isnan(theirs.numbers["p_value"][0]) or np.isinf(theirs.numbers["statistic"][0])


@pytest.mark.clause("test.14", "equivalence_t.3")
@pytest.mark.parametrize(
    ("test", "settings", "fragment"),
    [
        (equivalence_t, {}, "equivalence_t needs a value of margin, which has no default"),
        (variance_ratio, {"null_value": 0}, "null_value=0.0 is not accepted; expected a ratio"),
        (variance_ratio, {"null_value": -5e-324}, "a number above 0"),
    ],
)
def test_settings_that_are_refused(
    test: SignificanceTest[Any], settings: dict[str, Any], fragment: str
) -> None:
    with pytest.raises(SignificanceError, match=fragment):
        test([0.1, 0.5, 0.3], [0.1, 0.5, 0.3], **settings)


@pytest.mark.long
@pytest.mark.clause("test.6")
@given(arrays(np.float64, 12, elements=st.integers(0, 100).map(lambda k: k / 100)))
def test_tests_of_two_samples_in_another_order(pair: Array) -> None:
    x, y = pair[:5], pair[5:]
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    for test in (student_t, welch_t):
        one, other = test(x, y, alternative="less"), test(y, x, alternative="greater")
        assert one.statistic == -other.statistic
        assert one.p_value == other.p_value
        assert one.conf_high == -other.conf_low
    ratio = variance_ratio(x, y, alternative="less"), variance_ratio(y, x, alternative="greater")
    assert ratio[0].p_value == pytest.approx(ratio[1].p_value, rel=1e-12)


@pytest.mark.clause("equivalence_t.2")
@given(arrays(np.float64, (2, 8), elements=st.integers(0, 100).map(lambda k: k / 100)))
def test_equivalence_holds_where_the_interval_is_within_the_bounds(pair: Array) -> None:
    assume(np.ptp(np.round(pair[0] - pair[1], 2)) > 0)
    result = equivalence_t(*pair, margin=0.25, centre=0.05)
    assert (result.p_value < 0.05) == (result.conf_low > -0.2 and result.conf_high < 0.3)
    swapped = equivalence_t(pair[1], pair[0], margin=0.25, centre=-0.05)
    assert swapped.p_value == pytest.approx(result.p_value, rel=1e-12)


def test_student_takes_a_single_score(r: RSession) -> None:
    for x, y in [([[0.7]], STEPS[np.newaxis]), (STEPS[np.newaxis], [[0.7]])]:
        ours, found = in_both(r, student_t, {}, np.array(x), np.array(y))
        assert_as_in_r(student_t, ours, found)
