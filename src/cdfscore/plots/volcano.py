"""Volcano plot: the p value of each pair against its difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish
from cdfscore.plots.of_schemes import (
    p_label,
    pairs_that_differ,
    rows_of,
    scheme_of,
    title_of,
)
from cdfscore.plots.styles import GREY, draw_pairs, drawn_p, legend_below

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison


def plot_volcano(result: Comparison, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the adjusted p value of each pair, on a log scale, against the estimated difference.

    Pairs above the line have p <= alpha. Pairs that are also far from 0 have a large difference. If
    the test does not estimate a difference, such as `sign`, the difference of the means is drawn. A
    p value below 1e-16 is drawn at 1e-16.

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
    >>> from cdfscore.plots import plot_volcano
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> plot_volcano(compare(scores, "paired_t")).get_ylabel()
    "p value after Holm's correction"
    """
    rows = rows_of(result, scheme)
    p = drawn_p(rows)
    estimate, label = _differences(result, rows, scheme_of(result, scheme))
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        of_classes = draw_pairs(axes, estimate, p, result.alpha)
        axes.axvline(0, color=GREY, linewidth=0.6)
        axes.invert_yaxis()
        finish(
            axes,
            title=title_of(result, scheme, pairs_that_differ(result, scheme, rows)),
            xlabel=label,
            ylabel=p_label(result),
        )
        legend_below(axes, of_classes)
    return axes


def _differences(result: Comparison, rows: pd.DataFrame, scheme: str) -> tuple[Array, str]:
    """Return the difference of each pair, and its label."""
    estimate = rows["estimate"].to_numpy(dtype=np.float64)
    if result.chosen.test.estimates == "difference" and not np.isnan(estimate).any():
        return estimate, "Difference"
    means = result.means[scheme]
    a, b = (means.loc[rows[name]].to_numpy() for name in ("system_a", "system_b"))
    return a - b, "Difference of means"


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    return 3.6, 3.3
