"""The share of significant wins and losses of each system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import Size, drawn_on, finish, text_width
from cdfscore.plots.of_schemes import best_first, in_units, rows_of, title_of
from cdfscore.plots.pairs import places_of
from cdfscore.plots.styles import BLACK, BLUE, VERMILION, legend_below
from cdfscore.plots.words import every, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison

# Inches: of the column of all systems, of a system in it, and around it.
_TALLEST, _SHORTEST, _ROW, _REST = 8.0, 0.8, 0.13, 1.5
_WIDTH = 3.4


def plot_wins(result: Comparison, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the share of its pairs that each system wins and loses significantly, best first.

    A system wins a pair if the pair differs significantly and it is ahead by the estimate, or by
    the effect size if the test estimates nothing. The share that is neither won nor lost is blank:
    there no significant difference was found.

    Parameters
    ----------
    result
        A comparison of all pairs.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme whose pairs are drawn; needed if the comparison has several.

    Raises
    ------
    PlotError
        For a comparison of several schemes without `scheme`, and if no pair has a p value.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.plots import plot_wins
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> plot_wins(compare(scores, "paired_t")).get_xlabel()
    'Share of the pairs of a system'
    """
    ordered = [str(name) for name in best_first(result, scheme).index]
    rows = rows_of(result, scheme)
    ahead = result.ahead[result.table.index.get_indexer(rows.index)]
    found = (rows["p_adjusted"] <= result.alpha).to_numpy() & (ahead != 0)
    a, b = places_of(rows, ordered)
    first = ahead > 0
    pairs = np.where(first, a, b)[found], np.where(first, b, a)[found]
    won, lost = (np.bincount(each, minlength=len(ordered)) for each in pairs)
    of = max(1, len(ordered) - 1)
    y = np.arange(len(ordered))
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        axes.barh(y, won / of, height=0.8, color=BLUE, label="won significantly")
        axes.barh(y, -lost / of, height=0.8, color=VERMILION, hatch="////", edgecolor="white",
                  linewidth=0, label="lost significantly")  # fmt: skip
        axes.axvline(0, color=BLACK, linewidth=0.6)
        shown = slice(None, None, every(len(ordered), _column(len(ordered))))
        axes.set_yticks(y[shown], [name_of(name) for name in ordered[shown]])
        axes.set_ylim(len(ordered) - 0.4, -0.6)
        axes.set_xlim(-1, 1)
        axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["1", "0.5", "0", "0.5", "1"])
        step = shown.step
        finding = "best first" if step == 1 else f"best first; one in {step} is named"
        finish(
            axes,
            title=title_of(result, scheme, finding),
            xlabel=in_units(result, "Share of the pairs of a system"),
        )
        legend_below(axes)
    return axes


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches; raises what the figure raises."""
    best_first(result, scheme)
    names = text_width([name_of(system) for system in result.systems])
    return _WIDTH + names + 0.3, _column(len(result.systems)) + _REST


def _column(systems: int) -> float:
    return min(max(_ROW * systems, _SHORTEST), _TALLEST)
