"""A figure as the bytes of a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Endings of files, and what matplotlib would write of the hour at which each was made.
_DATES: dict[str, dict[str, None]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}
_DPI = 300


def encode_figure(figure: Figure, path: Path) -> bytes:
    """Return a figure as an SVG, PDF or PNG file, as the ending of `path` says.

    The same figure gives the same bytes whenever it is made, with the same matplotlib. What
    is rasterized in it, and a PNG, has 300 dots an inch.

    Parameters
    ----------
    figure
        Any figure of matplotlib.
    path
        The file that the bytes are for; nothing is written to it.

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
    check_ending(path)
    import matplotlib as mpl

    ending = path.suffix.lower()

    stream = io.BytesIO()
    # Names of parts of an SVG are drawn from this text instead of at random; publishers accept
    # no fonts in a PDF but type 42 and type 1.
    with mpl.rc_context({"svg.hashsalt": "cdfscore", "pdf.fonttype": 42}):
        figure.savefig(stream, format=ending[1:], dpi=_DPI, metadata=_DATES[ending])
    return stream.getvalue()


def check_ending(path: Path) -> None:
    """Raise `OutputError` for a file that is not an SVG, PDF or PNG by its ending."""
    if path.suffix.lower() not in _DATES:
        raise OutputError(f"{path} ends in {path.suffix!r}; expected .svg, .pdf or .png")
