"""Results in notebooks and papers: tables with the numbers, notes and escaped labels."""

import dataclasses
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

from cdfscore import Standardizer, compare, datasets, diagnose, sensitivity
from cdfscore.errors import SignificanceError
from cdfscore.models import plan
from cdfscore.report.writing import as_latex, encode, tables_of
from cdfscore.showing import Shown

NASTY = "<b>x</b> & y_1|*$"
SCORES = datasets.load_cranfield("ap").iloc[:12].rename(columns={"lsa200": NASTY})
FEW = SCORES.iloc[:, :5].assign(**{NASTY: SCORES[NASTY]})
SOME_ZEROS = pd.concat([SCORES.iloc[:1].round(1), SCORES.iloc[1:].clip(0.01)])
GAPS = SCORES.mask(np.arange(12 * 67).reshape(12, 67) % 97 == 0)


class Results(dict[str, Any]):
    """Results by name, each computed when a test first takes it."""

    def __missing__(self, name: str) -> Any:
        self[name] = MADE[name]()
        return self[name]


HOW = Standardizer("normal", missing="omit", constant="half", lower_is_better=["3"])
MADE: dict[str, Callable[[], Any]] = {
    "comparison": lambda: compare(FEW, "paired_t", scheme=["raw", "normal"]),
    "of all": lambda: compare(FEW, "friedman"),
    "sensitivity": lambda: sensitivity(SCORES, ["raw", "normal", "empirical"]),
    "alike": lambda: sensitivity(SCORES, ["normal", "uniform"], most=0),
    "diagnosis": lambda: diagnose(SCORES, ["normal", "empirical", "beta"], bootstrap=19),
    "plan": lambda: plan(SCORES, "paired_t:difference=0.1", check=100),
    "factors": lambda: HOW.fit(GAPS),
    "factors of samples": lambda: Standardizer("empirical").fit(SCORES),
    "unfitted": lambda: Standardizer("beta", unfitted="drop_topic").fit(SOME_ZEROS),
    "standardized": lambda: HOW.standardize(GAPS),
    "of polars": lambda: HOW.standardize(pl.DataFrame(GAPS.reset_index())),
}
RESULTS = Results()
KINDS = list(MADE)


