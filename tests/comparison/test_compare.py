"""`compare` on raw and standardized scores."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from cdfscore import Standardizer, compare, sensitivity
from cdfscore.comparison import comparison as module
from cdfscore.errors import CdfscoreError, MissingScoreError, ScoresError
from cdfscore.report.comparison import caption
from cdfscore.report.writing import as_json
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import (
    PairsTogether,
    TwoSamples,
    parse_test,
    significance_tests,
)
from cdfscore.stats.significance.paired_t import paired_t

COLUMNS = [
    *("scheme", "system_a", "system_b", "n", "n_b", "estimate", "conf_low", "conf_high"),
    *("statistic", "parameter", "p_value", "p_value_stderr", "p_adjusted"),
    *("effect_size", "effect_low", "effect_high", "method", "reason"),
]
OMIT = Standardizer("raw", missing="omit")
OF_PAIRS = [
    str(significance_tests.load(name).chosen_example())
    for name in significance_tests.names()
    if isinstance(significance_tests.load(name), TwoSamples | PairsTogether)
]


@pytest.fixture
def scores() -> pd.DataFrame:
    """Thirty topics and five systems, the last two alike."""
    rng = np.random.default_rng(8)
    values = rng.beta(1, 2, (30, 1)) + rng.normal(0, 0.1, (30, 5)) + [0.3, 0.1, 0.05, 0, 0]
    return pd.DataFrame(
        values, index=pd.Index(np.arange(301, 331), name="topic"), columns=list("abcde")
    )


@pytest.fixture
def gaps(scores: pd.DataFrame) -> pd.DataFrame:
    """The same without the first score of a and two of b."""
    gaps = scores.copy()
    gaps.iloc[0, 0] = gaps.iloc[3, 1] = gaps.iloc[4, 1] = np.nan
    return gaps


@pytest.mark.parametrize("test", OF_PAIRS)
def test_every_test_of_pairs(scores: pd.DataFrame, test: str) -> None:
    draws = parse_test(test).test.draws
    spelled = f"{test}:B=99" if draws else test
    found = compare(scores, spelled, baselines="c", scheme="uniform")
    assert list(found.table.columns) == COLUMNS
    assert found.table["system_a"].tolist() == ["a", "b", "d", "e"]
    assert set(found.table["system_b"]) == {"c"}
    assert found.table["p_adjusted"].between(0, 1).all()
    assert (found.table["p_adjusted"] >= found.table["p_value"]).all()
    assert (found.table["reason"] == "").all()


@pytest.mark.clause("compare.1")
def test_is_the_test_on_standardized_scores(scores: pd.DataFrame) -> None:
    found = compare(scores, "paired_t", scheme="normal", adjust="BH").table
    y = Standardizer("normal").fit_transform(scores)
    for row in found.to_dict("records"):
        alone = paired_t(y[row["system_a"]], y[row["system_b"]])
        effect = effect_sizes.load("d_z")(y[row["system_a"]], y[row["system_b"]])
        assert row["p_value"] == pytest.approx(float(alone.p_value), rel=1e-12)
        assert row["conf_low"] == pytest.approx(float(alone.conf_low), rel=1e-10)
        assert row["effect_size"] == pytest.approx(float(effect.estimate), rel=1e-12)
        assert row["effect_low"] <= row["effect_size"] <= row["effect_high"]
    assert found["p_adjusted"].tolist() == adjust(found["p_value"].to_numpy(), "BH").tolist()


@pytest.mark.clause("family.4")
def test_each_scheme_is_a_family_of_its_own(scores: pd.DataFrame) -> None:
    both = compare(scores, "paired_t", scheme=["raw", "empirical"])
    assert both.schemes == ["raw", "empirical:convention=weak"]
    for scheme in ("raw", "empirical"):
        alone = compare(scores, "paired_t", scheme=scheme)
        rows = both.table[both.table["scheme"] == alone.schemes[0]].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone.table)
        assert both.letters(scheme) == alone.letters()
    assert both.means["raw"].tolist() == pytest.approx(scores.mean().tolist())


@pytest.mark.clause("compare.1")
def test_the_reference_is_what_the_scheme_is_fitted_on(scores: pd.DataFrame) -> None:
    others = scores + np.random.default_rng(1).normal(0, 0.2, scores.shape)
    found = compare(scores, "paired_t", scheme="empirical", reference=others).table
    y = Standardizer("empirical").fit(others).transform(scores)
    assert found["estimate"].iloc[0] == pytest.approx((y["a"] - y["b"]).mean())


@pytest.mark.clause("compare.1")
def test_other_scores_are_told_from_the_reference_itself(scores: pd.DataFrame) -> None:
    some = scores.iloc[:, :3]
    fit = Standardizer("z").fit
    for found, to in (
        (compare(some, "paired_t", scheme="z"), "these scores"),
        (compare(some, "paired_t", scheme="z", reference=some), "these scores"),
        (compare(some, "paired_t", scheme=fit(some)), "these scores"),
        (compare(some, "paired_t", scheme="z", reference=scores), "other scores"),
        (compare(some, "paired_t", scheme=fit(scores)), "scores not known to be these"),
        (compare(some, "paired_t", scheme=fit(some / 2)), "other scores"),
        (compare(scores, "paired_t", scheme=fit(some)), "other scores"),
    ):
        assert found.fitted_to == to
        assert json.loads(as_json(found))["fitted_to"] == to


def test_as_many_but_other_topics_are_noted(scores: pd.DataFrame) -> None:
    one, other = scores.copy(), scores.copy()
    one.iloc[2, 0] = other.iloc[0, 1] = np.nan
    fitted = [
        Standardizer(scheme, missing="drop_topic").fit(reference)
        for scheme, reference in (("normal", one), ("z", other))
    ]
    first, _, third = scores.index[:3]
    found = compare(scores, "paired_t", scheme=fitted)
    assert found.notes[0] == (
        "the schemes are compared on different topics: "
        f"N-std without {third}; z-std without {first}"
    )


def test_factors_of_more_topics_are_not_known_to_be_of_these(scores: pd.DataFrame) -> None:
    found = compare(scores.iloc[:9], "paired_t", scheme=Standardizer("z").fit(scores))
    assert found.fitted_to == "scores not known to be these"
    assert "by z-std, of 9 topics, fitted to scores not known to be these" in caption(found)
    assert found.letters(Standardizer("z").fit(scores)) == found.letters("z")


def test_factors_under_another_policy_are_told(gaps: pd.DataFrame) -> None:
    factors = replace(Standardizer("normal", missing="zero").fit(gaps), missing="omit")
    found = compare(gaps, "paired_t", scheme=factors)
    assert found.fitted_to == "these scores"
    assert "fitted under the policy zero for missing scores, and omit is used" in caption(found)


@pytest.mark.clause("compare.4")
def test_the_largest_doubles_are_compared_without_a_warning() -> None:
    """Their differences are infinite; those of a millionth of them are not."""
    values = np.random.default_rng(5).uniform(-1.7, 1.7, (8, 3))
    index = pd.Index([f"t{k}" for k in range(8)], name="topic")
    tables = [
        compare(pd.DataFrame(values * unit, index, list("abc")), "paired_t", scheme="raw").table
        for unit in (1e308, 1e302)
    ]
    np.testing.assert_allclose(tables[0]["p_value"], tables[1]["p_value"], rtol=1e-12)


def test_identical_systems_have_a_reason_and_no_part_in_the_correction(
    scores: pd.DataFrame,
) -> None:
    twins = scores.assign(e=scores["d"])
    found = compare(twins, "paired_t").table
    row = found[(found["system_a"] == "d") & (found["system_b"] == "e")].iloc[0]
    assert np.isnan(row["p_value"])
    assert np.isnan(row["p_adjusted"])
    assert row["reason"] == "all differences are 0"
    others = found.drop(index=row.name)["p_value"].to_numpy()
    assert found["p_adjusted"].max() == adjust(others, "holm").max()


@pytest.mark.clause("compact_letters.1", "compact_letters.2")
def test_letters_say_which_systems_do_not_differ(scores: pd.DataFrame) -> None:
    found = compare(scores, "tukey_hsd", alpha=0.01)
    letters = found.letters()
    assert list(letters) == found.means["raw"].sort_values(ascending=False).index.tolist()
    for row in found.table.to_dict("records"):
        shared = set(letters[row["system_a"]]) & set(letters[row["system_b"]])
        assert bool(shared) == (row["p_adjusted"] > 0.01)


def test_the_reference_is_told_by_its_systems_and_digest(scores: pd.DataFrame) -> None:
    factors = Standardizer("normal").fit(scores)
    known = compare(scores[["a", "b"]], "paired_t", scheme=factors).reference
    digest = str(factors.digest)[: len("sha256:") + 12]
    assert known == f"5 systems, {digest}"
    unknown = replace(factors, systems=None)
    assert compare(scores[["a", "b"]], "paired_t", scheme=unknown).reference == digest
    assert compare(scores, "paired_t").reference == ""


@pytest.mark.clause("family.3", "adjust.2")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"test": "paired"}, "there is no significance test 'paired'"),
        (
            {"test": None},
            "no test is given; expected test='paired_t' for two systems, .* friedman,",
        ),
        ({"test": 3}, "test=3 is not accepted; expected a significance test such as paired_t"),
        ({"test": "friedman", "baselines": "a"}, "friedman does not compare pairs"),
        ({"test": "friedman", "effect": "d_z"}, "friedman does not compare pairs"),
        ({"test": "anova_two_way", "adjust": "holm"}, "anova_two_way gives only one"),
        ({"test": "one_sample_t"}, "one_sample_t tests the scores of one system against a value"),
        ({"adjust": "holms"}, "'holms'"),
        ({"test": "tukey_hsd", "adjust": "holm"}, "would correct tukey_hsd a second time"),
        ({"effect": "cohen"}, "there is no effect size 'cohen'"),
        ({"alpha": 5}, "alpha=5 is not accepted; expected a number between 0 and 1"),
        ({"baselines": "z"}, "the baseline 'z' is not a system of the scores"),
        ({"scheme": ["raw", "raw"]}, "the scheme raw is given twice"),
        ({"baselines": 3}, "baselines=3 is not accepted; expected the name of a system, as text"),
        ({"baselines": [3]}, r"baselines=\[3\] is not accepted; expected the name of a system"),
        ({"baselines": ["a", None]}, r"baselines=\['a', None\] is not accepted"),
        ({"baselines": None}, "baselines=None is not accepted"),
        ({"scheme": []}, "no scheme is given"),
        ({"scheme": "norm"}, "there is no scheme 'norm'"),
    ],
)
def test_refuses(scores: pd.DataFrame, settings: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"test": "paired_t", **settings}
    with pytest.raises(CdfscoreError, match=message):
        compare(scores, **arguments)


@pytest.mark.clause("compare.3")
def test_refuses_missing_scores_unless_told(gaps: pd.DataFrame) -> None:
    with pytest.raises(MissingScoreError, match="topic '301', system 'a': the score is missing"):
        compare(gaps, "paired_t")
    message = "topic '301', system 'a': tukey_hsd needs every score, and .* missing='drop_topic'"
    with pytest.raises(ScoresError, match=message):
        compare(gaps, "tukey_hsd", scheme=OMIT)


WHOLE = ["tukey_hsd", "max_t:B=99", "friedman", "nemenyi", "anova_two_way", "dunnett", "conover"]


@pytest.mark.clause("compare.3")
@pytest.mark.parametrize("test", WHOLE)
def test_topics_without_any_score_are_left_out(scores: pd.DataFrame, test: str) -> None:
    """By nan as by drop_topic, for constant and for unfitted topics."""
    scores = scores + 5
    baselines = ("a",) if test == "dunnett" else ()
    for scheme, policy, values in (
        ("normal", "constant", 0.5),
        ("gamma", "unfitted", [0, 0, 0.5, 0.6, 0.7]),
    ):
        scores.loc[305] = values
        nan, dropped = (
            compare(scores, test, scheme=Standardizer(scheme, **{policy: how}), baselines=baselines)
            for how in ("nan", "drop_topic")
        )
        pd.testing.assert_frame_equal(nan.table, dropped.table)
        assert nan.topics == dropped.topics == len(scores) - 1


@pytest.mark.clause("constant.2")
def test_all_schemes_have_the_same_topics(scores: pd.DataFrame) -> None:
    scores.loc[305] = 0.5
    how = [Standardizer(each, constant="drop_topic") for each in ("raw", "normal", "empirical")]
    found = compare(scores, "paired_t", scheme=how)
    assert set(found.topics_by_scheme.values()) == {len(scores) - 1}
    mixed = sensitivity(scores, ["raw", how[1]], test="paired_t")
    assert mixed.comparison.topics == len(scores) - 1
    assert any("since one scheme drops constant topics" in note for note in mixed.notes)


@pytest.mark.clause("compare.1")
def test_refuses_an_infinite_score_by_its_labels(scores: pd.DataFrame) -> None:
    constant = scores.copy()
    constant.loc[305] = 0.5
    others = scores.copy()
    with pytest.raises(CdfscoreError, match="topic '305', system 'a': the score by z is inf"):
        compare(others, "paired_t", scheme="z", reference=constant)


@pytest.mark.clause("compact_letters.2")
def test_letters_need_all_pairs(scores: pd.DataFrame) -> None:
    with pytest.raises(CdfscoreError, match="letters and diagrams need all pairs"):
        compare(scores, "paired_t", baselines="a").letters()
    with pytest.raises(CdfscoreError, match="scheme='normal' is not accepted"):
        compare(scores, "paired_t").letters("normal")


@pytest.mark.clause("compact_letters.2")
@pytest.mark.parametrize(
    ("test", "message"),
    [
        (
            "equivalence_t:margin=0.1",
            "a small p value of equivalence_t:margin=0.1 shows equivalence",
        ),
        ("kendall", "a small p value of kendall shows correlation"),
        ("variance_ratio", "shows difference of variances"),
        ("paired_t:alternative=less", "of no difference, and paired_t:alternative=less is not"),
        ("paired_t:null_value=0.1", "expected the settings alternative=two-sided and null"),
    ],
)
def test_letters_are_of_differences(scores: pd.DataFrame, test: str, message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        compare(scores, test).letters()


def test_a_pair_without_a_p_value_by_one_scheme_has_no_level_by_it() -> None:
    """By E-std, a and b are above all others on their 3 topics, and have no difference."""
    values = np.random.default_rng(4).uniform(0.2, 0.6, (10, 5))
    reference = pd.DataFrame(values, columns=list("cdefg"), index=[f"t{i}" for i in range(10)])
    scores = reference[["c"]].assign(
        a=[0.7, 0.8, 0.9, 0.7, 0.8, 0.9, *[np.nan] * 4],
        b=[*[np.nan] * 3, 0.9, 0.7, 0.8, 0.7, 0.8, 0.9, 0.9],
    )
    schemes = [Standardizer(scheme, missing="omit") for scheme in ("raw", "empirical")]
    found = compare(scores, "paired_t", scheme=schemes, reference=reference)
    rows = found.table.set_index(["scheme", "system_a", "system_b"])
    assert rows.loc[("raw", "a", "b"), "n"] == 3
    assert rows["p_value"].isna().tolist() == [False] * 5 + [True]
    (note,) = [note for note in found.notes if "nothing is known" in note]
    assert note.startswith("raw scores: nothing is known of the level of the paired t test with 3")


def test_a_topic_that_one_scheme_drops_has_no_direction_by_it(gaps: pd.DataFrame) -> None:
    gaps = gaps.clip(0, 1)
    policies: dict[str, Any] = {"lower_is_better": True, "reflect_at": 1.0}
    schemes = [
        Standardizer("z", missing="drop_topic", **policies),
        Standardizer("normal", missing="omit", **policies),
    ]
    found = compare(gaps, "paired_t", scheme=schemes)
    assert list(found.topics_by_scheme.values()) == [27, 30]


@pytest.mark.clause("compare.6")
def test_the_best_has_the_best_mean_rank_where_the_test_is_of_ranks() -> None:
    """System a is best on all topics but one, which decides the means."""
    rng = np.random.default_rng(6)
    scores = pd.DataFrame(rng.random((12, 3)) / 100 + [0.03, 0.02, 0.01], columns=list("abc"))
    scores.iloc[0] = [0.0, 0.4, 0.9]
    ranks = pd.Series(scipy.stats.rankdata(-scores, axis=1).mean(axis=0), index=scores.columns)
    best = compare(scores, "nemenyi").best_first("raw")
    assert best.to_dict() == pytest.approx(ranks.to_dict())
    assert list(best.index) == list(ranks.sort_values().index)
    assert list(compare(scores, "paired_t").best_first("raw").index) == ["c", "b", "a"]
    assert best.index[0] == "a"


def test_a_test_of_one_sample_has_its_settings(scores: pd.DataFrame) -> None:
    chosen = parse_test("one_sample_t:null_value=0.3,conf_level=0.8")
    raw = Standardizer("raw").standardize(scores)
    tested = module.Tested.of(raw, chosen, (), "none", "", 0.05)
    theirs, found = scipy.stats.ttest_1samp(scores.to_numpy(), 0.3), tested.found.result
    np.testing.assert_allclose(found.p_value, theirs.pvalue, rtol=1e-12)
    np.testing.assert_allclose(found.conf_low, theirs.confidence_interval(0.8).low)
    assert tested.labels == list("abcde")


@pytest.mark.parametrize(
    ("test", "resamples", "message"),
    [
        (
            "paired_t",
            199,
            "reference_uncertainty=199 is not accepted; .*from 200 to 1000000000.*0 for none",
        ),
        ("welch_t", 200, "and welch_t is a test of unpaired scores; expected a test of pairs"),
        ("friedman", 200, "and friedman is a test of all systems; expected a test of pairs"),
    ],
)
def test_refuses_the_uncertainty_of_the_reference(
    scores: pd.DataFrame, test: str, resamples: int, message: str
) -> None:
    with pytest.raises(CdfscoreError, match=message):
        compare(scores, test, scheme="normal", reference_uncertainty=resamples)


@pytest.mark.clause("compare.2")
def test_the_interval_of_a_mean_is_that_of_t_over_its_own_topics(gaps: pd.DataFrame) -> None:
    found = compare(gaps, "paired_t:conf_level=0.9", scheme=OMIT)
    (intervals,) = found.mean_intervals.values()
    assert intervals["n"].tolist() == [29, 28, 30, 30, 30]
    for system in gaps:
        own = gaps[system].dropna()
        expected = scipy.stats.ttest_1samp(own, 0).confidence_interval(0.9)
        ends = intervals.loc[system, ["low", "high"]].tolist()
        assert ends == pytest.approx(list(expected), rel=1e-10)
        assert found.means.iloc[:, 0][system] == pytest.approx(own.mean(), rel=1e-13)


@pytest.mark.clause("compare.5")
def test_intervals_are_not_corrected() -> None:
    """Of each pair by itself: it excludes 0 where p is at most 0.05, whatever p_adjusted is."""
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.normal(0, 1, (20, 8)) + np.linspace(0, 0.6, 8))
    found = compare(scores.rename(columns="s{}".format), "paired_t").table
    apart = (found["conf_low"] > 0) | (found["conf_high"] < 0)
    assert apart.tolist() == (found["p_value"] <= 0.05).tolist()
    assert (apart & (found["p_adjusted"] > 0.05)).any()
