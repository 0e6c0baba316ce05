"""Figure 1: effect of standardization on the scores of each topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores.given import as_scores
from cdfscore.numerics.types import Array
from cdfscore.papers.urbano2019.figures.results import FigureError
from cdfscore.plots.canvas import SMALL, TEXT, finish, limits, new_figure, plain, settle, span
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from narwhals.typing import IntoFrame

    from cdfscore.standardization.factors import Factors

_STEPS = 200

_HALF_WIDTH = 0.36  # of a box, where topics are 1 apart


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


def draw_boxes(axes: Axes, scores: Array, colors: Sequence[str]) -> None:
    """Draw a box plot of every row of `scores`, of shape (topics, systems), at x = 1, 2, ...

    The box goes from the first to the third quartile (R's type 7), with a line at the median. The
    whiskers go to the last score within 1.5 times the height of the box. Scores beyond are circles,
    and a solid point is the mean. Boxes, whiskers and medians are one collection each, because
    `Axes.boxplot` makes six artists per topic and files that are five times as large.
    """
    from matplotlib.cbook import boxplot_stats

    boxes = boxplot_stats(scores.T)
    low, q1, median, q3, high, mean = (
        np.array([box[key] for box in boxes], dtype=np.float64)
        for key in ("whislo", "q1", "med", "q3", "whishi", "mean")
    )
    x = np.arange(1.0, len(boxes) + 1)
    beyond = [(place, y) for place, box in zip(x, boxes, strict=True) for y in box["fliers"]]
    axes.vlines(np.tile(x, 2), np.r_[low, q3], np.r_[q1, high], color="0.45", linewidth=0.35)
    left, right = x - _HALF_WIDTH, x + _HALF_WIDTH
    _draw_rectangles(axes, left, right, q1, q3, colors)
    axes.hlines(median, left, right, color="white", linewidth=0.6)
    axes.plot(
        *np.reshape(beyond, (-1, 2)).T,
        "o",
        markersize=0.9,
        markerfacecolor="none",
        markeredgecolor="0.45",
        markeredgewidth=0.25,
        rasterized=True,
        label="beyond the whiskers",
    )
    axes.plot(x, mean, "o", markersize=1.3, markeredgewidth=0, color="black", label="mean")
    axes.set_xlim(0, len(boxes) + 1)
    axes.set_ylim(limits(scores))


def _draw_rectangles(
    axes: Axes, left: Array, right: Array, low: Array, high: Array, colors: Sequence[str]
) -> None:
    from matplotlib.collections import PolyCollection

    corners = np.array([[left, left, right, right], [low, high, high, low]])
    rectangles = list(corners.T)  # topics x 4 corners x (x, y)
    axes.add_collection(PolyCollection(rectangles, facecolors=colors, linewidths=0))


def mapping_lines(factors: Factors, scores: pd.DataFrame) -> tuple[Array, Array]:
    """Return x and y = F_t(x) of the line of each topic, both of shape (topics, points).

    x covers the whole axis evenly. It also contains each observed score of the topic and the double
    before it, so that a step of y is a vertical line at the score. If y can also jump after a
    score, as on a constant topic, x contains the doubles after the scores too.
    """
    import pandas as pd

    observed = scores.to_numpy()
    even = np.linspace(*span(observed), _STEPS + 1)
    even = np.broadcast_to(even, (len(observed), len(even)))
    parts = [even, observed, np.nextafter(observed, -np.inf)]
    if factors.constant_topics or not factors.fitted.scheme.right_continuous:
        parts.append(np.nextafter(observed, np.inf))
    x = np.sort(np.hstack(parts), axis=1)
    points = [f"point {i}" for i in range(x.shape[1])]
    y = factors.transform(pd.DataFrame(x, index=scores.index, columns=points))
    return x, y.to_numpy()


def draw_mapping(axes: Axes, factors: Factors, scores: pd.DataFrame, colors: Sequence[str]) -> None:
    """Draw one line per topic in its colour, and a point for each observed score.

    The points are one picture inside a vector file, because there are ten thousand of them. The
    axes contain all points. Lines of a scheme without limits can leave the axes.
    """
    observed, standardized = scores.to_numpy(), factors.transform(scores).to_numpy()
    for x, y, color in zip(*mapping_lines(factors, scores), colors, strict=True):
        axes.plot(x, y, color=color, linewidth=0.4, alpha=0.7, zorder=1)
    axes.scatter(
        observed.ravel(),
        standardized.ravel(),
        s=1.6,
        c=np.repeat(colors, observed.shape[1]),
        linewidths=0,
        rasterized=True,
        antialiased=False,
        zorder=2,
    )
    axes.set_xlim(limits(observed))
    axes.set_ylim(limits(standardized))
