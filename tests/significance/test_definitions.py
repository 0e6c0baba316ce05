"""Significance tests by their definitions: values by hand, closed forms, and exact levels."""

import itertools
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import read_scores
from cdfscore.errors import SignificanceError
from cdfscore.experiments.papers.webber2008 import TOPICS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import (
    bootstrap_shift,
    bootstrap_studentized,
    equivalence_t,
    max_t,
    max_t_baseline,
    one_sample_t,
    paired_t,
    permutation,
    student_t,
    variance_ratio,
    welch_t,
)
from cdfscore.stats.significance.contract import parse_test

ALTERNATIVES = ("two-sided", "less", "greater")
ROOT_3 = math.sqrt(3)


def t_of_two(t: float) -> float:
    """Return the two-sided p value of t on two degrees of freedom, in closed form."""
    return 1 - abs(t) / math.sqrt(t * t + 2)


@pytest.mark.clause("one_sample_t.1", "paired_t.1", "student_t.1", "welch_t.1")
def test_t_tests_by_hand() -> None:
    """On two degrees of freedom, where the t distribution has a closed form."""
    one = one_sample_t([1.0, 2.0, 3.0], null_value=1.0)
    two = paired_t([1.0, 4.0, 4.0], [0.0, 2.0, 1.0], null_value=1.0)  # d = 1, 2, 3
    for found in (one, two):
        assert (found.parameter, found.estimate) == (2, 2)
        assert found.statistic == pytest.approx(ROOT_3, rel=1e-15)
        assert found.p_value == pytest.approx(t_of_two(ROOT_3), rel=1e-14)
    pooled = student_t([1.0, 3.0], [0.0, 2.0])  # s^2 = 2
    welch = welch_t([1.0, 3.0], [0.0, 2.0])  # a = b = 1, and so two degrees of freedom
    for found in (pooled, welch):
        assert (found.parameter, found.estimate) == (pytest.approx(2), 1)
        assert found.statistic == pytest.approx(1 / math.sqrt(2), rel=1e-15)
        assert found.p_value == pytest.approx(t_of_two(1 / math.sqrt(2)), rel=1e-14)
    assert student_t([1.0, 3.0], [5.0]).parameter == 1
    unequal = welch_t([0.0, 2.0], [0.0, 6.0])  # a = 1, b = 9
    assert unequal.statistic == pytest.approx(-2 / math.sqrt(10), rel=1e-15)
    assert unequal.parameter == pytest.approx(100 / 82, rel=1e-14)


@pytest.mark.clause("variance_ratio.1", "variance_ratio.3")
def test_ratios_of_variances_by_hand() -> None:
    """P(F > f) = 1 / (1 + f) on 2 and 2 degrees of freedom."""
    x, y = [2.0, 4.0, 6.0], [1.0, 2.0, 3.0]
    assert variance_ratio(x, y).statistic == pytest.approx(4, rel=1e-14)
    expected = {"two-sided": 2 / 5, "greater": 1 / 5, "less": 4 / 5}
    for alternative, p in expected.items():
        found = variance_ratio(x, y, alternative=alternative)
        assert found.p_value == pytest.approx(p, rel=1e-14)
    assert variance_ratio(x, y, null_value=2.0, alternative="greater").p_value == pytest.approx(
        1 / 3, rel=1e-14
    )
    for first, second, f, p in (
        ([1.0, 1.0], [1.0, 2.0], 0, {"two-sided": 0, "less": 0, "greater": 1}),
        ([1.0, 2.0], [1.0, 1.0], np.inf, {"two-sided": 0, "less": 1, "greater": 0}),
    ):
        for alternative in ALTERNATIVES:
            found = variance_ratio(first, second, alternative=alternative)
            assert (found.statistic, found.p_value) == (f, p[alternative])


@pytest.mark.clause("equivalence_t.1", "equivalence_t.2")
def test_equivalence_by_hand() -> None:
    """d = 1, 2, 3 between the bounds -1 and 3: t is 3 sqrt(3) above, and -sqrt(3) below."""
    found = equivalence_t([1.0, 2.0, 3.0], np.zeros(3), margin=2.0, centre=1.0)
    assert found.statistic == pytest.approx(-ROOT_3, rel=1e-15)
    assert found.p_value == pytest.approx(t_of_two(ROOT_3) / 2, rel=1e-14)
    assert found.parameter == 2
    margin = 2.919986 / ROOT_3  # the 0.95 quantile
    np.testing.assert_allclose(found.conf_int, [2 - margin, 2 + margin], rtol=1e-6)


T_TESTS: list[tuple[Any, int]] = [
    (one_sample_t, 1),
    (paired_t, 2),
    (student_t, 2),
    (welch_t, 2),
    (variance_ratio, 2),
]


