"""The truths of the judge, where something else says what they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterparts import counts_and_spread
from validation.statsmodels_judge.distributions import (
    DIGITS,
    noncentral_f_lower,
    noncentral_t_lower,
    root,
    studentized_range_upper,
)
from validation.statsmodels_judge.least_squares import columns_of, sums_of_squares
from validation.statsmodels_judge.mixed_likelihood import Topic, maximum, topics_of


@pytest.mark.parametrize(
    "without",
    [lambda x: 1 + x * x, lambda _: mpf(1), lambda x: x**50 - mpf("0.1")],
    ids=["parabola", "constant", "too far"],
)
def test_a_root_that_is_not_found_is_an_error(without: Callable[[mpf], mpf]) -> None:
    with mp.workdps(DIGITS), pytest.raises(ArithmeticError, match="expected a root"):
        root(without, mpf("0.7"))


def test_a_root_is_found() -> None:
    with mp.workdps(DIGITS):
        assert abs(root(lambda x: x**2 - 2, mpf("1.4142")) - mp.sqrt(2)) < mpf(10) ** -26
        assert root(lambda x: x - 1, mpf(1)) == 1


def test_distributions_of_the_judge() -> None:
    """Against SciPy where SciPy is right, and against values at 22 digits."""
    with mp.workdps(DIGITS):
        f = noncentral_f_lower(mpf("2.5"), mpf(3), mpf(20), mpf(4))
        t = noncentral_t_lower(mpf("-0.5"), mpf(9), mpf("1.7"))
        q = studentized_range_upper(mpf(5), 110, np.inf)
    assert float(f) == pytest.approx(stats.ncf.cdf(2.5, 3, 20, 4), rel=1e-13)
    assert float(t) == pytest.approx(stats.nct.cdf(-0.5, 9, 1.7), rel=1e-11)
    assert float(q) == pytest.approx(0.52439939554514186247, rel=1e-15)


@pytest.mark.parametrize(("above", "below"), [(24, 23), (4, 7), (1, 82)])
def test_the_true_interval_of_signs(above: int, below: int) -> None:
    x = np.repeat([1.0, 0.0], [above, below])
    with mp.workdps(DIGITS):
        true = counts_and_spread._sign_truth(x, 1 - x, "two-sided", 0.95)
    found = stats.binomtest(above, above + below).proportion_ci()
    assert float(true["conf_low"]) == pytest.approx(found.low, rel=1e-11)
    assert float(true["conf_high"]) == pytest.approx(found.high, rel=1e-11)


def complete_design(scores: Array) -> list[Topic]:
    systems = scores.shape[1]
    x = np.column_stack([np.ones(systems), columns_of(scores[:1], ("system",))])
    return topics_of(scores, x, [np.ones((systems, 1))])


@pytest.mark.parametrize("method", ["REML", "ML"])
def test_the_maximum_of_a_complete_design_is_that_of_mean_squares(method: str) -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(7, 4)) + rng.normal(size=(7, 1))
    with mp.workdps(DIGITS):
        squares, df = sums_of_squares(scores, "score ~ topic + system", "I")
        # by ML each mean square of topics has the whole number of them
        by = mpf(1) if method == "REML" else mpf(6) / 7
        topic, residual = (by * squares[i] / df[i] for i in (0, 2))
        true = [(topic - residual) / 4, residual]
        found = maximum(complete_design(scores), [float(v) * 1.01 for v in true], method)
        assert all(
            abs(a / b - 1) < mpf(10) ** -28 for a, b in zip(found.variances, true, strict=True)
        )
    covariance = float(true[0]) + float(true[1]) * np.eye(4)
    likelihood = stats.multivariate_normal(scores.mean(axis=0), covariance).logpdf(scores).sum()
    if method == "REML":
        # the integral over the means of systems, in the contrasts of the coefficients
        x = np.array(complete_design(scores)[0].x.tolist(), dtype=np.float64)
        information = 7 * x.T @ np.linalg.inv(covariance) @ x
        likelihood += 2 * np.log(2 * np.pi) - np.linalg.slogdet(information)[1] / 2
    assert float(found.log_likelihood) == pytest.approx(likelihood, rel=1e-13)


def test_a_maximum_that_is_not_found_is_an_error() -> None:
    scores = np.random.default_rng(4).normal(size=(7, 4))
    with mp.workdps(DIGITS), pytest.raises(ValueError, match="Could not find root"):
        maximum(complete_design(scores), [1e9, 1e9], "REML")
