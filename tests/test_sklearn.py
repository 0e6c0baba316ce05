"""CdfTransformer: what scikit-learn expects of a transformer, and the numbers of Standardizer."""

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from narwhals.exceptions import DuplicateError
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from cdfscore import Standardizer, datasets, scheme_names
from cdfscore.errors import FitError, SchemeError, ScoresError
from cdfscore.sklearn import CdfTransformer
from cdfscore.stats.schemes import Normal, Uniform

AP = datasets.load_cranfield("ap").iloc[:20]
X = AP.T


@pytest.mark.one_in(2)
@pytest.mark.clause("transformer.1")
@parametrize_with_checks(
    [
        CdfTransformer(),
        CdfTransformer("empirical", missing="omit"),
        CdfTransformer("kernel:bandwidth=nrd0", constant="half", missing="zero"),
        CdfTransformer(Uniform(A=0.2), constant="nan", unfitted="nan", lower_is_better=True),
        CdfTransformer("z", lower_is_better=True, reflect_at=1.0),
        CdfTransformer("raw"),
    ]
)
def test_checks_of_scikit_learn(estimator: CdfTransformer, check: Any) -> None:
    check(estimator)


@pytest.mark.clause("transformer.1")
@pytest.mark.parametrize(
    "scheme", ["normal", "empirical", "uniform", "minmax", "z", "kernel", "raw"]
)
def test_numbers_are_those_of_the_standardizer(scheme: str) -> None:
    expected = Standardizer(scheme).fit_transform(AP).to_numpy().T
    transformer = CdfTransformer(scheme)
    for given in (X, X.to_numpy(), np.asfortranarray(X), pl.DataFrame(X.reset_index(drop=True))):
        assert transformer.fit_transform(given).tobytes() == expected.tobytes()
    half = transformer.fit(X.iloc[:40]).transform(X.iloc[40:])
    standardizer = Standardizer(scheme).fit(AP.iloc[:, :40])
    assert half.tobytes() == standardizer.transform(AP.iloc[:, 40:]).to_numpy().T.tobytes()


@pytest.mark.clause("transformer.2")
def test_policies_are_those_of_the_standardizer() -> None:
    holes = AP.copy()
    holes.iloc[0, 0] = math.nan
    holes.iloc[3] = 0.5
    for settings in (
        {"missing": "omit", "constant": "nan"},
        {"missing": "zero", "constant": "half"},
        {"missing": "omit", "lower_is_better": ["2", "4"]},
        {"missing": "omit", "lower_is_better": True, "reflect_at": 1.0},
    ):
        expected = Standardizer("normal", **settings).fit_transform(holes).to_numpy().T
        found = CdfTransformer("normal", **settings).fit_transform(holes.T)
        assert found.tobytes() == expected.tobytes()


def test_columns_on_which_lower_is_better_of_an_iterator_are_not_forgotten() -> None:
    columns: Any
    for columns in (["2", "4"], [1, 3]):
        fitted = CdfTransformer("normal", lower_is_better=iter(columns)).fit(X)
        assert fitted.factors_.lower_is_better == ("2", "4")


@pytest.mark.clause("transformer.2")
def test_columns_on_which_lower_is_better_by_position() -> None:
    expected = Standardizer("normal", lower_is_better=["2", "4"]).fit_transform(AP).to_numpy().T
    for lower in ([1, 3], (1, 3), np.array([1, 3]), [1, "4"]):
        found = CdfTransformer("normal", lower_is_better=lower).fit_transform(X)
        assert found.tobytes() == expected.tobytes()
    for lower in ([1, 3], ["x1", "x3"]):
        bare = CdfTransformer("normal", lower_is_better=lower).fit(X.to_numpy())
        assert bare.transform(X.to_numpy()).tobytes() == expected.tobytes()
        assert bare.factors_.lower_is_better == ("x1", "x3")


@pytest.mark.parametrize("scheme", ["normal", "empirical", "uniform:A=0.05,B=0.6"])
@pytest.mark.parametrize("lower", [False, [1]])
def test_scores_are_got_back(scheme: str, lower: Any) -> None:
    x = np.random.default_rng(3).beta(2, 3, (12, 4))
    x[0, 2] = np.nan
    way = CdfTransformer(
        scheme, missing="omit", lower_is_better=lower, reflect_at=float(bool(lower))
    )
    y = way.fit_transform(x)
    inside = (y > 0) & (y < 1) | (scheme == "empirical")
    np.testing.assert_allclose(
        np.where(inside, way.inverse_transform(y), x), x, rtol=1e-9, atol=1e-12
    )
    with pytest.raises(SchemeError, match=r"p has a value outside \[0, 1\]"):
        way.inverse_transform(y + 1)


def test_columns_without_factors_stay_missing_and_z_has_no_quantiles() -> None:
    x = np.random.default_rng(3).beta(2, 3, (12, 2))
    x[3, 1] = 0
    way = CdfTransformer("gamma", unfitted="nan")
    assert np.isnan(way.fit(x).inverse_transform(np.full((2, 2), 0.5))[:, 1]).all()
    with pytest.raises(SchemeError, match="has no quantile function in closed form"):
        CdfTransformer("z").fit(x).inverse_transform(x)


def test_column_that_cannot_be_fitted() -> None:
    scores = X.clip(0.01).to_numpy(copy=True)
    scores[0, 1] = 0.0
    with pytest.raises(FitError, match="topic 'x1': of 67 reference scores 1 is exactly 0"):
        CdfTransformer("gamma").fit(scores)
    found = CdfTransformer("gamma", unfitted="nan").fit_transform(scores)
    assert np.isnan(found).any(axis=0).tolist() == [False, True] + [False] * 18


