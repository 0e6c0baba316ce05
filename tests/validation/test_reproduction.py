"""The pages on the two papers show the numbers that are kept, and figures that are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from validation.papers import pictures, reproduction

PAGES = reproduction.written()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_kept_numbers_give(name: str) -> None:
    assert (reproduction.ROOT / name).read_text(encoding="utf-8") == PAGES[name]


def test_figures_on_the_pages_are_drawn() -> None:
    shown = {file for page in PAGES.values() for file in re.findall(r"\(pictures/(.+?)\)", page)}
    assert shown == set(pictures.pictures())


def test_a_figure_is_drawn_from_kept_numbers(tmp_path: Path) -> None:
    pictures.draw(tmp_path, ["webber2008_figure1.svg", "webber2008_figure3.svg"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "webber2008_figure1.svg",
        "webber2008_figure3.svg",
    ]
    assert b"</svg>" in (tmp_path / "webber2008_figure1.svg").read_bytes()
