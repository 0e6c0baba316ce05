"""Points of pairs of systems by their p values: those that differ, and those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import written
from cdfscore.numerics.types import Array
from cdfscore.plots.palette import BLACK, GREY, VERMILION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Smaller p values, also 0, are drawn at this one.
_LOWEST = 1e-16
# Of more pairs, points are small and pale.
_MANY = 2000


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
    return entries
