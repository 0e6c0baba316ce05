"""One call gives the scores, their counts, the means, and what each policy touched."""

from typing import Any

import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import FactorsError, SchemeError
from cdfscore.standardization.standardizer import standardize
from tests.noted import not_of_few_systems

NAN = float("nan")


@pytest.fixture
def odd() -> pd.DataFrame:
    """Topic 302 is constant, 303 lacks a score, and 304 has a score of 0."""
    table = {
        "a": [0.1, 0.5, NAN, 0.0],
        "b": [0.2, 0.5, 0.3, 0.2],
        "c": [0.4, 0.5, 0.9, 0.4],
        "d": [0.3, 0.5, 0.6, 0.6],
    }
    return pd.DataFrame(table, index=pd.Index([301, 302, 303, 304], name="topic"))


@pytest.mark.clause("standardized.1")
def test_counts_are_the_fractions_of_e_std(odd: pd.DataFrame) -> None:
    found = Standardizer("empirical", constant="half", missing="omit").standardize(odd)
    numerators, denominators = found.counts
    assert denominators.ravel().tolist() == [4, 2, 3, 4]
    assert numerators[0].tolist() == [1, 2, 4, 3]
    assert numerators[1].tolist() == [1, 1, 1, 1]  # of 2: the policy is 1/2
    assert found.means.loc["a"].tolist() == [(1 / 4 + 1 / 2 + 1 / 4) / 3, 3]
    assert Standardizer("normal", missing="omit").standardize(odd).counts is None


@pytest.mark.clause("standardized.1")
@pytest.mark.parametrize(
    ("policies", "shape", "notes"),
    [
        (
            {"missing": "omit", "unfitted": "nan"},
            (4, 4),
            [
                "topic 302 is constant in the reference: under the policy limit, gamma gives 0",
                "topic 304 is unfitted: of 4 reference scores 1 is exactly 0",
                "1 missing score is omitted",
                "5 cells have no standardized score",
            ],
        ),
        (
            {"missing": "drop_topic", "unfitted": "drop_topic", "constant": "nan"},
            (2, 4),
            [
                "topic 302 is constant in the reference: under the policy nan, gamma gives no",
                "topic 304 is unfitted and dropped: of 4 reference scores 1 is exactly",
                "topic 303 is dropped for missing scores",
                "4 cells have no standardized score",
            ],
        ),
        (
            {"missing": "drop_topic", "unfitted": "nan", "constant": "drop_topic"},
            (2, 4),
            [
                "topic 302 is constant in the reference and dropped",
                "topic 304 is unfitted: of 4 reference scores 1 is exactly",
                "topic 303 is dropped for missing scores",
                "4 cells have no standardized score",
            ],
        ),
        (
            {"missing": "zero", "unfitted": "drop_topic", "constant": "half"},
            (2, 4),
            [
                "topic 302 is constant in the reference: under the policy half, gamma gives 1/2",
                "2 topics (303, 304) are unfitted and dropped; topic 303: of 4 reference scores 1",
                "1 missing score is taken as 0",
            ],
        ),
    ],
)
def test_it_says_what_the_policies_touched(
    odd: pd.DataFrame, policies: dict[str, Any], shape: tuple[int, int], notes: list[str]
) -> None:
    found = Standardizer("gamma", **policies).standardize(odd)
    assert found.scores.shape == found.used.values.shape == shape
    found_notes = not_of_few_systems(found.notes)
    assert len(found_notes) == len(notes)
    for note, expected in zip(found_notes, notes, strict=True):
        assert note.startswith(expected)
    assert found.constant_topics == ["302"]
    assert list(found.unfitted_topics)[-1] == "304"
    assert found.dropped_topics == (["303"] if policies["missing"] == "drop_topic" else [])
    assert found.given.frame.shape == (4, 4)


def test_it_names_only_topics_of_the_scores(odd: pd.DataFrame) -> None:
    how = Standardizer("gamma", missing="drop_topic", unfitted="drop_topic")
    new = pd.DataFrame({"new": [0.3, 0.2]}, index=[304, 301])
    found = how.standardize(new, odd)
    assert (found.constant_topics, found.dropped_topics) == ([], [])
    assert list(found.unfitted_topics) == ["304"]
    assert found.scores.index.tolist() == [301]


def test_a_topic_that_the_reference_lacks_is_an_error(odd: pd.DataFrame) -> None:
    new = pd.DataFrame({"new": [0.3, 0.2]}, index=[301, 305])
    with pytest.raises(FactorsError, match="1 of 2 topics has no factors, such as '305"):
        Standardizer("empirical", missing="omit").standardize(new, odd)


def test_factors_have_their_reference(odd: pd.DataFrame) -> None:
    factors = Standardizer("empirical", missing="omit").fit(odd)
    with pytest.raises(SchemeError, match="are fitted already"):
        standardize(odd, factors, odd)


@pytest.mark.clause("standardizer.3")
def test_the_order_of_the_policies() -> None:
    """Extra topics, missing scores, reversal, the fit, constant topics, means."""
    reference = pd.DataFrame(
        {"a": [0.5, 0.1, 0.3], "b": [NAN, 0.2, 0.0], "c": [0.5, 0.4, 0.6]}, index=["1", "2", "3"]
    )
    new = pd.DataFrame({"new": [0.5, 0.3, NAN]}, index=["1", "2", "4"])  # of 4 nothing is asked
    for missing, first in (("omit", 1 / 2), ("zero", 3 / 3)):
        how = Standardizer("empirical", "half", missing, lower_is_better=["2"])
        found = how.standardize(new, reference, extra_topics="drop")
        assert found.constant_topics == (["1"] if missing == "omit" else [])
        assert found.factors.unfitted_topics == {}
        # Topic 2 has 1 of 3 reference scores that are no better than 0.3: that of 0.4.
        assert found.scores["new"].tolist()[:2] == [first, 1 / 3]
        absent = [1 / 3] if missing == "zero" else []  # on topic 3 the score is 0
        assert found.scores["new"].tolist()[2:] == absent
        y = [first, 1 / 3, *absent]
        assert found.means.loc["new"].tolist() == [pytest.approx(sum(y) / len(y)), len(y)]
    # Topic 3 has a score of 0, which gamma has no density at; with the policy zero topic 1 too.
    gamma = {"scheme": "gamma", "unfitted": "nan"}
    for missing, unfitted in (("omit", ["3"]), ("zero", ["1", "3"])):
        factors = Standardizer(**gamma, missing=missing).fit(reference)  # type: ignore[arg-type]
        assert list(factors.unfitted_topics) == unfitted
