"""Distributions of scores by topic: a box for each of some, quantile bands over many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import counted
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, limits, text_width, wrapped
from cdfscore.plots.of_schemes import by_mean, in_units, label_of
from cdfscore.plots.styles import BLACK, BLUE, VERMILION
from cdfscore.plots.words import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Topics that have a box and a label each.
_BOXES = 40
_WIDTH, _HEIGHT = 4.2, 3.1
# Of a topic with its box, and of the axis of scores, in inches.
_TOPIC, _AXIS = 0.15, 0.8


def plot_per_topic(result: Standardized, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the scores of every topic, topics by their mean raw score.

    Each of 40 topics or fewer is drawn as in the bottom row of Figure 1 of Urbano, Lima and
    Hanjalic (2019): a thin line from the lowest to the highest score, a thick line between the
    quartiles, a gap at the median, and a point at the mean. More topics are drawn as bands, with
    lines for the median and the mean.

    By every scheme, topics are ordered by their mean raw score, so figures by several schemes can
    be compared topic by topic. If lower is better, raw scores are reversed first.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_per_topic
    >>> scores = datasets.load_cranfield("ap")
    >>> plot_per_topic(Standardizer("empirical").standardize(scores)).get_xlabel()
    '225 topics, by mean raw score'
    """
    labels, scores = _ordered(result)
    few = len(labels) <= _BOXES
    width, height = size(result)
    with drawn_on(ax, (width, height)) as axes:
        if few:
            _boxes(axes, scores)
            axes.set_xticks(range(len(labels)), labels, rotation=90)
        else:
            _bands(axes, scores)
            axes.set_xticks([])
        systems = counted(scores.shape[1], "system")
        drawn = (
            "line: all scores; box: quartiles; gap: median; dot: mean"
            if few
            else "light: all scores; dark: between the quartiles"
        )
        finish(
            axes,
            title=wrapped(in_units(result, f"Scores of {systems} by topic\n{drawn}"), width - 0.6),
            xlabel=in_units(result, f"{counted(len(labels), 'topic')}, by mean raw score"),
            ylabel=wrapped(label_of(result), _HEIGHT - 0.6),
        )
        axes.set_xlim(-1, len(labels))
        axes.set_ylim(limits(scores))
    return axes


def size(result: Standardized) -> Size:
    """Return the width and height of the figure in inches."""
    labels, _ = _ordered(result)
    if len(labels) > _BOXES:
        return _WIDTH, _HEIGHT
    return max(2.6, _AXIS + _TOPIC * len(labels)), _HEIGHT + text_width(labels)


def _ordered(result: Standardized) -> tuple[Sequence[str], Array]:
    """Return the topics that have a score, by mean raw score, and their standardized scores."""
    y = result.frame.to_numpy()
    finite = np.where(np.isfinite(y), y, np.nan)  # infinite ones of constant topics have no place
    order = [i for i in by_mean(result.used.values) if np.isfinite(y[i]).any()]
    return [name_of(result.used.topics[i]) for i in order], finite[order]


def _boxes(axes: Axes, scores: Array) -> None:
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x = np.arange(len(scores))
    axes.vlines(x, low, high, linewidth=0.8, color="0.6")
    axes.vlines(x, lower, upper, linewidth=4.0, color=BLUE)
    axes.plot(x, median, "_", markersize=4, markeredgewidth=1.2, color="white")
    axes.plot(x, np.nanmean(scores, axis=1), "o", markersize=2.0, color=BLACK)


def _bands(axes: Axes, scores: Array) -> None:
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x = np.arange(len(scores))
    axes.fill_between(x, low, high, color="0.85", linewidth=0)
    axes.fill_between(x, lower, upper, color=BLUE, alpha=0.35, linewidth=0)
    axes.plot(x, median, color=BLACK, linewidth=0.8, label="median")
    mean = np.nanmean(scores, axis=1)
    axes.plot(x, mean, "--", color=VERMILION, linewidth=1.2, label="mean")
    axes.legend(fontsize=SMALL, frameon=False, ncols=2)
