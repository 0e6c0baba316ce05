"""The p value of each pair against the difference of the ranks of its systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.comparison import ranking
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.plots.canvas import Size, drawn_on, finish
from cdfscore.plots.of_schemes import in_units, p_label, rows_of, scheme_of, title_of
from cdfscore.plots.styles import BLUE, draw_pairs, drawn_p, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison


def plot_rank_gap(result: Comparison, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the adjusted p value of each pair, on a log scale, against the difference of ranks.

    Ranks are ranks of the means of the systems, 1 for the largest; tied systems have the average
    of their ranks. The line is the median p value of the pairs with the same difference of ranks
    (half ranks of ties are rounded up). Where the line reaches alpha, half of the pairs with this
    difference of ranks differ significantly. A p value below 1e-16 is drawn at 1e-16.

    Parameters
    ----------
    result
        A comparison of pairs.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme whose pairs are drawn; needed if the comparison has several.

    Raises
    ------
    PlotError
        For a comparison of several schemes without `scheme`, for a test of all systems, and if no
        pair has a p value.
    SignificanceError
        Unless the test is a two-sided one of no difference.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.plots import plot_rank_gap
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> plot_rank_gap(compare(scores, "paired_t")).get_xlabel()
    'Difference of the ranks of the two systems by mean'
    """
    rows = rows_of(result, scheme)
    means = result.means[scheme_of(result, scheme)]
    rank = dict(zip(means.index, ranking.ranks(means.to_numpy()), strict=True))
    a, b = (rows[name].map(rank).to_numpy() for name in ("system_a", "system_b"))
    gap, p = np.abs(a - b), drawn_p(rows)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        of_classes = draw_pairs(axes, gap, p, result.alpha)
        at, medians = _medians(gap, p)
        axes.plot(at, medians, color="white", linewidth=3)
        (line,) = axes.plot(at, medians, color=BLUE, linewidth=1.5, label="median p value")
        axes.set_xlim(left=0)
        axes.locator_params(axis="x", integer=True)
        finish(
            axes,
            title=title_of(result, scheme, _finding(gap, p <= result.alpha)),
            xlabel=in_units(result, "Difference of the ranks of the two systems by mean"),
            ylabel=p_label(result),
        )
        legend_below(axes, [*of_classes, line])
    return axes


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    return 3.8, 3.5


def _medians(gap: Array, p: Array) -> tuple[Array, Array]:
    """Return the differences of ranks, whole and in order, and the median p value of each."""
    import pandas as pd

    found = pd.Series(p).groupby(np.ceil(gap)).median()
    return np.asarray(found.index, dtype=float), np.asarray(found, dtype=float)


def _finding(gap: Array, differ: BoolArray) -> str:
    """Return the least difference of ranks from which on half or more pairs are significant."""
    import pandas as pd

    if not differ.any():
        return "no significant difference found"
    share = pd.Series(differ).groupby(np.ceil(gap)).mean()
    few = share.to_numpy() < 0.5
    from_here = len(few) - int(few[::-1].argmax()) if few.any() else 0
    if from_here == len(share):
        return "at the largest difference of ranks, fewer than half differ significantly"
    ranks = share.index[from_here]
    apart = "rank" if ranks == 1 else "ranks"
    return f"from {ranks:g} {apart} apart, half or more pairs differ significantly"
