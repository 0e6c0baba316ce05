"""The classes of errors: one base, and the kinds that are kinds of others."""

import inspect

import pytest

from cdfscore import errors
from cdfscore.testing import ContractError
from validation.documentation.clauses import CHAPTERS

#: Each class with the class that it is a kind of.
KINDS = {
    "MissingScoreError": "ScoresError",
    "ConstantTopicError": "FitError",
    "SpecificationError": "ModelError",
    "RNotAvailableError": "MissingDependencyError",
}


@pytest.mark.clause("errors.1")
def test_each_error_is_a_value_error() -> None:
    classes = dict(inspect.getmembers(errors, inspect.isclass))
    raised = {name: kind for name, kind in classes.items() if issubclass(kind, Exception)}
    raised.pop("CdfscoreWarning")
    assert raised.pop("CdfscoreError").__bases__ == (ValueError,)
    chapter = (CHAPTERS / "errors.md").read_text(encoding="utf-8")
    assert len(raised) == 18
    for name, kind in raised.items():
        (base,) = kind.__bases__
        assert base.__name__ == KINDS.get(name, "CdfscoreError"), name
        assert f"`{name}`" in chapter


@pytest.mark.clause("errors.1", "warnings.1")
def test_a_broken_contract_and_a_caution_are_none() -> None:
    assert issubclass(ContractError, AssertionError)
    assert issubclass(errors.CdfscoreWarning, UserWarning)
    for kind in (ContractError, errors.CdfscoreWarning):
        assert not issubclass(kind, errors.CdfscoreError)


@pytest.mark.clause("errors.2")
def test_a_similar_name_is_the_answer() -> None:
    known = ["normal", "uniform", "empirical"]
    assert errors.did_you_mean("nrmal", known) == " (did you mean 'normal'?)"
    assert errors.did_you_mean("x", known) == ""
