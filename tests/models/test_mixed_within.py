"""Where the variance of topic is 0, systems are compared within topics."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import cdfscore.models.mixed
from cdfscore import Standardizer
from cdfscore.errors import ModelError
from cdfscore.models import anova, mixed_model
from cdfscore.models.mixed import Estimation
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from tests.models.designs import RAW
from tests.models.mixed_designs import GRID, PARTS, cut
from tests.models.test_anova_in_r import evaluated
from validation.coverage import of_models

_FOLDER = Path(cdfscore.models.mixed.__file__).parent
TWIN = (_FOLDER / "long_frame.R", _FOLDER / "mixed_model.R")
BY_STEMMER, BY_KIND = ["topic", "topic:stemmer"], ["topic", "topic:kind"]
# Topics are factors here, so that the likelihood is the restricted one of differences within them.
FIXED_TOPICS = """
function(data, formula, method) {
  contrasts(data$stemmer) <- contr.sum(nlevels(data$stemmer))
  contrasts(data$model) <- contr.sum(nlevels(data$model))
  data$cell <- interaction(data$topic, data$stemmer, drop = TRUE)
  control <- lme4::lmerControl(optimizer = "nloptwrap", check.conv.grad = "ignore",
    optCtrl = list(xtol_abs = 1e-14, ftol_abs = 1e-14, xtol_rel = 1e-14, ftol_rel = 0))
  model <- lmerTest::lmer(update(as.formula(formula), . ~ . + topic + (1 | cell)), data,
                          control = control)
  table <- coef(summary(model))
  own <- grep("^(stemmer|model)", rownames(table))
  found <- as.data.frame(lme4::VarCorr(model))
  list(found$vcov, table[own, "Estimate"], table[own, "Std. Error"], table[own, "df"],
       anova(model)[c("stemmer", "model"), "F value"])
}
"""


def repeated_measures(y: Array) -> tuple[float, int]:
    """Return F of the levels (topics, k) of one factor, and the df of its error."""
    n, k = y.shape
    topics, levels = y.mean(axis=1, keepdims=True), y.mean(axis=0, keepdims=True)
    error = np.sum((y - topics - levels + y.mean()) ** 2) / ((n - 1) * (k - 1))
    return float(n * np.sum((levels - y.mean()) ** 2) / (k - 1) / error), (n - 1) * (k - 1)


def standardized(scheme: str, frame: pd.DataFrame) -> pd.DataFrame:
    return Standardizer(scheme, missing="omit").standardize(frame).frame


def most_of_the_mean_removed(
    topics: int, counts: Sequence[int], *, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores of kinds with some numbers of systems, and the kinds.

    Topics, kinds on topics, and residuals have the variance 1. Most of the mean of each topic is
    removed, as a scheme may do: scores on a topic are then less alike than by chance.
    """
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(len(counts)), counts)
    y = rng.normal(size=(topics, 1)) + rng.normal(size=(topics, len(counts)))[:, own]
    y += rng.normal(size=(topics, len(own)))
    frame = pd.DataFrame(y - 0.9 * y.mean(axis=1, keepdims=True))
    frame.columns = [f"s{place}" for place in frame.columns]
    return frame, pd.DataFrame({"system": frame.columns, "kind": [f"k{i}" for i in own]})


@pytest.mark.clause("mixed_model.5")
@pytest.mark.parametrize("scheme", ["normal", "uniform", "empirical", "raw"])
def test_of_two_systems_the_test_is_the_paired_t_test(scheme: str) -> None:
    pair = GRID.iloc[:, [0, 35]]
    (row,) = mixed_model(pair, "score ~ system", schemes=[scheme]).table.to_dict("records")
    t = stats.ttest_rel(*standardized(scheme, pair).to_numpy().T)
    assert row["statistic"] == pytest.approx(t.statistic**2, rel=1e-9)
    assert row["df_error"] == pytest.approx(224, rel=1e-9)
    assert row["p_value"] == pytest.approx(t.pvalue, rel=1e-9)


