"""Figure 1: effect of standardization on the scores of each topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.io.scores.given import as_scores
from cdfscore.papers.urbano2019.figures.boxes import draw_boxes
from cdfscore.papers.urbano2019.figures.mapping import draw_mapping
from cdfscore.papers.urbano2019.figures.results import FigureError
from cdfscore.plots.canvas import SMALL, TEXT, finish, new_figure, plain, settle
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from narwhals.typing import IntoFrame


def figure_1(scores: IntoFrame, schemes: Mapping[str, str], title: str) -> Figure:
    """Draw the mapping of the scores of each topic by schemes, and the resulting distributions.

    The figure is like Figure 1 of Urbano, Lima and Hanjalic (2019). The top row has one panel per
    scheme: y = F_t(x) against x, with one line per topic t over the whole axis and a point for each
    observed score. The bottom row has a panel of raw scores and one panel per scheme: box plots of
    the scores of each topic, in the order of the mean raw score, with a solid point at the mean
    (`boxes.draw_boxes` defines the boxes). The colour of a topic shows its mean raw score, in both
    rows. Axes of scores cover [0, 1], and more if scores are outside, as z-scores are.

    Parameters
    ----------
    scores
        Raw scores, topics x systems. The schemes are fitted to all of them.
    schemes
        The name of each scheme, with settings, by its label, such as ``{"E-std": "empirical"}``.
    title
        Title with collection and measure, such as ``"TREC 2004 Robust, AP"``.

    Raises
    ------
    FigureError
        If there is no scheme.
    CdfscoreError
        As raised by `Standardizer`: `ScoresError` if the scores are not a score matrix,
        `MissingScoreError` for an empty cell, `SchemeError` for an unknown scheme,
        `FitError` for a topic to which a scheme cannot be fitted.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> scores = datasets.load_cranfield("ap").head(20)
    >>> figure = figure_1(scores, {"N-std": "normal", "E-std": "empirical"}, title="Cranfield, AP")
    >>> [axes.get_title() for axes in figure.axes if axes.get_title()]
    ['N-std', 'E-std', 'raw', 'N-std', 'E-std']
    """
    if not schemes:
        raise FigureError("schemes is empty; expected at least one, such as {'E-std': 'empirical'}")
    figure = new_figure(2.2 * (len(schemes) + 1), 4.4)
    checked = as_scores(scores)
    means = checked.mean(axis=1).sort_values(kind="stable")
    ordered = checked.loc[means.index]
    scale = _scale(means)
    colors = _colors(scale, means)
    (key, *top), bottom = figure.subplots(2, len(schemes) + 1)
    draw_boxes(bottom[0], ordered.to_numpy(), colors)
    finish(bottom[0], title="raw", xlabel="topic, by mean raw score", ylabel="raw score x")
    for (label, spelling), above, below in zip(schemes.items(), top, bottom[1:], strict=True):
        factors = Standardizer(spelling).fit(ordered)
        draw_mapping(above, factors, ordered, colors)
        finish(above, title=plain(label), xlabel="raw score x", ylabel="standardized score y")
        draw_boxes(below, factors.transform(ordered).to_numpy(), colors)
        finish(
            below,
            title=plain(label),
            xlabel="topic, by mean raw score",
            ylabel="standardized score y",
        )
    _draw_key(key, scale, colors[0])
    figure.suptitle(plain(title), fontsize=TEXT + 1)
    return settle(figure)


def _scale(means: pd.Series[float]) -> ScalarMappable:
    """Return the colours of mean raw scores: dark for difficult topics, and none too light."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    visible = ListedColormap(colormaps["viridis"](range(232)), name="topics")
    return ScalarMappable(Normalize(means.min(), means.max()), visible)


def _colors(scale: ScalarMappable, means: pd.Series[float]) -> list[str]:
    from matplotlib.colors import to_hex

    return [to_hex(color) for color in scale.to_rgba(means.to_numpy())]


def _draw_key(axes: Axes, scale: ScalarMappable, color: str) -> None:
    """Draw the legend of lines, points, boxes and colours, in the cell above the raw scores."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes.set_axis_off()
    signs = {
        "mapping of a topic": Line2D([], [], color=color, linewidth=0.8),
        "score observed": Line2D([], [], color=color, marker="o", markersize=2, linestyle=""),
        "quartiles and median": Patch(facecolor=color, edgecolor="none"),
        "to the last score within\n1.5 interquartile ranges": Line2D(
            [], [], color="0.45", linewidth=0.8
        ),
        "score beyond": Line2D(
            [], [], color="0.45", marker="o", markersize=2, markerfacecolor="none", linestyle=""
        ),
        "mean": Line2D([], [], color="black", marker="o", markersize=2, linestyle=""),
    }
    axes.legend(list(signs.values()), list(signs), loc="upper left", fontsize=SMALL, frameon=False)
    bar = axes.figure.colorbar(
        scale, cax=axes.inset_axes((0.05, 0.1, 0.8, 0.06)), orientation="horizontal"
    )
    bar.set_label("mean raw score of the topic", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL, width=0.5, length=2.5)
    bar.outline.set_linewidth(0.5)
