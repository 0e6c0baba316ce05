"""Panels with the distribution of a correlation over the trials of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.plots.densities import draw_densities
from cdfscore.plots.styles import Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Densities:
    """Row of panels: densities of the statistic over the trials, one line per scheme.

    `cdfscore.plots.densities.draw_densities` draws them. Schemes in `without` are omitted.
    """

    statistic: str
    xlabel: str
    without: frozenset[str] = frozenset()
    ylabel: str = "density"

    def schemes(self, where: str, frame: pd.DataFrame) -> list[str]:
        """Return the columns to draw. Only other kinds of rows use `where`, in messages."""
        return [column for column in frame.columns if column not in self.without]

    def draw(self, axes: Axes, frame: pd.DataFrame, styles: Mapping[str, Style]) -> None:
        """Draw the schemes of a frame that has one row per trial."""
        looks = {scheme: look for scheme, look in styles.items() if scheme not in self.without}
        draw_densities(axes, frame, looks)
