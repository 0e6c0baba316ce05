"""Figures with letters as wide in all files, which a notebook shows although no list has them."""

from __future__ import annotations

import io

from matplotlib import rc_context
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure


class ShownFigure(Figure):
    """Figure that is its own picture at the end of a cell, with the same layout at any dpi."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw without hinting, which makes a long name wider by up to a tenth at some dpi."""
        with rc_context({"text.hinting": "none"}):
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