def test_output_is_of_the_kind_that_is_set() -> None:
    found = CdfTransformer("empirical").set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(
        found, Standardizer("empirical").fit_transform(AP).T, check_names=False
    )
    table = CdfTransformer("empirical").set_output(transform="polars").fit_transform(X)
    assert isinstance(table, pl.DataFrame)
    assert table.columns == list(AP.index)
    assert table.to_numpy().tobytes() == found.to_numpy().tobytes()


@pytest.mark.clause("transformer.2")
def test_names_of_columns() -> None:
    fitted = CdfTransformer().fit(X)
    assert fitted.get_feature_names_out().tolist() == list(AP.index)
    assert fitted.factors_.topics == tuple(AP.index)
    assert fitted.factors_.systems is None
    assert fitted.factors_.digest is None
    bare = CdfTransformer().fit(X.to_numpy()[:, :2])
    assert bare.get_feature_names_out().tolist() == ["x0", "x1"] == list(bare.factors_.topics)


def test_grid_search_over_schemes() -> None:
    """The best scheme is the one that a loop by hand finds."""
    y = X.mean(axis=1).to_numpy()
    pipeline = make_pipeline(CdfTransformer(), Ridge(1e-3))
    schemes = ["raw", "normal", "empirical", Uniform(), Normal(), "uniform:A=0.3"]
    grid = GridSearchCV(pipeline, {"cdftransformer__scheme": schemes}, cv=4, error_score="raise")
    grid.fit(X, y)
    by_hand = [
        cross_val_score(make_pipeline(CdfTransformer(s), Ridge(1e-3)), X, y, cv=4).mean()
        for s in schemes
    ]
    np.testing.assert_array_equal(grid.cv_results_["mean_test_score"], by_hand)
    assert grid.best_params_["cdftransformer__scheme"] == schemes[int(np.argmax(by_hand))]
    assert by_hand[1] == by_hand[4]
    assert len({round(score, 12) for score in by_hand}) == 5


def test_in_a_column_transformer_and_pickled() -> None:
    both = ColumnTransformer(
        [("first", CdfTransformer("normal"), ["1", "2"]), ("last", CdfTransformer("z"), ["3"])]
    )
    found = both.fit_transform(X)
    again = pickle.loads(pickle.dumps(both))
    assert again.transform(X).tobytes() == found.tobytes()
    np.testing.assert_array_equal(found[:, 2], CdfTransformer("z").fit_transform(X[["3"]])[:, 0])


@pytest.mark.parametrize(
    ("settings", "given", "error", "fragment"),
    [
        ({"scheme": "nrmal"}, X, SchemeError, "did you mean 'normal'"),
        ({"scheme": 3}, X, SchemeError, "scheme=3 is not accepted"),
        ({"constant": "halve"}, X, SchemeError, "constant='halve'"),
        (
            {"missing": "drop_topic"},
            X,
            SchemeError,
            "keeps all columns; expected one of raise, omit",
        ),
        (
            {"unfitted": "drop_topic"},
            X,
            SchemeError,
            "keeps all columns; expected one of raise, nan",
        ),
        ({"missing": "drop"}, X, SchemeError, "missing='drop'"),
        ({"lower_is_better": ["zz"]}, X, ScoresError, "there is no topic 'zz'"),
        ({"reflect_at": 1}, X, SchemeError, "reflect_at"),
        ({"scheme": "beta", "lower_is_better": True}, X, SchemeError, "reflect_at=1"),
        ({}, X.iloc[:1], ValueError, "1 sample"),
        ({}, X.replace(X.iloc[0, 0], math.nan), ValueError, "NaN"),
        ({"missing": "omit"}, X.replace(X.iloc[0, 0], math.inf), ValueError, "infinity"),
        ({}, X["1"].to_numpy(), ValueError, "Expected 2D array"),
        ({}, X.set_axis(["t"] * 20, axis=1), (ScoresError, DuplicateError), "'t'"),
        ({"constant": "raise"}, X * 0, FitError, "topic '1': all its reference scores are equal"),
        ({"scheme": "beta"}, X * 2, FitError, "topic"),
    ],
)
def test_what_is_refused(
    settings: dict[str, Any],
    given: Any,
    error: type[Exception] | tuple[type[Exception], ...],
    fragment: str,
) -> None:
    transformer = CdfTransformer(**settings)
    with pytest.raises(error) as caught:
        transformer.fit(given)
    assert fragment in str(caught.value)


@pytest.mark.parametrize("name", scheme_names())
def test_every_scheme_can_be_searched(name: str) -> None:
    """Also with columns that some schemes cannot be fitted to."""
    scores = X.round(1).clip(0.1, 0.9).to_numpy()[:, :5]
    found = CdfTransformer(name, unfitted="nan").fit_transform(scores)
    assert found.shape == scores.shape
    assert np.isfinite(found).any()


def test_without_scikit_learn_a_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import cdfscore.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingDependencyError: cdfscore.sklearn needs scikit-learn" in done.stderr
    assert "pip install 'cdfscore[sklearn]'" in done.stderr


@pytest.mark.clause("transformer.1")
def test_a_score_matrix_that_is_not_turned_is_refused() -> None:
    with pytest.raises(ScoresError, match=r"index of X has the name 'topic', .* with X\.T"):
        CdfTransformer("normal").fit(AP)
    fitted = CdfTransformer("normal").fit(X)
    with pytest.raises(ScoresError, match="index of X has the name 'topic'"):
        fitted.transform(AP)


@pytest.mark.parametrize("lower", [[4], [0, -1], [np.int64(9)]])
def test_a_position_of_no_column_is_refused(lower: list[int]) -> None:
    with pytest.raises(
        SchemeError, match="but there are only 4 columns; expected positions from 0 to 3"
    ):
        CdfTransformer("normal", lower_is_better=lower).fit(X.iloc[:, :4])
