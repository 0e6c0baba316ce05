"""The page in headless Chromium, with the network off."""

from __future__ import annotations

import re
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.cli import main
from tests.report.page.conftest import NAMES, SCRIPT, WAIT, Opened, draw_all

PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


def column(page: Any, table: str, number: int) -> list[str]:
    texts: list[str] = page.locator(f"{table} tbody tr td:nth-child({number})").all_inner_texts()
    return texts


@pytest.mark.long
def test_names_of_files_stay_text_and_the_browser_says_nothing(
    hostile: Path, opened: Opened
) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)
        page.locator("#pairs-table button").first.click()
        page.locator("#pairs-table thead th").nth(4).click()
        assert page.locator("main img, main b, main i, main u, main script").count() == 0
        systems = column(page, "#systems-table", 2)
        assert SCRIPT in systems
        assert any("\\u202e" in name for name in systems)
        assert page.locator("#first option").count() == len(NAMES)
        assert "<b>scores<b>.csv" in page.locator("header").inner_text()
        assert SCRIPT in page.locator("#differences svg").text_content()
    assert said == []


@pytest.mark.long
def test_a_tooltip_has_names_as_text(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)
        chart = page.locator("#pair-chart svg")
        chart.scroll_into_view_if_needed()
        bar = chart.locator("path[aria-roledescription=bar]").first
        bar.hover()
        tip = page.locator("#vg-tooltip-element.visible")
        tip.wait_for()
        assert "topic" in tip.inner_text()
        assert tip.locator("u, script").count() == 0
        page.locator("#differences path[aria-roledescription=point]").last.hover()
        page.wait_for_function(
            "document.querySelector('#vg-tooltip-element').innerText.includes('system')"
        )
        assert tip.locator("b, i, img, script").count() == 0
        page.locator("#matrix canvas").hover()
        page.wait_for_function(
            "['topic', 'system', 'score', 'raw'].every((word) =>"
            " document.querySelector('#vg-tooltip-element').innerText.includes(word))"
        )
        assert tip.locator("b, i, u, img, script").count() == 0
    assert said == []


def test_tables_are_sorted_and_searched(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)
        given = [float(cell) for cell in column(page, "#systems-table", 3)]
        assert given == sorted(given, reverse=True)
        header = page.locator("#systems-table thead th").nth(2)
        header.get_by_role("button").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#systems-table th[aria-sort=ascending]")
        found = [float(cell) for cell in column(page, "#systems-table", 3)]
        assert found == sorted(given)
        page.locator("#pairs-table_wrapper input[type=search]").fill("HYPERLINK")
        info = page.locator("#pairs-table_wrapper .dt-info")
        assert info.inner_text().startswith(f"1 to {len(NAMES) - 1} of {len(NAMES) - 1}")
        page.locator("#pairs-table_wrapper input[type=search]").fill("")
        differences = page.locator("#pairs-table thead th").nth(3)
        assert differences.inner_text().strip() == "difference [interval]"
        differences.click()
        page.wait_for_selector("#pairs-table th[aria-sort=ascending]")
        shown = [float(cell.partition(" [")[0]) for cell in column(page, "#pairs-table", 4)]
        assert shown == sorted(shown)
        everything = info.inner_text()
        page.locator("#only").check()
        assert info.inner_text() != everything
        shown_rows = page.locator("#pairs-table tbody tr").all_inner_texts()
        assert all("*" in row for row in shown_rows)
    assert said == []


@pytest.mark.long
def test_p_values_are_sorted_as_numbers(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)  # or a chart that is drawn moves the header away from the click
        headers = page.locator("#pairs-table thead th")
        place = headers.all_inner_texts().index("adjusted p")
        headers.nth(place).click()
        page.wait_for_selector("#pairs-table th[aria-sort=ascending]")
        cells = column(page, "#pairs-table", place + 1)
        numbers = [float(cell.lstrip("< ").rstrip("*")) for cell in cells]
        assert numbers == sorted(numbers)
        assert any(cell.endswith("*") for cell in cells)
        assert len(set(cells)) > 1
    assert said == []


