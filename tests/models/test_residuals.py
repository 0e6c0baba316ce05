"""Residuals and checks of errors beside statsmodels, SciPy, the R twin and car."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from cdfscore import Standardizer
from cdfscore.errors import ModelError
from cdfscore.models import Anova, anova
from cdfscore.r.session import RSession
from tests.models.designs import COMPONENTS, FORMULAS, FRAMES, long, scores
from tests.models.test_anova_in_r import TWIN, evaluated, in_r

RAW = Standardizer("raw", missing="omit", unfitted="nan")


def analysed(frame: pd.DataFrame, formula: str) -> Anova:
    return anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares="I")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_residuals_are_those_of_the_dense_design(frame: pd.DataFrame, formula: str) -> None:
    found = analysed(frame, formula).residuals("raw")
    rows = long(frame)
    coded = formula
    for name in ("topic", "system", "stemmer", "model", "stoplist"):
        coded = coded.replace(name, f"C({name}, Sum)")
    model = smf.ols(coded, rows).fit()
    dense = rows.assign(fitted=model.fittedvalues, residual=model.resid)
    both = found.merge(dense, on=["topic", "system"], suffixes=("", "_dense"))
    assert len(both) == len(found) == len(rows)
    np.testing.assert_allclose(both["fitted"], both["fitted_dense"], atol=1e-12)
    np.testing.assert_allclose(both["residual"], both["residual_dense"], atol=1e-12)


@pytest.mark.clause("anova.7")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_checks_are_those_of_the_twin(
    rinterface: ModuleType, frame: pd.DataFrame, formula: str
) -> None:
    r = RSession()
    found = analysed(frame, formula).checks()
    theirs = r.function("model_checks", *TWIN)(*in_r(r, frame), r.strings([formula]))
    numbers = dict(zip(map(str, theirs[0]), r.array(theirs[1]), strict=True))
    assert set(numbers) == set(found["check"])
    for row in found.to_dict("records"):
        size, statistic, df, df_residual, p = numbers[row["check"]]
        if np.isnan(statistic):
            assert np.isnan(row["statistic"])
            assert np.isnan(row["p_value"])
            assert row["size"] == pytest.approx(size, rel=1e-9, abs=1e-12)
            continue
        assert (row["df"], row["df_residual"]) == (df, df_residual)
        assert row["size"] == pytest.approx(size, rel=1e-9)
        assert row["statistic"] == pytest.approx(statistic, rel=1e-9)
        assert row["p_value"] == pytest.approx(p, rel=1e-9)


@pytest.mark.clause("anova.7")
def test_equal_variances_are_those_of_scipy_and_car(
    rinterface: ModuleType, require_r_package: Callable[[str], None]
) -> None:
    require_r_package("car")
    result = analysed(FRAMES["holes"], FORMULAS[1])
    residuals = result.residuals("raw").merge(COMPONENTS, on="system")
    r = RSession()
    levene = evaluated(
        rinterface, "function(y, g) unlist(car::leveneTest(y, factor(g), center = median)[1, 2:3])"
    )
    for name in ("topic", "stemmer", "model", "stoplist"):
        row = result.checks().set_index("check").loc[f"equal variances over {name}"]
        groups = [own["residual"].to_numpy() for _, own in residuals.groupby(name)]
        expected = stats.levene(*groups, center="median")
        of_car = levene(
            r.rinterface.FloatSexpVector(residuals["residual"].tolist()),
            r.strings(residuals[name].tolist()),
        )
        for f, p in (tuple(expected), tuple(of_car)):
            assert row["statistic"] == pytest.approx(f, rel=1e-9)
            assert row["p_value"] == pytest.approx(p, rel=1e-9)
        sds = [own.std(ddof=1) for own in groups]
        assert row["size"] == pytest.approx(max(sds) / min(sds), rel=1e-9)


@pytest.mark.parametrize("spread", [1e-6, 0.001, 0.05])
def test_distances_that_hardly_differ_are_compared(spread: float) -> None:
    """Residuals of a topic are all about 1 from 0, and more than rounding apart in size."""
    rng = np.random.default_rng(2)
    half = 1 + spread * np.sort(rng.random((9, 12)), axis=1)
    y = np.concatenate([half, -half], axis=1) + np.arange(9.0)[:, np.newaxis]
    frame = scores() * 0 + y
    row = analysed(frame, "score ~ topic").checks().set_index("check")
    expected = stats.levene(*(y - y.mean(axis=1, keepdims=True)), center="median")
    own = row.loc["equal variances over topic"]
    assert own["statistic"] == pytest.approx(expected.statistic, rel=1e-8)
    assert own["p_value"] == pytest.approx(expected.pvalue, rel=1e-8)
    assert (own["df"], own["df_residual"]) == (8, 9 * 24 - 9)


@pytest.mark.clause("anova.7")
@pytest.mark.parametrize("times", [1.0, 100.0, 1e4])
def test_tukeys_test_of_a_table_by_hand(times: float) -> None:
    """Tukey (1949): SS = (sum a_i b_j y_ij)^2 / (sum a_i^2 sum b_j^2), of two factors alone.

    Topics that differ much more than systems leave little of the squares, and not rounding.
    """
    frame = scores(systems=7)
    frame = frame.add((times - 1) * frame.mean(axis=1), axis=0)
    y = frame.to_numpy()
    a, b = y.mean(axis=1) - y.mean(), y.mean(axis=0) - y.mean()
    additivity = (a @ y @ b) ** 2 / ((a @ a) * (b @ b))
    residual = ((y - a[:, None] - b - y.mean()) ** 2).sum()
    df = (len(a) - 1) * (len(b) - 1) - 1
    row = analysed(frame, FORMULAS[0]).checks().set_index("check").loc["additivity"]
    f = additivity / ((residual - additivity) / df)
    assert row["statistic"] == pytest.approx(f, rel=1e-9 if times == 1 else 1e-6)
    assert (row["df"], row["df_residual"]) == (1, df)


@pytest.mark.clause("anova.7")
@pytest.mark.parametrize("topics", [2, 9])
def test_of_two_systems_there_is_no_spread_within_a_topic(
    rinterface: ModuleType, topics: int
) -> None:
    """F of their equal distances from the median is one of rounding, with p = 0."""
    frame = scores(systems=2).iloc[:topics]
    result = analysed(frame, FORMULAS[0])
    checks = set(result.checks()["check"])
    assert checks == {"skewness", "excess kurtosis"} | (
        {"additivity", "equal variances over system"} if topics > 2 else set()
    )
    r = RSession()
    theirs = r.function("model_checks", *TWIN)(*in_r(r, frame), r.strings([FORMULAS[0]]))
    assert set(map(str, theirs[0])) == checks
    assert len(result.plot_residuals().axes) == 2


def test_a_topic_without_a_score_has_no_residual() -> None:
    frame = scores()
    frame.iloc[3] = np.nan
    frame.iloc[5, 2] = np.nan
    found = analysed(frame, FORMULAS[1]).residuals("raw")
    assert set(found["topic"]) == set(frame.index.drop("t3"))
    assert len(found) == 8 * 24 - 1
    with pytest.raises(ModelError, match="scheme='normal' is not accepted; expected one of raw"):
        analysed(frame, FORMULAS[1]).residuals("normal")


def test_a_system_with_one_score_leaves_the_test_of_equal_variances_out() -> None:
    frame = scores()
    frame.iloc[1:, 4] = np.nan
    checks = analysed(frame, FORMULAS[0]).checks()["check"].tolist()
    assert "equal variances over system" not in checks
    assert "equal variances over topic" in checks
    frame.iloc[1, 4] = 0.5
    frame.iloc[2, 4] = 0.25
    checks = analysed(frame, FORMULAS[0]).checks()["check"].tolist()
    assert "equal variances over system" in checks
