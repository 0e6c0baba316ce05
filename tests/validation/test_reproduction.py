"""The pages on the two papers show the numbers that are kept, and figures that are drawn."""

import re
from pathlib import Path

import pytest

from validation.papers import pictures, reproduction


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reproduction.written()


@pytest.mark.parametrize("name", ["reproduction", "webber2008", "urbano2019"])
def test_a_page_is_what_the_kept_numbers_give(name: str, pages: dict[str, str]) -> None:
    name = f"docs/{name}.md"
    assert (reproduction.ROOT / name).read_text(encoding="utf-8") == pages[name]


def test_figures_on_the_pages_are_drawn(pages: dict[str, str]) -> None:
    assert len(pages) == 3
    shown = {file for page in pages.values() for file in re.findall(r"\(pictures/(.+?)\)", page)}
    assert shown == set(pictures.pictures())


def test_a_figure_is_drawn_from_kept_numbers(tmp_path: Path) -> None:
    pictures.draw(tmp_path, ["webber2008_figure1.svg", "webber2008_figure3.svg"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "webber2008_figure1.svg",
        "webber2008_figure3.svg",
    ]
    assert b"</svg>" in (tmp_path / "webber2008_figure1.svg").read_bytes()
