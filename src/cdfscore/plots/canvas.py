"""Common parts of all figures: page, panels, labels."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import MissingDependencyError
from cdfscore.io.text import listed, printable
from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Font sizes in points: that of a caption in a paper, and a smaller one for tick labels.
TEXT, SMALL = 8, 7
#: Width and height of a figure, in inches.
Size = tuple[float, float]
# Width of a character as a part of its height, on average; of DejaVu Sans.
_CHARACTER = 0.55
# Characters that a line of text has room for, whatever their width.
_SHORTEST = 8


@contextmanager
def without_warnings() -> Iterator[None]:
    """Suppress the warnings of Matplotlib for each character; `glyph_notes` reports them once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield


def glyph_notes(figure: Figure, path: Path) -> list[str]:
    """Return a note on the characters that are boxes in the file of a figure, if there are any.

    An SVG file has none, because its text is shown in the fonts of the reader.
    """
    if path.suffix.lower() == ".svg":
        return []
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    absent: dict[str, None] = {}
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        font = get_font(findfont(text.get_fontproperties()))
        for sign in dict.fromkeys(text.get_text().replace("\n", "")):
            if font.get_char_index(ord(sign)) == 0:
                absent[sign] = None
    if not absent:
        return []
    boxes = "is a box" if len(absent) == 1 else "are boxes"
    return [
        f"the font has no character for {listed([*absent])}, which {boxes} in {path}; an .svg file "
        "shows all characters in the fonts of the reader"
    ]


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, outside of any global state.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    require_matplotlib()
    from cdfscore.plots.shown_figure import ShownFigure

    return ShownFigure(figsize=(width, height), layout="constrained")


@contextmanager
def drawn_on(ax: Axes | None, size: Size) -> Iterator[Axes]:
    """Yield the axes that the user gives, or those of a new figure of this size.

    The layout of a new figure is fixed at the end; that of a given one is the user's.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    if ax is not None:
        yield ax
        return
    figure = new_figure(*size)
    yield figure.subplots()
    settle(figure)


def text_width(labels: Iterable[str], points: float = SMALL) -> float:
    """Return the width of the widest of these labels, in inches, so that a figure has room."""
    require_matplotlib()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=points)
    with without_warnings():
        widths = [
            text_to_path.get_text_width_height_descent(label.replace(r"\$", "$"), font, False)[0]
            for label in labels
        ]
    return float(max(widths, default=0.0)) / 72


def require_matplotlib() -> None:
    """Raise `MissingDependencyError` if matplotlib is not installed."""
    try:
        import_module("matplotlib.figure")
    except ImportError as error:
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed; run pip install 'cdfscore[plots]'"
        ) from error


def plain(label: object) -> str:
    """Return a label for matplotlib, where $ does not begin a formula.

    A label that begins with an underscore gets a space in front, as a legend would omit it.
    """
    text = printable(str(label)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def wrapped(text: str, inches: float, points: float = TEXT) -> str:
    """Return a text in lines that are at most so long, each of them safe for matplotlib."""
    width = max(_SHORTEST, int(72 * inches / (_CHARACTER * points)))
    while True:
        lines = [part for line in text.splitlines() for part in textwrap.wrap(plain(line), width)]
        if width == _SHORTEST or text_width(lines, points) <= inches:
            return "\n".join(lines)
        width = max(_SHORTEST, int(0.9 * width))  # of wide letters fewer have room


def finish(axes: Axes, *, title: str = "", xlabel: str = "", ylabel: str = "") -> None:
    """Add labels to a panel, in the font sizes of the figure, and a thin frame."""
    axes.set_title(title, fontsize=TEXT)
    axes.set_xlabel(xlabel, fontsize=TEXT)
    axes.set_ylabel(ylabel, fontsize=TEXT)
    axes.tick_params(which="both", labelsize=SMALL, width=0.5, length=2.5, pad=2)
    axes.tick_params(which="minor", length=1.5)
    axes.spines[:].set_linewidth(0.5)


def settle(figure: Figure) -> Figure:
    """Fix the layout of the figure, so that all its files have the same layout."""
    from cdfscore.plots.shown_figure import unhinted

    engine = figure.get_layout_engine()
    assert engine is not None  # that of new_figure
    with without_warnings(), unhinted():
        # One layout begins at the one before, of which wide names leave too little to the panel.
        for _ in range(2):
            engine.execute(figure)
    figure.set_layout_engine("none")
    return figure


def span(values: Array) -> tuple[float, float]:
    """Return the smallest span of [0, 1], the range of measures, and all finite values."""
    finite = values[np.isfinite(values)]
    return float(finite.min(initial=0.0)), float(finite.max(initial=1.0))


def limits(values: Array) -> tuple[float, float]:
    """Return the ends of an axis: the span of the values, and a margin."""
    low, high = span(values)
    margin = 0.03 * (high - low)
    return low - margin, high + margin
