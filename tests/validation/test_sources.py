"""The bibliography has every paper that schemes, tests, docstrings and pages cite."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.significance.contract import significance_tests

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
_NAME = r"(?:(?:del |von )?[A-Z][\w'’-]+)"
_CITED = re.compile(
    rf"(?P<names>{_NAME}(?:(?:, and |, | and ){_NAME})*)(?: et al\.)?,? "
    r"\(?(?P<years>(?:1[6-9]|20)\d\d(?:, (?:1[6-9]|20)\d\d)?)\)"
)
# Words before a year that is not that of a paper: conferences, versions of R, collections.
_OTHER = {"EVIA", "ICTIR", "SIGIR", "Patched", "Robust", "Terabyte", "Web", "TREC", "Systems"}


def plain(text: str) -> str:
    """Return a text without accents."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@cache
def labels() -> list[str]:
    """Return the papers of the page, as they are cited."""
    return [plain(each) for each in re.findall(r"^- \*\*(.+?)\*\*\. ", PAGE, re.MULTILINE)]


def _is_by(label: str, names: list[str]) -> bool:
    """Tell whether a paper is by these authors, of whom "et al." leaves out all but the first."""
    return label.startswith(names[0]) if "et al." in label else all(n in label for n in names)


def missing_in(text: str) -> Iterator[str]:
    """Yield what a text cites and the bibliography lacks."""
    known = labels()
    for cited in _CITED.finditer(plain(re.sub(r"\s+(?:#:? )?", " ", text))):
        names = re.findall(_NAME, cited["names"])
        if _OTHER & set(names):
            continue
        for year in re.findall(r"\d{4}", cited["years"]):
            if not any(year in each and _is_by(each, names) for each in known):
                yield cited[0]


@pytest.mark.parametrize("catalogue", [schemes, significance_tests], ids=["schemes", "tests"])
def test_sources_of_all_members_are_listed(catalogue) -> None:
    for name in catalogue.names():
        source = catalogue.load(name).source
        assert list(missing_in(source)) == [], name
        assert _CITED.search(source) or source.startswith(("Markov", "the reference of scipy"))


def test_what_docstrings_and_pages_cite_is_listed() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    missing = {
        (cited, str(path.relative_to(ROOT)))
        for path in files
        if "reference" not in path.parts and "plug_in" not in path.parts
        for cited in missing_in(path.read_text(encoding="utf-8"))
    }
    assert sorted(missing) == []
