"""The reference has a page for everything public, and for nothing that is not there."""

import pytest

import cdfscore
from validation.documentation.clauses import object_of
from validation.documentation.public import public_objects, summary

NAMED = public_objects()


@pytest.mark.parametrize("name", sorted(set(cdfscore.__all__) - {"__version__"}))
def test_reference_names_what_is_public(name: str) -> None:
    """By itself, or with its whole module, as the errors, or each member of a package."""
    found = getattr(cdfscore, name)
    pages = [id(object_of(each)) for each in NAMED]
    members = [each for each in NAMED if each.startswith(f"cdfscore.{name}.")]
    assert id(found) in pages or members or found.__module__ in NAMED


@pytest.mark.parametrize("name", NAMED)
def test_what_the_reference_names_has_a_summary(name: str) -> None:
    assert summary(name)