@pytest.mark.clause("mixed_model.5")
@pytest.mark.parametrize("scheme", ["normal", "uniform", "empirical"])
def test_f_of_a_component_is_that_of_repeated_measures(scheme: str) -> None:
    """The variance of topic:stemmer is of 2 differences, and not of 3 means, on each topic."""
    found = mixed_model(GRID, "score ~ stemmer", PARTS, random=BY_STEMMER, schemes=[scheme])
    stemmers = PARTS.set_index("system").loc[list(GRID.columns), "stemmer"].tolist()
    means = standardized(scheme, GRID).T.groupby(stemmers).mean().T.to_numpy()
    f, df = repeated_measures(means)
    (row,) = found.table.to_dict("records")
    assert (row["statistic"], row["df_error"]) == pytest.approx((f, df), rel=1e-9)
    fixed = anova(GRID, "score ~ topic * stemmer", PARTS, schemes=[scheme]).table
    squares = dict(zip(fixed["term"], fixed["mean_square"], strict=True))
    between = (squares["topic:stemmer"] - squares["residual"]) / 24
    of_all = found.variances["variance"].tolist()
    assert of_all == pytest.approx([0, between, squares["residual"]], rel=1e-8)
    assert (found.variances["conf_low"] <= of_all).all()
    assert (found.variances["conf_high"] >= of_all).all()


@pytest.mark.clause("mixed_model.5")
def test_differences_and_means_are_those_of_paired_scores() -> None:
    pair = GRID.iloc[:, [0, 35]]
    found = mixed_model(pair, "score ~ system", schemes=["normal"])
    y = standardized("normal", pair).to_numpy()
    stderr = stats.sem(y[:, 0] - y[:, 1])
    (row,) = found.contrasts("system").to_dict("records")
    assert row["estimate"] == pytest.approx(np.mean(y[:, 0] - y[:, 1]))
    assert row["stderr"] == pytest.approx(stderr)
    means = found.means("system")
    np.testing.assert_allclose(means["mean"], y.mean(axis=0))
    # The scheme fixes the mean of both: each is away from it by half of the difference.
    np.testing.assert_allclose(means["stderr"], stderr / 2, rtol=1e-6)
    assert found.coefficients["stderr"][0] < 1e-9


@pytest.mark.clause("mixed_model.5")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("scheme", ["raw", "normal", "uniform"])
@pytest.mark.parametrize("random", [["topic"], BY_KIND])
@pytest.mark.parametrize("counts", [(6, 1, 1), (2, 2, 2), (1, 4)])
def test_a_mean_has_the_t_test_of_one_number_for_each_topic(
    counts: tuple[int, ...], random: list[str], scheme: str, method: Estimation
) -> None:
    """Where all scores are present, whatever the scheme does to the mean of a topic."""
    if counts == (1, 4) and random == BY_KIND:
        random = ["topic"]  # of one difference, the interaction is not a variance of its own
    frame, kinds = most_of_the_mean_removed(20, counts, seed=2)
    found = mixed_model(
        frame, "score ~ kind", kinds, random=random, schemes=[scheme], method=method
    )
    assert found.variances["variance"][0] == 0
    of_kinds = standardized(scheme, frame).T.groupby(kinds["kind"].tolist(), sort=False).mean().T
    rows = [*found.means("kind").to_dict("records"), found.coefficients.iloc[0].to_dict()]
    wanted = [*of_kinds.to_numpy().T, of_kinds.mean(axis=1).to_numpy()]
    for row, numbers in zip(rows, wanted, strict=True):
        assert row.get("mean", row.get("estimate")) == pytest.approx(numbers.mean(), abs=1e-12)
        if numbers.std() < 1e-12:  # an even scheme fixes the mean of a topic
            assert row["stderr"] == 0
            continue
        test = stats.ttest_1samp(numbers, 0.0)
        assert row["stderr"] == pytest.approx(stats.sem(numbers), rel=1e-9)
        assert row["df"] == pytest.approx(test.df, rel=1e-9)
        ends = test.confidence_interval()
        assert (row["conf_low"], row["conf_high"]) == pytest.approx(tuple(ends), rel=1e-8)


