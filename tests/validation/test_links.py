"""Links within the pages lead to files and headings, on a forge as on the site."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from validation.documentation.clauses import ROOT, anchor_of

#: Figures that are drawn with the site, and not kept in the repository.
DRAWN = ROOT / "docs" / "pictures"
PAGES = [
    *(path for path in ROOT.glob("*.md")),
    *(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"),
    *(ROOT / "src").rglob("*.md"),
]


@cache
def tokens_of(path: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))


def inline(path: Path, kind: str) -> Iterator[Token]:
    for block in tokens_of(path):
        yield from (each for each in block.children or [] if each.type == kind)


@cache
def headings_of(path: Path) -> list[str]:
    """Return the text of each heading."""
    return [
        "".join(part.content for part in text.children or [])
        for opened, text in zip(tokens_of(path), tokens_of(path)[1:], strict=False)
        if opened.type == "heading_open"
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(path: Path) -> None:
    """Both a forge and the site make the anchor of a heading of its words."""
    for link in inline(path, "link_open"):
        target, _, anchor = unquote(str(link.attrs["href"])).partition("#")
        if re.match(r"\w+:", target):
            continue
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), target
        assert not anchor or anchor in map(anchor_of, headings_of(file)), f"{target}#{anchor}"
    for image in inline(path, "image"):
        file = (path.parent / str(image.attrs["src"])).resolve()
        assert file.exists() or file.is_relative_to(DRAWN), file


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_clause_that_a_page_names_has_a_link(path: Path) -> None:
    """Without a link, Markdown shows the brackets."""
    shown = [each.content for each in inline(path, "text")]
    assert [text for text in shown if re.search(r"\[[a-z]\w*\.\d+\]", text)] == []
