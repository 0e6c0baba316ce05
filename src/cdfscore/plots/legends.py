"""Legends outside of a panel; they belong to its axes, so the figure makes room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL, TEXT, text_width, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from cdfscore.plots.styles import Style

# The line before a label, and what is around both, in font sizes.
_HANDLE, _AROUND = 3.5, 3.0
# The height of a line of such a legend, in inches.
_LINE = 0.16
# From the panel to the legend below it: tick labels and the label of the axis, in inches.
_BELOW = 0.36


def legend_below(axes: Axes, lines: Sequence[Line2D] | None = None) -> None:
    """Put the legend below the axis, an entry a line: of these lines, or of all with a label."""
    from matplotlib.transforms import ScaledTranslation

    below = ScaledTranslation(0, -_BELOW, axes.figure.dpi_scale_trans)
    axes.legend(
        handles=lines,
        loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=axes.transAxes + below,
        fontsize=SMALL, frameon=False, borderpad=0,
    )  # fmt: skip


def legend_of_schemes(figure: Figure, looks: Mapping[str, Style]) -> None:
    """Put a legend of schemes, each in its look, below all panels of a figure.

    The figure becomes higher by the further lines of the legend, so that the panels keep their
    height.
    """
    from matplotlib.lines import Line2D

    width, beside = figure.get_figwidth() - 0.2, (_HANDLE + _AROUND) * TEXT / 72
    labels = [wrapped(label, width - beside) for label in looks]
    widest = text_width([line for label in labels for line in label.split("\n")], TEXT)
    columns = min(len(looks), max(1, int(width / (widest + beside))))
    lines = -(-len(looks) // columns) * max(label.count("\n") + 1 for label in labels)
    figure.set_figheight(figure.get_figheight() + (lines - 1) * _LINE)
    figure.legend(
        [Line2D([], [], linewidth=1.0, markersize=2.5, **look) for look in looks.values()],
        labels,
        loc="outside lower center",
        ncols=columns,
        fontsize=TEXT,
        handlelength=_HANDLE,
        frameon=False,
    )
