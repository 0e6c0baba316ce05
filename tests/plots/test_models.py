"""Figures of linear models: what is drawn is what was computed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.errors import ModelError
from cdfscore.models import Anova, anova
from tests.models.designs import COMPONENTS, scores


@pytest.fixture(scope="module")
def analysed() -> Anova:
    formula = "score ~ topic + stemmer * model * stoplist"
    return anova(scores(), formula, COMPONENTS, schemes=["raw", "normal"])


def test_main_effects_are_means_with_intervals(analysed: Anova) -> None:
    figure = analysed.plot_means("stemmer")
    assert [axes.get_title() for axes in figure.axes] == ["raw", "normal"]
    for axes in figure.axes:
        own = analysed.means("stemmer").query("scheme == @axes.get_title()")
        (line,) = axes.get_lines()
        np.testing.assert_array_equal(line.get_ydata(), own["mean"])
        (bars,) = axes.collections
        ends = np.array([path.vertices[:, 1] for path in bars.get_paths()])
        np.testing.assert_array_equal(ends, own[["conf_low", "conf_high"]])
        assert [each.get_text() for each in axes.get_xticklabels()] == ["none", "s", "porter"]


def test_an_interaction_has_a_line_for_each_level_of_the_second_factor(analysed: Anova) -> None:
    figure = analysed.plot_means("model:stemmer")
    own = analysed.means("model:stemmer").query("scheme == 'normal'")
    lines = {str(line.get_label()): line.get_ydata() for line in figure.axes[1].get_lines()}
    assert set(lines) in ({"none", "s", "porter"}, set("pqrs"))
    second = "stemmer" if "s" in lines and "porter" in lines else "model"
    for level, drawn in lines.items():
        np.testing.assert_array_equal(drawn, own["mean"][own[second] == level])
    (legend,) = figure.legends
    assert legend.get_title().get_text() == second


def test_three_factors_are_no_figure(analysed: Anova) -> None:
    with pytest.raises(ModelError, match="has 3 factors, and a figure of means one or two"):
        analysed.plot_means("stemmer:model:stoplist")
    with pytest.raises(ModelError, match="there is no term 'size'"):
        analysed.plot_means("size")


def test_residuals_are_drawn_against_fitted_scores_and_normal_quantiles(analysed: Anova) -> None:
    axes = analysed.plot_residuals().axes
    assert [each.get_title() for each in axes] == ["raw", "raw", "normal", "normal"]
    own = analysed.residuals("normal")
    points = next(line for line in axes[2].get_lines() if len(line.get_xdata()) == len(own))
    np.testing.assert_array_equal(points.get_xdata(), own["fitted"])
    np.testing.assert_array_equal(points.get_ydata(), own["residual"])
    spread = axes[2].get_lines()[1]
    assert np.mean(np.square(spread.get_ydata())) == pytest.approx(
        np.mean(own["residual"] ** 2), rel=0.05
    )
    ordered = next(line for line in axes[3].get_lines() if len(line.get_xdata()) == len(own))
    np.testing.assert_array_equal(ordered.get_ydata(), np.sort(own["residual"]))
    expected = stats.probplot(own["residual"], fit=False)[0]
    assert np.corrcoef(ordered.get_xdata(), expected)[0, 1] > 0.9999
