"""Characters that the font of a figure lacks: one note instead of a warning for each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.text import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
