"""Factors of reference systems, applied to other systems: topics are matched by label."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import ConstantTopicError, FactorsError, FitError, SchemeError
from cdfscore.schemes import Empirical, Normal

# Counts of reference scores at most x, by hand.
NEW = {"351": 3 / 4, "352": 2 / 4, "353": 2 / 4}
NEWER = {"351": 1 / 4, "352": 4 / 4, "353": 0 / 4}


@pytest.mark.clause("standardizer.1", "factors.1")
def test_other_systems_are_read_through_the_reference_systems(reference, others) -> None:
    y = Standardizer("empirical").fit(reference).transform(others)
    assert y["new"].to_dict() == NEW
    assert y["newer"].to_dict() == NEWER


@pytest.mark.clause("standardizer.2")
def test_the_result_has_the_topics_and_systems_of_the_scores(reference, others) -> None:
    y = Standardizer("normal").fit(reference).transform(others)
    assert y.index.tolist() == ["353", "351", "352"]
    assert y.index.name == "topic"
    assert y.columns.tolist() == ["new", "newer"]
    assert (y.dtypes == np.float64).all()


def test_a_subset_of_the_topics_is_enough(reference, others) -> None:
    factors = Standardizer("empirical").fit(reference)
    y = factors.transform(others.loc[["352"]])
    assert y.to_dict("index") == {"352": {"new": NEW["352"], "newer": NEWER["352"]}}


@pytest.mark.parametrize("kind", [int, str, " {} ".format])
def test_whole_number_labels_are_the_same_as_their_text(reference, others, kind) -> None:
    reference.index = [int(label) for label in reference.index]
    others.index = [kind(label) for label in others.index]
    y = Standardizer("empirical").fit(reference).transform(others)
    assert y["new"].tolist() == [NEW["353"], NEW["351"], NEW["352"]]
    assert y.index.tolist() == others.index.tolist()


def test_a_topic_column_labels_the_topics(reference, others) -> None:
    factors = Standardizer("empirical").fit(reference.reset_index(names="topic"))
    y = factors.transform(others.reset_index(names="query"))
    assert y["new"].to_dict() == NEW


@pytest.mark.clause("standardizer.2")
def test_topics_without_factors_are_named_and_counted(reference, others) -> None:
    factors = Standardizer("empirical").fit(reference)
    scores = pd.concat([others, others.set_axis(["401", "402", "403"])])
    expected = (
        "3 of 6 topics have no factors, such as '401'; "
        "there are factors for 3 topics, '351' to '353'; say extra_topics='drop' to omit such "
        "topics"
    )
    with pytest.raises(FactorsError, match=f"^{expected}$"):
        factors.transform(scores)
    with pytest.raises(FactorsError, match=f"^{expected}$"):
        factors.system_means(scores)


def test_topics_without_labels_are_matched_by_their_place(reference, others) -> None:
    factors = Standardizer("empirical").fit(reference.reset_index(drop=True))
    y = factors.transform(others.loc[reference.index].reset_index(drop=True))
    assert y["new"].tolist() == list(NEW.values())
    assert y.index.tolist() == [1, 2, 3]
    assert factors.topics == ("1", "2", "3")


@pytest.mark.clause("standardizer.2")
@pytest.mark.parametrize(
    ("reference_has", "scores_have", "message"),
    [
        (
            None,
            2,
            "have 2 topics without labels, and the factors were fitted to 3; expected the sa",
        ),
        (None, 4, "have 4 topics without labels, and the factors were fitted to 3"),
        (None, "labels", "have topic labels and the factors were fitted to topics without"),
        ("labels", 3, "have no topic labels, but the factors have; expected a .* such as '351'"),
    ],
)
def test_topics_without_labels_need_their_number(
    reference, reference_has, scores_have, message
) -> None:
    if reference_has is None:
        factors = Standardizer("empirical").fit(reference.reset_index(drop=True))
    else:
        factors = Standardizer("empirical").fit(reference)
    scores = reference
    if scores_have != "labels":
        scores = pd.concat([reference, reference]).iloc[:scores_have].reset_index(drop=True)
    with pytest.raises(FactorsError, match=message):
        factors.transform(scores)


@pytest.mark.clause("standardizer.1")
def test_neither_reference_nor_scores_are_modified(reference, others) -> None:
    reference.loc["352", "ql"] = np.nan
    others.loc["352", "new"] = np.nan
    before = reference.copy(deep=True), others.copy(deep=True)
    for policy in ("omit", "zero", "drop_topic"):
        factors = Standardizer("kernel", missing=policy, constant="half").fit(reference)
        factors.transform(others)
        factors.system_means(others)
    pd.testing.assert_frame_equal(reference, before[0], check_exact=True)
    pd.testing.assert_frame_equal(others, before[1], check_exact=True)
    others.iloc[0, 0] = 0.75  # and both can still be written to


def test_the_result_can_be_written_to(reference) -> None:
    for scheme in ("raw", "empirical", "normal"):
        y = Standardizer(scheme).fit_transform(reference)
        y.iloc[0, 0] = 7.0
        assert reference.iloc[0, 0] == 0.1


def test_the_scheme_may_be_an_object_or_its_spelling(reference) -> None:
    by_name = Standardizer("empirical:convention=mid").fit_transform(reference)
    by_object = Standardizer(Empirical(convention="mid")).fit_transform(reference)
    pd.testing.assert_frame_equal(by_name, by_object, check_exact=True)


@pytest.mark.clause("errors.2")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme": "emprical"}, r"there is no scheme 'emprical' \(did you mean 'empirical'\?\)"),
        ({"scheme": Normal}, "expected a scheme such as Normal"),
        ({"scheme": None}, "scheme=None is not accepted"),
        (
            {"scheme": "z", "constant": "lim"},
            "constant='lim' is not accepted; expected one of limit",
        ),
        (
            {"scheme": "z", "missing": "skip"},
            "missing='skip' is not accepted; expected one of raise, omit",
        ),
    ],
)
def test_a_standardizer_is_refused_when_it_is_made(arguments, message) -> None:
    with pytest.raises(SchemeError, match=message):
        Standardizer(**arguments)


def test_a_topic_that_cannot_be_fitted_is_named(reference) -> None:
    reference.loc["352", ["bm25", "lsa", "ql"]] = np.nan
    with pytest.raises(FitError, match="topic '352': normal needs at least 2 reference scores"):
        Standardizer("normal", missing="omit").fit(reference)


def test_constant_topics_are_counted_in_the_refusal(reference) -> None:
    reference.loc["352"] = [0.5, np.nan, 0.5, 0.5]
    reference.loc["353"] = 0.25
    expected = r"topic '352': all its reference scores are equal \(constant topics: 2\); expected"
    with pytest.raises(ConstantTopicError, match=expected):
        Standardizer("empirical", constant="raise", missing="omit").fit(reference)
