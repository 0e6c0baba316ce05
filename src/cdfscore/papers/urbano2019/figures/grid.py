"""Figure with one column of panels per data set and one row per statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cdfscore.papers.urbano2019.figures.density import Densities
from cdfscore.papers.urbano2019.figures.rates import Rates
from cdfscore.papers.urbano2019.figures.results import check_results, check_schemes
from cdfscore.plots.canvas import TEXT, finish, new_figure, plain, settle
from cdfscore.plots.legends import legend_of_schemes
from cdfscore.plots.styles import styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.papers.urbano2019.figures.results import Results


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