class Page(HTMLParser):
    """Reads the cells of tables; raises an error for tags that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.captions: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag not in {"script", "link", "img", "b"}
        assert not {name for name, _ in attrs} & {"src", "href", "onclick"}
        if tag != "meta":
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag == "caption":
            self.captions.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        if inside in ("td", "th"):
            self.tables[-1][-1][-1] += data
        if inside == "caption":
            self.captions[-1] += data


@pytest.mark.one_in(3)
@pytest.mark.clause("shown.1")
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_all_rows_and_a_notebook_the_first(kind: str) -> None:
    result = RESULTS[kind]
    assert isinstance(result, Shown)
    page, cell = Page(result.to_html()), Page(result._repr_html_())
    tables = tables_of(result)
    assert len(tables) == len(page.tables) == len(cell.tables)
    for table, whole, part in zip(tables, page.tables, cell.tables, strict=True):
        assert whole == [[column.header for column in table.columns], *map(list, table.rows())]
        assert part == whole[:21]
    for table, caption, short in zip(tables, page.captions, cell.captions, strict=True):
        count = len(table.columns[0].cells)
        more = f" Shown here: the first 20 of {count} rows."
        assert caption == table.caption
        assert short == caption + more * (count > 20)


@pytest.mark.clause("shown.1")
@pytest.mark.parametrize("kind", KINDS)
def test_captions_have_all_notes(kind: str) -> None:
    result = RESULTS[kind]
    caption = tables_of(result)[0].caption.lower()
    for note in getattr(result, "notes", []):
        assert note.lower().rstrip(".") in caption


@pytest.mark.clause("shown.1")
def test_labels_are_escaped() -> None:
    for kind in ("comparison", "standardized", "of polars"):
        result = RESULTS[kind]
        assert "&lt;b&gt;x&lt;/b&gt; &amp; y_1|*$" in result.to_html()
        assert "<b>" not in result._repr_html_()
        assert r"\<b\>x\</b\> \& y\_1\|\*\$" in result.to_markdown()
        assert r"\textless{}b\textgreater{}x" in result.to_latex().replace(r"\allowbreak{}", "")


def test_a_comparison_is_written_as_its_files_are() -> None:
    found = RESULTS["comparison"]
    for ending, text in (
        (".tex", found.to_latex()),
        (".md", found.to_markdown()),
        (".html", found.to_html()),
    ):
        assert encode(found, Path(f"pairs{ending}")).decode() == text


@pytest.mark.clause("shown.1")
def test_means_are_ranked_and_ties_share_the_best_rank() -> None:
    scores = pd.DataFrame({"a": [1, 3], "b": [3, 1], "c": [9, 2], "d": [np.nan] * 2}, ["q", "r"])
    found = Standardizer("raw", missing="omit").standardize(scores)
    assert Page(found.to_html()).tables[0] == [
        ["rank", "system", "mean", "topics"],
        ["1", "c", "5.5000", "2"],
        ["2", "a", "2.0000", "2"],
        ["2", "b", "2.0000", "2"],
        ["-", "d", "-", "0"],
    ]
    assert repr(found) == ("<2 topics x 4 systems of raw scores; means 2.0000 (a) to 5.5000 (c)>")


def test_factors_have_their_parameters() -> None:
    found = RESULTS["factors"]
    header, first, *_ = Page(found.to_html()).tables[0]
    assert header == ["topic", "n", "mean", "sd"]
    mean, sd = (float(found.fitted.parameters[name][0, 0]) for name in ("mean", "sd"))
    assert first == ["1", str(found.n[0]), f"{mean:.6g}", f"{sd:.6g}"]
    assert "Scores are negated on topic 3 (lower is better)" in found.to_markdown()
    assert "| 1 | 67 | 67 numbers |" in RESULTS["factors of samples"].to_markdown()
    unfitted = RESULTS["unfitted"]
    assert f"{len(unfitted.unfitted_topics)} topics could not be fitted" in unfitted.to_latex()


def test_powers_of_ten_are_formulas_in_latex() -> None:
    small = Standardizer("normal").fit(SCORES * 1e-9)
    number = f"{small.fitted.parameters['mean'][0, 0]:.6g}"
    mantissa, power = number.split("e-")
    assert rf"${mantissa} \times 10^{{-{int(power)}}}$" in as_latex(tables_of(small))


def test_repr_has_the_numbers_that_matter() -> None:
    found = RESULTS["comparison"]
    small = found.table[found.table["p_adjusted"] <= 0.05]
    counts = [int((small["scheme"] == scheme).sum()) for scheme in ("raw", "normal")]
    assert repr(found) == (
        "<comparison by paired_t: all pairs of 6 systems, 15 hypotheses; p <= 0.05 after holm: "
        f"{counts[0]} by raw, {counts[1]} by normal>"
    )
    assert 0 < counts[1] < 15
    assert re.fullmatch(
        r"<comparison by friedman.*; p <= 0.05: [01] by raw>", repr(RESULTS["of all"])
    )
    counted = RESULTS["alike"].conclusions.iloc[0]
    otherwise = counted["gained"] + counted["lost"] + counted["reversed"]
    assert repr(RESULTS["alike"]).endswith(
        f"tau_b {RESULTS['alike'].agreement['tau_b'].item():.3f}, {otherwise} of 2211 "
        "conclusions differ>"
    )
    best = RESULTS["diagnosis"].summary.sort_values("crps_rank").iloc[0]
    first = f"lowest first: {best['scheme']} {best['crps_common']:.4f}"
    assert first in repr(RESULTS["diagnosis"])


@pytest.mark.one_in(3)
@pytest.mark.clause("shown.1")
@pytest.mark.parametrize("kind", sorted({*MADE} - {"of all"}))
def test_plot_is_a_figure_that_a_notebook_shows(kind: str) -> None:
    figure = RESULTS[kind].plot()
    assert isinstance(figure, Figure)
    png = figure._repr_png_()  # type: ignore[attr-defined]
    assert png[:4] == b"\x89PNG"
    assert len(png) > 5000


def test_plot_of_what_has_no_diagram_says_why() -> None:
    with pytest.raises(SignificanceError, match="pairs"):
        compare(FEW, "paired_t", baselines=NASTY).plot()


def test_factors_say_which_topics_are_constant_or_dropped() -> None:
    scores = SCORES.copy()
    scores.iloc[2] = 0.25
    scores.iloc[4, 0] = np.nan
    how = Standardizer("normal", missing="drop_topic", constant="half")
    one = how.fit(scores).to_markdown()
    assert "1 of the topics is constant (policy: half)." in one
    assert "1 topic with missing scores was dropped." in one
    scores.iloc[3] = 0.5
    scores.iloc[5, 2] = np.nan
    two = how.fit(scores).to_markdown()
    assert "2 of the topics are constant (policy: half)." in two
    assert "2 topics with missing scores were dropped." in two
    assert "constant" not in how.fit(SCORES).to_markdown()


def test_factors_whose_number_of_scores_is_unknown_have_no_such_column() -> None:
    found = dataclasses.replace(Standardizer("normal").fit(SCORES), n=None)
    assert [column.header for column in tables_of(found)[0].columns] == ["topic", "mean", "sd"]


def test_what_is_no_result_has_no_table() -> None:
    with pytest.raises(NotImplementedError, match="there is no table of DataFrame"):
        tables_of(SCORES)
