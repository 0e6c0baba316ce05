"""Figures of linear models: what is drawn is what was computed."""

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from cdfscore.errors import ModelError, PlotError
from cdfscore.models import Anova, anova
from cdfscore.models.goals import plan
from cdfscore.plots import (
    plot_effect_sizes,
    plot_marginal_means,
    plot_normal_quantiles,
    plot_plan,
    plot_residuals,
)
from tests.models.designs import COMPONENTS, scores


@pytest.fixture(scope="module")
def analysed() -> Anova:
    formula = "score ~ topic + stemmer * model * stoplist"
    return anova(scores(), formula, COMPONENTS, schemes=["raw", "normal"])


@pytest.mark.clause("plot_marginal_means.1")
def test_main_effects_are_means_with_intervals(analysed: Anova) -> None:
    figure = analysed.plot_means("stemmer")
    assert [axes.get_title() for axes in figure.axes] == ["raw scores", "N-std"]
    for axes, scheme in zip(figure.axes, analysed.schemes, strict=True):
        means = analysed.means("stemmer")
        own = means[means["scheme"] == scheme].sort_values("mean", ascending=False)
        (line,) = axes.get_lines()
        assert line.get_linestyle() == "None"
        np.testing.assert_array_equal(line.get_xdata(), own["mean"])
        (bars,) = axes.collections
        ends = np.array([path.vertices[:, 0] for path in bars.get_paths()])
        np.testing.assert_array_equal(ends, own[["conf_low", "conf_high"]])
        assert [each.get_text() for each in axes.get_yticklabels()] == list(own["stemmer"])


@pytest.mark.clause("plot_marginal_means.1")
def test_an_interaction_has_a_line_for_each_level_of_the_second_factor(analysed: Anova) -> None:
    figure = analysed.plot_means("model:stemmer")
    own = analysed.means("model:stemmer").query("scheme == 'normal'")
    lines = {str(line.get_label()): line.get_ydata() for line in figure.axes[1].get_lines()}
    assert set(lines) in ({"none", "s", "porter"}, set("pqrs"))
    second = "stemmer" if "s" in lines and "porter" in lines else "model"
    for level, drawn in lines.items():
        np.testing.assert_array_equal(drawn, own["mean"][own[second] == level])
    legend = figure.axes[1].get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == second


@pytest.mark.clause("plot_marginal_means.1")
def test_three_factors_are_no_figure(analysed: Anova) -> None:
    with pytest.raises(ModelError, match="has 3 factors, and a figure of means shows one or two"):
        analysed.plot_means("stemmer:model:stoplist")
    with pytest.raises(ModelError, match="there is no term 'size'"):
        analysed.plot_means("size")


@pytest.mark.clause("plot_residuals.1", "plot_normal_quantiles.1")
def test_residuals_are_drawn_against_fitted_scores_and_normal_quantiles(analysed: Anova) -> None:
    axes = analysed.plot_residuals().axes
    titles = [each.get_title().split("\n")[0] for each in axes]
    assert titles == ["raw scores", "raw scores", "N-std", "N-std"]
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


@pytest.mark.clause("plot_residuals.1", "plot_normal_quantiles.1")
def test_places_of_residuals_by_definition() -> None:
    """40 residuals are 8 groups of 5 neighbours, and the i-th is at the quantile (i - 1/2) / n."""
    found = anova(scores(topics=10, systems=4), "score ~ topic + system")
    rows = found.residuals("raw").sort_values("fitted", kind="stable")
    squares = (rows["residual"] ** 2).to_numpy().reshape(8, 5).mean(axis=1)
    line = plot_residuals(found).lines[2]
    np.testing.assert_allclose(
        line.get_xdata(), rows["fitted"].to_numpy().reshape(8, 5).mean(axis=1)
    )
    np.testing.assert_allclose(line.get_ydata(), np.sqrt(squares))
    points = plot_normal_quantiles(found).lines[1]
    sd = np.sqrt((rows["residual"] ** 2).mean())
    expected = [sd * NormalDist().inv_cdf((i - 0.5) / 40) for i in range(1, 41)]
    np.testing.assert_allclose(points.get_xdata(), expected, rtol=1e-12)
    np.testing.assert_array_equal(points.get_ydata(), np.sort(rows["residual"]))


def test_each_figure_of_a_model_is_drawn_on_the_axes_that_are_given(analysed: Anova) -> None:
    drawn: list[tuple[Any, Any, dict[str, str]]] = [
        (plot_effect_sizes, analysed, {}),
        (plot_marginal_means, analysed, {"term": "stemmer", "scheme": "normal"}),
        (plot_residuals, analysed, {"scheme": "raw"}),
        (plot_normal_quantiles, analysed, {"scheme": "raw"}),
        (plot_plan, plan(scores(), "interval:width=0.1"), {}),
    ]
    for plot, result, keywords in drawn:
        axes = Figure().subplots()
        assert plot(result, axes, **keywords) is axes
        assert axes.has_data()
    with pytest.raises(PlotError, match="result has several schemes; expected one of raw, norm"):
        plot_residuals(analysed)
