"""Models, plans and correlations against statsmodels: all agree, and a changed number is found."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.regression.mixed_linear_model import MixedLMParams
from statsmodels.stats.anova import anova_lm

from cdfscore import Standardizer, correlate, datasets, verify
from cdfscore.errors import VerificationError
from cdfscore.models import anova, d_study, g_study, mixed_model, plan
from cdfscore.models import in_r as modelled
from cdfscore.models.anova import SumsType
from cdfscore.models.mixed import Estimation
from cdfscore.r.analysis import Checked, Part
from cdfscore.r.verify import _SETTINGS, Verification
from cdfscore.stats.judge.models import MIXED, long_frame
from tests.models.designs import BY_STEMMER, COMPONENTS, FORMULAS, FRAMES, RAW
from tests.models.mixed_designs import replicated
from tests.models.pilots import GOALS, pilot_scores

#: Of the largest number, in relative terms; see test_against_statsmodels.py.
CHANGE = 1e-9
#: Columns without a counterpart: intervals by noncentral F, and profile likelihood intervals.
WITHOUT = {
    modelled._Modelled: {"table: effect low", "table: effect high"},
    modelled._Mixed: {"variances: conf low", "variances: conf high"},
}
Z = Standardizer("z", missing="omit")


def check_and_change(result: Any, part: type[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that all numbers agree, and that each quantity does not once its largest is changed."""
    judged = lru_cache(maxsize=1)(part.by_statsmodels)
    monkeypatch.setattr(part, "by_statsmodels", lambda _: judged(own_part))
    (own_part,) = Verification.of(result).parts
    table = verify(result, against="statsmodels").set_index("quantity")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    assert table.attrs["without"].keys() == WITHOUT.get(part, set())
    numbers = own_part.checks(None)
    for quantity in [own.quantity.name for own in numbers]:

        def changed(*_: object, quantity: str = quantity) -> list[Checked]:
            found = []
            for own in numbers:
                values = own.quantity.values.copy()
                if own.quantity.name == quantity:
                    size = np.where(np.isfinite(values), np.abs(values), -1.0)
                    values[np.unravel_index(size.argmax(), size.shape)] *= 1 + CHANGE
                found.append(replace(own, quantity=replace(own.quantity, values=values)))
            return found

        monkeypatch.setattr(part, "checks", changed)
        again = verify(result, against="statsmodels").set_index("quantity")
        assert list(again.index[~again["agrees"]]) == [quantity]
    monkeypatch.undo()


