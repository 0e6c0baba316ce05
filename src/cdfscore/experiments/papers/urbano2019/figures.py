"""Figures of Urbano, Lima and Hanjalic (2019), for any data sets and schemes.

`figure_1` draws scores. `figure_2` and `figure_3` draw the results of the experiments within and
between collections. `encode_figure` makes files of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdfscore.errors import ExperimentError
from cdfscore.plots.canvas import (
    SMALL,
    TEXT,
    Style,
    encode_figure,
    finish,
    legend_of_schemes,
    limits,
    new_figure,
    plain,
    settle,
    span,
    styles,
)
from cdfscore.plots.experiments import draw_densities, draw_rates
from cdfscore.scores.dataframes import IntoFrame
from cdfscore.scores.frame import as_scores
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from cdfscore.standardization.standardized import Factors

    #: The frames of one data set, by statistic.
    Results = Mapping[str, pd.DataFrame]

__all__ = ["encode_figure", "figure_1", "figure_2", "figure_3"]

ALPHA = "alpha"
_STEPS = 200
_HALF_WIDTH = 0.36  # of a box, where topics are 1 apart


def figure_1(scores: IntoFrame, schemes: Mapping[str, str], title: str) -> Figure:
    """Draw the mapping of the scores of each topic by schemes, and the resulting distributions.

    The figure is like Figure 1 of Urbano, Lima and Hanjalic (2019). The top row has one panel per
    scheme: y = F_t(x) against x, with one line per topic t over the whole axis and a point for each
    observed score. The bottom row has a panel of raw scores and one panel per scheme: box plots of
    the scores of each topic, in the order of the mean raw score, with a solid point at the mean
    (`draw_boxes` defines the boxes). The colour of a topic shows its mean raw score, in both
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
    ExperimentError
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
        raise ExperimentError(
            "schemes is empty; expected at least one, such as {'E-std': 'empirical'}"
        )
    figure = new_figure(2.2 * (len(schemes) + 1), 4.4)
    from matplotlib.colors import to_hex

    checked = as_scores(scores)
    means = checked.mean(axis=1).sort_values(kind="stable")
    ordered = checked.loc[means.index]
    scale = _scale(means)
    colors = [to_hex(color) for color in scale.to_rgba(means.to_numpy())]
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

    Each kind of artist is one collection: `Axes.boxplot` makes files five times as large.
    """
    from matplotlib.cbook import boxplot_stats
    from matplotlib.collections import PolyCollection

    boxes = boxplot_stats(scores.T)
    low, q1, median, q3, high, mean = (
        np.array([box[key] for box in boxes], dtype=np.float64)
        for key in ("whislo", "q1", "med", "q3", "whishi", "mean")
    )
    x = np.arange(1.0, len(boxes) + 1)
    beyond = [(place, y) for place, box in zip(x, boxes, strict=True) for y in box["fliers"]]
    axes.vlines(np.tile(x, 2), np.r_[low, q3], np.r_[q1, high], color="0.45", linewidth=0.35)
    left, right = x - _HALF_WIDTH, x + _HALF_WIDTH
    corners = np.array([[left, left, right, right], [q1, q3, q3, q1]])
    rectangles = list(corners.T)  # topics x 4 corners x (x, y)
    axes.add_collection(PolyCollection(rectangles, facecolors=colors, linewidths=0))
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


def mapping_lines(factors: Factors, scores: pd.DataFrame) -> tuple[Array, Array]:
    """Return x and y = F_t(x) of the line of each topic, (topics, points), with all jumps of y."""
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
    """Draw one line per topic in its colour, and its observed scores, as one picture."""
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


@dataclass(frozen=True)
class _Row:
    """Row of panels, one line per scheme: densities over the trials, or rates by level."""

    statistic: str
    xlabel: str
    ylabel: str = "density"
    without: frozenset[str] = frozenset()
    expected: bool = False

    @property
    def of_rates(self) -> bool:
        return self.ylabel != "density"

    def schemes(self, frame: object) -> list[str]:
        """Return the schemes; none of anything but numbers, by levels if they are rates."""
        if not isinstance(frame, pd.DataFrame) or any(
            kind.kind not in "iuf" for kind in frame.dtypes
        ):
            return []
        if not frame.columns.is_unique or self.of_rates != (ALPHA in frame):
            return []
        values = frame.drop(columns=ALPHA, errors="ignore").to_numpy(np.float64, na_value=np.nan)
        if not len(frame) or np.isinf(values).any():
            return []
        if self.of_rates and not frame[ALPHA].fillna(0.0).between(0, 1, "right").all():
            return []
        return [column for column in frame.columns if column not in {ALPHA, *self.without}]

    def draw(self, axes: Axes, frame: pd.DataFrame, styles: Mapping[str, Style]) -> None:
        if self.of_rates:
            draw_rates(axes, frame, styles, expected=self.expected)
        else:
            looks = {each: look for each, look in styles.items() if each not in self.without}
            draw_densities(axes, frame, looks)


def _draw_grid(results: Mapping[str, Results], rows: Sequence[_Row], title: str) -> Figure:
    looks = styles(_schemes(results, rows))
    figure = new_figure(0.5 + 2.2 * len(results), 0.75 + 1.75 * len(rows))
    panels = figure.subplots(len(rows), len(results), squeeze=False)
    for j, (dataset, frames) in enumerate(results.items()):
        for i, row in enumerate(rows):
            axes = panels[i, j]
            row.draw(axes, frames[row.statistic], looks)
            axes.margins(x=0.03)
            finish(
                axes,
                title=plain(dataset) if i == 0 else "",
                xlabel=row.xlabel,
                ylabel=row.ylabel if j == 0 else "",
            )
    figure.suptitle(plain(title), fontsize=TEXT + 1)
    figure.align_ylabels(panels[:, 0])
    legend_of_schemes(figure, looks)
    return settle(figure)


def _schemes(results: Mapping[str, Results], rows: Sequence[_Row]) -> list[str]:
    """Return the schemes of the last row of the first data set, which all frames must have."""
    schemes: list[str] = []
    for dataset, frames in results.items():
        for row in reversed(rows):
            found = row.schemes(frames.get(row.statistic))
            schemes = schemes or found
            drawn = [scheme for scheme in schemes if scheme not in row.without]
            if not drawn or sorted(found) != sorted(drawn):
                raise ExperimentError(
                    f"{row.statistic!r} of data set {dataset!r} is not a frame as `Within` and "
                    f"`Between` return it, but has {', '.join(found) or 'other columns'}; expected "
                    f"finite numbers in a column for each of {', '.join(drawn) or 'the schemes'}"
                    + (f", and levels above 0 and up to 1 in {ALPHA!r}" if row.of_rates else "")
                )
    if not schemes:
        raise ExperimentError("results is empty; expected at least one data set with its frames")
    return schemes


_LEVEL = r"significance level $\alpha$"
#: The scheme that the others are correlated with. Its correlation with itself is 1.
_RAW = frozenset({"raw"})
_WITHIN = (
    _Row("tau", r"$\tau$, raw and standardized", without=_RAW),
    _Row("tauAP", r"$\tau_{\mathrm{ap}}$, raw and standardized", without=_RAW),
    _Row("power", _LEVEL, "power"),
)


def figure_2(results: Mapping[str, Mapping[str, pd.DataFrame]], title: str) -> Figure:
    r"""Draw the comparisons within collections, one column per data set.

    The figure is like Figure 2 of Urbano, Lima and Hanjalic (2019):

    - First row: densities over the trials of Kendall's :math:`\tau` between the rankings of systems
      by raw and by standardized scores. A lower value means that the scheme differs more from raw
      scores. Rugs mark the means.
    - Second row: :math:`\tau_{ap}`.
    - Third row: power of paired t tests by significance level (higher is better).

    The column ``raw`` is omitted from the first two rows, because its correlation with itself is 1.
    `Densities` and `Rates` describe the panels.

    Parameters
    ----------
    results
        By data set, the title of its column: the frames "tau" and "tauAP" with one row per
        trial and one column per scheme, NaN where undefined, and "power" with a column
        ``alpha`` and one column per scheme. The columns are the schemes, the same in all
        frames; raw may be absent from the first two.
    title
        Title of the figure, such as ``"10,000 trials"``.

    Raises
    ------
    ExperimentError
        If there is no data set, if a frame is missing or contains something other than finite
        numbers and NaN, if a level is not in (0, 1], or if frames have different schemes.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> tau = pd.DataFrame({"raw": [1.0, 1.0, 1.0], "mine": [0.91, 0.93, 0.94]})
    >>> power = pd.DataFrame({"alpha": [0.01, 0.05], "raw": [0.5, 0.6], "mine": [0.6, 0.7]})
    >>> figure = figure_2({"robust2004_ap": {"tau": tau, "tauAP": tau, "power": power}}, "3 trials")
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['density', 'density', 'power']
    """
    return _draw_grid(results, _WITHIN, title)


_BETWEEN = (
    _Row("tau", r"$\tau$ between collections"),
    _Row("tauAP", r"$\tau_{\mathrm{ap}}$ between collections"),
    _Row("type1", _LEVEL, "Type I error rate", expected=True),
    _Row("power", _LEVEL, "power"),
)


def figure_3(results: Mapping[str, Mapping[str, pd.DataFrame]], title: str) -> Figure:
    r"""Draw the comparisons between collections, one column per data set.

    The figure is like Figure 3 of Urbano, Lima and Hanjalic (2019):

    - First row: densities over the trials of Kendall's :math:`\tau` between the rankings of systems
      on two disjoint sets of topics (higher is better). Rugs mark the means.
    - Second row: :math:`\tau_{ap}`.
    - Third row: type I error rate of unpaired t tests of each system with itself, by significance
      level (best on the diagonal).
    - Fourth row: power of unpaired t tests between different systems (higher is better).

    The parameters and errors are those of `figure_2`. There is also a frame "type1", like "power",
    and all frames have all schemes.

    Examples
    --------
    >>> import pandas as pd
    >>> tau = pd.DataFrame({"raw": [0.71, 0.74, 0.78], "mine": [0.75, 0.76, 0.81]})
    >>> rates = pd.DataFrame({"alpha": [0.01, 0.05], "raw": [0.01, 0.05], "mine": [0.01, 0.05]})
    >>> frames = {"tau": tau, "tauAP": tau, "type1": rates, "power": rates}
    >>> len(figure_3({"robust2004_ap": frames, "terabyte2006_ap": frames}, "3 trials").axes)
    8
    """
    return _draw_grid(results, _BETWEEN, title)
