"""The names that policies and errors had before: they keep working, and not beside the new ones."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from cdfscore import Standardizer, errors
from cdfscore.errors import ConstantTopicError, SchemeError

SCORES = pd.DataFrame({"a": [0.1, 0.5], "b": [0.2, 0.5], "c": [0.3, 0.5]}, index=["301", "302"])


@pytest.mark.parametrize("policy", ["limit", "half", "nan", "raise", "urbano2019", "matters"])
def test_a_standardizer_takes_the_former_name(policy: str) -> None:
    former, now = Standardizer("normal", degenerate=policy), Standardizer("normal", constant=policy)
    assert former == now
    assert former.constant == policy
    assert repr(former) == repr(now)
    assert hash(former) == hash(now)


def test_it_gives_the_same_scores() -> None:
    found = Standardizer("normal", degenerate="half").fit_transform(SCORES)
    assert found.loc["302"].tolist() == [0.5, 0.5, 0.5]


def test_a_copy_with_another_policy_keeps_it() -> None:
    how = Standardizer("normal", degenerate="half")
    assert dataclasses.replace(how, missing="omit").constant == "half"
    factors = dataclasses.replace(how.fit(SCORES), missing="omit")
    assert factors.constant == "half"


@pytest.mark.parametrize("policy", ["half", "nan"])
def test_both_names_at_once_are_refused(policy: str) -> None:
    message = "are the same setting; expected one of them"
    with pytest.raises(SchemeError, match=message):
        Standardizer("normal", constant="half", degenerate=policy)


def test_what_is_no_policy_is_refused_by_either_name() -> None:
    for name in ("constant", "degenerate"):
        with pytest.raises(SchemeError, match="constant='foo' is not accepted; expected one of"):
            Standardizer("normal", **{name: "foo"})


def test_the_error_has_both_names() -> None:
    assert errors.DegenerateTopicError is ConstantTopicError
    with pytest.raises(errors.DegenerateTopicError, match="topic '302'"):
        Standardizer("normal", constant="raise").fit(SCORES)
