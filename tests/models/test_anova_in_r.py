"""Analysis of variance and marginal means beside the R twin, car and emmeans."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cdfscore.models
from cdfscore.models import anova
from cdfscore.models.anova import LinearModel, SumsType
from cdfscore.r.session import RSession
from tests.models.designs import COMPONENTS, FORMULAS, FRAMES, RAW

_FOLDER = Path(cdfscore.models.__file__).parent
TWIN = (_FOLDER / "long_frame.R", _FOLDER / "anova.R")
# Formula and term of marginal means.
TERMS = [
    (FORMULAS[0], "system"),
    (FORMULAS[1], "stemmer"),
    (FORMULAS[1], "stemmer:model"),
    (FORMULAS[2], "model"),
    (FORMULAS[3], "stemmer"),
    (FORMULAS[3], "model"),
    (FORMULAS[5], "stemmer:stoplist"),
]
CAR = """
function(data, formula, type) {
  names <- setdiff(all.vars(as.formula(formula)), "score")
  model <- lm(as.formula(formula), data,
              contrasts = setNames(rep(list("contr.sum"), length(names)), names))
  table <- car::Anova(model, type = type)
  table <- table[rownames(table) != "(Intercept)", ]
  list(rownames(table), table[, "Sum Sq"], table[, "Df"])
}
"""
EMMEANS = """
function(data, fit, term) {
  emmeans::emm_options(msg.interaction = FALSE, lmerTest.limit = 1e5)
  found <- emmeans::emmeans(eval(parse(text = fit)), strsplit(term, ":", fixed = TRUE)[[1]],
                            lmer.df = "satterthwaite")
  means <- summary(found)
  pairs <- summary(pairs(found), infer = c(FALSE, TRUE))
  labels <- do.call(paste, c(unname(lapply(means[found@misc$pri.vars], as.character)), sep = ":"))
  both <- combn(labels, 2)
  list(labels, means$emmean, means$SE, means$df, both[1, ], both[2, ], pairs$estimate, pairs$SE,
       pairs$df, pairs$p.value)
}
"""


def in_r(r: RSession, frame: pd.DataFrame) -> tuple[Any, Any]:
    """Return the scores as a matrix of R, and the factors of their systems as a data frame."""
    rows = COMPONENTS.set_index("system", drop=False).loc[list(frame.columns)]
    factors = {name: r.strings(rows[name].tolist()) for name in rows}
    values = r.matrix(frame.to_numpy())
    return values, r.rinterface.baseenv["data.frame"](**factors)


def long_in_r(r: RSession, frame: pd.DataFrame) -> Any:
    return r.function("long_frame", *TWIN)(*in_r(r, frame))


def evaluated(rinterface: ModuleType, code: str) -> Any:
    base = rinterface.baseenv
    return base["eval"](base["parse"](text=rinterface.StrSexpVector([code])))


def check_beside_emmeans(
    found: LinearModel,
    term: str,
    rinterface: ModuleType,
    data: Any,
    fit: str,
    near: tuple[float, float, float, float],
) -> None:
    """Compare means and differences, each near for means, standard errors, df and p values."""
    text = (rinterface.StrSexpVector([each]) for each in (fit, term))
    labels, mean, stderr, df, first, second, *theirs = evaluated(rinterface, EMMEANS)(data, *text)
    of_mean, of_stderr, of_df, of_p = near
    own = found.means(term)
    own = own.set_index(own[term.split(":")].agg(":".join, axis=1)).loc[list(map(str, labels))]
    np.testing.assert_allclose(own["mean"], np.array(mean), atol=of_mean)
    np.testing.assert_allclose(own["stderr"], np.array(stderr), rtol=of_stderr)
    np.testing.assert_allclose(own["df"], np.array(df), rtol=of_df)
    pairs = found.contrasts(term).set_index(["a", "b"])
    for a, b, *numbers in zip(first, second, *map(np.array, theirs), strict=True):
        sign = 1 if (str(a), str(b)) in pairs.index else -1
        row = pairs.loc[(str(a), str(b)) if sign == 1 else (str(b), str(a))]
        assert sign * row["estimate"] == pytest.approx(numbers[0], abs=of_mean)
        assert row["stderr"] == pytest.approx(numbers[1], rel=of_stderr)
        assert row["df"] == pytest.approx(numbers[2], rel=of_df)
        assert row["p_adjusted"] == pytest.approx(numbers[3], rel=of_p, abs=2e-6)


def terms(names: Any) -> list[frozenset[str]]:
    known = (str(name) for name in names)
    return [frozenset({"Residuals": "residual"}.get(name, name).split(":")) for name in known]


@pytest.mark.one_in(4)
@pytest.mark.clause("anova.1", "anova.2", "anova.3")
@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_table_is_that_of_the_twin(
    r: RSession, frame: pd.DataFrame, formula: str, kind: SumsType
) -> None:
    found = anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares=kind).table
    theirs = r.function("anova_table", *TWIN)(
        *in_r(r, frame), r.strings([formula]), r.strings([kind])
    )
    order = [terms(theirs[0]).index(term) for term in terms(found["term"])]
    for place, name in enumerate(("sum_of_squares", "df", "statistic", "p_value"), start=1):
        expected = np.array(theirs[place], dtype=np.float64)[order]
        np.testing.assert_allclose(found[name], expected, rtol=1e-9, err_msg=name)


@pytest.mark.clause("anova.2")
@pytest.mark.parametrize("kind", ["II", "III"])
@pytest.mark.parametrize("formula", FORMULAS[1:5])
def test_sums_of_squares_are_those_of_car(
    r: RSession,
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    formula: str,
    kind: SumsType,
) -> None:
    require_r_package("car")
    frame = FRAMES["holes"]
    found = anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares=kind).table
    theirs = evaluated(rinterface, CAR)(
        long_in_r(r, frame), r.strings([formula]), r.strings([kind])
    )
    order = [terms(theirs[0]).index(term) for term in terms(found["term"])]
    np.testing.assert_allclose(found["sum_of_squares"], np.array(theirs[1])[order], rtol=1e-9)
    assert (found["df"] == np.array(theirs[2])[order]).all()


@pytest.mark.one_in(2)
@pytest.mark.clause("anova.5")
@pytest.mark.parametrize(("formula", "term"), TERMS)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_marginal_means_are_those_of_the_twin(
    r: RSession, frame: pd.DataFrame, formula: str, term: str
) -> None:
    found = anova(frame, formula, COMPONENTS, schemes=[RAW]).means(term)
    theirs = r.function("marginal_means", *TWIN)(
        *in_r(r, frame), r.strings([formula]), r.strings([term])
    )
    labels = list(map(str, theirs[0]))
    own = found[term.split(":")].agg(":".join, axis=1)
    order = [labels.index(label) for label in own]
    np.testing.assert_allclose(found["mean"], np.array(theirs[1])[order], atol=1e-11)
    stderr = np.sqrt(np.diag(r.array(theirs[2])))[order]
    np.testing.assert_allclose(found["stderr"], stderr, rtol=1e-9)
    assert (found["df"] == theirs[3][0]).all()


@pytest.mark.clause("anova.5", "anova.6")
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("formula", "term"), TERMS)
def test_contrasts_by_tukey_are_those_of_emmeans(
    r: RSession,
    rinterface: ModuleType,
    require_r_package: Callable[[str], None],
    formula: str,
    term: str,
) -> None:
    require_r_package("emmeans")
    frame = FRAMES["holes"]
    found = anova(frame, formula, COMPONENTS, schemes=[RAW])
    near = (1e-11, 1e-9, 1e-9, 0.0)  # p as ptukey: see tukey_hsd
    fit = f"lm({formula}, data)"
    check_beside_emmeans(found, term, rinterface, long_in_r(r, frame), fit, near)
