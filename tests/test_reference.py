"""The reference has everything public, and nothing that is not there."""

import importlib
import re
from pathlib import Path

import pytest

import cdfscore

PAGE = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
NAMED = re.findall(r"^::: (\S+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(cdfscore.__all__) - {"__version__"}))
def test_reference_names_what_is_public(name: str) -> None:
    """By itself, or with its whole module, as the errors."""
    assert {f"cdfscore.{name}", getattr(getattr(cdfscore, name), "__module__", "")} & set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_what_the_reference_names_is_there(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    parent = importlib.import_module(module)
    found = getattr(parent, attribute, None)
    assert (found or importlib.import_module(name)).__doc__