@pytest.mark.long
def test_the_view_of_a_pair_changes(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)
        numbers = page.locator("#pair-numbers")
        before = numbers.inner_text(), page.locator("#pair-chart svg").inner_html()
        page.locator("#pairs-table button").first.click()
        for part in column(page, "#pairs-table", 4)[0].split(" ", 1):
            assert part in numbers.inner_text()
        page.wait_for_function(
            "before => document.querySelector('#pair-chart svg').innerHTML !== before",
            arg=before[1],
        )
        assert numbers.inner_text() != before[0]
        page.locator("#second").select_option(page.locator("#first").input_value())
        assert "choose two different systems" in numbers.inner_text()
        differences = page.locator("#differences svg").inner_html()
        page.locator("#centre").select_option(index=1)
        page.wait_for_function(
            "before => document.querySelector('#differences svg').innerHTML !== before",
            arg=differences,
        )
    assert said == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("context", [{}, PHONE], ids=["desktop, light", "phone, dark"])
def test_nothing_serious_is_said_by_axe(
    hostile: Path, opened: Opened, axe: Any, context: dict[str, Any]
) -> None:
    said: list[str] = []
    with opened(hostile, said, **context) as page:
        draw_all(page)
        found = axe.run(page).response["violations"]
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"]
    names = [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in found]
    assert names == []
    assert said == []


