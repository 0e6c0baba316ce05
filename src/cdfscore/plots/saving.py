"""Encoding of figures."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.io.files import check_ending
from cdfscore.plots.canvas import without_warnings
from cdfscore.threads import process_pool

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Endings of files, and the metadata that removes the time of writing.
_DATES: dict[str, dict[str, None]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
#: Endings of files of figures.
ENDINGS = tuple(_DATES)
_DPI = 300
OF_DRAWINGS = (".svg", ".pdf")


def encode_figure(figure: Figure, path: Path) -> bytes:
    """Return a figure as an SVG, PDF or PNG file, by the ending of `path`.

    The same figure always gives the same bytes with the same matplotlib. A PNG, and rasterized
    parts, have 300 dots per inch.

    Parameters
    ----------
    figure
        A figure of matplotlib.
    path
        The file name; nothing is written.

    Raises
    ------
    OutputError
        For another ending.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> encode_figure(Figure(figsize=(2, 2)), Path("figure.pdf"))[:4]
    b'%PDF'
    """
    ending = check_ending(path, ENDINGS)
    import matplotlib as mpl

    stream = io.BytesIO()
    # Names of parts of an SVG are derived from this text instead of at random, and its texts are
    # texts, which can be searched and copied. Publishers accept only fonts of type 42 and type 1 in
    # a PDF.
    settings = mpl.rc_context(
        {"svg.hashsalt": "cdfscore", "svg.fonttype": "none", "pdf.fonttype": 42}
    )
    with settings, without_warnings():
        figure.savefig(stream, format=ending[1:], dpi=_DPI, metadata=_DATES[ending])
    return stream.getvalue()


@dataclass(frozen=True)
class Drawing:
    """A figure to draw: the name of its files, the drawing function, and its arguments."""

    name: str
    draw: Callable[..., Figure]
    given: tuple[Any, ...]

    def files(self) -> dict[str, bytes]:
        """Draw the figure, and return an SVG and a PDF file by name.

        The user's settings of matplotlib are ignored, so that the files are always the same.
        """
        from matplotlib import style

        with style.context("default"):
            figure = self.draw(*self.given)
            names = [f"{self.name}{ending}" for ending in OF_DRAWINGS]
            return {name: encode_figure(figure, Path(name)) for name in names}


def draw_all(
    drawings: Sequence[Drawing], processes: int, progress: Callable[[int, int], None]
) -> dict[str, bytes]:
    """Return the files of all drawings; `progress` is called with the numbers done and in all.

    A single process is the calling one. Several are new processes, which import the drawing
    functions.
    """
    files: dict[str, bytes] = {}
    with process_pool(processes) as pool:
        each = (pool.map if pool else map)(Drawing.files, drawings)
        for done, drawn in enumerate(each, start=1):
            files |= drawn
            progress(done, len(drawings))
    return files
