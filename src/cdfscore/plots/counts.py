"""Grid of numbers, each in a cell as dark as its part of the whole."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import BoolArray, IntArray
from cdfscore.plots.canvas import SMALL, Size, plain, text_width
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Number of characters in a line of a label.
_WIDTH = 22
# Inches of a cell, and of the title.
_CELL, _REST = (0.75, 0.36), 1.0


def draw_counts(
    axes: Axes, counts: IntArray, whole: int, rows: Sequence[str], columns: Sequence[str],
    *, pale: BoolArray | None = None,
) -> None:  # fmt: skip
    """Draw numbers, (rows, columns), in gray by their part of the whole; `pale` ones in italics."""
    plainly = np.zeros(counts.shape, dtype=np.bool_) if pale is None else pale
    parts = np.ma.masked_array(counts / whole, mask=plainly)
    axes.imshow(parts, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    for i, j in np.ndindex(counts.shape):
        dark = not plainly[i, j] and counts[i, j] > 0.5 * whole
        axes.text(
            j, i, f"{counts[i, j]:,}", ha="center", va="center", fontsize=SMALL,
            fontstyle="italic" if plainly[i, j] else "normal", color="white" if dark else "black",
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), list(columns), rotation=90)
    axes.set_yticks(range(len(rows)), list(rows))


def size_of_counts(rows: Sequence[str], columns: Sequence[str]) -> Size:
    """Return the width and height of a figure of such a grid, in inches."""
    width, height = _CELL
    beside, below = (text_width("\n".join(each).split("\n")) for each in (rows, columns))
    return (
        max(width * len(columns), 3.1) + beside + 0.4,
        max(height * len(rows), 0.8) + below + _REST,
    )


def of_scheme(scheme: str) -> str:
    """Return a scheme as papers name it, in lines of a label."""
    return _lines(scheme_label(scheme))


def of_test(test: str) -> str:
    """Return a test with its settings, in lines of a label."""
    return _lines(re.sub(r"[:,](?=\S)", r"\g<0> ", test))


def _lines(label: str) -> str:
    return textwrap.fill(plain(label), _WIDTH)