@pytest.fixture(scope="module")
def leaderboard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page of models with long names on 8 tasks, by a test of ranks."""
    folder = tmp_path_factory.mktemp("board")
    random = np.random.default_rng(3)
    names = [f"some-laboratory/speech_{i}-large-with_conformer" for i in range(12)]
    scores = random.uniform(5, 9, (12, 8)).round(2) + np.arange(12)[:, None]
    tasks = [f"Task {i}" for i in range(8)]
    board = pd.DataFrame(scores, pd.Index(names, name="model"), tasks)
    board["RTFx"] = 100.5
    board.to_csv(folder / "board.csv")
    words = ["report", "board.csv", "--drop-topic", "RTFx", "--lower-is-better", "all"]
    words += ["--test", "nemenyi", "--no-verify", "-o", "page.html"]
    with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["cdfscore", *words])
        main()
    return folder / "page.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_what_decides_is_in_view(leaderboard: Path, opened: Opened, width: int) -> None:
    said: list[str] = []
    with opened(leaderboard, said, viewport={"width": width, "height": 900}) as page:
        draw_all(page)
        heads = page.locator("#pairs-table thead th:visible")
        assert heads.first.inner_text().split() == (["A"] if width == 1280 else ["A", "and", "B"])
        for each in (*heads.all(), page.locator("#pairs-table button").first):
            box = each.bounding_box()
            assert box["x"] + box["width"] <= width
        assert "p" in heads.all_inner_texts()
        assert page.locator("#means svg").text_content().count("some-laboratory/") == 12
        assert "Task 3" in page.locator("#pair-chart svg").text_content()
        for chart in page.locator(".chart svg").all():
            assert chart.bounding_box()["width"] <= width
    assert said == []


# Whether nothing lies on the element.
ON_TOP = """each => {
  each.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = each.getBoundingClientRect();
  return each.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""


def test_a_table_is_read_on_a_phone(leaderboard: Path, opened: Opened) -> None:
    """The name of a row stays while the table is moved, and no number is broken."""
    with opened(leaderboard, [], **PHONE) as page:
        draw_all(page)
        tables = page.locator("table.sortable")
        assert tables.count() > 3
        moved = 0
        for table in tables.all():
            box = table.locator("xpath=..")
            moved += box.evaluate("box => { box.scrollLeft = 150; return box.scrollLeft > 0 }")
            left = box.bounding_box()["x"]
            for cell in ("thead th:not(.number)", "tbody td:not(.number)"):
                name = table.locator(cell).first
                assert left <= name.bounding_box()["x"] < left + 150
                assert name.evaluate(ON_TOP)
        assert moved > 1
        lines = page.locator("#pair-numbers dd").evaluate_all(
            "all => all.map((each) => [each.textContent, each.getClientRects()[0].height])"
        )
        least = min(height for _, height in lines)
        numbers = [height for text, height in lines if re.fullmatch(r"-?[\d.]+", text)]
        assert numbers
        assert max(numbers) == least


def test_heads_of_numbers_end_where_the_numbers_end(leaderboard: Path, opened: Opened) -> None:
    with opened(leaderboard, []) as page:
        draw_all(page)
        heads = page.locator("#systems-table thead th.number .dt-column-title")
        ends = """all => all.map((each) => {
            const range = document.createRange();
            range.selectNodeContents(each);
            return range.getBoundingClientRect().right;
        })"""
        cells = page.locator("#systems-table tbody tr:first-child td.number")
        assert heads.evaluate_all(ends) == pytest.approx(cells.evaluate_all(ends), abs=1.5)
        beside = """all => all.map((each) => {
            const [title, icon] = [...each.children].map((part) => part.getBoundingClientRect());
            return Math.min(Math.abs(icon.left - title.right), Math.abs(title.left - icon.right));
        })"""
        of_all = page.locator("thead th[aria-sort], thead th.dt-orderable-asc")
        of_all = of_all.locator(".dt-column-header:visible")
        assert of_all.count() > 20
        assert max(of_all.evaluate_all(beside)) < 12


def test_marks_are_called_once_by_what_they_are_and_are_not_pale(
    leaderboard: Path, opened: Opened
) -> None:
    with opened(leaderboard, []) as page:
        draw_all(page)
        marks = page.locator(".chart svg path[aria-roledescription=point]")
        for said in marks.evaluate_all("all => all.map((each) => each.ariaLabel)"):
            assert len(re.findall("model: ", said)) == 1
            assert "system" not in said
        assert {*marks.evaluate_all("all => all.map((each) => each.getAttribute('opacity'))")} <= {
            None,
            "1",
        }


def test_a_page_has_the_words_of_its_scores(leaderboard: Path, opened: Opened) -> None:
    with opened(leaderboard, []) as page:
        text = page.locator("body").inner_text()
        assert re.findall(r"(?i)(?<![\w-])(?:system|topic)s?(?!\w)", text) == []
        assert "--drop-topic RTFx" in text
        headings = page.locator("h2").all_inner_texts()
        assert headings.index("Methods") < headings.index("More findings")
        assert {"Models", "Pairs of models", "Two models, task by task"} <= {*headings}
        links = page.locator("header a[download]")
        files = links.evaluate_all("all => all.map((each) => each.getAttribute('download'))")
        assert files == ["pairs.csv", "pairs.tex", "analysis.R", "references.bib"]


def test_a_test_of_ranks_orders_by_ranks_and_shows_the_critical_difference(
    leaderboard: Path, opened: Opened
) -> None:
    with opened(leaderboard, []) as page:
        draw_all(page)
        names, ranks = (column(page, "#systems-table", place) for place in (2, 3))
        assert [float(rank) for rank in ranks] == sorted(map(float, ranks))
        drawn = page.locator("#means svg").text_content()
        assert [name for name in names if name in drawn] == names
        lines = page.locator("#means svg .role-mark.mark-rule line").evaluate_all(
            "all => all.map((each) => Math.abs(each.getAttribute('x2')))"
        )
        assert len(lines) == 12
        assert min(lines) == pytest.approx(max(lines), abs=0.01)
        assert min(lines) > 10


@pytest.mark.long
def test_what_is_printed_has_every_chart_and_no_buttons(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        draw_all(page)
        page.emulate_media(media="print")
        assert not page.get_by_label("Sections").is_visible()
        assert not page.locator("#first").is_visible()
        assert page.locator("#methods").is_visible()
    assert said == []


def colours(pdf: bytes) -> set[tuple[int, ...]]:
    """Return the colours that the pages of a PDF are drawn in."""
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        with suppress(zlib.error):
            for drawn in re.findall(
                rb"([\d.]+) ([\d.]+) ([\d.]+) (?:rg|RG)\b", zlib.decompress(stream)
            ):
                found.add(tuple(round(255 * float(each)) for each in drawn))
    return found


AT_PRINT = """
window.addEventListener("afterprint", () => {
  const count = (what) => document.querySelectorAll(what).length;
  window.printed = {
    charts: count(".chart"), drawn: count(".paper svg, .paper canvas"), dark: count("html.dark"),
    folded: count("details:not([open])"), rows: count("#pairs-table tbody tr"),
    width: document.querySelector("#pair-chart-paper svg").getAttribute("width"),
    from: document.querySelector("#centre-told").textContent,
  };
});
"""
INK, DARK_INK, BARS = (27, 31, 36), (230, 237, 243), (213, 94, 0)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_first_print_is_whole_and_light(hostile: Path, browser: Any, scheme: str) -> None:
    room = browser.new_context(offline=True, color_scheme=scheme)
    room.set_default_timeout(WAIT)
    page = room.new_page()
    page.add_init_script(AT_PRINT)
    page.goto(hostile.as_uri())
    page.wait_for_selector("html[data-ready]")
    rows = page.locator("#pairs-table tbody tr").count()
    assert rows == 10  # a page of the table
    drawn = colours(page.pdf())
    assert {INK, BARS} <= drawn
    assert DARK_INK not in drawn
    printed = page.evaluate("printed")
    assert printed["charts"] == printed["drawn"] > 4
    assert printed["folded"] == printed["dark"] == 0
    assert printed["rows"] == len(NAMES) * (len(NAMES) - 1) // 2
    assert float(printed["width"]) <= 680
    assert printed["from"] in page.locator("#centre option").all_inner_texts()
    # The screen is as it was.
    assert page.locator("#pairs-table tbody tr").count() == rows
    assert page.locator("details[open], .paper svg").count() == 0
    assert page.locator("html.dark").count() == (scheme == "dark")
    room.close()


@pytest.mark.long
def test_rows_that_are_not_printed_are_counted(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        page.locator("#pairs-table_wrapper input[type=search]").fill("HYPERLINK")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        told = page.locator("#pairs .in-print")
        assert told.inner_text() == "On paper: 8 of 36 rows; the page has all."
        assert page.locator("#centre-told").is_visible()
        assert page.get_by_text("Differences from").first.is_visible()
        assert not page.locator("#systems .in-print").inner_text()
        wide = page.locator("#pairs-table tbody td.number").nth(2)
        wide.evaluate("e => { e.textContent = '28.4854 [13.9766, 43.0976] '.repeat(2); }")
        assert wide.evaluate("e => e.scrollWidth <= e.clientWidth")  # not over the next number
    assert said == []


@pytest.mark.long
def test_a_button_of_a_pair_is_named_after_its_systems(hostile: Path, opened: Opened) -> None:
    said: list[str] = []
    with opened(hostile, said) as page:
        names = page.locator("#pairs-table tbody button").evaluate_all(
            "all => all.map((each) => each.getAttribute('aria-label'))"
        )
        pairs = zip(column(page, "#pairs-table", 1), column(page, "#pairs-table", 2), strict=True)
        assert names == [f"topics of {a} and {b}" for a, b in pairs]
        assert len(set(names)) == len(names) == 10
    assert said == []


@pytest.mark.parametrize("scripts", [False, True])
def test_a_page_without_scripts_says_what_it_lacks(
    hostile: Path, browser: Any, scripts: bool
) -> None:
    room = browser.new_context(offline=True, java_script_enabled=scripts)
    room.set_default_timeout(WAIT)
    page = room.new_page()
    page.goto(hostile.as_uri())
    assert page.locator("noscript p").is_visible() == (not scripts)
    assert SCRIPT in page.locator("#systems-table").inner_text()
    room.close()
