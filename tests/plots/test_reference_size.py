"""The figure of reference sizes: every number of the tables is drawn where it belongs."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.testing import assert_allclose

from cdfscore.plots.experiments import reference_size_figure
from cdfscore.plots.words import scheme_label
from tests.plots.legibility import problems

SIZES = (2, 5, 10, 12, 40)
LABELS = ["raw", "E-std", "cost$ of $x"]
ALPHAS = [0.01, 0.05, 0.1]
TITLES = {
    "largest": "with the largest reference",
    "disjoint": "of two disjoint references",
    "halves": "of two halves of the topics",
    "power_paired": "power, paired t test",
    "power_unpaired": "power, Welch's t test",
    "type1": "type I error, Welch's t test",
}


def tables() -> dict[str, pd.DataFrame]:
    """Return tables in which no number is there twice."""
    random = np.random.default_rng(4)
    keys = [
        (agreement, m, label)
        for agreement in (*list(TITLES)[:3], "raw")
        for m in SIZES
        for label in LABELS
        if (agreement, m) != ("disjoint", 40)
    ]
    keys += [("raw_largest", 67, label) for label in LABELS]
    tau = pd.DataFrame(keys, columns=["agreement", "reference_systems", "scheme"])
    columns = ["p1", "p5", "mean", "p50", "p95"]
    tau[columns] = np.sort(random.uniform(size=(len(keys), 5)), axis=1)
    rates = {}
    for name in list(TITLES)[3:]:
        cells = [(m, alpha) for m in SIZES for alpha in ALPHAS]
        rates[name] = pd.DataFrame(cells, columns=["reference_systems", "alpha"])
        rates[name][LABELS] = random.uniform(size=(len(cells), len(LABELS)))
    constant = pd.DataFrame({"reference_systems": SIZES, "constant": 0.5})
    constant = constant.assign(topics=98, held_out=27, trials=1000)
    return {"tau": tau.assign(trials=999), **rates, "constant": constant}


TABLES = tables()


@cache
def draw(**settings) -> Figure:
    """Return a figure; tests read it and do not change it."""
    return reference_size_figure(TABLES, "Robust, $AP$", **settings)


def panels(figure: Figure) -> dict[str, Axes]:
    by_title = {axes.get_title(): axes for axes in figure.axes}
    return {name: by_title[title] for name, title in TITLES.items()}


def line_of(axes: Axes, figure: Figure, label: str) -> Line2D:
    """Return the line that the legend says is of a scheme."""
    handles = figure.legends[0].legend_handles
    names = [text.get_text().replace(r"\$", "$") for text in figure.legends[0].get_texts()]
    [handle] = [h for h, name in zip(handles, names, strict=True) if name == scheme_label(label)]
    look = handle.get_color(), handle.get_marker(), handle.get_linestyle()
    [line] = [
        each
        for each in axes.lines
        if (each.get_color(), each.get_marker(), each.get_linestyle()) == look
    ]
    return line


def bars(axes: Axes, color: str) -> np.ndarray:
    """Return x, low and high of each bar of a colour."""
    from matplotlib.colors import to_hex

    found = [each for each in axes.collections if to_hex(each.get_color()[0]) == to_hex(color)]
    [segments] = [each.get_segments() for each in found]
    return np.array([(bar[0][0], bar[0][1], bar[1][1]) for bar in segments])


@pytest.mark.long
@pytest.mark.parametrize("agreement", list(TITLES)[:3])
def test_medians_are_lines_and_percentiles_are_bars(agreement: str) -> None:
    figure = draw()
    axes = panels(figure)[agreement]
    of_figure_4 = 2 * len(LABELS) if agreement == "largest" else 0
    assert len(axes.lines) - of_figure_4 == len(axes.collections) == len(LABELS)
    for label in LABELS:
        rows = TABLES["tau"].query("agreement == @agreement and scheme == @label")
        line = line_of(axes, figure, label)
        assert_allclose(line.get_ydata(), rows["p50"])
        assert_allclose(bars(axes, line.get_color())[:, 1:], rows[["p5", "p95"]])
        assert_allclose(bars(axes, line.get_color())[:, 0], line.get_xdata())


def test_the_lowest_percentile_and_raw_scores_are_as_in_figure_4() -> None:
    lines = panels(draw())["largest"].lines[len(LABELS) :]
    tau = TABLES["tau"].set_index(["agreement", "scheme", "reference_systems"]).sort_index()
    for i, label in enumerate(LABELS):
        lowest, raw = lines[2 * i : 2 * i + 2]
        assert_allclose(lowest.get_ydata(), tau.loc[("largest", label)]["p1"])
        assert set(raw.get_ydata()) == {tau.loc[("raw_largest", label, 67), "mean"]}


def test_without_halves_of_the_topics_there_are_three_panels() -> None:
    fewer = {name: TABLES[name] for name in ("tau", "power_paired", "constant")}
    fewer["tau"] = fewer["tau"].query("agreement != 'halves'")
    figure = reference_size_figure(fewer, "Robust")
    headings = [TITLES[name] for name in ("largest", "disjoint", "power_paired")]
    assert [axes.get_title() for axes in figure.axes] == headings
    assert {axes.get_xlabel() for axes in figure.axes} == {"reference systems"}
    assert figure.get_suptitle().endswith("\n1,000 trials, 27 systems ranked, 98 topics")
    assert problems(figure) == []


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("alpha", "level"), [(0.05, 0.05), (0.0999, 0.05), (0.1, 0.1), (0.9, 0.1), (0.001, 0.01)]
)
def test_rates_are_those_of_the_highest_level_that_is_not_above(alpha: float, level) -> None:
    figure = draw(alpha=alpha)
    for name in list(TITLES)[3:]:
        axes = panels(figure)[name]
        rows = TABLES[name].query("alpha == @level")
        for label in LABELS:
            line = line_of(axes, figure, label)
            assert_allclose(line.get_xdata(), SIZES)
            assert_allclose(line.get_ydata(), rows[label])
        assert axes.get_xlabel() == "reference systems"
        reference = [line for line in axes.lines if line.get_color() == "0.7"]
        expected = [[level, level]] if name == "type1" else []
        assert [list(line.get_ydata()) for line in reference] == expected
    assert panels(figure)["power_paired"].get_ylabel() == rf"rate of p $\leq$ {level:g}"
