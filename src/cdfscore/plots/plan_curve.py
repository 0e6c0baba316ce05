"""Curve of a plan: power, width or reliability against the number of topics."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle
from cdfscore.plots.palette import BLACK, VERMILION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.models.planning import Plan

# Number of characters in a line of the title.
_WIDTH = 66


def plot_plan(result: Plan) -> Figure:
    """Draw the curve of a plan, with the goal and the answer; a check has a bar of two errors.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    quantity = result.goal.quantity
    figure = new_figure(3.6, 2.8)
    axes = figure.subplots()
    axes.axhline(result.goal.wanted, color="0.7", linewidth=1.0, zorder=1)
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
    if quantity != "width":
        axes.set_ylim(0, 1.02)
    else:
        axes.set_ylim(0, 3 * result.goal.wanted)
    title = "\n".join(textwrap.wrap(plain(result.answer), _WIDTH))
    finish(axes, title=title, xlabel="topics", ylabel=quantity)
    axes.title.set_fontsize(SMALL - 1)
    return settle(figure)
