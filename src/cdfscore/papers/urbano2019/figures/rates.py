"""Panels with rates of rejected tests by significance level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.papers.urbano2019.figures.results import ALPHA, check_alphas
from cdfscore.plots.rates import draw_rates
from cdfscore.plots.styles import Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Rates:
    """Row of panels: the proportion of tests with p <= alpha, one line per scheme.

    `cdfscore.plots.rates.draw_rates` draws them, and defines `expected`.
    """

    statistic: str
    ylabel: str
    expected: bool = False
    xlabel: str = r"significance level $\alpha$"

    def schemes(self, where: str, frame: pd.DataFrame) -> list[str]:
        """Return the columns to draw; raise `FigureError` if there are no levels."""
        check_alphas(where, frame)
        return [column for column in frame.columns if column != ALPHA]

    def draw(self, axes: Axes, frame: pd.DataFrame, styles: Mapping[str, Style]) -> None:
        """Draw the schemes of a frame that has one row per significance level."""
        draw_rates(axes, frame, styles, expected=self.expected)
