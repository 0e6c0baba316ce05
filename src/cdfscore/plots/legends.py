"""Legends outside of a panel, which belong to its axes, so that a figure makes room for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL, TEXT, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from cdfscore.plots.styles import Style

# Entries and letters of labels in a line of a legend that is as wide as a page.
_COLUMNS, _LETTERS = 6, 90
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
    """Put a legend of schemes, each in its look, below all panels of a figure."""
    from matplotlib.lines import Line2D

    figure.legend(
        [Line2D([], [], linewidth=1.0, markersize=2.5, **look) for look in looks.values()],
        [plain(label) for label in looks],
        loc="outside lower center",
        ncols=min(_COLUMNS, len(looks), max(1, _LETTERS // max(map(len, looks)))),
        fontsize=TEXT,
        handlelength=3.5,
        frameon=False,
    )