@pytest.mark.parametrize(
    "result",
    [
        anova(FRAMES["holes"], "score ~ topic + stemmer", COMPONENTS, schemes=[RAW]),
        mixed_model(FRAMES["holes"], "score ~ stemmer", COMPONENTS, random=["topic"], schemes=[Z]),
        plan(pilot_scores(), "paired_t:difference=0.05,power=0.8"),
        correlate(datasets.load_cranfield("ap"), datasets.load_cranfield("ndcg10")),
    ],
    ids=["anova", "mixed model", "plan", "correlation"],
)
def test_every_column_of_the_tables_that_a_user_sees(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One number is changed in each; it differs, or the numbers that are listed are more."""
    (own_part,) = Verification.of(result).parts
    known = own_part.by_statsmodels()
    monkeypatch.setattr(type(own_part), "by_statsmodels", lambda _: known)
    before = verify(result, against="statsmodels")
    assert before["agrees"].all()
    alone = before.attrs["without"]

    def check(again: pd.DataFrame, column: object) -> None:
        name = str(column).replace("_", " ")
        assert not again["agrees"].all() or any(name in each for each in alone), column

    for field, table in vars(result).items():
        for column in table.select_dtypes("number") if isinstance(table, pd.DataFrame) else ():
            if f"{field}: {column}" in _SETTINGS:
                continue
            wrong = replace(result, **{field: with_change(table, column)})
            check(verify(wrong, against="statsmodels"), column)
    for method in ("means", "contrasts") if hasattr(result, "contrasts") else ():
        right = getattr(type(result), method)
        for column in right(result, "stemmer").select_dtypes("number"):

            def wrong_of(own: Any, term: str, column: str = column, right: Any = right) -> Any:
                return with_change(right(own, term), column)

            monkeypatch.setattr(type(result), method, wrong_of)
            check(verify(result, against="statsmodels"), column)
            monkeypatch.setattr(type(result), method, right)


def with_change(table: pd.DataFrame, column: str) -> pd.DataFrame:
    wrong = table.astype({column: np.float64})
    row = int(np.nanargmax(np.abs(wrong[column])))
    wrong.loc[wrong.index[row], column] *= 1 + 1e-8
    return wrong


@pytest.mark.parametrize("offset", [1e6, -1e8])
def test_p_values_of_scores_far_from_0(offset: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of 1e-8 of any number but means is found."""
    scores = FRAMES["holes"].round(3) + offset
    for result in (
        anova(scores, "score ~ topic + stemmer", COMPONENTS, schemes=[RAW]),
        mixed_model(scores, "score ~ stemmer", COMPONENTS, random=["topic"], schemes=[RAW]),
    ):
        (own_part,) = Verification.of(result).parts
        known = own_part.by_statsmodels()
        monkeypatch.setattr(type(own_part), "by_statsmodels", lambda _, known=known: known)
        assert verify(result, against="statsmodels")["agrees"].all()
        wrong = replace(result, table=with_change(result.table, "p_value"))
        again = verify(wrong, against="statsmodels").set_index("quantity")
        assert not again.loc["p value of F", "agrees"]
        monkeypatch.undo()


@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_number_of_an_analysis_of_variance(
    formula: str, kind: SumsType, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = FRAMES["holes" if kind == "II" else "complete"]
    result = anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares=kind)
    if kind == "II":
        check_and_change(result, modelled._Modelled, monkeypatch)
    else:
        table = verify(result, against="statsmodels")
        assert table["agrees"].all(), table[~table["agrees"]].to_string()


@pytest.mark.parametrize("scheme", [RAW, Z], ids=["raw", "z"])
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("random", [["topic"], BY_STEMMER], ids=str)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_every_number_of_a_mixed_model(
    frame: pd.DataFrame,
    random: list[str],
    method: Estimation,
    scheme: Standardizer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the complete matrix, the variance of topic:stemmer is 0; by z, that of topic is."""
    result = mixed_model(
        frame, "score ~ stemmer", COMPONENTS, random=random, method=method, schemes=[scheme]
    )
    assert (result.variances["variance"][0] == 0) == (scheme is Z)
    check_and_change(result, modelled._Mixed, monkeypatch)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", [RAW, Z], ids=["raw", "z"])
@pytest.mark.parametrize(
    ("variances", "seed"),
    [
        ((1.0, 0.0, 0.2, 0.5), 2),
        ((1.0, 0.3, 0.0, 0.5), 1),
        ((0.0, 0.0, 0.2, 0.5), 2),
        ((0.0, 0.3, 0.0, 0.5), 1),
    ],
    ids=str,
)
def test_some_of_several_variances_are_0(
    variances: tuple[float, float, float, float],
    seed: int,
    scheme: Standardizer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = [*BY_STEMMER, "topic:system"]
    scores = replicated(variances, seed=seed, missing=0.1)
    result = mixed_model(scores, "score ~ stemmer", COMPONENTS, random=random, schemes=[scheme])
    found = result.variances["variance"]
    assert (found[1:3] == 0).sum() == 1
    check_and_change(result, modelled._Mixed, monkeypatch)
    # A variance that is not 0 is found if a fit has 0, and the other way round.
    for place in (1, 2):
        wrong = result.variances.copy()
        wrong.loc[place, "variance"] = 1e-6 if found[place] == 0 else 0.0
        again = verify(replace(result, variances=wrong), against="statsmodels")
        assert list(again.loc[~again["agrees"], "quantity"]) == ["variance"]


@pytest.mark.parametrize(("factor", "added"), [(1e60, 0), (1e-60, 0), (1, -1e9)], ids=str)
def test_models_of_scores_of_other_units(factor: float, added: float) -> None:
    scores = FRAMES["holes"] * factor + added
    for result in (
        mixed_model(scores, "score ~ stemmer", COMPONENTS, random=BY_STEMMER, schemes=[RAW]),
        anova(scores, FORMULAS[0], COMPONENTS, schemes=[RAW]),
    ):
        table = verify(result, against="statsmodels")
        assert table["agrees"].all(), table[~table["agrees"]].to_string()


@pytest.mark.parametrize("far", ["topics", "a system"])
def test_an_analysis_of_variance_where_some_scores_are_far_from_others(far: str) -> None:
    scores = FRAMES["complete"].copy()
    topics = 3000 * np.random.default_rng(2).normal(size=(len(scores), 1))
    scores += topics if far == "topics" else 3e4 * (np.arange(scores.shape[1]) == 0)
    for formula in ("score ~ topic + system", "score ~ topic + stemmer"):
        table = verify(anova(scores, formula, COMPONENTS, schemes=[RAW]), against="statsmodels")
        assert table["agrees"].all(), table[~table["agrees"]].to_string()


@pytest.mark.parametrize("ratio", [300, 1e6])
@pytest.mark.parametrize("random", [["topic"], BY_STEMMER], ids=str)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_topics_that_vary_far_more_than_residuals(
    frame: pd.DataFrame, random: list[str], ratio: float
) -> None:
    scores = frame + ratio * np.random.default_rng(1).normal(size=(len(frame), 1))
    result = mixed_model(scores, "score ~ stemmer", COMPONENTS, random=random, schemes=[RAW])
    table = verify(result, against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    assert table.attrs["without"].keys() == WITHOUT[modelled._Mixed]


def test_variances_of_groups_that_vary_far_more_than_residuals_are_mean_squares() -> None:
    """The complete matrix is balanced, and the variance of topics is above 0."""
    levels = stemmers_of(FRAMES["complete"])
    rng = np.random.default_rng(4)
    groups = pd.get_dummies(levels).to_numpy(dtype=float)
    topics, (systems, count) = len(FRAMES["complete"]), groups.shape
    y = FRAMES["complete"].to_numpy() + 1e4 * rng.normal(size=(topics, 1))
    y = y + 1e3 * rng.normal(size=(topics, count)) @ groups.T
    found = MIXED(
        y, {"stemmer": levels}, [("stemmer",)], [("topic",), ("topic", "stemmer")], "REML"
    )
    each = systems / count
    of_groups = (y - y.mean(axis=1, keepdims=True)) @ groups / each
    inside = (y - y[:, :1]) @ (np.eye(systems) - groups @ groups.T / each)
    residual = np.sum(inside**2) / (topics * (systems - count))
    left = of_groups - of_groups.mean(axis=0)
    square = each * np.sum(left**2) / ((topics - 1) * (count - 1))
    of_topics = systems * y.mean(axis=1).var(ddof=1)
    expected = [(of_topics - square) / systems, (square - residual) / each, residual]
    np.testing.assert_allclose(found["variance"], expected, rtol=1e-11)


def test_scores_whose_squares_of_variances_overflow_have_no_counterpart() -> None:
    scores = FRAMES["complete"] * 1e140
    result = mixed_model(scores, "score ~ stemmer", COMPONENTS, random=["topic"], schemes=[RAW])
    with pytest.raises(VerificationError, match="no number of the mixed model"):
        verify(result, against="statsmodels")


def stemmers_of(frame: pd.DataFrame) -> list[str]:
    return [
        str(each) for each in COMPONENTS.set_index("system").loc[list(frame.columns), "stemmer"]
    ]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_without_a_variance_of_topics_the_judge_is_least_squares_with_fixed_topics(
    frame: pd.DataFrame,
) -> None:
    y = Z.standardize(frame).frame.to_numpy()
    levels = {"stemmer": stemmers_of(frame)}
    found = MIXED(y, levels, [("stemmer",)], [("topic",)], "REML")
    rows, _ = long_frame(y, levels)
    fit = smf.ols("score ~ C(topic) + C(f0, Sum)", rows).fit()
    own = [name for name in fit.params.index if "f0" in name]
    for name, theirs in (
        ("coefficient", fit.params),
        ("stderr of coefficient", fit.bse),
        ("t", fit.tvalues),
        ("p value of t", fit.pvalues),
    ):
        np.testing.assert_allclose(found[name][1:], theirs[own], rtol=1e-10)
    np.testing.assert_allclose(found["variance"], [0, fit.scale], rtol=1e-12)
    f = anova_lm(fit, typ=2).loc["C(f0, Sum)"]
    np.testing.assert_allclose(found["F"], f["F"], rtol=1e-10)
    np.testing.assert_allclose(found["degrees of freedom of F"], fit.df_resid, rtol=1e-10)
    np.testing.assert_allclose(found["p value of F"], f["PR(>F)"], rtol=1e-9)


@pytest.mark.parametrize("method", ["REML", "ML"])
def test_the_likelihood_of_the_judge_is_that_of_statsmodels(method: Estimation) -> None:
    frame = FRAMES["holes"]
    levels = {
        "stemmer": COMPONENTS.set_index("system").loc[list(frame.columns), "stemmer"].tolist()
    }
    found = MIXED(frame.to_numpy(), levels, [("stemmer",)], [("topic",)], method)
    rows, _ = long_frame(frame.to_numpy(), levels)
    model = smf.mixedlm("score ~ C(f0, Sum)", rows, groups="topic")
    model.reml, model.cov_pen, model.fe_pen = method == "REML", None, None
    topic, residual = found["variance"]
    relative = np.array([[topic / residual]])
    at = MixedLMParams.from_components(fe_params=found["coefficient"], cov_re=relative)
    assert model.loglike(at) == pytest.approx(found["log-likelihood"][0], rel=1e-12)
    fixed = model.get_fe_params(relative, np.zeros(0))[0]
    np.testing.assert_allclose(fixed, found["coefficient"], rtol=1e-9)
    assert model.get_scale(fixed, relative, np.zeros(0)) == pytest.approx(residual, rel=1e-10)


@pytest.mark.parametrize("scheme", [RAW, Z], ids=["raw", "z"])
@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_every_number_of_a_study(
    frame: pd.DataFrame, scheme: Standardizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = g_study(frame, scheme)
    check_and_change(study, modelled._Studied, monkeypatch)
    for own in (frame, frame * 1e60, frame + 1e6):
        table = verify(d_study(g_study(own, scheme), [1, 50], [0.5, 0.95]), against="statsmodels")
        assert table["agrees"].all(), table[~table["agrees"]].to_string()
        assert table.attrs["without"] == {}


@pytest.mark.parametrize("goal", GOALS)
def test_every_number_of_a_plan(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_and_change(plan(pilot_scores(), goal), modelled._Planned, monkeypatch)


def test_numbers_beside_a_wrong_setting_are_found() -> None:
    """The topics of a curve and of a table of reliabilities, which are settings."""
    result = plan(pilot_scores(), GOALS[0])
    wrong = result.curve.assign(topics=result.curve["topics"] + 1)
    table = verify(replace(result, curve=wrong), against="statsmodels")
    assert list(table.loc[~table["agrees"], "quantity"]) == ["curve: power"]
    decision = d_study(g_study(FRAMES["complete"], RAW), [5, 50], [0.5])
    wrong = decision.reliability.assign(topics=[6, 50])
    table = verify(replace(decision, reliability=wrong), against="statsmodels")
    assert {"relative", "absolute"} <= set(table.loc[~table["agrees"], "quantity"])


def test_an_effect_that_dwarfs_the_differences() -> None:
    table = verify(plan(pilot_scores() * 1e-9, "paired_t:difference=0.3"), against="statsmodels")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()


def test_every_number_of_a_correlation() -> None:
    result = correlate(datasets.load_cranfield("ap"), datasets.load_cranfield("ndcg10"))
    table = verify(result, against="statsmodels").set_index("quantity")
    assert table["agrees"].all()
    assert table.attrs["without"] == {}
    for measure in result.table["measure"]:
        wrong = result.table.copy()
        wrong.loc[wrong["measure"] == measure, "value"] *= 1 + CHANGE
        again = verify(replace(result, table=wrong), against="statsmodels").set_index("quantity")
        assert list(again.index[~again["agrees"]]) == ["correlation"]
