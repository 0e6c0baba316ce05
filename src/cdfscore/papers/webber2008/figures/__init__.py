"""Figures 1 to 7 of Webber, Moffat and Zobel (2008), drawn from the tables of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cdfscore.papers.webber2008.figures.grouped_bars import figure_5, figure_6, figure_7
from cdfscore.papers.webber2008.figures.score_plots import figure_1, figure_2, figure_3, figure_4
from cdfscore.plots.drawings import Drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "drawings",
    "figure_1",
    "figure_2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_6",
    "figure_7",
]

#: The function that draws each figure, and the tables that it needs.
_FIGURES: dict[str, tuple[Callable[..., Figure], tuple[str, ...]]] = {
    "figure1": (figure_1, ("figure1",)),
    "figure2": (figure_2, ("figure2",)),
    "figure3": (figure_3, ("figure3", "figure3_quartiles")),
    "figure4": (figure_4, ("figure4",)),
    "figure5": (figure_5, ("figure5",)),
    "figure6": (figure_6, ("figure6",)),
    "figure7": (figure_7, ("figure7",)),
}


def drawings(frames: Mapping[str, pd.DataFrame]) -> list[Drawing]:
    """Return the drawings of Figures 1 to 7.

    Parameters
    ----------
    frames
        The tables of `cdfscore.papers.webber2008.figure_tables`.

    Returns
    -------
    list of Drawing
        Their method ``files()`` returns an SVG and a PDF file of the figure, by file name.

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["figure1", "figure2", "figure3", "figure3_quartiles", "figure4"]
    >>> names += ["figure5", "figure6", "figure7"]
    >>> [each.name for each in drawings({name: pd.DataFrame() for name in names})]
    ['figure1', 'figure2', 'figure3', 'figure4', 'figure5', 'figure6', 'figure7']
    """
    return [
        Drawing(name, draw, tuple(frames[table] for table in tables))
        for name, (draw, tables) in _FIGURES.items()
    ]
