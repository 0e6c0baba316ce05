"""Analysis of variance beside statsmodels, which takes the dense design."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from scipy import special, stats
from statsmodels.stats.anova import anova_lm

from cdfscore import Standardizer, datasets
from cdfscore.models import anova
from cdfscore.models.anova import SumsType, noncentrality_interval
from tests.models.designs import COMPONENTS, FORMULAS, RAW, long, scores

COMPLETE = scores()
HOLES = scores(missing=0.1, systems=23)


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


@pytest.mark.clause("anova.1", "anova.2")
@pytest.mark.one_in(4)
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


@pytest.mark.clause("anova.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("scheme", ["z", "uniform"])
def test_topics_of_one_mean_explain_nothing(scheme: str, kind: SumsType) -> None:
    """As a difference of two sums of squares, what topic explains was -1e-17, and F below 0."""
    grid = datasets.load_cranfield_grid("ap")
    rng = np.random.default_rng(7)
    for _ in range(10):
        frame = grid.iloc[rng.choice(225, 5, replace=False), rng.choice(72, 3, replace=False)]
        found = anova(frame, "score ~ topic + system", schemes=[scheme], sums_of_squares=kind).table
        if scheme == "z":
            assert found.loc[0, "sum_of_squares"] == found.loc[0, "statistic"] == 0
            assert found.loc[0, "p_value"] == 1
            assert found.loc[0, "effect_low"] == found.loc[0, "effect_high"] == 0
        assert (found["sum_of_squares"] >= 0).all()


@pytest.mark.clause("anova.4")
def test_an_end_of_the_noncentrality_that_scipy_has_no_number_for() -> None:
    """On one degree of freedom the upper end is 1,800 times F, above what `ncfdtr` takes."""
    low, high = noncentrality_interval(2042466.5, 373, 1, 0.999)
    with mp.workdps(20):
        # F is about lambda / 373 / chi^2, and P(chi^2 > x) is erfc(sqrt(x / 2)).
        ratio = mpf(high) / (373 * mpf("2042466.5"))
        assert float(mp.erfc(mp.sqrt(ratio / 2))) == pytest.approx(0.0005, rel=1e-6)
    assert low == 0


def test_schemes_on_different_topics_are_noted() -> None:
    """Two topics of nine have a missing score, and one scheme leaves them out."""
    frame = COMPLETE.copy()
    frame.iloc[0, 0] = frame.iloc[5, 1] = np.nan
    note = "the schemes have different numbers of topics"
    dropped = Standardizer("normal", missing="drop_topic")
    found = anova(frame, "score ~ topic + stemmer", COMPONENTS, schemes=[RAW, dropped])
    assert note in found.notes
    assert found.table.groupby("scheme")["df"].first().to_dict() == {"normal": 6, "raw": 8}
    same = Standardizer("raw", missing="drop_topic")
    alike = anova(frame, "score ~ topic + stemmer", COMPONENTS, schemes=[same, dropped])
    assert note not in alike.notes


def test_an_analysis_is_shown_by_its_terms_with_small_p_values() -> None:
    found = anova(COMPLETE, FORMULAS[1], COMPONENTS, schemes=["raw", "normal"])
    p = found.table.set_index(["scheme", "term"])["p_value"].dropna()
    assert list(p.index[p <= 0.05]) == [("raw", "topic"), ("raw", "model")]
    assert repr(found) == (
        "<analysis of variance, type III, score ~ topic + stemmer * model + stoplist; "
        "p <= 0.05: topic, model by raw; none by normal>"
    )


@pytest.mark.clause("anova.3", "anova.4")
def test_effects_of_a_table_by_hand() -> None:
    """The means of systems are 2, 4 and 9, those of topics 4, 5 and 6."""
    frame = pd.DataFrame(
        {"a": [1.0, 2, 3], "b": [3.0, 6, 3], "c": [8.0, 7, 12]}, index=["t1", "t2", "t3"]
    )
    found = anova(frame, "score ~ topic + system").table.set_index("term")
    assert found["df"].tolist() == [2, 2, 4]
    np.testing.assert_allclose(found["sum_of_squares"], [6, 78, 16])
    np.testing.assert_allclose(found["statistic"].iloc[:2], [0.75, 9.75])
    np.testing.assert_allclose(found["partial_eta_squared"].iloc[:2], [6 / 22, 78 / 94])
    # Of an F below 1 it is negative.
    np.testing.assert_allclose(found["partial_omega_squared"].iloc[:2], [-0.5 / 8.5, 17.5 / 26.5])
    # F on 2 and 4 degrees of freedom has P(F > f) = (1 + f / 2)^-2.
    np.testing.assert_allclose(found["p_value"].iloc[:2], [1.375**-2, 5.875**-2])


@pytest.mark.clause("anova.4")
@pytest.mark.parametrize("f", [0.5, 3.0, 13.0])
def test_ends_of_the_noncentrality_are_those_of_mixed_beta_distributions(f: float) -> None:
    """A noncentral F is a mixture by Poisson weights of central ones."""
    at = 3 * f / (3 * f + 20)
    j = np.arange(400)

    def lower(noncentrality: float) -> float:
        weights = stats.poisson.pmf(j, noncentrality / 2)
        return float(weights @ special.betainc(1.5 + j, 10, at))

    low, high = noncentrality_interval(f, 3, 20, 0.95)
    assert lower(high) == pytest.approx(0.025, rel=1e-8)
    if low > 0:
        assert lower(low) == pytest.approx(0.975, rel=1e-8)
    else:
        assert lower(0.0) <= 0.975
