"""Figure with one column of panels per data set and one row per statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdfscore.papers.urbano2019.figures.results import (
    ALPHA,
    check_alphas,
    check_results,
    check_schemes,
)
from cdfscore.plots.canvas import TEXT, finish, new_figure, plain, settle
from cdfscore.plots.densities import draw_densities
from cdfscore.plots.legends import legend_of_schemes
from cdfscore.plots.rates import draw_rates
from cdfscore.plots.styles import Style, styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.papers.urbano2019.figures.results import Results


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


def draw_grid(
    results: Mapping[str, Results], rows: Sequence[Densities | Rates], title: str
) -> Figure:
    """Draw every row for every data set, with the legend of schemes below all panels.

    Raises `FigureError` as `figure_2` does. The last row of the first data set determines the
    schemes and their order.
    """
    check_results(results, [row.statistic for row in rows])
    looks = styles(_schemes(results, rows))
    figure = new_figure(0.5 + 2.2 * len(results), 0.75 + 1.75 * len(rows))
    panels = figure.subplots(len(rows), len(results), squeeze=False)
    for j, (dataset, frames) in enumerate(results.items()):
        for i, row in enumerate(rows):
            axes = panels[i, j]
            row.draw(axes, frames[row.statistic], looks)
            axes.margins(x=0.03)
            finish(
                axes,
                title=plain(dataset) if i == 0 else "",
                xlabel=row.xlabel,
                ylabel=row.ylabel if j == 0 else "",
            )
    figure.suptitle(plain(title), fontsize=TEXT + 1)
    figure.align_ylabels(panels[:, 0])
    legend_of_schemes(figure, looks)
    return settle(figure)


def _schemes(results: Mapping[str, Results], rows: Sequence[Densities | Rates]) -> list[str]:
    first, last = next(iter(results)), rows[-1]
    whence = f"{last.statistic!r} of data set {first!r}"
    schemes = last.schemes(whence, results[first][last.statistic])
    for dataset, frames in results.items():
        for row in rows:
            where = f"{row.statistic!r} of data set {dataset!r}"
            without = row.without if isinstance(row, Densities) else frozenset()
            check_schemes(
                where,
                row.schemes(where, frames[row.statistic]),
                whence,
                [scheme for scheme in schemes if scheme not in without],
            )
    return schemes
