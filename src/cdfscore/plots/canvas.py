"""What all figures share: the page, the look of a panel, labels."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import MissingDependencyError
from cdfscore.io.text import printable
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points; what a caption of a paper is set in, and a little less for numbers at ticks.
TEXT, SMALL = 8, 7


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, known to no global state.

    Raises `MissingDependencyError` when matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def require_matplotlib() -> None:
    """Raise `MissingDependencyError` when matplotlib is not installed."""
    try:
        import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed; pip install 'cdfscore[plots]' does"
        ) from error


def plain(label: object) -> str:
    """Return a label for matplotlib, which takes a pair of $ for a formula.

    A legend leaves out what begins with an underscore; a space before it keeps it.
    """
    text = printable(str(label)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def finish(axes: Axes, *, title: str = "", xlabel: str = "", ylabel: str = "") -> None:
    """Give a panel its labels, in the sizes of the figure, and thin lines around it."""
    axes.set_title(title, fontsize=TEXT)
    axes.set_xlabel(xlabel, fontsize=TEXT)
    axes.set_ylabel(ylabel, fontsize=TEXT)
    axes.tick_params(which="both", labelsize=SMALL, width=0.5, length=2.5, pad=2)
    axes.tick_params(which="minor", length=1.5)
    axes.spines[:].set_linewidth(0.5)


def settle(figure: Figure) -> Figure:
    """Lay the figure out, once: every file made of it later has the same layout."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def span(values: Array) -> tuple[float, float]:
    """Return the ends of [0, 1], where measures lie, and of all finite values."""
    finite = values[np.isfinite(values)]
    return float(finite.min(initial=0.0)), float(finite.max(initial=1.0))


def limits(values: Array) -> tuple[float, float]:
    """Return the ends of an axis: the span of the values, and a margin."""
    low, high = span(values)
    margin = 0.03 * (high - low)
    return low - margin, high + margin
