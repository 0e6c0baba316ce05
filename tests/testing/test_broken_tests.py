"""`check_test` finds mistakes in significance tests, and names them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import (
    DIFFERENCE,
    Alternative,
    Indices,
    Level,
    Paired,
    Rows,
    Sizes,
    TestResult,
    all_systems,
    paired,
    unpaired,
)
from cdfscore.testing import ContractError, check_test


def _t(
    d: Array, alternative: str = "two-sided", conf_level: float = 0.95, **other: Array | float
) -> Rows:
    """Return a t test of differences, with some numbers replaced by `other`."""
    n = d.shape[1]
    mean, sd = (column[:, 0] for column in mean_and_sd(d))
    return _rows(mean, sd / np.sqrt(n), n - 1.0, alternative, conf_level, **other)


def _rows(
    mean: Array,
    stderr: Array,
    df: float,
    alternative: str = "two-sided",
    conf_level: float = 0.95,
    **other: Any,
) -> Rows:
    stderr = np.where(student_t.is_constant(stderr, np.abs(mean)), np.nan, stderr)
    t = mean / stderr
    ends = student_t.interval(mean, stderr, df, alternative, conf_level)
    low, high = (np.where(np.isnan(t), np.nan, end) for end in ends)
    numbers = {
        "statistic": t,
        "parameter": df,
        "p_value": student_t.p_value(t, df, alternative),
        "estimate": mean,
        "conf_low": low,
        "conf_high": high,
        "reason": np.where(np.isnan(t), "constant", ""),
    }
    return Rows(**{**numbers, **other})


in_one_way = paired(source="Student (1908)", in_unit=DIFFERENCE, shifts="topics")


@in_one_way
def of_the_wrong_side(x: Array, y: Array, *, alternative: Alternative = "two-sided") -> Rows:
    """Take the upper tail for "less"."""
    other = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    return _t(x - y, other)


@in_one_way
def with_n_degrees_of_freedom(x: Array, y: Array) -> Rows:
    """Take n degrees of freedom for n - 1."""
    right = _t(x - y)
    return _t(x - y, p_value=student_t.p_value(right.statistic, float(x.shape[1]), "two-sided"))


@in_one_way
def by_a_product(x: Array, y: Array) -> Rows:
    """Sum by a product of matrices."""
    d, n = x - y, x.shape[1]
    return _t(d, estimate=d @ np.full(n, 1 / n) if len(d) > 1 else d.sum(axis=1) / n)


class OmitsByNanmean(Paired[Any]):
    """Leaves the missing scores to NumPy."""

    def __call__(self, x: Any, y: Any, *args: Any, **kwargs: Any) -> TestResult:
        found = super().__call__(x, y, *args, **kwargs)
        d = np.nanmean(np.ascontiguousarray(np.subtract(x, y)), axis=-1)
        return TestResult(**{**vars(found), "estimate": d})


@lambda function: OmitsByNanmean(function, source="nobody")
def by_nanmean(x: Array, y: Array) -> Rows:
    """Take the difference by numpy.nanmean."""
    return _t(x - y, estimate=(x - y).mean(axis=1))


@in_one_way
def with_an_interval_of_a_lower_level(
    x: Array, y: Array, *, alternative: Alternative = "two-sided", conf_level: float = 0.95
) -> Rows:
    """Take the quantile of 0.95 for that of 0.975."""
    lower = _t(x - y, alternative, 2 * conf_level - 1)
    right = _t(x - y, alternative, conf_level)
    return Rows(**{**vars(right), "conf_low": lower.conf_low, "conf_high": lower.conf_high})


@in_one_way
def with_an_interval_of_one_level(x: Array, y: Array, *, conf_level: float = 0.95) -> Rows:
    """Take no notice of conf_level."""
    return _t(x - y)


@paired(source="Glass (1976)")
def in_deviations_of_x(x: Array, y: Array) -> Rows:
    """Take the standard deviation of x for that of the differences."""
    _, sd = mean_and_sd(x)
    mean, _ = mean_and_sd(x - y)
    return _rows(mean[:, 0], sd[:, 0], x.shape[1] - 1.0)


@in_one_way
def from_successive_topics(x: Array, y: Array) -> Rows:
    """Estimate the variance from the differences of neighbors."""
    d, n = x - y, x.shape[1]
    mean, _ = mean_and_sd(d)
    spread = np.sqrt((np.diff(d, axis=1) ** 2).sum(axis=1) / (2 * (n - 1)))
    return _rows(mean[:, 0], spread / np.sqrt(n), n - 1.0)


@in_one_way
def in_place(x: Array, y: Array) -> Rows:
    """Compute the differences in the memory of x."""
    x -= y
    return _t(x)


@all_systems(source="Friedman (1937)")
def centered_in_place(scores: Array) -> Rows:
    """Take the means of topics away in the memory of the scores."""
    scores -= scores.mean(axis=2, keepdims=True)
    return Rows(np.ptp(scores.mean(axis=1), axis=1), 1.0)


def _half(sizes: Sizes, settings: Mapping[str, Any]) -> float:
    return 2 * 0.5**sizes.nonzero


@paired(source="the sign test", least_p=_half, minimum=1)
def counting_only_what_is_beyond(x: Array, y: Array) -> Rows:
    """Count outcomes beyond the sample, not those equal to it."""
    wins, losses = (x > y).sum(axis=1), (x < y).sum(axis=1)
    p = 2 * stats.binom.cdf(np.minimum(wins, losses) - 1, wins + losses, 0.5)
    return Rows(wins, np.where(wins == losses, 1.0, np.minimum(p, 1)))


@paired(source="the sign test", least_p=lambda sizes, settings: 0.5**sizes.nonzero / 8, minimum=1)
def with_too_small_a_least_p(x: Array, y: Array) -> Rows:
    """Declare an eighth of the least p."""
    wins, losses = (x > y).sum(axis=1), (x < y).sum(axis=1)
    p = 2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
    return Rows(wins, np.minimum(p, 1))


@paired(source="the sign test", minimum=1)
def above_1(x: Array, y: Array) -> Rows:
    """Double the smaller tail, which may be above 0.5."""
    wins, losses = (x > y).sum(axis=1), (x < y).sum(axis=1)
    return Rows(wins, 2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5))


@in_one_way
def without_a_reason(x: Array, y: Array) -> Rows:
    """Say nothing of constant differences."""
    return _t(x - y, reason="")


@in_one_way
def of_logarithms(x: Array, y: Array) -> Rows:
    """Compare geometric means, which move with the topics."""
    return _t(np.log(x) - np.log(y))


@in_one_way
def of_the_center(x: Array, y: Array) -> Rows:
    """Take the central area for the tails."""
    right = _t(x - y)
    return _t(x - y, p_value=1 - np.asarray(right.p_value))


@in_one_way
def from_one_minus_the_other(x: Array, y: Array, *, alternative: Alternative = "two-sided") -> Rows:
    """Double no tail."""
    right = _t(x - y, alternative)
    both = alternative == "two-sided"
    return Rows(**{**vars(right), "p_value": np.asarray(right.p_value) / (2.5 if both else 1)})


@in_one_way
def with_other_pairs(x: Array, y: Array) -> Rows:
    """Have a faster function with other degrees of freedom."""
    return _t(x - y)


@with_other_pairs.for_pairs
def _of_pairs(scores: Array, first: Indices, second: Indices) -> Rows:
    return _t((scores[:, first] - scores[:, second]).T, parameter=float(len(scores)))


@unpaired(source="Student (1908)", shifts="scores")
def of_equal_sizes(x: Array, y: Array) -> Rows:
    """Take the size of x for that of y."""
    (a, s), (b, t) = (mean_and_sd(each) for each in (x, y))
    n = x.shape[1]
    stderr = np.sqrt((s**2 + t**2) / n)
    return _rows((a - b)[:, 0], stderr[:, 0], 2.0 * n - 2)


@in_one_way
def without_a_type(x: Array, y: Array, *, conf_level=0.95) -> Rows:  # type: ignore[no-untyped-def]
    """Have a setting without a type."""
    return _t(x - y, conf_level=conf_level)


@in_one_way
def without_words(x: Array, y: Array) -> Rows:
    return _t(x - y)


@all_systems(source="one-way analysis of variance", shifts="topics")
def without_blocks(scores: Array) -> Rows:
    """Take no notice of topics."""
    with np.errstate(all="ignore"):
        f = stats.f_oneway(*np.moveaxis(scores, -1, 0), axis=1)
    known = np.isfinite(f.pvalue)
    return Rows(f.statistic, np.where(known, f.pvalue, np.nan), reason=np.where(known, "", "none"))


@paired(source="Student (1908)", level=Level(untied={5: 0.052}))
def of_another_level_than_declared(x: Array, y: Array) -> Rows:
    """Take the normal distribution, and declare a level that does not hold."""
    right = _t(x - y)
    return _t(x - y, p_value=2 * stats.norm.sf(np.abs(right.statistic)))


BROKEN: list[tuple[Any, str]] = [
    (of_the_wrong_side, "expected the larger one there: it is of the wrong side"),
    (with_n_degrees_of_freedom, "samples of 5 topics under the null hypothesis; expected 1 %"),
    (by_a_product, "as of that sample alone; a sum by `mean`, `total` or `mean_and_sd` of"),
    (by_nanmean, "as without the missing scores; a sum by `mean`, `total` or `mean_and_sd` of"),
    (with_an_interval_of_a_lower_level, "and not otherwise: they are of two levels"),
    (with_an_interval_of_one_level, "with conf_level=0.8 is from"),
    (in_deviations_of_x, "with x and y exchanged the two-sided p value is"),
    (from_successive_topics, "of topics in another order the p value is"),
    (in_place, "input is not modified: ValueError was raised (output array is read-only)"),
    (centered_in_place, "the test changed the scores it was given; expected it to leave them a"),
    (counting_only_what_is_beyond, "the p value is 0.0; expected 0.0625, the least_p of Sizes(n=5"),
    (
        with_too_small_a_least_p,
        "of samples that are apart too; expected 0.00390625",
    ),
    (above_1, "expected a number from 0 to 1, or NaN with a reason, of ["),
    (without_a_reason, "the p value is nan and the reason ''; expected"),
    (of_logarithms, "if all scores are multiplied by -1, the p value is nan"),
    (of_the_center, "expected p values that only rise, only fall, or if two-sided rise and then"),
    (from_one_minus_the_other, "expected a two-sided one that is not below both others"),
    (
        with_other_pairs,
        "of a pair of columns of a matrix parameter is 23.0; expected 22.0, as of the",
    ),
    (of_equal_sizes, "with x and y exchanged the two-sided p value is"),
    (without_a_type, "the setting conf_level has no type; expected one, by which the command"),
    (without_words, "there is no docstring; expected one"),
    (without_blocks, "if all scores are moved as shifts='topics' says, the p value is"),
    (of_another_level_than_declared, "under the null hypothesis; expected 5.2 %, and by chance"),
]


@pytest.mark.clause("test.15", "check_test.1")
@pytest.mark.parametrize(("broken", "fragment"), BROKEN, ids=[each.name for each, _ in BROKEN])
def test_a_broken_test_is_caught(broken: Any, fragment: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_test(broken, in_r=False)
    assert str(caught.value).startswith(f"{broken.name}: ")
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_test_that_cannot_be_pickled_is_caught() -> None:
    @in_one_way
    def local(x: Array, y: Array) -> Rows:
        """Be a function in a function."""
        return _t(x - y)

    with pytest.raises(ContractError, match="test is picklable: PicklingError was raised"):
        check_test(local, in_r=False)
