"""Curve of a plan: power, width or reliability against the number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, wrapped
from cdfscore.plots.styles import BLACK, GREY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.models.planning import Plan

_WIDTH = 3.6


def plot_plan(result: Plan, ax: Axes | None = None) -> Axes:
    """Draw the curve of a plan, with the goal and the answer.

    The dashed line is the goal, and the point is the answer. If there is a check by resampling, its
    value has a bar of plus and minus two Monte Carlo standard errors.

    Parameters
    ----------
    result
        A plan.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models.planning import plan
    >>> from cdfscore.plots import plot_plan
    >>> found = plan(datasets.load_cranfield("ap"), "interval:width=0.05")
    >>> plot_plan(found).get_xlabel()
    'Number of topics'
    """
    quantity = result.goal.quantity
    with drawn_on(ax, size(result)) as axes:
        axes.axhline(result.goal.wanted, color=GREY, linewidth=0.8, linestyle="--", zorder=1)
        axes.plot(result.curve["topics"], result.curve[quantity], color=BLACK, linewidth=1.0)
        axes.plot([result.topics], [result.value], color=BLACK, marker="o", markersize=4)
        if result.check is not None:
            axes.errorbar(
                [result.check.topics],
                [result.check.value],
                yerr=2 * result.check.stderr,
                color=VERMILION,
                marker="s",
                markersize=3,
                linewidth=1.0,
                label="resampled",
            )
            axes.legend(fontsize=SMALL, frameon=False)
        axes.set_ylim(0, 3 * result.goal.wanted if quantity == "width" else 1.02)
        title = wrapped(result.answer, _WIDTH - 0.4, SMALL)
        finish(axes, title=title, xlabel="Number of topics", ylabel=quantity.capitalize())
        axes.title.set_fontsize(SMALL)
    return axes


def size(result: Plan) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, 2.8
