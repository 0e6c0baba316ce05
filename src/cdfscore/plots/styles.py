"""Colors, the look of schemes and of pairs of systems, and legends, the same in all panels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import written
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import SMALL, TEXT, text_width, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Colors for readers with color blindness, by Okabe and Ito (2008). Their yellow is omitted, because
# it is too light for a thin line.
BLACK = "#000000"
BLUE = "#0072B2"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY_BLUE = "#56B4E9"
#: For secondary parts: lines for comparison, missing values.
GREY = "0.45"
_COLORS = (BLACK, BLUE, ORANGE, PURPLE, GREEN, VERMILION, SKY_BLUE)
_DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (5, 1.5, 1, 1.5, 1, 1.5)),
)
_MARKERS = ("o", "s", "^", "v", "D")

#: Settings of `Axes.plot`: color, linestyle and marker.
Style = dict[str, Any]
# Smaller p values, also 0, are drawn at this one.
_LOWEST = 1e-16
# Of more pairs, points are small and pale.
_MANY = 2000
# The line before a label, and what is around both, in font sizes.
_HANDLE, _AROUND = 3.5, 3.0
# The height of a line of such a legend, in inches.
_LINE = 0.16
# From the panel to the legend below it: tick labels and the label of the axis, in inches.
_BELOW = 0.36


def styles(schemes: Iterable[str]) -> dict[str, Style]:
    """Return a style for each scheme; 7 colors, 6 dashes, 5 markers: the first 210 differ."""
    return {
        scheme: {
            "color": _COLORS[i % len(_COLORS)],
            "linestyle": _DASHES[i % len(_DASHES)],
            "marker": _MARKERS[i % len(_MARKERS)],
        }
        for i, scheme in enumerate(schemes)
    }


def drawn_p(rows: pd.DataFrame) -> Array:
    """Return the adjusted p value of each pair as it is drawn, 1e-16 at least."""
    found: Array = np.maximum(rows["p_adjusted"].to_numpy(), _LOWEST)
    return found


def draw_pairs(axes: Axes, x: Array, p: Array, alpha: float) -> list[Line2D]:
    """Draw a point at x and p for each pair, on a log scale, and a line at alpha.

    Returns what a legend has of the two classes, in points of one size.
    """
    from matplotlib.lines import Line2D

    many, entries = len(p) > _MANY, []
    for chosen, color, marker, sign in (
        (p > alpha, GREY, "o", ">"), (p <= alpha, VERMILION, "D", "\u2264"),
    ):  # fmt: skip
        look: dict[str, Any] = {
            "color": color, "marker": marker, "linestyle": "", "markeredgewidth": 0,
        }  # fmt: skip
        axes.plot(
            x[chosen], p[chosen], **look, markersize=1.2 if many else 2.5,
            alpha=0.4 if many else 1, rasterized=many,
        )  # fmt: skip
        entries.append(Line2D([], [], **look, markersize=3.5, label=f"p {sign} {written(alpha)}"))
    axes.axhline(alpha, color=BLACK, linewidth=0.6, linestyle="--")
    axes.set_yscale("log")
    if (p <= _LOWEST).any():  # so that the tick says what is drawn there
        form: Any = axes.yaxis.get_major_formatter()
        axes.yaxis.set_major_formatter(
            lambda y, place: ("\u2264 " if y <= _LOWEST else "") + form(y, place)
        )
    return entries


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
