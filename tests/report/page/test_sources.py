"""BibTeX of papers: every entry is of a source that a scheme, a test or a correction names."""

from __future__ import annotations

import re

import pytest

from cdfscore.comparison.adjustment import METHODS
from cdfscore.report.page import sources
from cdfscore.schemes.registry import schemes
from cdfscore.significance.registry import significance_tests

NAMED = " ".join(
    [
        *(schemes.load(name).source for name in schemes.names()),
        *(significance_tests.load(name).source for name in significance_tests.names()),
        *sources._CORRECTIONS.values(),
        "Gneiting and Raftery (2007)",
    ]
)


def test_entries_are_read_and_named_somewhere() -> None:
    found = sources.entries()
    assert len(found) > 35
    assert [name for name in found if name not in NAMED] == []
    assert len({re.match(r"@\w+\{(\w+),", entry)[1] for entry in found.values()}) == len(found)  # type: ignore[index]


@pytest.mark.parametrize("name", sources.entries())
def test_an_entry_is_whole_and_of_its_year(name: str) -> None:
    entry = sources.entries()[name]
    assert entry.count("{") == entry.count("}")
    assert entry.startswith("@")
    assert entry.endswith("}\n")
    year = re.search(r"\d{4}", name)
    assert year is not None
    assert f"year = {{{year[0]}}}" in entry


@pytest.mark.parametrize("name", schemes.names())
def test_schemes_have_an_entry_for_each_paper_that_they_name(name: str) -> None:
    source = schemes.load(name).source
    papers = re.findall(r"\(\d{4}\)", source)
    assert sources.bibtex([source]).count("@") == len(papers)


def test_corrections_are_those_that_there_are() -> None:
    assert set(METHODS) - set(sources._CORRECTIONS) == {"bonferroni", "none"}
