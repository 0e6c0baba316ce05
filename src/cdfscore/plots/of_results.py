"""The figure of each result that has one, for `plot` of the result."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from cdfscore.comparison.comparison import Comparison
from cdfscore.diagnosis import Diagnosis
from cdfscore.plots.critical_difference import draw_diagrams
from cdfscore.plots.pit_histogram import plot_pit_histograms

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def figure_of(result: object) -> Figure:
    """Draw a result."""
    raise NotImplementedError(f"there is no figure of {type(result).__name__}")


figure_of.register(Comparison, draw_diagrams)
figure_of.register(Diagnosis, plot_pit_histograms)
