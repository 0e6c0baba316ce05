"""Standardized scores against raw ones, with a line per topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import counted
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, limits, wrapped
from cdfscore.plots.of_schemes import in_units, label_of, raw_label
from cdfscore.plots.styles import BLACK, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

# The more lines, the lighter each.
_LIGHTEST, _DARKEST, _LINES = 0.06, 0.7, 30

_WIDTH = 3.6
# Scores of which each is a point of its own; of more, points are smaller, and then fainter.
_POINTS, _SOLID, _FAINTEST = 2000, 10_000, 0.05


def plot_standardized(result: Standardized, ax: Axes | None = None) -> Axes:
    """Draw the standardized score of every raw score, with a line for each topic.

    Parameters
    ----------
    result
        Standardized scores.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_standardized
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> plot_standardized(Standardizer("normal").standardize(scores)).get_title()
    '20 topics x 67 systems, a line per topic'
    """
    y = result.frame.to_numpy()
    rows = {topic: row for row, topic in enumerate(result.given.topics)}
    # Topics that only the factors have, and that the policy takes as 0, were given no score.
    own = [i for i, topic in enumerate(result.used.topics) if topic in rows]
    x = result.given.values[[rows[result.used.topics[i]] for i in own]]
    y = y[own]
    order = np.argsort(x, axis=1, kind="stable")  # missing scores are last, and draw nothing
    drawn = int((np.isfinite(x) & np.isfinite(y)).any(axis=1).sum())
    sizes = f"{counted(drawn, 'topic')} x {counted(y.shape[1], 'system')}"
    with drawn_on(ax, size(result)) as axes:
        draw_lines(axes, np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1))
        axes.scatter(
            x.ravel(), y.ravel(), s=4.0 if x.size <= _POINTS else 0.7, color=BLACK,
            alpha=min(1.0, max(_FAINTEST, _SOLID / x.size)), linewidths=0, rasterized=True,
            zorder=2,
        )  # fmt: skip
        finish(
            axes,
            title=wrapped(in_units(result, f"{sizes}, a line per topic"), _WIDTH - 0.5),
            xlabel=wrapped(raw_label(result), _WIDTH - 0.6),
            ylabel=wrapped(label_of(result), size(result)[1] - 0.6),
        )
        axes.set_xlim(limits(x))
        axes.set_ylim(limits(y))
    return axes


def size(result: Standardized) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, 3.1


def draw_lines(axes: Axes, x: Array, y: Array) -> None:
    """Draw a line for each row of x and y, both (topics, points); all are one object."""
    from matplotlib.collections import LineCollection

    lines = [each[np.isfinite(each).all(axis=1)] for each in np.stack([x, y], axis=2)]
    alpha = min(_DARKEST, max(_LIGHTEST, _LINES / max(len(lines), 1)))
    axes.add_collection(
        LineCollection(lines, colors=GREY, linewidths=0.5, alpha=alpha, rasterized=True)
    )
