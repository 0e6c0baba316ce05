"""Which figure is drawn by what, and the bytes of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.plots.canvas import new_figure, require_matplotlib
from cdfscore.plots.saving import encode_figure
from cdfscore.plots.webber2008.grouped_bars import figure5, figure6, figure7
from cdfscore.plots.webber2008.sample_sizes import figure4
from cdfscore.plots.webber2008.score_plots import figure1, figure2, figure3

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Frames = Mapping[str, "pd.DataFrame"]

#: What draws each figure, from the tables of `cdfscore.reproduction.webber2008.figures`.
DRAWN: dict[str, Callable[[Figure, Frames], None]] = {
    draw.__name__: draw for draw in (figure1, figure2, figure3, figure4, figure5, figure6, figure7)
}
_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_figure(name: str, frames: Frames) -> Figure:
    """Draw one of the figures, "figure1" to "figure7", and return it.

    Raises `MissingDependencyError` when matplotlib is not installed.
    """
    with _style():
        return _drawn(name, frames)


def encode_figures(frames: Frames, formats: Sequence[str] = ("svg", "pdf")) -> dict[str, bytes]:
    """Return a file for each figure and format, by its name, such as "figure1.svg".

    Parameters
    ----------
    frames
        Tables of numbers, as `cdfscore.reproduction.webber2008.figures` returns them.
    formats
        Of "svg", "pdf" and "png". The same numbers give the same bytes.

    Raises
    ------
    OutputError
        For another format.
    MissingDependencyError
        When matplotlib is not installed.
    """
    files = {}
    with _style():
        for name in DRAWN:
            figure = _drawn(name, frames)
            for kind in formats:
                path = Path(f"{name}.{kind}")
                files[path.name] = encode_figure(figure, path)
    return files


def _style() -> AbstractContextManager[None]:
    require_matplotlib()
    from matplotlib import style

    context: AbstractContextManager[None] = style.context(["default", _STYLE])
    return context


def _drawn(name: str, frames: Frames) -> Figure:
    figure = new_figure(6.4, 4.0)
    DRAWN[name](figure, frames)
    return figure
