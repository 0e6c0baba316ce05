"""Figures of factors, standardized scores and sensitivity: what is drawn is what was computed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from cdfscore import Standardizer, compare, datasets, sensitivity
from cdfscore.comparison import ConclusionGrid
from cdfscore.errors import FactorsError
from cdfscore.models import anova, mixed_model
from cdfscore.standardization.standardized import Factors
from tests.uncertain import reference_uncertainty

AP = datasets.load_cranfield("ap").iloc[:12]
FEW = pd.DataFrame(
    {"a": [0.125, 30.0], "b": [0.25, 20.0], "c": [0.75, 10.0]}, index=["accuracy", "wer"]
)


def lines(axes: Axes) -> list[np.ndarray]:
    drawn = [each for each in axes.collections if isinstance(each, LineCollection)]
    if not drawn:  # those of few topics, with a name each
        return [line.get_xydata() for line in axes.get_lines()]
    (many,) = drawn
    return [np.asarray(path.vertices) for path in many.get_paths()]


@pytest.mark.clause("plot_mapping.1")
def test_factors_are_drawn_topic_by_topic_with_their_quartiles() -> None:
    factors = Standardizer("normal").fit(AP)
    (axes,) = factors.plot().axes
    drawn = lines(axes)
    assert len(drawn) == 12
    x = drawn[0][:, 0]
    low, high = float(AP.to_numpy().min()), float(AP.to_numpy().max())
    assert (x[0], x[-1]) == (low, high)
    y = np.array([line[:, 1] for line in drawn])
    mean = AP.mean(axis=1).to_numpy()
    middle = np.abs(y - 0.5).argmin(axis=1)  # F(mean) = 0.5
    np.testing.assert_allclose(x[middle], mean, atol=(high - low) / 400)
    (median,) = axes.get_lines()
    np.testing.assert_array_equal(median.get_ydata(), np.median(y, axis=0))


@pytest.mark.clause("plot_mapping.1")
def test_factors_of_two_directions_are_drawn_where_higher_is_better() -> None:
    (axes,) = Standardizer("uniform", lower_is_better="wer").fit(FEW).plot().axes
    (line,) = lines(axes)
    assert line[:, 0].max() == 0.75
    assert axes.get_title() == "1 topic, where higher is better"
    assert axes.get_ylabel() == "Score, standardized by U-std\n(higher is better)"


@pytest.mark.clause("plot_mapping.1")
@pytest.mark.parametrize("topics", [3, 12])
def test_one_line_is_drawn_where_all_topics_have_the_same(topics: int) -> None:
    (axes,) = Standardizer("raw").fit(AP.iloc[:topics]).plot().axes
    (line,) = axes.get_lines()
    np.testing.assert_array_equal(*line.get_data())
    assert axes.get_title() == f"{topics} topics, all with the same line"
    assert axes.get_legend() is None
    assert not axes.collections


@pytest.mark.clause("plot_mapping.1")
def test_factors_without_a_range_are_refused() -> None:
    factors: Factors = dataclasses.replace(Standardizer("normal").fit(AP), scale=None)
    with pytest.raises(FactorsError, match="do not contain the range of their reference scores"):
        factors.plot()


@pytest.mark.clause("plot_standardized.1")
@pytest.mark.parametrize("lower", [False, True])
def test_standardized_scores_are_drawn_beside_raw_ones(lower: bool) -> None:
    scores = AP.copy()
    scores.iloc[0, 3] = np.nan
    standardizer = Standardizer("empirical", missing="omit", lower_is_better=lower)
    found = standardizer.standardize(scores)
    (axes,) = found.plot().axes
    (points,) = (each for each in axes.collections if isinstance(each, PathCollection))
    offsets = np.ma.filled(np.ma.asarray(points.get_offsets()), np.nan)
    np.testing.assert_array_equal(offsets[:, 0], scores.to_numpy().ravel())
    np.testing.assert_array_equal(offsets[:, 1], found.scores.to_numpy().ravel())
    first = lines(axes)[0]
    assert len(first) == scores.shape[1] - 1
    assert (np.diff(first[:, 0]) >= 0).all()


def test_points_of_few_topics_have_the_colors_of_their_lines() -> None:
    (axes,) = Standardizer("empirical").standardize(AP.iloc[:4]).plot().axes
    (points,) = (each for each in axes.collections if isinstance(each, PathCollection))
    own = np.split(np.asarray(points.get_facecolors()), 4)
    found = [{to_hex(color) for color in colors} for colors in own]
    assert found == [{to_hex(line.get_color())} for line in axes.lines]


def test_zeros_of_topics_without_scores_are_not_drawn() -> None:
    factors = Standardizer("normal", missing="zero").fit(AP)
    (axes,) = factors.standardize(AP.iloc[:10]).plot().axes
    assert len(lines(axes)) == 10


@pytest.mark.parametrize("score", [0.5, 30.0])
def test_factors_of_one_constant_topic_have_a_line(score: float) -> None:
    scores = pd.DataFrame(score, ["301"], list("abcdefghijkl"))
    (axes,) = Standardizer("normal").fit(scores).plot().axes
    (line,) = lines(axes)
    assert (line[0, 0], line[-1, 0]) == (0.0, max(score, 1.0))
    assert {0.0, 0.5, 1.0} >= set(line[:, 1]) >= {0.0, 1.0} - ({1.0} if score > 1 else set())


@pytest.mark.clause("plot_schemes.1")
def test_sensitivity_is_drawn_with_its_counts() -> None:
    found = sensitivity(AP, ["raw", "normal", "empirical"])
    (axes,) = found.plot().axes
    assert axes.get_title().startswith("Pairs on which two schemes disagree, of 2,211")
    texts = np.array([text.get_text() for text in axes.texts]).reshape(3, 3)
    assert (texts == texts.T).all()
    row = found.conclusions.iloc[1]  # raw and empirical
    assert texts[0, 2] == f"{row['gained'] + row['lost'] + row['reversed']:,}"
    assert texts[0, 0] == f"{row['significant_a']:,}"
    assert texts[2, 2] == f"{row['significant_b']:,}"


def same_color(bars: Collection, line: Line2D) -> bool:
    return to_hex(bars.get_edgecolor()[0]) == to_hex(line.get_color())


@pytest.mark.clause("plot_effect_sizes.1")
def test_effect_sizes_are_drawn_by_term_and_scheme() -> None:
    grid = datasets.load_cranfield_grid("ap").iloc[:10]
    components = datasets.load_cranfield_components()
    formula = "score ~ topic + stemmer * stoplist"
    found = anova(grid, formula, components, schemes=["raw", "normal"])
    (axes,) = found.plot().axes
    terms = [label.get_text() for label in axes.get_yticklabels()]
    assert terms == ["topic", "stemmer", "stoplist", "stemmer:stoplist"]
    for line, scheme in zip(axes.get_lines(), ["raw", "normal"], strict=True):
        rows = found.table[found.table["scheme"] == scheme].iloc[:-1]
        np.testing.assert_array_equal(line.get_xdata(), rows["partial_omega_squared"])
        own = [each for each in axes.collections if same_color(each, line)]
        ends = [np.asarray(path.vertices)[:, 0] for each in own for path in each.get_paths()]
        np.testing.assert_array_equal(ends, rows[["effect_low", "effect_high"]])


@pytest.mark.clause("plot_variances.1")
def test_variances_of_a_mixed_model_are_drawn_with_their_intervals() -> None:
    grid, parts = datasets.load_cranfield_grid("ap").iloc[:20], datasets.load_cranfield_components()
    random = ["topic", "topic:stemmer"]
    found = mixed_model(grid, "score ~ stemmer", parts, random=random, schemes=["raw", "normal"])
    panels = found.plot().axes
    assert [axes.get_title().split("\n")[0] for axes in panels] == ["raw scores", "N-std"]
    for axes, scheme in zip(panels, found.schemes, strict=True):
        rows = found.variances[found.variances["scheme"] == scheme]
        (points,) = axes.get_lines()
        np.testing.assert_array_equal(points.get_xdata(), rows["sd"])
        for line, low, high in zip(lines(axes), rows["conf_low"], rows["conf_high"], strict=True):
            np.testing.assert_allclose(line[:, 0] ** 2, [low, high])
    labels = [label.get_text() for label in panels[0].get_yticklabels()]
    assert labels == ["topic", "topic:stemmer", "residual"]


@pytest.mark.clause("plot_reference_uncertainty.1")
def test_an_uncertainty_has_a_panel_for_each_scheme_with_both_intervals() -> None:
    found = reference_uncertainty(
        AP.iloc[:, :3], ["raw", "normal"], reference=AP.iloc[:, 20:35], resamples=200
    )
    figure = found.plot()
    raw, normal = figure.axes
    for axes, scheme in ((raw, "raw"), (normal, "normal")):
        rows = found.means[found.means["scheme"] == scheme].sort_values("mean")
        (dots,) = axes.get_lines()
        np.testing.assert_array_equal(dots.get_xdata(), rows["mean"])
        assert [label.get_text() for label in axes.get_yticklabels()] == list(rows["system"])
        both, topics = (
            np.array([path.vertices[:, 0] for path in each.get_paths()])
            for each in axes.collections
            if isinstance(each, LineCollection)
        )
        np.testing.assert_array_equal(both, rows[["both_low", "both_high"]])
        if scheme == "raw":
            np.testing.assert_allclose(both, topics, rtol=1e-12)
        else:
            assert (np.diff(both) > 1.2 * np.diff(topics)).all()


@pytest.mark.clause("plot_sensitivity.1")
def test_a_grid_of_conclusions_is_drawn_with_its_counts() -> None:
    tests = ("paired_t", "sign")
    grid = ConclusionGrid(
        [compare(AP.iloc[:, :6], test, scheme=["raw", "normal"]) for test in tests]
    )
    (axes,) = grid.plot().axes
    assert [text.get_text() for text in axes.texts] == [str(n) for n in grid.counts.to_numpy().flat]
