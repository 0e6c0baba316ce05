"""The reference has a page for everything public, and for nothing that is not there."""

import re

import pytest

import cdfscore
from validation.documentation.clauses import ROOT, file_of, object_of
from validation.documentation.public import PAGE, public_objects, summary
from validation.documentation.reference import with_summaries

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


def test_the_page_of_the_repository_has_each_object_once_with_its_file() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"^ *- \[`(?P<name>.*?)`\]\((?P<file>.*?)\): (?P<said>.+)$", text, re.M)
    assert len(listed) == len(re.findall("^ *- ", text, re.M)) == len(set(listed))
    files = {(PAGE.parent / file).resolve() for _, file, _ in listed}
    assert {ROOT / file_of(name) for name in NAMED} <= files
    assert {summary(name) for name in NAMED} <= {said for _, _, said in listed}


def test_lists_of_names_get_their_summaries() -> None:
    written = "# a\n- `cdfscore.errors`\n- `cdfscore.models`\n  - [`gone`](x.py): y\nb\n"
    found = with_summaries(written)
    errors, package, *own, last = found.splitlines()[1:]
    said = (
        "Errors and warnings of cdfscore. Each error is a `CdfscoreError`, which is a `ValueError`."
    )
    assert errors == f"- [`cdfscore.errors`](../src/cdfscore/errors.py): {said}"
    assert package.startswith("- [`cdfscore.models`](../src/cdfscore/models/__init__.py): ")
    assert last == "b"
    assert len(own) == sum(line.startswith("  - [`") for line in own) > 0
    assert "gone" not in found
    assert with_summaries(found) == found
