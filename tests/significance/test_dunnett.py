"""Dunnett's test in complete blocks: beside its twin, multcomp, mvtnorm and SciPy."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import anova_two_way, dunnett, paired_t
from cdfscore.stats.significance.contract import Alternative
from cdfscore.stats.significance.dunnett import upper_tail
from tests.significance.in_r import assert_as_in_r, matrix_in_r
from tests.significance.test_systems_together import PERFECT, matrices

pytestmark = pytest.mark.one_in(2)

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")
GLHT = """
function(scores, alternative) {
  set.seed(1)
  data <- data.frame(score = as.vector(scores), topic = factor(row(scores)),
                     system = factor(col(scores)))
  fit <- aov(score ~ system + topic, data)
  found <- multcomp::glht(fit, multcomp::mcp(system = "Dunnett"), alternative = alternative)
  test <- summary(found, test = multcomp::adjusted("single-step", maxpts = 50000, abseps = 1e-5))
  test <- test$test
  interval <- confint(found, abseps = 1e-5, maxpts = 100000)$confint
  cbind(test$coefficients, test$sigma, test$tstat, test$pvalues, interval[, 2:3], found$df)
}
"""
PMVT = """
function(t, m, df, two_sided) {
  set.seed(1)
  correlation <- matrix(0.5, m, m)
  diag(correlation) <- 1
  1 - mvtnorm::pmvt(lower = rep(if (two_sided) -t else -Inf, m), upper = rep(t, m), df = df,
                    corr = correlation,
                    algorithm = mvtnorm::GenzBretz(maxpts = 400000, abseps = 1e-7))
}
"""


def function_of_r(rinterface: ModuleType, code: str) -> Any:
    base = rinterface.baseenv
    return base["eval"](base["parse"](text=rinterface.StrSexpVector([code])))


def against_first(scores: Array, **settings: Any) -> Any:
    others = np.arange(1, scores.shape[1])
    return dunnett.over_pairs(scores, others, np.zeros_like(others), **settings)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("index", range(len(matrices())))
def test_dunnett_is_as_its_twin(r: RSession, index: int, long: bool) -> None:
    # R takes 0.2 s for the integrals of one alternative.
    for alternative in ALTERNATIVES if long else [ALTERNATIVES[index % 3]]:
        is_as_its_twin(r, index, alternative)


def is_as_its_twin(r: RSession, index: int, alternative: str) -> None:
    scores = matrices()[index]
    conf_level = [0.95, 0.3, 0.999][index // 3 % 3]  # 0.3: a negative quantile with one side
    baseline = index % scores.shape[1]
    first = np.delete(np.arange(scores.shape[1]), baseline)
    second = np.full_like(first, baseline)
    settings = {"alternative": alternative, "conf_level": conf_level}
    result = dunnett.over_pairs(scores, first, second, **settings)
    found = matrix_in_r(r, dunnett, settings, scores, first, second)
    assert set(found.stopped) == {""}
    assert_as_in_r(dunnett, result, found)


@pytest.mark.clause("dunnett.1", "dunnett.2")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("shape", [(12, 3), (20, 8)])
def test_dunnett_is_that_of_multcomp(
    r: RSession,
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    shape: tuple[int, int],
    alternative: str,
) -> None:
    """glht draws random points for p and the quantile, so that these agree to 1e-4."""
    require_r_package("multcomp")
    rng = np.random.default_rng(shape[0])
    shift = np.linspace(0, 0.4, shape[1]) * (-1) ** np.arange(shape[1])
    scores = rng.random(shape) + rng.random((shape[0], 1)) + shift
    found = function_of_r(rinterface, GLHT)(
        r.matrix(scores), rinterface.StrSexpVector([alternative.replace("-", ".")])
    )
    estimate, stderr, t, p, low, high, df = np.array(r.array(found)).T
    result = against_first(scores, alternative=alternative)
    np.testing.assert_allclose(result.estimate, estimate, rtol=0, atol=1e-13)
    np.testing.assert_allclose(result.stderr, stderr, rtol=1e-11)
    np.testing.assert_allclose(result.statistic, t, rtol=0, atol=1e-11)
    assert (result.parameter == df).all()
    np.testing.assert_allclose(result.p_value, p, rtol=0, atol=1e-4)
    np.testing.assert_allclose(result.conf_low, low, rtol=0, atol=1e-3)
    np.testing.assert_allclose(result.conf_high, high, rtol=0, atol=1e-3)
    assert (p < 0.5).any()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("t", "m", "df"), [(2.5, 5, 20), (1.0, 9, 12), (2.9, 40, 300)])
def test_the_tail_is_that_of_mvtnorm_and_scipy(
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    t: float,
    m: int,
    df: int,
    two_sided: bool,
) -> None:
    require_r_package("mvtnorm")
    numbers = [rinterface.FloatSexpVector([value]) for value in (t, m, df)]
    p = function_of_r(rinterface, PMVT)(*numbers, rinterface.BoolSexpVector([two_sided]))[0]
    found = upper_tail(t, m, df, two_sided=two_sided)
    assert found == pytest.approx(p, abs=1e-4)
    correlation = np.full((m, m), 0.5) + 0.5 * np.eye(m)
    law = stats.multivariate_t(shape=correlation, df=df)
    low = np.full(m, -t) if two_sided else None
    inside = law.cdf(np.full(m, t), lower_limit=low, maxpts=20_000, random_state=1)
    assert found == pytest.approx(1 - inside, abs=1e-3)


@pytest.mark.clause("dunnett.1", "dunnett.2")
def test_of_one_system_it_is_the_paired_t_test() -> None:
    scores = np.random.default_rng(1).random((25, 2))
    for alternative in ALTERNATIVES:
        t = paired_t(scores[:, 1], scores[:, 0], alternative=alternative)
        found = against_first(scores, alternative=alternative)
        np.testing.assert_allclose(found.statistic, [t.statistic], rtol=1e-13)
        np.testing.assert_allclose(found.p_value, [t.p_value], rtol=1e-12)
        np.testing.assert_allclose(found.conf_int, [t.conf_int], rtol=1e-11)


@pytest.mark.clause("dunnett.1")
def test_the_family_is_the_systems_that_are_compared() -> None:
    scores = np.random.default_rng(7).random((30, 7))
    few = dunnett(scores, [(1, 0), (2, 0)])
    many = against_first(scores)
    assert (few.p_value < many.p_value[:2]).all()
    # A pair that is given twice is one hypothesis.
    twice = dunnett(scores, [(1, 0), (2, 0), (1, 0)])
    np.testing.assert_array_equal(twice.p_value[:2], few.p_value)
    expected = upper_tail(np.abs(few.statistic), 2, 174.0, two_sided=True)
    np.testing.assert_array_equal(few.p_value, expected)


@pytest.mark.long
@pytest.mark.clause("dunnett.2")
@given(st.integers(0, 10_000), st.sampled_from(ALTERNATIVES), st.floats(0.2, 0.999))
def test_an_interval_excludes_0_where_the_p_value_is_at_most_alpha(
    seed: int, alternative: str, conf_level: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.random((8, 5)) + np.linspace(0, rng.random(), 5)
    result = against_first(scores, alternative=alternative, conf_level=conf_level)
    excluded = (result.conf_low > 0) | (result.conf_high < 0)
    clear = np.abs(result.p_value - (1 - conf_level)) > 1e-9
    np.testing.assert_array_equal(excluded[clear], (result.p_value < 1 - conf_level)[clear])


@pytest.mark.clause("dunnett.3")
@pytest.mark.parametrize("scores", [PERFECT, np.zeros((3, 4))])
def test_no_residuals_give_no_number(r: RSession, scores: Array) -> None:
    result = against_first(scores)
    assert set(result.reason) == {"the residuals are 0, except for rounding"}
    for alternative in ALTERNATIVES:
        result = against_first(scores, alternative=alternative)
        for numbers in (result.p_value, result.statistic, result.stderr, result.conf_int):
            assert np.isnan(numbers).all()
    first = np.arange(1, scores.shape[1])
    settings = {"alternative": "less", "conf_level": 0.95}
    found = matrix_in_r(r, dunnett, settings, scores, first, np.zeros_like(first))
    assert "residuals are 0" in found.stopped[0]
    with pytest.raises(SignificanceError, match="residuals are 0"):
        anova_two_way(scores)
