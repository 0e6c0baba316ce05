"""What makes a figure illegible: texts that are cut off or on each other, and huge pages."""

from itertools import combinations
from typing import Any
from unittest import mock

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

# In points. Neighbouring texts may touch by this much, as boxes have room for accents.
_TOUCH = 1.0
# The smallest font that can be read in print, and the longest side of a page, in inches.
_SMALLEST, _LONGEST = 5.0, 14.0


def problems(figure: Figure) -> list[str]:
    """Return a sentence for each text that cannot be read; of none, the figure is legible."""
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
    for (one, a), (other, b) in combinations(placed, 2):
        if min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)) > touch:
            found.append(f"{one!r} is on {other!r}")
    return found


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
