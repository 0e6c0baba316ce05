"""The pairs of a page in a browser: without a number, without an estimate, and turned round."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.report.page.conftest import Opened, draw_all
from tests.report.page.test_in_a_browser import column

Made = Callable[..., Path]


def scores_of(systems: int, topics: int = 20) -> pd.DataFrame:
    """Return scores in which later systems are better."""
    random = np.random.default_rng(4)
    values = random.beta(3, 5, (topics, systems)) + np.linspace(0, 0.3, systems)
    index = pd.Index([f"t{i}" for i in range(topics)], name="topic")
    return pd.DataFrame(np.clip(values, 0, 1).round(4), index, [f"s{i}" for i in range(systems)])


@pytest.mark.long
@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_a_page_without_any_p_value_works(made: Made, opened: Opened, adjust: str) -> None:
    scores = scores_of(3)
    scores["s1"] = scores["s2"] = scores["s0"]
    said: list[str] = []
    with opened(made(scores, "--adjust", adjust), said) as page:
        draw_all(page)
        assert column(page, "#pairs-table", 1) == ["s0", "s0", "s1"]
        page.locator("#pairs-table button").last.click()
        assert page.locator("#first").input_value() == "1"
        assert "no number because" in page.locator("#pair-numbers").inner_text()
    assert said == []


@pytest.mark.long
def test_a_test_without_an_estimate_has_no_chart_of_differences(made: Made, opened: Opened) -> None:
    typed = ["--test", "wilcoxon_signed_rank", "--adjust", "BH"]
    said: list[str] = []
    with opened(made(scores_of(5), *typed), said) as page:
        draw_all(page)
        assert page.locator("#differences").count() == 0
        assert "interval" not in page.locator("#findings").inner_text()
    assert said == []


@pytest.mark.long
def test_a_pair_is_shown_in_the_order_that_was_chosen(made: Made, opened: Opened) -> None:
    said: list[str] = []
    with opened(made(scores_of(4)), said) as page:
        draw_all(page)
        first, second = page.locator("#first"), page.locator("#second")
        first.select_option("0")
        second.select_option("2")
        there = numbers(page)
        first.select_option("2")
        second.select_option("0")
        back = numbers(page)
    assert (there["A"], back["A"], back["B"]) == ("s0", "s2", "s0")
    difference = float(back["difference"])
    means = float(back["mean of A"]) - float(back["mean of B"])
    assert difference == pytest.approx(means, abs=1e-4)
    assert difference > 0
    for name in ("difference", "d_z", "interval of difference", "interval of d_z"):
        ends = [[float(end) for end in of[name].strip("[]").split(", ")] for of in (there, back)]
        assert ends[1] == [-end for end in reversed(ends[0])] != [0]
    assert back["adjusted p"] == there["adjusted p"]
    assert float(back["statistic"]) == -float(there["statistic"]) != 0
    assert said == []


@pytest.mark.long
def test_means_of_other_topics_are_said_to_be_so(made: Made, opened: Opened) -> None:
    scores = scores_of(3)
    scores.iloc[3:6, 2] = np.nan
    with opened(made(scores, "--missing", "omit"), []) as page:
        page.locator("#first").select_option("0")
        page.locator("#second").select_option("1")
        assert "topics" not in numbers(page)
        page.locator("#second").select_option("2")
        assert "the topics of both" in numbers(page)["topics"]


@pytest.mark.long
def test_pairs_without_a_number_come_last(made: Made, opened: Opened) -> None:
    scores = scores_of(4)
    scores["s3"] = scores["s0"]
    with opened(made(scores), []) as page:
        draw_all(page)
        heads = page.locator("#pairs-table thead th")
        header = heads.nth([h.strip() for h in heads.all_inner_texts()].index("adjusted p"))
        place = [h.strip() for h in heads.all_inner_texts()].index("adjusted p") + 1
        for way in ("ascending", "descending"):
            header.click()
            page.wait_for_selector(f"#pairs-table th[aria-sort={way}]")
            cells = column(page, "#pairs-table", place)
            assert cells[-1] == "-"
            assert "-" not in cells[:-1]


@pytest.mark.long
def test_the_chart_opens_on_the_baseline(made: Made, opened: Opened) -> None:
    with opened(made(scores_of(5), "--baseline", "s1"), []) as page:
        draw_all(page)
        assert page.locator("#centre").input_value() == "1"
        text = page.locator("#differences svg").text_content()
        assert all(name in text for name in ("s0", "s2", "s3", "s4"))


def numbers(page: Any) -> dict[str, str]:
    """Return the numbers of the pair that is shown, by name."""
    terms = page.locator("#pair-numbers dt").all_inner_texts()
    return dict(zip(terms, page.locator("#pair-numbers dd").all_inner_texts(), strict=True))
