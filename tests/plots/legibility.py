"""What makes a figure illegible: texts that are cut off or on each other, and huge pages; and
what it says of what is not there: ranks below 1, and entries of legends without a mark.
"""

from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

# In points. Neighbouring texts may touch by this much, as boxes have room for accents.
_TOUCH = 1.0
# The smallest font that can be read in print, and the longest side of a page, in inches.
_SMALLEST, _LONGEST = 5.0, 14.0


def problems(figure: Figure) -> list[str]:
    """Return a sentence for each text that cannot be read, or that is of nothing."""
    width, height = figure.get_size_inches()
    found: list[str] = []
    if max(width, height) > _LONGEST:
        found.append(f"the figure is {width:.1f} x {height:.1f} inches")
    touch = _TOUCH * figure.dpi / 72
    placed = []
    with rc_context({"text.hinting": "none"}):  # as figures are drawn
        boxes = [(text, Text.get_window_extent(text)) for text in drawn_texts(figure)]
    for text, box in boxes:
        words = text.get_text()
        if text.get_fontsize() < _SMALLEST:
            found.append(f"{words!r} is in {text.get_fontsize()} points")
        outside = (-box.x0, -box.y0, box.x1 - width * figure.dpi, box.y1 - height * figure.dpi)
        if max(outside) > touch:
            found.append(f"{words!r} is cut off")
        placed.append((words, box))
    for axes in figure.axes:
        found += [f"the legend has {label!r}, without a mark" for label in _without_a_mark(axes)]
        for axis in (axes.xaxis, axes.yaxis):
            if "1 is the best" in axis.get_label_text():
                ranks = [float(text.get_text()) for text in axis.get_ticklabels()]
                found += [f"there is a rank of {rank}" for rank in ranks if rank < 1]
    for (one, a), (other, b) in combinations(placed, 2):
        if min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)) > touch:
            found.append(f"{one!r} is on {other!r}")
    return found


def _without_a_mark(axes: Axes) -> list[str]:
    """Return the labels of the legend whose colors nothing in the panel has."""
    legend = axes.get_legend()
    if legend is None:
        return []
    colors: set[Any] = {to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())}
    for each in [*axes.patches, *axes.collections]:
        for own in (each.get_facecolor(), each.get_edgecolor()):
            colors |= {to_hex(color) for color in np.atleast_2d(own) if len(color)}
    for image in axes.images:
        if (cells := np.asarray(image.get_array())).ndim == 3:
            colors |= {to_hex(color) for color in np.unique(cells.reshape(-1, 4), axis=0)}
    return [
        text.get_text()
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True)
        if to_hex(getattr(handle, "get_facecolor", getattr(handle, "get_color", None))())
        not in colors
    ]


def drawn_texts(figure: Figure) -> list[Text]:
    """Return the texts that are drawn, without those of ticks outside of an axis."""
    found: list[Text] = []

    def recorded(kind: type[Text]) -> Any:
        draw = kind.draw

        def record(self: Text, renderer: Any) -> None:
            if self.get_visible() and self.get_text().strip() and self not in found:
                found.append(self)
            draw(self, renderer)

        return mock.patch.object(kind, "draw", record)

    with recorded(Text), recorded(Annotation):
        figure.draw_without_rendering()
    return found