@pytest.mark.clause("mixed_model.5")
@pytest.mark.parametrize("random", [["topic"], BY_KIND])
@pytest.mark.parametrize("seed", range(3))
def test_means_with_missing_scores_follow_the_text_of_the_clause(
    random: list[str], seed: int
) -> None:
    """By matrices of all scores: u = g'(I - H) y, its expected squares, and their variance."""
    frame, kinds = most_of_the_mean_removed(9, (3, 2, 1), seed=seed)
    frame = cut(frame, 0.25, seed)
    found = mixed_model(frame, "score ~ kind", kinds, random=random, schemes=[RAW])
    assert found.variances["variance"][0] == 0
    y = frame.to_numpy()
    topic, slot = np.nonzero(~np.isnan(y))
    kind = pd.factorize(kinds["kind"])[0][slot]
    x = np.array([[1.0, 0], [0, 1], [-1, -1]])[kind]
    v = found.variances["variance"].to_numpy()
    same_topic = topic[:, np.newaxis] == topic
    covariance = v[-1] * np.eye(len(topic))
    if len(v) == 3:
        covariance += v[1] * (same_topic & (kind[:, np.newaxis] == kind))
    of_topics = (np.unique(topic)[:, np.newaxis] == topic) * 1.0
    means = of_topics / of_topics.sum(axis=1, keepdims=True)
    precision = np.linalg.inv(covariance)
    inner = of_topics @ precision @ of_topics.T
    weights = precision - precision @ of_topics.T @ np.linalg.solve(inner, of_topics @ precision)
    of_columns = np.linalg.solve(x.T @ weights @ x, x.T @ weights)
    of_mean = means.mean(axis=0) - means.mean(axis=0) @ x @ of_columns
    hat = np.column_stack([np.ones(len(topic)), x]) @ np.vstack([of_mean, of_columns])
    left = np.eye(len(topic)) - hat
    for row, columns in zip(found.means("kind").to_dict("records"), np.eye(3), strict=True):
        level = np.array([[1.0, 0], [0, 1], [-1, -1]]).T @ columns
        g = of_mean + level @ of_columns
        assert row["mean"] == pytest.approx(g @ y[topic, slot], rel=1e-9)
        b = (of_topics * g) @ left
        of_u = b @ covariance @ b.T
        k = (g @ covariance @ g) / np.trace(of_u)
        assert row["stderr"] ** 2 == pytest.approx(k * np.sum((b @ y[topic, slot]) ** 2), rel=1e-9)
        df = np.trace(of_u) ** 2 / np.sum(of_u**2)
        assert row["df"] == pytest.approx(df, rel=1e-9)


@pytest.mark.long
@pytest.mark.clause("mixed_model.5")
def test_intervals_of_means_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30 topics and levels of 6, 1 and 1 systems: 0.905 and 0.991 were covered before."""
    own = [each for each in of_models.MIXED_DESIGNS if each.removed and len(each.sizes) == 3]
    monkeypatch.setattr(of_models, "MIXED_DESIGNS", own)
    monkeypatch.setattr(of_models, "MIXED", 500)
    for found in of_models.of_mixed():
        if "coverage" in found.quantity:
            assert found.found == pytest.approx(found.nominal, abs=4 * found.error), found


def test_missing_scores_leave_the_model_of_fixed_topics_in_r(
    rinterface: ModuleType, require_r_package: Callable[[str], None]
) -> None:
    require_r_package("lmerTest")
    frame = standardized("normal", cut(GRID.iloc[:40, ::2], 0.3))
    first = frame.columns.get_loc(frame.iloc[3].first_valid_index())
    frame.iloc[3, first + 1 :] = np.nan  # a topic with a single score says nothing within it
    formula = "score ~ stemmer + model"
    found = mixed_model(frame, formula, PARTS, random=BY_STEMMER, schemes=[RAW])
    assert found.variances["variance"][0] == 0
    rows = PARTS.set_index("system", drop=False).loc[list(frame.columns)]
    r = RSession()
    factors = {name: r.strings(rows[name].tolist()) for name in rows}
    data = r.function("long_frame", *TWIN)(
        r.matrix(frame.to_numpy()), rinterface.baseenv["data.frame"](**factors)
    )
    theirs = evaluated(rinterface, FIXED_TOPICS)(data, r.strings([formula]), r.strings(["REML"]))
    variances, estimate, stderr, df, f = map(np.array, theirs)
    np.testing.assert_allclose(found.variances["variance"][1:], variances, rtol=1e-5)
    own = found.coefficients.iloc[1:]
    np.testing.assert_allclose(own["estimate"], estimate, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(own["stderr"], stderr, rtol=1e-5)
    np.testing.assert_allclose(own["df"], df, rtol=1e-5)
    np.testing.assert_allclose(found.table["statistic"], f, rtol=1e-5)


def test_effects_between_topics_alone_are_refused() -> None:
    """Each topic has the systems of one stemmer, and standardized scores nothing between topics."""
    rows = PARTS.set_index("system").loc[list(GRID.columns), "stemmer"]
    own = pd.factorize(rows)[0]
    topics = np.arange(len(GRID)) % 3
    frame = GRID.where(topics[:, np.newaxis] == own)
    scheme = Standardizer("normal", missing="omit")
    with pytest.raises(ModelError, match="the effects of stemmer follow from those of other terms"):
        mixed_model(frame, "score ~ stemmer", PARTS, schemes=[scheme])
