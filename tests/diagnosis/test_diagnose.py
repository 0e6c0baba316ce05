"""The whole diagnosis: its tables, its policies, what it refuses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import datasets
from cdfscore.diagnosis import Diagnosis, diagnose
from cdfscore.errors import CdfscoreError, MissingScoreError, SchemeError, ScoresError
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.schemes import Exponential, Minmax, Normal
from cdfscore.stats.schemes.base import Distribution, Parameters, refuse_rows

SCHEMES = ["normal", "exponential", "empirical"]


def _matrix(values: np.ndarray) -> pd.DataFrame:
    rows, columns = values.shape
    topics = [str(301 + row) for row in range(rows)]
    return pd.DataFrame(values, index=topics, columns=[f"sys{k}" for k in range(columns)])


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    values = np.round(np.vstack([rng.normal(0.4, 0.1, (6, 40)), rng.exponential(0.2, (6, 40))]), 3)
    return _matrix(values)


@pytest.fixture(scope="module")
def found(scores: pd.DataFrame) -> Diagnosis:
    return diagnose(scores, SCHEMES, bootstrap=199)


@pytest.mark.clause("diagnose.1")
def test_a_row_for_each_scheme_and_topic(scores: pd.DataFrame, found: Diagnosis) -> None:
    assert found.fits["topic"].tolist() == 3 * scores.index.tolist()
    assert found.fits["scheme"].unique().tolist() == list(found.schemes)
    assert found.fits["fitted"].all()
    assert (found.fits["n"] == 40).all()
    assert (found.topics, found.systems) == (12, 40)
    assert str(found.resolution) == "0.001 (found)"
    normal = Normal().fit(scores.to_numpy()[0])
    mean, sd = (float(normal.parameters[name][0]) for name in ("mean", "sd"))
    assert found.fits["parameters"].iloc[0] == f"mean={mean!r},sd={sd!r}"
    assert found.fits["parameters"].iloc[-1] == "sample=[40 numbers]"


@pytest.mark.clause("diagnose.4")
def test_the_true_distributions_win(found: Diagnosis) -> None:
    summary = found.summary.set_index("scheme")
    for criterion in ("aic", "bic"):
        values = found.fits.pivot(index="topic", columns="scheme", values=criterion)
        assert (values["normal"] < values["exponential"]).tolist() == 6 * [True] + 6 * [False]
        assert summary[f"{criterion}_wins"].tolist() == [6, 6, pd.NA]
    assert summary["aic_near"].tolist() == [6, 6, pd.NA]
    assert summary["ad_rejected"].tolist() == [5, 6, pd.NA]


def test_the_lowest_crps_wins_and_the_highest_log_score(found: Diagnosis) -> None:
    summary = found.summary.set_index("scheme")
    crps, logs = (
        found.fits.pivot(index="topic", columns="scheme", values=name)
        for name in ("crps", "log_score")
    )
    lowest = crps.idxmin(axis=1).value_counts()
    assert summary["crps_wins"].to_dict() == {each: lowest.get(each, 0) for each in found.schemes}
    highest = logs[["normal", "exponential"]].idxmax(axis=1).value_counts()
    assert summary.loc["normal", "log_score_wins"] == highest["normal"]


def test_a_result_is_no_other_one(found: Diagnosis) -> None:
    assert len({found, found, replace(found)}) == 2


@pytest.mark.clause("fit_p_value.3")
@pytest.mark.parametrize(
    ("sizes", "rejected"), [([9], pd.NA), ([10], 0), ([9, 10], 0), ([9, 9], pd.NA)]
)
def test_no_rejection_says_something_from_ten_scores_on(sizes: list[int], rejected: object) -> None:
    values = np.full((len(sizes), 10), np.nan)
    for row, n in enumerate(sizes):  # as normal as scores can be
        values[row, :n] = stats.norm.ppf((np.arange(n) + 0.5) / n)
    found = diagnose(_matrix(values), ["normal"], bootstrap=99, missing="omit")
    assert found.summary[["ks_rejected", "ad_rejected"]].iloc[0].tolist() == [rejected] * 2


def test_a_support_that_ends_at_the_least_score_predicts_no_lower_one(found: Diagnosis) -> None:
    own = found.fits[found.fits["scheme"] == "exponential"]
    assert (own["floored"] == 0).all()
    assert (own["floored_left_out"].iloc[6:] >= 1).any()
    assert found.summary["log_score_wins"].tolist() == [12, 0, pd.NA]
    assert "exponential: " in found.verdict[2]
    assert (
        "gives a probability below 1.1e-16 to 12 of 480 scores that were not used"
        in found.verdict[2]
    )


@pytest.mark.clause("fit_p_value.3", "information.1")
def test_tests_are_corrected_over_the_topics_of_a_scheme(found: Diagnosis) -> None:
    for scheme, own in found.fits.groupby("scheme"):
        for name in ("ks", "ad", "cvm"):
            expected = adjust(own[f"{name}_p"].to_numpy(), "holm")
            np.testing.assert_array_equal(own[f"{name}_p_holm"], expected)
        if scheme == found.schemes[2]:
            assert own[["ks_p", "ad_p", "cvm_p", "aic", "bic"]].isna().all(axis=None)
            assert own["reason"].str.contains("it fits any scores closely").all()
            assert (own["resamples"] == 0).all()


@pytest.mark.clause("fit_p_value.1")
def test_two_scores_say_nothing_of_a_location_and_a_scale() -> None:
    scores = pd.DataFrame(np.random.default_rng(3).random((4, 2)), columns=["a", "b"])
    schemes = ["normal", "uniform", "from_scipy:dist=logistic", "exponential"]
    fits = diagnose(scores, schemes, bootstrap=19).fits
    tested = fits.groupby("scheme", sort=False)["ad_p"].agg(lambda p: p.notna().all())
    assert tested.tolist() == [False, False, False, True]
    assert fits["reason"][:12].str.startswith("not tested: it fits any two scores equally").all()


@pytest.mark.clause("diagnose.2", "information.1")
def test_a_point_mass_is_compared_as_a_density_is() -> None:
    values = np.random.default_rng(4).binomial(5, 0.4, (3, 60)) / 5
    found = diagnose(_matrix(values), ["normal", _Binomial()], bootstrap=99)
    law = stats.binom(5, values.mean(axis=1, keepdims=True))
    expected = law.logpmf(values * 5).sum(axis=1)
    np.testing.assert_allclose(found.fits["log_likelihood"][3:], expected, rtol=1e-9)
    assert found.summary["aic_wins"].tolist() == [0, 3]
    assert (found.fits["ad_p"][3:] > 0.01).all()


@pytest.mark.clause("pit.1")
def test_the_histogram_has_every_left_out_score(found: Diagnosis) -> None:
    for _, own in found.histogram.groupby("scheme"):
        assert own["bin"].tolist() == list(range(1, 11))
        assert own["count"].sum() == pytest.approx(12 * 40)
        assert own["proportion"].sum() == pytest.approx(1)
        assert own["low"].tolist() == pytest.approx(np.arange(10) / 10)


@pytest.mark.clause("diagnose.1", "fit_p_value.2")
def test_numbers_depend_on_no_thread_other_topic_or_other_scheme(
    scores: pd.DataFrame, found: Diagnosis
) -> None:
    alone = diagnose(scores.iloc[[7, 2]], ["exponential"], bootstrap=199, jobs=2)
    expected = found.fits[found.fits["scheme"] == "exponential"].set_index("topic")
    # of the least p values, more resamples are drawn for more topics
    for name in ("ks", "ad", "cvm", "log_score", "aic"):
        assert alone.fits[name].tolist() == expected.loc[alone.fits["topic"], name].tolist()
    assert alone.fits["ad_p"].iloc[0] == expected.loc["308", "ad_p"]
    again = diagnose(scores, SCHEMES, bootstrap=199, jobs=2)
    pd.testing.assert_frame_equal(again.fits, found.fits)
    other = diagnose(scores, ["exponential"], bootstrap=199, seed=2)
    assert other.fits["ad_p"].tolist() != expected["ad_p"].tolist()


@pytest.mark.clause("diagnose.1", "diagnose.4")
def test_topics_that_cannot_be_fitted_say_why() -> None:
    values = np.random.default_rng(5).random((4, 12)).round(2)
    values[1] = 0.25
    values[2, 3] = 0.0
    found = diagnose(_matrix(values), ["normal", _Positive()], bootstrap=19)
    assert found.fits["fitted"].tolist() == [True, False, True, True, True, False, False, True]
    assert found.fits["constant"].tolist() == 2 * [False, True, False, False]
    assert found.fits["reason"].iloc[1] == "all scores are equal"
    assert found.fits["reason"].iloc[6] == "a score is 0"
    assert found.fits.loc[6, ["ks", "ad_p", "log_score", "aic"]].isna().all()
    row = found.summary.set_index("scheme").loc["_positive"]
    assert row[["topics", "fitted", "unfitted", "constant", "tested"]].tolist() == [4, 2, 1, 1, 2]
    assert row["common_topics"] == 2
    assert found.summary["log_score_wins"].sum() == 2
    sentence = next(text for text in found.verdict if text.startswith("_positive"))
    assert "cannot be fitted to 1 of 4 topics, such as 303 (a score is 0)" in sentence


def test_a_scheme_that_fits_nowhere() -> None:
    values = np.zeros((2, 8))
    values[:, 1:] = np.random.default_rng(6).random((2, 7)).round(2)
    found = diagnose(_matrix(values), [_Positive(), "normal"], bootstrap=9)
    row = found.summary.set_index("scheme").loc["_positive"]
    assert row["fitted"] == 0
    assert row[["log_score", "log_score_common", "pit_mean"]].isna().all()
    assert found.summary.set_index("scheme").loc["normal", "common_topics"] == 2
    assert found.histogram["proportion"].isna().sum() == 10
    alone = diagnose(_matrix(values), [_Positive()], bootstrap=9).summary.iloc[0]
    assert alone[["topics", "common_topics"]].tolist() == [2, 0]


@pytest.mark.parametrize(
    ("missing", "n", "note"),
    [
        ("omit", [11, 12], "1 missing score is omitted"),
        ("zero", [12, 12], "1 missing score is taken as 0"),
        ("drop_topic", [12], "topic 301 is dropped for missing scores"),
    ],
)
def test_missing_scores(missing: str, n: list[int], note: str) -> None:
    frame = _matrix(np.random.default_rng(7).random((2, 12)).round(3))
    frame.iloc[0, 4] = np.nan
    found = diagnose(frame, ["normal"], bootstrap=9, missing=missing)
    assert found.fits["n"].tolist() == n
    assert found.notes == (note,)
    if missing == "omit":
        without = diagnose(frame.drop(columns="sys4"), ["normal"], bootstrap=9)
        row, expected = (each.fits.drop(columns="parameters").iloc[0] for each in (found, without))
        pd.testing.assert_series_equal(row, expected, rtol=1e-12)
    with pytest.raises(MissingScoreError, match="topic '301', system 'sys4'"):
        diagnose(frame, ["normal"])


@pytest.mark.clause("verdict.1")
def test_the_verdict_says_what_the_summary_says(found: Diagnosis) -> None:
    text = " ".join(found.verdict)
    assert "12 topics are treated as rounded to 0.001" in text
    assert "N-std: rejected in 5 of 12 topics by Anderson-Darling" in text
    assert "Of 2 distributions N-std has the best log score in 12 of 12 topics" in text
    assert "Of 2 distributions N-std has the best AIC in 6 of 12 topics, exponential in 6." in text
    near = "AIC is at most 2 above the best, which is no evidence against a distribution: "
    assert near + "N-std in 6" in text
    assert "may still be wrong" in text


@pytest.mark.clause("verdict.1")
def test_the_verdict_counts_each_statistic_for_itself() -> None:
    rng = np.random.default_rng(21)
    found = diagnose(_matrix(rng.gamma(2.0, size=(24, 40)).round(2)), ["normal"], bootstrap=199)
    row = found.summary.iloc[0]
    ks, ad, cvm = (int(row[f"{name}_rejected"]) for name in ("ks", "ad", "cvm"))
    assert len({ks, ad, cvm}) == 3  # or else the test tells nothing
    said = f"{ad} of 24 topics by Anderson-Darling ({ks} by Kolmogorov-Smirnov, {cvm} by Cramer"
    assert said in found.verdict[1]
    assert (
        f"(199 resamples per topic, {found.draws.most} where p is small or topics share them)"
        in found.verdict[-1]
    )
    assert found.draws.most > 199


@pytest.mark.clause("diagnose.1")
def test_topics_that_tell_nothing() -> None:
    values = np.full((3, 6), 0.25)
    values[1, 1:] = np.nan
    values[2] = np.nan
    found = diagnose(_matrix(values), ["normal"], bootstrap=9, missing="omit")
    reasons = ["all scores are equal", "there is only one score", "there is no score"]
    assert found.fits["reason"].tolist() == reasons
    assert len(found.verdict) == 1  # and no empty sentence of normal
    for reason in reasons:
        assert f"1 topic is uninformative: {reason}." in found.verdict[0]


@pytest.mark.clause("diagnose.4")
def test_nobody_wins_where_all_are_equal() -> None:
    # minmax and a scheme of the same numbers, on topics where they predict alike.
    values = np.random.default_rng(9).random((3, 12)).round(2)
    found = diagnose(_matrix(values), ["minmax", _Same()], bootstrap=0)
    assert found.summary["aic_wins"].tolist() == [0, 0]
    assert found.summary["aic_near"].tolist() == [3, 3]
    third = diagnose(_matrix(values), ["minmax", _Same(), "normal"], bootstrap=0)
    assert third.summary["aic_wins"].iloc[0] == third.summary["aic_wins"].iloc[1]
    assert third.summary["aic_wins"].iloc[[0, 2]].sum() == 3


def test_refused_resamples_are_mentioned() -> None:
    values = np.array([[0.1] * 12 + [0.2]])
    found = diagnose(_matrix(values), ["normal"], bootstrap=99)
    assert found.fits["resamples_unfitted"].iloc[0] > 9
    assert "p is based on fewer resamples in 1 topic, because more than 10% of" in found.verdict[1]


def test_progress_counts_topics_of_all_schemes(scores: pd.DataFrame) -> None:
    seen: list[tuple[int, int]] = []
    diagnose(
        scores.iloc[:3],
        ["normal", "exponential"],
        bootstrap=0,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(k, 6) for k in range(1, 7)]


@pytest.mark.parametrize(
    ("schemes", "settings", "message"),
    [
        ([], {}, "there is no scheme to diagnose"),
        ("normal", {}, "schemes='normal' is one; expected a list of distributions"),
        (["nrmal"], {}, "did you mean 'normal'"),
        (["normal", Normal()], {}, "the scheme normal is given twice"),
        (["z"], {}, "z is not a distribution"),
        ([3], {}, "3 is not a scheme"),
        (
            ["normal"],
            {"alpha": 0.0},
            "alpha=0.0 is not accepted; expected a number between 0 and 1",
        ),
        (["normal"], {"alpha": np.nan}, "alpha=nan"),
        (["normal"], {"alpha": "0.05"}, "alpha='0.05' is not accepted; expected a number"),
        (["normal"], {"alpha": None}, "alpha=None is not accepted; expected a number"),
        (["normal"], {"seed": "1"}, "seed='1' is not accepted; expected a whole number of 0"),
        (["normal"], {"jobs": 1.5}, "jobs=1.5 is not accepted; expected a whole number of 1"),
        (["normal"], {"jobs": "2"}, "jobs='2' is not accepted; expected a whole number of 1"),
        (
            ["normal"],
            {"bootstrap": -1},
            "bootstrap=-1 is not accepted; expected a whole number from 0",
        ),
        (["normal"], {"bootstrap": 99.0}, "bootstrap=99.0"),
        (["normal"], {"most": 998}, "most=998 is not accepted; expected at least the 999"),
        (["normal"], {"most": 1e4}, "most=10000.0 is not accepted; expected a whole number"),
        (["normal"], {"seed": -1}, "seed=-1"),
        (["normal"], {"jobs": 0}, "jobs=0 is not accepted; expected a whole number of 1 or more"),
        (["normal"], {"missing": "skip"}, "missing='skip' is not accepted"),
    ],
)
def test_what_cannot_be_asked(
    scores: pd.DataFrame, schemes: list[str], settings: dict[str, float], message: str
) -> None:
    with pytest.raises(CdfscoreError, match=message) as caught:
        diagnose(scores, schemes, **settings)
    assert isinstance(caught.value, SchemeError | ScoresError)


def test_measures_of_cranfield() -> None:
    scores = datasets.load_cranfield("p10").iloc[:20]
    found = diagnose(scores, ["normal", "exponential"], bootstrap=19)
    assert found.resolution.width == 0.1
    assert (found.summary["fitted"] + found.summary["constant"] == 20).all()


class _Binomial(Distribution):
    formula = source = ""
    free_parameters = 1

    def __str__(self) -> str:
        return "binomial"

    def estimate(self, scores: np.ndarray) -> Parameters:
        return {"share": scores.mean(axis=-1, keepdims=True)}

    def evaluate(self, x: np.ndarray, share: np.ndarray) -> np.ndarray:
        return stats.binom(5, share).cdf(np.floor(5 * x + 1e-9))

    def support(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros_like(share), np.ones_like(share)


class _Same(Minmax):
    def __str__(self) -> str:
        return "same"


class _Positive(Exponential):
    def __str__(self) -> str:
        return "_positive"

    def estimate(self, scores: np.ndarray) -> Parameters:
        refuse_rows((scores == 0).any(axis=-1), "a score is 0")
        return super().estimate(scores)


def test_a_distribution_that_no_other_meets_in_a_topic_is_near_to_none() -> None:
    """Each topic is fitted by beta_binomial alone, or by the two others alone."""
    tenths = np.array([0, 0, 1, 2, 3, 3, 4, 5, 7, 10]) / 10
    values = np.array([tenths, np.random.default_rng(5).beta(2, 5, 10)])
    found = diagnose(_matrix(values), ["beta", "kumaraswamy", "beta_binomial"], bootstrap=0)
    assert found.summary["aic_near"].tolist() == [1, 1, pd.NA]
    said = [each for each in found.verdict if each.startswith(("Of 3", "AIC is"))]
    assert len(said) == 5
    assert not [each for each in said if "beta_binomial" in each]


def test_a_cdf_that_approaches_1_too_slowly_has_no_crps() -> None:
    scores = _matrix(np.random.default_rng(3).random((2, 12)))
    found = diagnose(scores, ["from_scipy:dist=levy,floc=-0.5", "normal"], bootstrap=0)
    own = found.fits.set_index("scheme")["reason"]
    said = "the CRPS is infinite: the cdf approaches 0 or 1 too slowly, or not at all"
    assert [said in each for each in own] == ["levy" in str(scheme) for scheme in own.index]
