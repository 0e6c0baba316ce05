"""Mixed models beside the R twin (nlme), lme4 and lmerTest."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import special

import cdfscore.models.mixed
from cdfscore import Standardizer
from cdfscore.errors import CdfscoreWarning
from cdfscore.models import MixedModel, Replicates, mixed_model
from cdfscore.models.mixed import Estimation
from cdfscore.r.session import RSession
from tests.models.designs import COMPONENTS
from tests.models.mixed_designs import GRID, PARTS, cut, replicated, uneven
from tests.models.test_anova_in_r import check_beside_emmeans, evaluated

_FOLDER = Path(cdfscore.models.mixed.__file__).parent
TWIN = (_FOLDER / "long_frame.R", _FOLDER / "mixed_model.R")


class Case(NamedTuple):
    scores: Any
    components: pd.DataFrame
    formula: str
    random: list[str]


SOME = GRID.iloc[:60]
BY_STEMMER = ["topic", "topic:stemmer"]
CASES = {
    "grid": Case(GRID, PARTS, "score ~ stemmer * stoplist", BY_STEMMER),
    "cut": Case(cut(SOME, 0.1), PARTS, "score ~ stemmer * stoplist", BY_STEMMER),
    "sparse": Case(cut(SOME, 0.6), PARTS, "score ~ stemmer + model", [*BY_STEMMER, "topic:model"]),
    "systems": Case(cut(SOME.iloc[:, :12], 0.2), PARTS, "score ~ system", ["topic"]),
    "shards": Case(
        replicated(), COMPONENTS, "score ~ stemmer + model", [*BY_STEMMER, "topic:system"]
    ),
    "shards, cut": Case(
        replicated(missing=0.2), COMPONENTS, "score ~ model * stemmer + shard",
        [*BY_STEMMER, "topic:system", "topic:shard"],
    ),
    "uneven": Case(
        uneven(), COMPONENTS, "score ~ stemmer + model", [*BY_STEMMER, "topic:system"]
    ),
    "no stemmer": Case(
        replicated((1.0, 0.0, 0.2, 0.5), seed=2, missing=0.1), COMPONENTS, "score ~ stemmer",
        [*BY_STEMMER, "topic:system"],
    ),
    "two topics": Case(cut(SOME[2:4], 0.4), PARTS, "score ~ stemmer", BY_STEMMER),
}  # fmt: skip
EXACT = "control = lme4::lmerControl(optCtrl = list(xtol_abs = 1e-14, ftol_abs = 1e-14))"
INSIDE = [name for name in CASES if name != "no stemmer"]
LME4 = """
function(data, formula, random, method, tested) {
  formula <- as.formula(formula)
  for (name in setdiff(all.vars(formula), "score"))
    contrasts(data[[name]]) <- contr.sum(nlevels(data[[name]]))
  whole <- update(formula, paste(". ~ . +", paste0("(1 | ", random, ")", collapse = " + ")))
  control <- lme4::lmerControl(
    optimizer = "nloptwrap", check.conv.singular = "ignore", check.conv.grad = "ignore",
    optCtrl = list(xtol_abs = 1e-14, ftol_abs = 1e-14, xtol_rel = 1e-14, ftol_rel = 0,
                   maxeval = 1e5))
  model <- lmerTest::lmer(whole, data, REML = method == "REML", control = control)
  found <- as.data.frame(lme4::VarCorr(model))
  variances <- setNames(found$vcov, found$grp)[c(random, "Residual")]
  tests <- anova(model)
  same <- sapply(tested, function(rows) lmerTest::contestMD(model, rows)[["DenDF"]])
  table <- coef(summary(model))
  list(unname(variances), table[, "Estimate"], table[, "Std. Error"], table[, "df"],
       tests[, "F value"], tests[, "DenDF"], tests[, "Pr(>F)"],
       same,
       as.numeric(logLik(model)))
}
"""
PROFILE = """
function(data, formula, random, method, place, ends) {
  formula <- as.formula(formula)
  for (name in setdiff(all.vars(formula), "score"))
    contrasts(data[[name]]) <- contr.sum(nlevels(data[[name]]))
  whole <- update(formula, paste(". ~ . +", paste0("(1 | ", random, ")", collapse = " + ")))
  reml <- method == "REML"
  model <- lme4::lmer(whole, data, REML = reml)
  devfun <- lme4::lmer(whole, data, REML = reml, devFunOnly = TRUE)
  inside <- environment(devfun)
  order <- match(names(lme4::getME(model, "theta")), paste0(random, ".(Intercept)"))
  last <- length(random) + 1
  degrees <- nrow(data) - reml * length(lme4::fixef(model))
  deviance_at <- function(variances) {
    devfun(sqrt(variances[-last] / variances[last])[order])
    square <- inside$resp$wrss() + inside$pp$sqrL(1)
    inside$pp$ldL2() + reml * inside$pp$ldRX2() + square / variances[last] +
      degrees * log(2 * pi * variances[last])
  }
  least <- function(start, fixed) {
    free <- setdiff(seq_len(last), fixed)
    at <- function(x) { start[free] <- exp(x); deviance_at(start) }
    found <- optim(log(start[free]), at, method = "BFGS", control = list(reltol = 1e-15))
    optim(found$par, at, method = "BFGS", control = list(reltol = 1e-16))$value
  }
  found <- as.data.frame(lme4::VarCorr(model))
  best <- setNames(found$vcov, found$grp)[c(random, "Residual")]
  sapply(ends, function(end) { best[place] <- end; least(best, place) }) - least(best, integer(0))
}
"""


def fitted(case: Case, method: Estimation) -> MixedModel:
    return mixed_model(
        case.scores,
        case.formula,
        case.components,
        random=case.random,
        method=method,
        schemes=[Standardizer("raw", missing="omit")],
    )


def in_r(r: RSession, case: Case) -> tuple[Any, Any]:
    """Return the scores as a matrix of R, and the factors of their slots as a data frame."""
    given = case.scores
    frame = given.scores if isinstance(given, Replicates) else given
    systems = list(given.systems if isinstance(given, Replicates) else frame.columns)
    rows = case.components.set_index("system", drop=False).loc[systems]
    factors = {name: r.strings(rows[name].tolist()) for name in rows}
    if isinstance(given, Replicates):
        for name, factor in given.factors.items():
            factors[name] = r.strings([factor.levels[code] for code in factor.codes])
    return r.matrix(frame.to_numpy()), r.rinterface.baseenv["data.frame"](**factors)


def hypotheses(r: RSession, found: MixedModel) -> Any:
    """Return the rows of the hypothesis of each term, as matrices of R."""
    fit = found.fits["raw"]
    return r.rinterface.ListSexpVector([r.matrix(fit.tested(term)) for term in fit.places])


@pytest.mark.clause("mixed_model.1", "mixed_model.2")
@pytest.mark.one_in(12)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("name", INSIDE)
def test_the_model_is_that_of_the_twin(r: RSession, name: str, method: Estimation) -> None:
    case = CASES[name]
    found = fitted(case, method)
    theirs = r.function("mixed_model", *TWIN)(
        *in_r(r, case), r.strings([case.formula]), r.strings(case.random), r.strings([method])
    )
    variances, coefficients, _, log_likelihood = (np.array(each) for each in theirs)
    np.testing.assert_allclose(found.variances["variance"], variances, rtol=1e-5)
    np.testing.assert_allclose(found.coefficients["estimate"], coefficients, rtol=1e-5, atol=1e-9)
    stderr = np.sqrt(np.diag(r.array(theirs[2])))
    np.testing.assert_allclose(found.coefficients["stderr"], stderr, rtol=1e-5)
    assert found.log_likelihood["raw"] == pytest.approx(log_likelihood.item(), abs=1e-8)


@pytest.mark.clause("mixed_model.3")
@pytest.mark.one_in(12)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("name", CASES)
def test_estimates_and_tests_are_those_of_lme4_and_lmer_test(
    r: RSession,
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    name: str,
    method: Estimation,
) -> None:
    require_r_package("lmerTest")
    case = CASES[name]
    found = fitted(case, method)
    theirs = evaluated(rinterface, LME4)(
        r.function("long_frame", *TWIN)(*in_r(r, case)),
        r.strings([case.formula]),
        r.strings(case.random),
        r.strings([method]),
        hypotheses(r, found),
    )
    variances, estimate, stderr, df, f, df_error, p_value, same, log_likelihood = map(
        np.array, theirs
    )
    np.testing.assert_allclose(found.variances["variance"], variances, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found.coefficients["estimate"], estimate, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found.coefficients["stderr"], stderr, rtol=1e-5)
    np.testing.assert_allclose(found.table["statistic"], f, rtol=1e-5)
    np.testing.assert_allclose(found.coefficients["df"], df, rtol=1e-5)
    np.testing.assert_allclose(found.table["df_error"], same, rtol=1e-5)
    # Those of anova are of other contrasts of a term; see `MixedFit.tested`.
    np.testing.assert_allclose(found.table["df_error"], df_error, rtol=1e-3)
    np.testing.assert_allclose(found.table["p_value"], p_value, rtol=1e-3, atol=1e-300)
    assert found.log_likelihood["raw"] == pytest.approx(log_likelihood.item(), abs=1e-8)


@pytest.mark.clause("mixed_model.3")
def test_a_term_with_an_axis_of_few_degrees_of_freedom_has_2() -> None:
    """As lmerTest has: the expectation of F is not finite there."""
    found = fitted(CASES["two topics"], "REML")
    fixed, (term,) = found.fits["raw"].fixed, found.formula.terms
    rows = found.fits["raw"].tested(term)
    _, axes = np.linalg.eigh(rows @ fixed.covariance @ rows.T)
    _, _, df, _ = fixed.estimates(axes.T @ rows)
    assert df.min() < 2 < df.max()
    assert found.table["df_error"].item() == 2


@pytest.mark.clause("mixed_model.4")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_the_likelihood_at_the_ends_of_intervals_is_that_of_lme4(
    r: RSession,
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    place: int,
    method: Estimation,
) -> None:
    require_r_package("lme4")
    case = CASES["shards"]
    found = fitted(case, method).variances
    ends = found.loc[place, ["conf_low", "conf_high"]].to_numpy(dtype=np.float64)
    lost = evaluated(rinterface, PROFILE)(
        r.function("long_frame", *TWIN)(*in_r(r, case)),
        r.strings([case.formula]),
        r.strings(case.random),
        r.strings([method]),
        rinterface.IntSexpVector([place + 1]),
        rinterface.FloatSexpVector(ends.tolist()),
    )
    np.testing.assert_allclose(np.array(lost), special.chdtri(1, 0.05), rtol=1e-5)


@pytest.mark.clause("mixed_model.6")
@pytest.mark.parametrize("term", ["stemmer", "stemmer:model"])
def test_means_and_contrasts_are_those_of_emmeans(
    r: RSession, rinterface: ModuleType, require_r_package: Callable[[str], None], term: str
) -> None:
    require_r_package("emmeans")
    require_r_package("lmerTest")
    case = CASES["shards, cut"]._replace(formula="score ~ stemmer * model", random=BY_STEMMER)
    data = r.function("long_frame", *TWIN)(*in_r(r, case))
    fit = f"lmerTest::lmer({case.formula} + (1 | topic) + (1 | topic:stemmer), data, {EXACT})"
    near = (1e-7, 1e-5, 1e-4, 1e-4)
    check_beside_emmeans(fitted(case, "REML"), term, rinterface, data, fit, near)


def test_tests_with_a_variance_at_0_are_those_of_lmer_test_without_it(
    r: RSession, rinterface: ModuleType, require_r_package: Callable[[str], None]
) -> None:
    require_r_package("lmerTest")
    case = CASES["no stemmer"]
    with pytest.warns(CdfscoreWarning, match="topic:stemmer is estimated as 0"):
        found = fitted(case, "REML")
    theirs = evaluated(rinterface, LME4)(
        r.function("long_frame", *TWIN)(*in_r(r, case)),
        r.strings([case.formula]),
        r.strings(["topic", "topic:system"]),
        r.strings(["REML"]),
        hypotheses(r, found),
    )
    variances, _, stderr, df, f, _, _, same, _ = map(np.array, theirs)
    np.testing.assert_allclose(found.variances["variance"].drop(1), variances, rtol=1e-5)
    assert found.variances["variance"][1] == 0
    np.testing.assert_allclose(found.coefficients["stderr"], stderr, rtol=1e-5)
    np.testing.assert_allclose(found.coefficients["df"], df, rtol=1e-5)
    np.testing.assert_allclose(found.table["statistic"], f, rtol=1e-5)
    np.testing.assert_allclose(found.table["df_error"], same, rtol=1e-5)