@pytest.mark.clause(
    "test.6", "one_sample_t.2", "paired_t.2", "student_t.2", "welch_t.2", "variance_ratio.2"
)
@pytest.mark.parametrize(("test", "count"), T_TESTS, ids=[test.name for test, _ in T_TESTS])
def test_an_interval_ends_where_the_p_value_is_alpha(test: Any, count: int) -> None:
    samples = np.random.default_rng(4).random((count, 9)) ** 2
    for alternative in ALTERNATIVES:
        found = test(*samples, alternative=alternative, conf_level=0.8)
        ends = {"conf_low": found.conf_low, "conf_high": found.conf_high}
        if alternative != "two-sided":
            free = ends.pop("conf_low" if alternative == "less" else "conf_high")
            assert free in (-np.inf, 0) if alternative == "less" else np.isposinf(free)
        for end in ends.values():
            at_end = test(*samples, alternative=alternative, null_value=float(end))
            assert at_end.p_value == pytest.approx(0.2, rel=1e-10)


@pytest.mark.clause("student_t.1", "welch_t.1")
@pytest.mark.parametrize("test", [student_t, welch_t], ids=lambda t: t.name)
def test_both_two_sample_t_tests_have_the_numbers_of_table_4(test: Any, shared_data: Path) -> None:
    """Webber, Moffat and Zobel (2008) do not say whether their test takes equal variances."""
    frame = read_scores(shared_data / "robust2004" / "robust2004_ap.csv")

    def better(one: str, other: str) -> int:
        x, y = (frame.loc[list(TOPICS[name])].to_numpy().T for name in (one, other))
        return int((test(x, y, alternative="greater").p_value <= 0.025).sum())

    assert (better("T03.rob", "T7.adh"), better("T03.rob", "T8.adh")) == (103, 57)
    assert (better("T04.rob", "T7.adh"), better("T04.rob", "T8.adh")) == (61, 8)
    assert better("T7.adh", "T03.rob") == 0


def is_exact(p: Array) -> bool:
    """Tell whether P(p <= alpha) <= alpha, of equally likely data sets, for each alpha."""
    attained = np.unique(p) * (1 + 1e-12)
    return bool(((p[:, np.newaxis] <= attained).mean(axis=0) <= attained).all())


@pytest.mark.clause("max_t.1", "max_t_baseline.1")
@pytest.mark.parametrize("test", [max_t, max_t_baseline], ids=lambda t: t.name)
def test_max_t_has_the_family_wise_error_rate_alpha(test: Any) -> None:
    """Also of two null hypotheses that are true beside one that is not: strong control."""
    rng = np.random.default_rng(5)
    d = rng.normal(size=(6, 2))
    away = 2 + 0.3 * rng.normal(size=6)
    for family in (2, 3):
        smallest = []
        for signs in itertools.product((1.0, -1.0), repeat=6):
            flipped = d * np.array(signs)[:, np.newaxis]
            scores = np.column_stack([np.zeros(6), flipped, away])[:, : family + 1]
            p = test(scores, [(j, 0) for j in range(1, family + 1)]).p_value
            smallest.append(p[:2].min())
        assert is_exact(np.array(smallest))


@pytest.mark.clause("bootstrap_shift.2", "bootstrap_studentized.3")
def test_bootstrap_errors_and_intervals_are_those_of_all_resamples() -> None:
    d = [0.125, -0.25, 0.75, 0.5]
    mean, root_n = statistics.fmean(d), 2.0
    resamples = list(itertools.product(d, repeat=4))
    means = [statistics.fmean(each) for each in resamples]
    shift = bootstrap_shift(d, np.zeros(4), conf_level=0.7)
    assert shift.stderr == pytest.approx(statistics.pstdev(means), rel=1e-13)
    expected = np.quantile(means, [0.15, 0.85], method="weibull")  # R's type 6
    np.testing.assert_allclose(shift.conf_int, expected, rtol=1e-13)

    def t(sample: tuple[float, ...]) -> float:
        away, sd = statistics.fmean(sample) - mean, statistics.stdev(sample)
        return away / (sd / root_n) if sd else math.copysign(math.inf, away)

    stderr = statistics.stdev(d) / root_n
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(sorted(map(t, resamples)), [0.15, 0.85], method="weibull")
    studentized = bootstrap_studentized(d, np.zeros(4), conf_level=0.7)
    np.testing.assert_allclose(
        studentized.conf_int, [mean - high * stderr, mean - low * stderr], rtol=1e-12
    )


@pytest.mark.clause("parse_test.1")
def test_a_spelling_is_parsed_checked_and_written() -> None:
    chosen = parse_test(" permutation:alternative=less, B=500 ")
    assert (chosen.test, chosen.given) == (permutation, {"alternative": "less", "B": 500})
    assert str(chosen) == "permutation:alternative=less,B=500"
    assert chosen.settings == {"alternative": "less", "null_value": 0.0, "B": 500, "seed": 0}
    assert parse_test("mann_whitney:exact=None,correct=false").given == {
        "exact": None,
        "correct": False,
    }
    for text, message in (
        ("permutation:B=5,B=6", "the setting 'B' is given twice"),
        ("permutation:B", "'B' is not of the form key=value"),
        ("permutation:tail=2", "has no setting 'tail'; its settings are alternative, null_value"),
        ("t", "may mean paired_t, student_t"),
    ):
        with pytest.raises(SignificanceError, match=message):
            parse_test(text)
