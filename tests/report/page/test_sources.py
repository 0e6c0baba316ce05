"""BibTeX of papers: every entry is of a source that a scheme, a test or a correction names."""

import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from cdfscore import __version__
from cdfscore.report import page
from cdfscore.report.methods import entries
from cdfscore.report.page import Parity
from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.significance.contract import significance_tests


@pytest.mark.parametrize("name", entries())
def test_an_entry_is_whole_and_of_its_year(name: str) -> None:
    entry = entries()[name]
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
    assert page.bibtex([source]).count("@") == len(papers)


@pytest.mark.parametrize("name", significance_tests.names())
def test_tests_have_an_entry_for_each_paper_that_they_name(name: str) -> None:
    source = significance_tests.load(name).source
    years = re.findall(r"\b\d{4}\b", source)
    assert years
    assert len(entries_of(source)) == len(years)


def entries_of(source: str) -> list[str]:
    return re.findall(r"^@", page.bibtex([source]), flags=re.MULTILINE)


def test_titles_are_spelled_as_the_citation_file_has_them() -> None:
    citation = Path(__file__).parents[3].joinpath("CITATION.cff").read_text(encoding="utf-8")
    for title in re.findall(r"^ +title: \"(.+)\"", citation, flags=re.MULTILINE):
        assert any(f"title = {{{title}}}" in entry for entry in entries().values()), title
    assert "A Simple and Effective Approach to Score Standardisation" in citation


def test_software_is_cited_as_its_makers_ask_for() -> None:
    ran = pd.DataFrame({"quantity": ["p value"], "count": [3], "agrees": [True]})
    ran.attrs |= {"r_version": "R version 4.2.2 Patched (2022-11-10 r83330)", "notes": []}
    with_r = SimpleNamespace(parity=Parity([ran]))
    without = SimpleNamespace(parity=Parity())
    (own,) = page.entries_of_software(without)  # type: ignore[arg-type]
    citation = Path(__file__).parents[3].joinpath("CITATION.cff").read_text(encoding="utf-8")
    for field in ("author", "title"):
        (name,) = re.findall(rf"{field} = {{+(.*?)}}+,?\n", own)
        assert f'"{name}"' in citation or f"title: {name}\n" in citation
    assert f"Version {__version__}" in own
    own_again, r = page.entries_of_software(with_r)  # type: ignore[arg-type]
    assert own_again == own
    for part in ("{{R Core Team}}", "year = {2022}", "R version 4.2.2 Patched", "Vienna, Austria"):
        assert part in r
    named, with_r_named = map(page.cited_software, (without, with_r))  # type: ignore[arg-type]
    assert with_r_named[:-1] == named
    assert with_r_named[-1].startswith("R Core Team (2022), R version")
    assert page.bibtex(named).count("@") == len(page.PAPERS) == len(named) - 1
