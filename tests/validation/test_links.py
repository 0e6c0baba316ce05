"""Links within the pages lead to files and headings, on a forge as on the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from validation.documentation.clauses import HEADING, ROOT, anchor_of
from validation.documentation.tables import linked

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


def test_headings_of_a_page_have_different_anchors() -> None:
    """Those that a link needs: a clause. A second heading of the same words would have another."""
    for path in PAGES:
        anchors = [anchor_of(each) for each in headings_of(path) if HEADING.match(f"### {each}")]
        assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("normal.1 Distribution", "normal1-distribution"),
        ("sums.2 Gain of Järvelin, with `b`", "sums2-gain-of-järvelin-with-b"),
        ("exact.1 The setting `exact`", "exact1-the-setting-exact"),
        ("Raw and R-normalized: a [link](x.md#y)", "raw-and-r-normalized-a-link"),
        ("sj_dpi.1  Two spaces", "sj_dpi1--two-spaces"),
    ],
)
def test_anchors_are_those_of_a_forge(heading: str, anchor: str) -> None:
    assert anchor_of(heading) == anchor


@pytest.mark.parametrize(
    ("page", "text", "links"),
    [
        (
            "docs/x.md",
            "of [normal.1],",
            "[normal.1]: specification/schemes.md#normal1-distribution",
        ),
        ("docs/specification/schemes.md", "[by hand][z.1]", "[z.1]: #z1-definition"),
        ("docs/specification/tests.md", "([z.1])", "[z.1]: schemes.md#z1-definition"),
        ("docs/x.md", "`[normal.1]` and\n```\n[z.1]\n```\n[a](b.md), x[i.1](y)", ""),
        ("docs/x.md", "[normal.99] is none", ""),
    ],
)
def test_links_of_clauses_are_at_the_end(page: str, text: str, links: str) -> None:
    found = linked(ROOT / page, f"{text}\n")
    assert found == (f"{text}\n\n{links}\n" if links else f"{text}\n")
    assert linked(ROOT / page, found) == found
    assert linked(ROOT / page, f"{text}\n\n[z.9]: gone.md#z9\n") == found
