"""Figures with the same text width in all files, which notebooks show without pyplot."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager

from matplotlib import rc_context
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure


def unhinted() -> AbstractContextManager[None]:
    """Return a context in which texts have the same width at any dpi."""
    return rc_context({"text.hinting": "none"})


class ShownFigure(Figure):
    """Figure that a notebook shows at the end of a cell, with the same layout at any dpi."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw without hinting, which would make long names up to 10 % wider at some dpi."""
        with unhinted():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()
