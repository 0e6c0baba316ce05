"""Lines of topics, possibly thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.palette import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The more lines, the lighter each.
_LIGHTEST, _DARKEST, _LINES = 0.06, 0.7, 30


def draw_lines(axes: Axes, x: Array, y: Array) -> None:
    """Draw a line for each row of x and y, both (topics, points); all are one object."""
    from matplotlib.collections import LineCollection

    lines = [each[np.isfinite(each).all(axis=1)] for each in np.stack([x, y], axis=2)]
    alpha = min(_DARKEST, max(_LIGHTEST, _LINES / max(len(lines), 1)))
    axes.add_collection(
        LineCollection(lines, colors=GREY, linewidths=0.5, alpha=alpha, rasterized=True)
    )
