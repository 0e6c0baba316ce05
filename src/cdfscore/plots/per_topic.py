"""Raw and standardized scores side by side, topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.scores.checked import checked_scores
from cdfscore.plots.canvas import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from narwhals.typing import IntoFrame

_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


def plot_per_topic(panels: Mapping[str, IntoFrame], *, title: str = "") -> Figure:
    """Draw the distribution of scores of every topic, one panel per scheme.

    Topics are drawn as in the bottom row of Figure 1 of Urbano, Lima and Hanjalic (2019): a
    thin line from the lowest to the highest score, a thick line between the quartiles, and a
    point at the mean. `panels` holds score matrices of the same topics by name, the raw
    scores first; topics are in the order of their mean raw score.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    figure = new_figure(3.6 * len(panels), 3.4)
    frames = {name: checked_scores(each, to_write=True).frame for name, each in panels.items()}
    raw = next(iter(frames.values()))
    order = raw.mean(axis=1).sort_values(kind="stable").index
    for axes, (name, scores) in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], frames.items(), strict=True
    ):
        _draw(axes, scores.loc[order].to_numpy())
        axes.set_title(name)
        axes.set_xlabel("topic, by mean raw score")
    figure.axes[0].set_ylabel("score")
    figure.suptitle(title)
    return figure


def _draw(axes: Axes, scores: np.ndarray) -> None:
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x = np.arange(len(scores))
    axes.vlines(x, low, high, linewidth=0.4, color="0.7")
    axes.vlines(x, lower, upper, linewidth=1.1, color="tab:blue")
    axes.plot(x, median, "_", markersize=2.5, color="white")
    axes.plot(x, np.nanmean(scores, axis=1), ".", markersize=2.5, color="black")
    axes.set_xlim(-1, len(scores))
    axes.set_xticks([])
