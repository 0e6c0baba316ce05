"""Figures 1 to 7 of Webber, Moffat and Zobel (2008), drawn from the tables of their numbers."""

from __future__ import annotations

from cdfscore.plots.webber2008.encoding import DRAWN, draw_figure, encode_figures

__all__ = ["DRAWN", "draw_figure", "encode_figures"]
