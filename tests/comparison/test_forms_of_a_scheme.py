"""A scheme may be its spelling, itself, a `Standardizer` or `Factors`: the results are the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, correlate, datasets, parse_scheme, sensitivity
from cdfscore.comparison.comparison import Comparison
from cdfscore.errors import CdfscoreError, MissingScoreError, SchemeError
from cdfscore.report.comparison import caption
from tests.verified import verify

pytestmark = pytest.mark.one_in(2)

SCHEMES = ("raw", "normal", "empirical", "z")
#: A topic is constant, one has a score of 0, which gamma has not, and one lacks a score.
POLICIES = (
    Standardizer("normal", constant="half", missing="omit"),
    Standardizer("empirical", constant="nan", missing="zero"),
    Standardizer("gamma", constant="half", missing="drop_topic", unfitted="drop_topic"),
    Standardizer("gamma", missing="omit", unfitted="nan"),
)

FORMS: dict[str, Callable[[str], Any]] = {
    "spelling": str,
    "scheme": parse_scheme,
    "standardizer": Standardizer,
    "standardizer of a scheme": lambda scheme: Standardizer(parse_scheme(scheme)),
}


@pytest.fixture
def scores() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[100:120, :5] + 0.01


@pytest.fixture
def reference() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[100:120, 20:40] + 0.01


@pytest.fixture
def odd(reference: pd.DataFrame) -> pd.DataFrame:
    reference.iloc[2] = 0.25
    reference.iloc[4, 3] = 0.0
    reference.iloc[6, 1] = np.nan
    return reference


def same_comparison(one: Comparison, other: Comparison) -> None:
    pd.testing.assert_frame_equal(one.table, other.table, check_exact=True)
    pd.testing.assert_frame_equal(one.means, other.means, check_exact=True)
    assert (one.missing, one.constant, one.topics) == (other.missing, other.constant, other.topics)


# ---- a spelling, a scheme, a Standardizer


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_compare_takes_each_form(
    scores: pd.DataFrame, reference: pd.DataFrame, scheme: str, form: str
) -> None:
    for fitted_on in (None, reference):
        found = compare(scores, "paired_t", scheme=FORMS[form](scheme), reference=fitted_on)
        expected = compare(scores, "paired_t", scheme=scheme, reference=fitted_on)
        same_comparison(found, expected)
        assert found.notes == expected.notes
        assert caption(found) == caption(expected)


# ---- Factors


@pytest.mark.parametrize("how", POLICIES, ids=str)
def test_correlate_by_factors_is_that_of_the_scores_that_they_give(
    scores: pd.DataFrame, odd: pd.DataFrame, how: Standardizer
) -> None:
    factors, other = how.fit(odd), odd.iloc[:, :5].set_axis(scores.columns, axis=1)
    found = correlate(scores, other, scheme=factors).table.set_index("measure")["value"]
    means = [factors.standardize(given).means["mean"] for given in (scores, other)]
    expected = [frame.to_frame("t").T.set_axis(["one"]) for frame in means]
    by_means = correlate(*expected).table.set_index("measure")["value"]
    pd.testing.assert_series_equal(found, by_means, check_exact=True)


def test_sensitivity_by_factors_is_that_by_their_reference(
    scores: pd.DataFrame, odd: pd.DataFrame
) -> None:
    asked = [Standardizer("raw", missing="omit"), *POLICIES[:3]]
    found = sensitivity(scores, [how.fit(odd) for how in asked])
    expected = sensitivity(scores, asked, reference=odd)
    for table in ("systems", "agreement", "moves", "conclusions"):
        one, other = getattr(found, table), getattr(expected, table)
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    same_comparison(found.comparison, expected.comparison)
    # Topic 4 has the 0, topic 6 lacks a score.
    unfitted, dropped = odd.index[4], odd.index[6]
    assert found.comparison.constant == (
        "limit (raw), half (normal, gamma), nan (empirical:convention=weak)"
    )
    assert any(f"topic {unfitted} is" in note or f"{unfitted}: " in note for note in found.notes)
    assert any(f"topic {dropped} is left out for all schemes" in note for note in found.notes)


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("how", "via"), [*((how, "rpy2") for how in POLICIES), (POLICIES[-1], "rscript")], ids=str
)
def test_verify_by_factors_is_that_by_their_reference(
    scores: pd.DataFrame, odd: pd.DataFrame, how: Standardizer, via: str
) -> None:
    for given in (scores, odd):
        tested = {"test": "paired_t", "baselines": given.columns[0], "via": via}
        found = verify(given, how.fit(odd), reference=odd, **tested)
        expected = verify(given, how, reference=odd, **tested)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        assert found["agrees"].all(), found.to_string()
    itself = verify(odd, how.fit(odd), via=via)
    pd.testing.assert_frame_equal(itself, verify(odd, how, via=via), check_exact=True)


def test_verify_needs_the_reference_of_the_factors(
    scores: pd.DataFrame, reference: pd.DataFrame
) -> None:
    factors = Standardizer("normal").fit(reference)
    message = "R fits the scheme again, and needs the scores that"
    for given in (None, scores, reference.iloc[:, :-1], reference + 1e-9):
        with pytest.raises(CdfscoreError, match=message):
            verify(scores, factors, reference=given)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("applied", ["omit", "zero", "drop_topic", "raise"])
@pytest.mark.parametrize("fitted", ["omit", "zero", "drop_topic"])
def test_verify_needs_the_policy_of_the_fit_where_scores_are_missing(
    scores: pd.DataFrame, reference: pd.DataFrame, odd: pd.DataFrame, fitted: str, applied: str
) -> None:
    factors = replace(Standardizer("normal", missing=fitted).fit(odd), missing=applied)
    if fitted == applied:
        assert verify(scores, factors, reference=odd)["agrees"].all()
    else:
        message = f"fitted under missing='{fitted}', and R would fit again under .*'{applied}'"
        with pytest.raises(CdfscoreError, match=message):
            verify(scores, factors, reference=odd)
    whole = odd.fillna(0.5)
    complete = replace(Standardizer("normal", missing=fitted).fit(whole), missing=applied)
    assert verify(scores, complete, reference=whole)["agrees"].all()


def test_factors_beside_a_reference_are_refused(
    scores: pd.DataFrame, reference: pd.DataFrame
) -> None:
    factors = Standardizer("normal").fit(reference)
    with pytest.raises(SchemeError, match="are fitted already; expected a scheme to fit"):
        compare(scores, "paired_t", scheme=["raw", factors], reference=reference)
    with pytest.raises(SchemeError, match="are fitted already; expected a scheme to fit"):
        sensitivity(scores, ["raw", factors], reference=reference)


# ---- a Standardizer has its own policies


def test_each_scheme_has_its_own_policies(odd: pd.DataFrame) -> None:
    asked = [Standardizer("normal", missing="omit"), Standardizer("uniform", missing="zero")]
    found = compare(odd, "paired_t", scheme=asked)
    assert found.missing == "omit (normal), zero (uniform:A=0.15,B=0.5)"
    for name, how in zip(found.schemes, asked, strict=True):
        alone = compare(odd, "paired_t", scheme=how)
        rows = found.table[found.table["scheme"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone.table, check_exact=True)
    with pytest.raises(
        CdfscoreError, match=r"normal is given twice; .* even with different policies"
    ):
        compare(odd, "paired_t", scheme=[asked[0], Standardizer("normal", missing="zero")])
    with pytest.raises(MissingScoreError):
        compare(odd, "paired_t", scheme=[asked[0], "uniform"])


@pytest.mark.parametrize("scheme", [3, None, ["raw", 3], {"raw"}])
def test_what_is_no_scheme_is_refused(scores: pd.DataFrame, scheme: Any) -> None:
    wrong = scheme[1] if isinstance(scheme, list) else scheme
    message = re.escape(f"scheme={wrong!r} is not accepted; expected a scheme such as Normal()")
    with pytest.raises(SchemeError, match=message):
        compare(scores, "paired_t", scheme=scheme)
