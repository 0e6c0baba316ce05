"""Figures of Urbano, Lima and Hanjalic (2019), for any data sets and schemes.

`figure_1` draws scores. `figure_2` and `figure_3` draw the results of the experiments within and
between collections. `encode_figure` makes files of them.
"""

from __future__ import annotations

from cdfscore.papers.urbano2019.figures.figure1 import figure_1
from cdfscore.papers.urbano2019.figures.figure2 import figure_2
from cdfscore.papers.urbano2019.figures.figure3 import figure_3
from cdfscore.papers.urbano2019.figures.results import FigureError
from cdfscore.plots.saving import encode_figure

__all__ = ["FigureError", "encode_figure", "figure_1", "figure_2", "figure_3"]
