"""Analysis of variance beside statsmodels, which takes the dense design."""

import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm

from cdfscore import Standardizer
from cdfscore.models import anova
from cdfscore.models.sums_of_squares import SumsType
from tests.models.designs import COMPONENTS, FORMULAS, long, scores

COMPLETE = scores()
HOLES = scores(missing=0.1, systems=23)
RAW = Standardizer("raw", missing="omit")


def of_statsmodels(frame: pd.DataFrame, formula: str, kind: SumsType) -> pd.DataFrame:
    coded = formula.split("~")[1]
    for name in ("topic", "system", "stemmer", "model", "stoplist"):
        coded = coded.replace(name, f"C({name}, Sum)")
    table = anova_lm(smf.ols(f"score ~ {coded}", long(frame)).fit(), typ=len(kind))
    table.index = [
        frozenset(part.removeprefix("C(").removesuffix(", Sum)") for part in name.split(":"))
        for name in table.index
    ]
    return table


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("frame", [COMPLETE, HOLES], ids=["complete", "holes"])
def test_sums_of_squares_are_those_of_the_dense_design(
    frame: pd.DataFrame, formula: str, kind: SumsType
) -> None:
    found = anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares=kind).table
    expected = of_statsmodels(frame, formula, kind)
    for row in found.to_dict("records"):
        name = "Residual" if row["term"] == "residual" else row["term"]
        other = expected.loc[[frozenset(name.split(":"))]].iloc[0]
        assert row["df"] == other["df"]
        assert row["sum_of_squares"] == pytest.approx(other["sum_sq"], rel=1e-9)
        if name != "Residual":
            assert row["statistic"] == pytest.approx(other["F"], rel=1e-9)
            assert row["p_value"] == pytest.approx(other["PR(>F)"], rel=1e-7)
