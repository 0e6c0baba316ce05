"""`correlate`: notes on the policies, and the type of an error."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer, correlate
from cdfscore.errors import CdfscoreError, FitError, MissingScoreError, ScoresError
from cdfscore.stats.schemes import Normal
from tests.noted import not_of_few_systems


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.random.default_rng(3).random((6, 4))
    return pd.DataFrame(values, [f"t{i}" for i in range(6)], list("abcd"))


def test_notes_tell_what_the_policies_changed_in_each_matrix(scores: pd.DataFrame) -> None:
    gappy = scores.copy()
    gappy.iloc[1, 2] = np.nan
    how = Standardizer("normal", missing="drop_topic")
    found = correlate(gappy, scores, scheme=how, names=("old.csv", "new.csv"))
    assert not_of_few_systems(found.notes) == ["old.csv: topic t1 is dropped for missing scores"]
    assert not_of_few_systems(correlate(scores, scores, scheme=how).notes) == []


def test_what_is_no_matrix_is_named(scores: pd.DataFrame) -> None:
    for given, name in ((("x", scores), "old.csv"), ((scores, "x"), "new.csv")):
        with pytest.raises(ScoresError, match=name):
            correlate(*given, names=("old.csv", "new.csv"))


def test_two_systems_can_be_ranked_and_one_cannot(scores: pd.DataFrame) -> None:
    swapped = scores[["a", "b"]].set_axis(["b", "a"], axis=1)
    found = correlate(scores[["a", "b"]], swapped).table.set_index("measure")
    assert found.loc["tau", "value"] == -1
    assert found["systems"].tolist() == [2] * 7
    with pytest.raises(ScoresError, match="there is only system 'a' to rank; expected at least 2"):
        correlate(scores[["a"]], scores[["a"]])


@pytest.mark.clause("correlate.1")
def test_systems_of_one_matrix_alone_are_named(scores: pd.DataFrame) -> None:
    names = ("old.csv", "new.csv")
    three = scores[["a", "b", "d"]]
    for given, message in (
        ((scores, three), "^old.csv: 1 of 4 systems is not in new.csv: 'c'; expected the same"),
        ((three, scores), "^new.csv: 1 of 4 systems is not in old.csv: 'c'; expected the same"),
    ):
        with pytest.raises(ScoresError, match=message):
            correlate(*given, names=names)


def test_factors_may_have_a_topic_where_lower_is_better_that_no_matrix_has(
    scores: pd.DataFrame,
) -> None:
    a, b = scores.iloc[:4], scores.iloc[1:5] ** 2
    reversed_there = Standardizer("normal", lower_is_better=["t5"]).fit(scores)
    found = correlate(a, b, scheme=reversed_there).table
    expected = correlate(a, b, scheme=Standardizer("normal").fit(scores)).table
    pd.testing.assert_frame_equal(found, expected)
    both = Standardizer("normal", lower_is_better=["t0", "t5"]).fit(scores)
    x, y = (both.standardize(each).means["mean"] for each in (a, b))
    found = correlate(a, b, scheme=both).table.set_index("measure")
    assert found.loc["pearson", "value"] == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-12)


def test_topics_that_factors_lack_are_dropped_on_request(scores: pd.DataFrame) -> None:
    factors = Standardizer("normal").fit(scores.iloc[:4])
    with pytest.raises(CdfscoreError, match="t4"):
        correlate(scores, scores, scheme=factors)
    found = correlate(scores, scores, scheme=factors, extra_topics="drop").table
    expected = correlate(scores.iloc[:4], scores.iloc[:4], scheme=factors).table
    pd.testing.assert_frame_equal(found, expected)


def test_an_error_keeps_its_topics(scores: pd.DataFrame) -> None:
    flat = scores.copy()
    flat.iloc[[1, 4]] = 0.5
    for how in (Standardizer("normal", constant="raise"), Standardizer("logspline")):
        with pytest.raises(FitError) as expected:
            how.fit(flat)
        with pytest.raises(FitError, match=r"^old\.csv: topic ") as caught:
            correlate(flat, scores, scheme=how, names=("old.csv", "new.csv"))
        assert type(caught.value) is type(expected.value)
        assert caught.value.row == expected.value.row
        assert caught.value.rows == expected.value.rows
        assert (caught.value.row is None) == (how.constant != "raise")


def test_an_error_of_a_plug_in_may_take_other_arguments(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OfPlugIn(FitError):
        def __init__(self) -> None:
            super().__init__("no fit")

    def estimate(self: Normal, scores: np.ndarray) -> dict[str, np.ndarray]:
        raise OfPlugIn

    monkeypatch.setattr(Normal, "estimate", estimate)
    with pytest.raises(OfPlugIn, match=r"^old\.csv: no fit$"):
        correlate(scores, scores, scheme="normal", names=("old.csv", "new.csv"))


def test_an_error_names_the_matrix_and_keeps_its_type(scores: pd.DataFrame) -> None:
    gappy = scores.copy()
    gappy.iloc[1, 2] = np.nan
    message = "^new.csv: scores, topic 't1', system 'c'"
    with pytest.raises(MissingScoreError, match=message):
        correlate(scores, gappy, names=("old.csv", "new.csv"))


def test_scores_of_which_lower_is_better_on_all_topics(scores: pd.DataFrame) -> None:
    squares = pd.DataFrame(scores.to_numpy()[:, ::-1] ** 2, scores.index, scores.columns)
    found = correlate(scores, squares, scheme=Standardizer("normal", lower_is_better=True)).table
    expected = correlate(1 - scores, 1 - squares, scheme="normal").table
    np.testing.assert_allclose(found["value"], expected["value"], rtol=1e-9)


@pytest.mark.clause("correlate.1")
def test_the_table_is_of_the_means_of_systems_by_name(scores: pd.DataFrame) -> None:
    other = scores.iloc[:4, [2, 0, 3, 1]] ** 2
    found = correlate(scores, other).table
    coefficients = ["tau", "tau_b", "tau_ap_b", "pearson", "rmse", "drmse", "drmse_geometric"]
    assert found["measure"].tolist() == coefficients
    value = found.set_index("measure")["value"]
    x, y = scores.mean(), other.mean()[scores.columns]
    assert value["tau_b"] == pytest.approx(stats.kendalltau(x, y).statistic, rel=1e-12)
    assert value["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic, rel=1e-12)
    assert value["rmse"] == pytest.approx(np.sqrt(np.mean((x - y) ** 2)), rel=1e-12)
    assert value["drmse"] == pytest.approx(2 * value["rmse"] / (x.std() + y.std()), rel=1e-12)
    geometric = value["rmse"] / np.sqrt(x.std() * y.std())
    assert value["drmse_geometric"] == pytest.approx(geometric, rel=1e-12)


@pytest.mark.clause("correlate.1")
def test_what_is_undefined_has_the_reason(scores: pd.DataFrame) -> None:
    flat = pd.DataFrame(0.25, scores.index, scores.columns)
    found = correlate(scores, flat).table.set_index("measure")
    assert found["value"].isna().tolist() == [False, True, True, True, False, False, True]
    assert found.loc["tau", "value"] == 0
    expected = "is undefined: expected at least two differ"
    undefined = found["value"].isna()
    assert found["reason"].str.contains(expected).tolist() == undefined.tolist()
    assert (found.loc[~undefined, "reason"] == "").all()
    both = correlate(flat, flat).table.set_index("measure")
    assert both.loc["rmse", "value"] == 0
    assert "drmse is undefined" in both.loc["drmse", "reason"]
