"""Factors of reference systems, applied to other systems: topics are matched by label."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import FactorsError, SchemeError
from cdfscore.standardization.policies import reflected
from cdfscore.stats.schemes import Normal

# Counts of reference scores at most x, by hand.
NEW = {"351": 3 / 4, "352": 2 / 4, "353": 2 / 4}
NEWER = {"351": 1 / 4, "352": 4 / 4, "353": 0 / 4}


@pytest.mark.clause("standardizer.1", "factors.1")
def test_other_systems_are_read_through_the_reference_systems(reference, others) -> None:
    y = Standardizer("empirical").fit(reference).transform(others)
    assert y["new"].to_dict() == NEW
    assert y["newer"].to_dict() == NEWER


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


@pytest.mark.clause("errors.2")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme": "emprical"}, r"there is no scheme 'emprical' \(did you mean 'empirical'\?\)"),
        ({"scheme": Normal}, "expected a scheme such as Normal"),
        ({"scheme": None}, "scheme=None is not accepted"),
        (
            {"scheme": "z", "constant": "lim"},
            "constant='lim' is not accepted .did you mean 'limit'",
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


@pytest.mark.clause("errors.2")
@pytest.mark.parametrize("measure", [3, "", " ", ["AP"]])
def test_a_measure_is_text(reference, measure) -> None:
    with pytest.raises(FactorsError, match=r"^measure=.* is not accepted; expected text such as"):
        Standardizer("normal").fit(reference, measure=measure)


# ---- scores of which lower is better: decimals stay decimals, and nothing else is rounded


@pytest.mark.clause("lower_is_better.2")
def test_a_score_beside_a_decimal_is_no_decimal() -> None:
    """Three doubles from one, farther than any rounding: 1 - x is exact, and stays."""
    for decimal in (0.55, 0.6, 0.7, 0.8, 0.9):
        for steps in (-3, 3):
            x = decimal + steps * np.spacing(decimal)
            (found,) = reflected(1.0, np.array([x])).tolist()
            assert Fraction(found) == 1 - Fraction(float(x))
            assert found != reflected(1.0, np.array([decimal]))[0]


@pytest.mark.clause("lower_is_better.1")
@pytest.mark.parametrize("at", [0.0, 1.0])
def test_reversed_scores_have_the_other_tail(at: float) -> None:
    """By N-std 1 - F(x); by E-std the proportion of scores that are at least x, with ties."""
    wer = pd.DataFrame([[0.2, 0.1, 0.4, 0.2, 0.7]], ["t"], list("abcde"))
    as_they_are, by_n_std, by_e_std = (
        Standardizer(scheme, **how).fit_transform(wer).to_numpy()[0]
        for scheme, how in (
            ("normal", {}),
            ("normal", {"lower_is_better": True, "reflect_at": at}),
            ("empirical", {"lower_is_better": True, "reflect_at": at}),
        )
    )
    assert by_n_std == pytest.approx(1 - as_they_are, rel=1e-13)
    assert by_e_std.tolist() == [4 / 5, 5 / 5, 2 / 5, 4 / 5, 1 / 5]
