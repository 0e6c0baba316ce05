"""Legends outside of a panel, which belong to its axes, so that a figure makes room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From the panel to the legend below it: tick labels and the label of the axis, in inches.
_BELOW = 0.36


def legend_below(axes: Axes) -> None:
    """Put the legend of the lines below the axis, an entry a line."""
    from matplotlib.transforms import ScaledTranslation

    below = ScaledTranslation(0, -_BELOW, axes.figure.dpi_scale_trans)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=axes.transAxes + below,
        fontsize=SMALL, frameon=False, borderpad=0,
    )  # fmt: skip
