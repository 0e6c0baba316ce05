"""The heat map of pairs: each cell has the class of its p value, and the side of the better."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.errors import PlotError, SignificanceError
from cdfscore.plots import plot_pairs, plot_wins
from cdfscore.plots.comparison import _BETTER, _WORSE

AP = datasets.load_cranfield("ap").iloc[:, :20]


def cells(axes: Axes) -> list[list[str]]:
    (image,) = axes.images
    return [[to_hex(cell).upper() for cell in row] for row in np.asarray(image.get_array())]


def entries(axes: Axes) -> list[str]:
    legend: Any = axes.get_legend()
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.clause("plot_pairs.1")
def test_each_cell_is_of_its_pair() -> None:
    found = compare(AP, "paired_t")
    drawn = cells(plot_pairs(found))
    place = {name: i for i, name in enumerate(found.best_first("raw").index)}
    classes = set()
    for row in found.table.to_dict("records"):
        i, j = sorted((place[row["system_a"]], place[row["system_b"]]))
        p = row["p_adjusted"]
        which = next((k for k, end in enumerate((0.001, 0.01, 0.05)) if p <= end), 3)
        classes.add(which)
        assert drawn[i][j] == (*_BETTER, "#FFFFFF")[which]
        assert drawn[j][i] == (*_WORSE, "#FFFFFF")[which]
    assert classes == {0, 1, 2, 3}
    assert {drawn[i][i] for i in range(20)} == {"#FFFFFF"}


@pytest.mark.clause("plot_pairs.1")
@pytest.mark.parametrize(
    ("alpha", "ends"),
    [(0.1, ["0.001", "0.01", "0.1"]), (0.01, ["0.001", "0.01"]), (0.0005, ["0.0005"])],
)
def test_classes_end_at_alpha(alpha: float, ends: list[str]) -> None:
    axes = plot_pairs(compare(AP, "paired_t", alpha=alpha))
    said = entries(axes)
    assert said[: len(ends)] == [f"row better, p \u2264 {end}" for end in ends]
    assert said[2 * len(ends) :] == [f"p > {alpha:g}", "inside: none significant"]


def test_pairs_without_a_p_value_are_told() -> None:
    twins = AP.iloc[:, :4].assign(twin=AP.iloc[:, 0])
    found = compare(twins, "paired_t")
    axes = plot_pairs(found)
    assert "no p value" in entries(axes)
    (crosses,) = (line for line in axes.lines if line.get_marker() == "x")
    ordered = list(found.best_first("raw").index)
    i, j = sorted(map(ordered.index, ("twin", twins.columns[0])))
    assert sorted(map(tuple, crosses.get_xydata())) == [(i, j), (j, i)]  # type: ignore[arg-type]
    assert cells(axes)[i][j] == cells(axes)[j][i] == "#FFFFFF"
    assert "of 10 pairs differ significantly, 1 without a p value" in " ".join(
        axes.get_title().split()
    )
    assert "no p value" not in entries(plot_pairs(compare(AP, "paired_t")))


@pytest.mark.clause("plot_pairs.1")
@pytest.mark.parametrize("test", ["paired_t", "tukey_hsd", "nemenyi"])
def test_the_line_is_around_pairs_of_runs_that_do_not_differ(test: str) -> None:
    found = compare(AP, test)
    axes = plot_pairs(found)
    above, below = axes.lines[:2]
    np.testing.assert_array_equal(above.get_xydata()[:, ::-1], below.get_xydata())  # type: ignore[index]
    x, y = np.asarray(above.get_xdata()), np.asarray(above.get_ydata())
    ordered = list(found.best_first("raw").index)
    apart = {
        frozenset({a, b})
        for a, b, p in found.table[["system_a", "system_b", "p_adjusted"]].itertuples(index=False)
        if p <= 0.05
    }
    for i in range(20):
        end = int(x[np.isclose(y, i - 0.5)].max() + 0.5)
        run = ordered[i:end]
        assert not any(frozenset({a, b}) in apart for a in run for b in run)
        longer = ordered[i : end + 1]
        assert end == 20 or any(frozenset({a, b}) in apart for a in longer for b in longer)


UNPAIRED = [
    "kolmogorov_smirnov",
    "mann_whitney",
    "permutation_unpaired:B=99",
    "student_t",
    "welch_t",
]


@pytest.mark.clause("plot_pairs.1")
@pytest.mark.parametrize("test", UNPAIRED)
def test_the_color_of_two_collections_is_of_the_higher_mean(test: str) -> None:
    """Also by a test without an estimate, or with another than the difference of means."""
    parts = AP.iloc[:100, :8], AP.iloc[100:, 4:12]
    sides = [Standardizer("normal").fit(AP.loc[p.index]).standardize(p) for p in parts]
    found = compare_collections(sides[0], sides[1], test, adjust="none")
    axes = plot_pairs(found)
    drawn = cells(axes)
    means = [side.means["mean"].sort_values(ascending=False, kind="stable") for side in sides]
    p_values = found.table.set_index(["system_a", "system_b"])["p_value"]
    halves = []
    for i, (a, mean_a) in enumerate(means[0].items()):
        for j, (b, mean_b) in enumerate(means[1].items()):
            half = _BETTER if mean_a > mean_b else _WORSE
            shown = drawn[i][j] != "#FFFFFF"
            assert shown == (p_values[a, b] <= 0.05)
            assert not shown or drawn[i][j] in half
            halves += [half] if shown else []
    assert {*halves} == {_BETTER, _WORSE}
    black, white = (
        [line for line in axes.lines if line.get_marker() == "s" and line.get_color() == color]
        for color in ("#000000", "#FFFFFF")
    )
    assert black[0].get_xydata().tolist() == white[0].get_xydata().tolist()  # type: ignore[union-attr]
    assert len(np.asarray(black[0].get_xdata())) == 4
    assert white[0].get_zorder() <= black[0].get_zorder()
    assert white[0].get_markeredgewidth() > black[0].get_markeredgewidth()


def test_what_is_not_of_all_pairs_is_refused() -> None:
    with pytest.raises(SignificanceError, match="need all pairs"):
        plot_pairs(compare(AP, "paired_t", baselines=AP.columns[0]))
    with pytest.raises(PlotError, match="has several schemes; expected one of raw, normal"):
        plot_pairs(compare(AP, "paired_t", scheme=["raw", "normal"]))
    scores = pd.DataFrame({"a": [0.1, 0.4, 0.3], "b": [0.3, 0.2, 0.6]})
    with pytest.raises(SignificanceError, match="compares pairs"):
        plot_pairs(compare(scores, "friedman"))


@pytest.mark.clause("plot_wins.1")
@pytest.mark.parametrize("test", ["paired_t", "nemenyi"])
def test_significant_wins_and_losses_are_counted(test: str) -> None:
    found = compare(AP, test)
    axes = plot_wins(found)
    ordered = list(found.best_first("raw").index)
    won, lost = np.zeros(len(ordered)), np.zeros(len(ordered))
    for row in found.table[found.table["p_adjusted"] <= 0.05].itertuples():
        better, worse = sorted(map(ordered.index, (row.system_a, row.system_b)))
        won[better] += 1
        lost[worse] += 1
    widths = [[bar.get_width() for bar in bars] for bars in axes.containers]
    np.testing.assert_allclose(widths, np.array([won, -lost]) / (len(ordered) - 1))
