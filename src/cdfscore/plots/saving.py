"""Encoding of figures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.files import check_ending
from cdfscore.plots.glyphs import without_warnings

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
