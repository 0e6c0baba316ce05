"""`check_test` finds mistakes in significance tests, and names them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cdfscore.testing.tests
from cdfscore.errors import RNotAvailableError
from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import equivalence_t, sign
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
    simultaneous,
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


@in_one_way
def by_the_normal_distribution_on_one_side(
    x: Array, y: Array, *, alternative: Alternative = "two-sided"
) -> Rows:
    """Take the normal distribution for "less" and "greater"."""
    t = np.asarray(_t(x - y).statistic)
    tails = {"less": stats.norm.cdf(t), "greater": stats.norm.sf(t)}
    return _t(x - y, p_value=tails.get(alternative, _t(x - y).p_value))


@in_one_way
def halved_again_on_one_side(x: Array, y: Array, *, alternative: Alternative = "two-sided") -> Rows:
    """Take half of a p value that is of one side already, with a statistic of each side."""
    right = _t(x - y, alternative)
    p, t = np.asarray(right.p_value), np.asarray(right.statistic)
    if alternative == "two-sided":
        return right
    return _t(x - y, p_value=p / 2, statistic=-t if alternative == "less" else t)


@in_one_way
def somewhat_larger_if_two_sided(
    x: Array, y: Array, *, alternative: Alternative = "two-sided"
) -> Rows:
    """Multiply the two-sided p value by 1.2."""
    right = _t(x - y, alternative)
    p = np.asarray(right.p_value)
    return _t(x - y, p_value=np.minimum(1.2 * p, 1) if alternative == "two-sided" else p)


def _less(x: Array, null_value: float, factor: float) -> Rows:
    return _t(x + factor * null_value, estimate=mean_and_sd(x)[0][:, 0])


@in_one_way
def with_a_null_value_of_no_effect(x: Array, y: Array, *, null_value: float = 0.0) -> Rows:
    """Take no notice of null_value."""
    return _less(x - y, null_value, 0.0)


@in_one_way
def with_a_null_value_of_the_other_sign(x: Array, y: Array, *, null_value: float = 0.0) -> Rows:
    """Add null_value."""
    return _less(x - y, null_value, 1.0)


@unpaired(source="Fisher (1924)", estimates="ratio of variances", shifts="systems")
def with_the_inverse_ratio(x: Array, y: Array, *, null_value: float = 1.0) -> Rows:
    """Multiply the ratio by null_value."""
    (_, s), (_, t) = (mean_and_sd(each) for each in (x, y))
    f, df = null_value * ((s / t) ** 2)[:, 0], (x.shape[1] - 1, y.shape[1] - 1)
    p = np.minimum(1.0, 2 * np.minimum(stats.f.cdf(f, *df), stats.f.sf(f, *df)))
    return Rows(f, p, reason=np.where(np.isnan(p), "constant", ""))


@paired(source="Pearson (1895)", estimates="correlation", shows="correlation")
def with_a_correlation_of_no_effect(x: Array, y: Array, *, null_value: float = 0.0) -> Rows:
    """Take no notice of a null value that is not in the unit of the scores."""
    (a, s), (b, t) = (mean_and_sd(each) for each in (x, y))
    n = x.shape[1]
    r = mean_and_sd((x - a) * (y - b) / (s * t))[0][:, 0] * n / (n - 1)
    p = 2 * stats.t.sf(np.abs(r) * np.sqrt((n - 2) / np.maximum(1 - r**2, 1e-300)), n - 2)
    p = np.where((s * t)[:, 0] > 1e-9, p, np.nan)
    return Rows(np.where(np.isnan(p), np.nan, r), p, reason=np.where(np.isnan(p), "constant", ""))


@unpaired(source="Student (1908)", shifts="scores")
def of_the_first_pairs(x: Array, y: Array) -> Rows:
    """Pair the scores of two samples that are independent."""
    n = min(x.shape[1], y.shape[1])
    return _t(x[:, :n] - y[:, :n])


@in_one_way
def with_a_p_value_of_1(x: Array, y: Array) -> Rows:
    """Never reject."""
    return _t(x - y, p_value=np.where(np.isnan(np.asarray(_t(x - y).p_value)), np.nan, 1.0))


@in_one_way
def with_four_times_the_p_value(x: Array, y: Array) -> Rows:
    """Correct for four comparisons."""
    return _t(x - y, p_value=np.minimum(1, 4 * np.asarray(_t(x - y).p_value)))


@in_one_way
def with_half_as_much_again(x: Array, y: Array) -> Rows:
    """Multiply p by 1.5."""
    return _t(x - y, p_value=np.minimum(1, 1.5 * np.asarray(_t(x - y).p_value)))


@simultaneous(source="Bonferroni (1936), twice", shifts="topics")
def corrected_twice(scores: Array, first: Indices, second: Indices) -> Rows:
    """Multiply p by the number of pairs, and once more."""
    right = _t((scores[:, first] - scores[:, second]).T)
    p = np.minimum(1, len(first) ** 2 * np.asarray(right.p_value))
    return replace(right, p_value=p)


@paired(source="Student (1908)", in_unit=("estimate", "conf_low", "conf_high"), shifts="topics")
def without_the_unit_of_the_standard_error(x: Array, y: Array) -> Rows:
    """Forget the standard error in in_unit."""
    return replace(_t(x - y), stderr=mean_and_sd(x - y)[1][:, 0])


@paired(source="Student (1908)", in_unit=DIFFERENCE, shifts="topics")
def with_a_square_of_the_unit(x: Array, y: Array) -> Rows:
    """Have a variance for a standard error."""
    return replace(_t(x - y), stderr=mean_and_sd(x - y)[1][:, 0] ** 2)


@in_one_way
def with_a_threshold_in_a_unit(x: Array, y: Array) -> Rows:
    """Take standard deviations below 1e-6 for 0, in whatever unit."""
    constant = mean_and_sd(x - y)[1][:, 0] < 1e-6
    right = _t(x - y)
    p = np.where(constant, np.nan, right.p_value)
    return replace(right, p_value=p, reason=np.where(np.isnan(p), "constant", ""))


class OfAnyLayout(Paired[Any]):
    """Adds by NumPy the scores of samples as they lie in memory."""

    def __call__(self, x: Any, y: Any, *args: Any, **kwargs: Any) -> TestResult:
        found = super().__call__(x, y, *args, **kwargs)
        d = np.subtract(x, y)
        own = d.mean(axis=-1)
        if np.isnan(d).any():
            own = np.apply_along_axis(lambda row: row[~np.isnan(row)].mean(), -1, d)
        return TestResult(**{**vars(found), "estimate": own})


@lambda function: OfAnyLayout(function, source="nobody")
def of_any_layout(x: Array, y: Array) -> Rows:
    """Take the difference by numpy.mean."""
    return _t(x - y)


def median(x: Array, settings: Mapping[str, Any]) -> Array:
    return np.asarray(np.median(x, axis=1))


def mean_of_all(x: Array, settings: Mapping[str, Any]) -> Array:
    return np.asarray(np.full(len(x), x.mean()))


def mean_without_settings(x: Array) -> Array:
    return np.asarray(x.mean(axis=1))


def mean_as_a_column(x: Array, settings: Mapping[str, Any]) -> Array:
    return np.asarray(x.mean(axis=1, keepdims=True))


def mean_or_nan(x: Array, settings: Mapping[str, Any]) -> Array:
    return np.asarray(x.mean(axis=1)) + np.nan


def mean_without_the_others(x: Array, settings: Mapping[str, Any]) -> Array:
    return mean_and_sd(x)[0][:, 0] - np.float64(x.mean())


def middle_in_place(x: Array, settings: Mapping[str, Any]) -> Array:
    x.sort(axis=1)
    return x[:, x.shape[1] // 2]


def _located(location: Any) -> Any:
    def of_location(x: Array, y: Array) -> Rows:
        """Compare means."""
        return _t(x - y)

    of_location.__name__ = of_location.__qualname__ = f"of_{location.__name__}"
    test = paired(source="Student (1908)", shifts="topics", location=location)(of_location)
    globals()[test.name] = test  # where pickle finds it
    return test


BROKEN: list[tuple[Any, str]] = [
    (of_the_wrong_side, "expected the larger one there: it is of the wrong side"),
    (with_n_degrees_of_freedom, "samples of 5 topics under the null hypothesis; expected 1 %"),
    (by_a_product, "as of that sample alone; a sum by `mean`, `total` or `mean_and_sd` of"),
    (by_nanmean, "as without the missing scores; a sum by `mean`, `total` or `mean_and_sd` of"),
    (with_an_interval_of_a_lower_level, "and not otherwise: they are of two levels"),
    (with_an_interval_of_one_level, "with conf_level=0.8 is from"),
    (in_deviations_of_x, "with x and y exchanged the two-sided p value is"),
    (from_successive_topics, "of topics in another order the p value is"),
    (in_place, "raises ValueError: output array is read-only"),
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
    (by_the_normal_distribution_on_one_side, "expected at most twice the smaller one of 'less'"),
    (halved_again_on_one_side, "p of the alternative 'less' is 0.01 or less in"),
    (somewhat_larger_if_two_sided, "expected at most twice the smaller one of 'less' and"),
    (with_a_null_value_of_no_effect, "null_value=0.03125 are those with null_value=0; expected"),
    (with_a_null_value_of_the_other_sign, ", that with null_value=0 of x - 0.03125 for x"),
    (with_the_inverse_ratio, ", that with null_value=1 of x / 2 for x"),
    (with_a_correlation_of_no_effect, "null_value=0.03125 are those with null_value=0; expected"),
    (of_the_first_pairs, "of topics in another order the p value is"),
    (with_a_p_value_of_1, "p is never 0.05 or less in 10,000 simulated samples of 10 topics"),
    (with_four_times_the_p_value, "p is 0.05 or less in 1.15 % of 40,000 simulated samples of 5"),
    (with_half_as_much_again, "p is 0.5 or less in 33.61 % of 40,000 simulated samples of 5"),
    (corrected_twice, "p is 0.5 or less in 7.25 % of 400 simulated samples of 5 topics"),
    (without_the_unit_of_the_standard_error, "of scores times 2^600 stderr is"),
    (with_a_threshold_in_a_unit, "of scores times 2^-20 p_value is nan; expected"),
    (with_a_square_of_the_unit, "of scores times 2^20 stderr is"),
    (of_any_layout, "layout of input does not matter: of Fortran-ordered scores estimate is"),
    (_located(median), "the difference of the location median of x and of y, as the test estim"),
    (_located(mean_of_all), "as of that system alone; a sum by `mean`, `total` or"),
    (_located(mean_without_settings), "raises TypeError: mean_without_settings() takes 1 pos"),
    (_located(mean_as_a_column), "; expected a finite number for each row of x, shape (16,)"),
    (_located(mean_or_nan), "of x of shape (16, 23) is nan; expected a finite number for each row"),
    (_located(mean_without_the_others), "as of that system alone; a sum by `mean`, `total` or"),
    (_located(middle_in_place), "raises ValueError: sort array is read-only"),
]


@pytest.mark.clause("test.15", "check_test.1")
@pytest.mark.parametrize(("broken", "fragment"), BROKEN, ids=[each.name for each, _ in BROKEN])
def test_a_broken_test_is_caught(broken: Any, fragment: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_test(broken, in_r=False)
    assert str(caught.value).startswith(f"{broken.name}: ")
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@simultaneous(source="Bonferroni (1936)", shifts="topics")
def with_less_of_p(scores: Array, first: Indices, second: Indices) -> Rows:
    """Multiply p by 0.6."""
    right = _t((scores[:, first] - scores[:, second]).T)
    return replace(right, p_value=0.6 * np.minimum(1, len(first) * np.asarray(right.p_value)))


@pytest.mark.clause("check_test.2")
def test_more_matrices_find_a_smaller_mistake() -> None:
    check_test(with_less_of_p, in_r=False)
    with pytest.raises(ContractError, match=r"of 4,000 simulated samples of 5 .*: p is too small"):
        check_test(with_less_of_p, trials=4_000, in_r=False)


def test_a_test_that_cannot_be_pickled_is_caught() -> None:
    @in_one_way
    def local(x: Array, y: Array) -> Rows:
        """Be a function in a function."""
        return _t(x - y)

    with pytest.raises(ContractError, match="test is picklable: PicklingError was raised"):
        check_test(local, in_r=False)


def test_r_that_is_not_there_is_no_broken_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    def verify(*_: object) -> None:
        raise RNotAvailableError("there is no R")

    monkeypatch.setattr(cdfscore.testing.tests, "verify", verify)
    with pytest.raises(RNotAvailableError, match=r"^there is no R$"):
        check_test(sign, in_r=True)


def test_a_null_hypothesis_of_a_difference_needs_under_null() -> None:
    with pytest.raises(ContractError, match="and `under_null` has to draw scores under it"):
        check_test(equivalence_t, in_r=False)
