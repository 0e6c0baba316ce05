"""Topics that a scheme cannot be fitted to, from the array level to the files and to R."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, correlate, load_factors, save_factors
from cdfscore.errors import FactorsError, FitError, SchemeError, VerificationError
from cdfscore.standardization.policies import UNFITTED_POLICIES, fit_where_possible
from cdfscore.stats.schemes import Gamma, Normal
from cdfscore.stats.schemes.base import Distribution, refuse_rows
from tests.verified import verify

SCHEME = "from_scipy:dist=gamma,floc=0"


@dataclass(frozen=True)
class Positive(Distribution):
    """The uniform distribution from 0 to the largest score; scores above 0, at most 1."""

    formula = "y = x / max"
    source = "the test"
    domain = (0.0, 1.0)

    def estimate(self, scores):
        zeros = np.sum(scores == 0, axis=-1)
        refuse_rows(zeros > 0, lambda row: f"{zeros.flat[row]} scores are 0")
        return {"max": np.nanmax(scores, axis=-1, keepdims=True)}

    def evaluate(self, x, max):
        return np.clip(x / max, 0, 1)

    def support(self, max):
        return np.zeros_like(max), max


@pytest.fixture
def scores() -> pd.DataFrame:
    """Topics b and d have a score of 0, outside of what a gamma distribution can have."""
    values = np.random.default_rng(6).random((5, 8)).round(3)
    values[[1, 3], 2] = 0.0
    return pd.DataFrame(values, index=list("abcde"), columns=[f"s{i}" for i in range(8)])


@pytest.mark.clause("unfitted.2")
def test_every_refused_row_is_told_once_with_its_reason() -> None:
    scheme = Positive()
    scores = np.array([[0.2, 0.5], [0.0, 0.0], [-0.25, 0.5], [0.3, 0.1], [0.0, 2.0]])
    fitted, rows, refused = fit_where_possible(scheme, scores)
    assert rows.tolist() == [0, 3]
    assert fitted.parameters["max"].ravel().tolist() == [0.5, 0.3]
    assert refused == {
        1: "2 scores are 0",
        2: f"a reference score is -0.25, and {scheme} is a distribution on [0, 1]",
        4: f"a reference score is 2.0, and {scheme} is a distribution on [0, 1]",
    }


def test_what_is_no_batch_is_an_error() -> None:
    with pytest.raises(FitError, match="expected"):
        fit_where_possible(Normal(), np.empty((2, 0)))


@pytest.mark.clause("unfitted.1")
def test_nan_leaves_the_other_topics_as_they_are(scores) -> None:
    factors = Standardizer(SCHEME, unfitted="nan").fit(scores)
    assert list(factors.unfitted_topics) == ["b", "d"]
    assert factors.topics == ("a", "c", "e")
    assert factors.n.tolist() == [8, 8, 8]
    y = factors.transform(scores)
    assert y.loc[["b", "d"]].isna().all(axis=None)
    alone = Standardizer(SCHEME).fit_transform(scores.loc[["a", "c", "e"]])
    pd.testing.assert_frame_equal(y.loc[["a", "c", "e"]], alone, check_exact=True)
    means = factors.standardize(scores).means
    assert (means["topics"] == 3).all()
    assert means["mean"].to_numpy() == pytest.approx(alone.mean().to_numpy(), rel=1e-15)


@pytest.mark.clause("unfitted.1")
def test_drop_topic_leaves_them_out(scores) -> None:
    factors = Standardizer(SCHEME, unfitted="drop_topic").fit(scores)
    y = factors.transform(scores)
    assert list(y.index) == ["a", "c", "e"]
    with pytest.raises(FactorsError, match="no topic remains"):
        factors.transform(scores.loc[["b"]])


@pytest.mark.clause("factors.2")
def test_policies_are_checked(scores) -> None:
    with pytest.raises(SchemeError, match=f"expected one of {', '.join(UNFITTED_POLICIES)}"):
        Standardizer("normal", unfitted="skip")
    factors = Standardizer(SCHEME, unfitted="nan").fit(scores)
    with pytest.raises(FitError, match=r"^topic 'b': "):
        dataclasses.replace(factors, unfitted="raise")
    with pytest.raises(FitError, match=r".* cannot be fitted to any topic; topic 'b'"):
        Standardizer(SCHEME, unfitted="nan").fit(scores.loc[["b", "d"]])


def test_files_keep_them(scores, tmp_path) -> None:
    factors = Standardizer(SCHEME, unfitted="nan").fit(scores)
    save_factors(factors, tmp_path / "factors.json")
    loaded = load_factors(tmp_path / "factors.json")
    assert loaded.unfitted_topics == factors.unfitted_topics
    pd.testing.assert_frame_equal(
        loaded.transform(scores), factors.transform(scores), check_exact=True
    )


def test_compare_says_what_was_left_out(scores) -> None:
    found = compare(scores, "paired_t", scheme=Standardizer(SCHEME, unfitted="nan"))
    assert set(found.table["n"]) == {3}
    told = "2 topics (b, d) are unfitted; topic b: from_scipy"
    assert any(note.startswith(told) for note in found.notes)


def test_correlate_ranks_by_the_topics_that_are_fitted(scores) -> None:
    kept = scores.loc[["a", "c", "e"]]
    expected = correlate(kept, kept, scheme=SCHEME).table
    found = correlate(scores, scores, scheme=Standardizer(SCHEME, unfitted="drop_topic")).table
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.clause("unfitted.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("policy", ["nan", "drop_topic"])
def test_r_refuses_the_same_topics(scores, policy, via) -> None:
    table = verify(scores, Standardizer(SCHEME, unfitted=policy), via=via)
    assert table["agrees"].all()
    assert table["count"].tolist() == [24, 8]


@pytest.mark.usefixtures("rinterface")
def test_r_stops_where_python_raises(scores, tmp_path, monkeypatch) -> None:
    with pytest.raises(FitError):
        verify(scores, SCHEME)
    twin = tmp_path / "normal.R"
    twin.write_text("standardize <- function(x, scores) stop('no fit')\n")
    monkeypatch.setattr(Normal, "twin", classmethod(lambda _: twin))
    with pytest.raises(VerificationError, match=r"topic b: .*no fit"):
        verify(scores.loc[["b"]], "normal")


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("policy", ["nan", "drop_topic"])
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
def test_a_twin_that_fits_what_python_refuses_differs(scores, policy, via, tmp_path, monkeypatch):
    twin = tmp_path / "gamma.R"
    twin.write_text("standardize <- function(x, scores) pgamma(x, 2, 5)\n")
    monkeypatch.setattr(Gamma, "twin", classmethod(lambda _: twin))
    try:
        table = verify(scores, Standardizer("gamma", unfitted=policy), via=via)
        agrees = bool(table["agrees"].all())
    except VerificationError:
        agrees = False
    assert not agrees
