"""Box plots of the scores of each topic, for hundreds of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HALF_WIDTH = 0.36  # of a box, where topics are 1 apart


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
