"""What the charts of a page show, computed again from the scores."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest

from cdfscore.cli import main
from tests.report.page.conftest import WAIT, draw_all

SCORES = pd.DataFrame(
    [[0.1, 0.9, 0.4], [0.3, 0.5, 0.45], [0.7, 0.6, 0.8], [0.2, 0.85, 0.3], [0.05, 0.15, 0.35]],
    pd.Index(["t1", "t2", "t3", "t4", "t5"], name="topic"),
    ["low", "high", "middle"],
)
BY_MEAN = list(SCORES.mean(axis=1).sort_values(ascending=False).index)
LIGHT_INK, DARK_INK = "#1b1f24", "#e6edf3"


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open a page of three systems on five topics, with all charts drawn."""
    folder = tmp_path_factory.mktemp("charts")
    SCORES.to_csv(folder / "s.csv")
    words = ["cdfscore", "report", "s.csv", "--no-verify", "-o", "page.html"]
    with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
        patch.chdir(folder)
        patch.setattr(sys, "argv", words)
        main()
    room = browser.new_context(offline=True, viewport={"width": 1000, "height": 800})
    room.set_default_timeout(WAIT)
    found = room.new_page()
    found.goto((folder / "page.html").as_uri())
    found.wait_for_selector("html[data-ready]")
    draw_all(found)
    yield found
    room.close()


def marks(page: Any, chart: str) -> list[str]:
    """Return what the marks of a chart are called for those who do not see them."""
    said: list[str] = page.locator(f"#{chart} svg path[aria-roledescription]").evaluate_all(
        "all => all.map((each) => each.getAttribute('aria-label'))"
    )
    return said


def number(text: str, name: str) -> float:
    """Return the number of that name in what a mark is called."""
    found = re.search(rf"(?:^|; ){re.escape(name)}: ([^;]+)", text)
    assert found is not None
    return float(found[1].replace("\u2212", "-"))


def test_differences_of_two_systems_are_a_minus_b_by_topic(page: Any) -> None:
    for a, b in (("high", "middle"), ("middle", "low")):
        page.locator("#first").select_option(label=a)
        page.locator("#second").select_option(label=b)
        differences = SCORES[a] - SCORES[b]
        page.wait_for_function(
            "told => document.querySelector('#pair-chart svg').innerHTML.includes(told)",
            arg=f"difference, A minus B: {differences.max():.2g};",
        )
        bars = marks(page, "pair-chart")
        assert len(bars) == len(SCORES)
        for bar in bars:
            topic = re.findall(r"topic: (t\d)", bar)[-1]
            assert number(bar, "difference") == pytest.approx(differences[topic], abs=1e-4)
            assert (number(bar, "A"), number(bar, "B")) == tuple(SCORES.loc[topic, [a, b]])
        shown = [number(bar, "difference") for bar in bars]
        assert all(first >= second for first, second in pairwise(shown))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("centre", SCORES.columns)
def test_differences_from_a_system_have_its_mean_taken_away(page: Any, centre: str) -> None:
    page.locator("#centre").select_option(label=centre)
    others = set(SCORES.columns) - {centre}
    page.wait_for_function(
        "gone => !document.querySelector('#differences svg').innerHTML.includes(gone)",
        arg=f"system: {centre};",
    )
    points = marks(page, "differences")
    found = {re.findall(r"system: (\w+)", each)[0]: number(each, "difference") for each in points}
    assert set(found) == others
    for system in others:
        true = SCORES[system].mean() - SCORES[centre].mean()
        assert found[system] == pytest.approx(true, abs=1e-6)
    told = page.locator("#differences-told").inner_text()
    assert told.startswith(f"Above 0, a system is ahead of {centre}.")


def test_cells_are_ordered_by_means(page: Any) -> None:
    cells = page.locator("#matrix canvas")
    cells.scroll_into_view_if_needed()
    size = cells.bounding_box()
    left, right, top, bottom = 120, size["width"] - 60, 90, size["height"] - 60
    for x, topic in ((left, BY_MEAN[0]), (right, BY_MEAN[-1])):
        for y, system in ((top, "high"), (bottom, "low")):
            cells.hover(position={"x": x, "y": y})
            page.wait_for_function(
                "told => { const tip = document.querySelector('#vg-tooltip-element');"
                " return tip && tip.innerText.replace(/\\s+/g, ' ').trim() === told; }",
                arg=f"system {system} topic {topic} score {SCORES.at[topic, system]:g}",
            )


def test_charts_have_the_colours_of_the_screen(page: Any) -> None:
    charts = ("differences", "pair-chart")
    for scheme, ink, other in (("dark", DARK_INK, LIGHT_INK), ("light", LIGHT_INK, DARK_INK)):
        page.emulate_media(color_scheme=scheme)
        for chart in charts:
            page.wait_for_function(
                "([chart, ink]) => document.querySelector(`#${chart} svg`).innerHTML.includes(ink)",
                arg=[chart, ink],
            )
            assert other not in page.locator(f"#{chart} svg").inner_html()
