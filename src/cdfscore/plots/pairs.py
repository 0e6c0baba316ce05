"""Heat map of the significance of all pairs of systems, ordered by mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.significance_matrix import ends_of_runs, p_matrix
from cdfscore.io.text import written
from cdfscore.numerics.types import Array, IntArray
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, text_width
from cdfscore.plots.names import LINE, every, name_of, points_of
from cdfscore.plots.of_schemes import best_first, p_label, pairs_that_differ, rows_of, title_of
from cdfscore.plots.palette import BLACK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison

# Upper ends of the classes of p values beside alpha.
_SMALL_P = (0.001, 0.01)
# From the smallest p values on; blue and red of one class are the same in gray.
_BETTER = ("#003F66", "#3C83B4", "#A3C5DE")
_WORSE = ("#6B2600", "#BF6426", "#E9B493")
_ALIKE = "#FFFFFF"
# Of a pair without a p value.
_CROSS: dict[str, Any] = {"linestyle": "", "marker": "x", "color": BLACK, "markeredgewidth": 0.5}
# Inches: the side of the matrix, at least and at most, the legend, the title and the labels.
_LEAST, _MOST, _LEGEND, _REST = 1.9, 7.0, 1.75, 1.15
# Inches that names have beside the matrix.
_NAMES = 4.6


def plot_pairs(result: Comparison, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw a cell for each pair of systems, ordered by mean, best first, by its adjusted p value.

    Darker cells have smaller p values; the classes end at 0.001, 0.01 and alpha. White cells are
    not significant. Cells with a cross have no p value, such as pairs of identical systems. Above
    the diagonal the system of the row has the higher mean, and below it the system of the column;
    the two halves have other colors of the same darkness. The black line surrounds groups of
    systems, adjacent by mean, in which no pair differs.

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
        For a comparison of several schemes without `scheme`.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.plots import plot_pairs
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> print(plot_pairs(compare(scores, "paired_t")).get_title())
    Mean score
    8 of 10 pairs differ
    paired_t, alpha 0.05, 225 topics
    """
    means = best_first(result, scheme)
    rows = rows_of(result, scheme)
    p, count = p_matrix(rows, list(means.index)), len(means)
    ends = _ends(result.alpha)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        # Nearest, because a mean of two colors would show a p value that no pair has.
        axes.imshow(_colours(p, ends), interpolation="nearest")
        _outline(axes, ends_of_runs(p <= result.alpha))
        missing = np.isnan(p) & ~np.eye(count, dtype=bool)
        row, column = np.nonzero(missing)
        axes.plot(column, row, **_CROSS, markersize=min(5.0, 45 * _side(count) / count))
        shown = slice(None, None, every(count, _side(count)))
        places = np.arange(count)[shown]
        axes.set_yticks(places, [_row(rank, str(means.index[rank])) for rank in places])
        axes.set_xticks(places, [str(rank + 1) for rank in places], rotation=90)
        finish(
            axes,
            title=title_of(result, scheme, pairs_that_differ(result, scheme, rows)),
            xlabel="Rank of the other system",
            ylabel="" if len(places) == count else f"Rank; one in {shown.step} is named",
        )
        axes.tick_params(axis="y", labelsize=points_of(_rows(result), _NAMES))
        _legend(axes, result, ends, missing=bool(missing.any()))
    return axes


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    names = min(text_width(_rows(result)), _NAMES)
    side = _side(len(result.systems))
    return side + names + _LEGEND + 0.5, side + _REST


def _side(systems: int) -> float:
    return min(max(1.05 * LINE * systems, _LEAST), _MOST)


def _rows(result: Comparison) -> list[str]:
    """Return the labels of all systems, each with a rank of four digits, the widest that is."""
    return [_row(999, system) for system in result.systems]


def _row(rank: int, system: str) -> str:
    return f"{name_of(system)}  {rank + 1}"


def _ends(alpha: float) -> list[float]:
    """Return the upper ends of the classes of p values that differ; alpha is the last."""
    return [*(p for p in _SMALL_P if p < alpha), alpha]


def _colours(p: Array, ends: list[float]) -> Array:
    """Return the color of each cell, (systems, systems, 4), by the class of p and its side."""
    from matplotlib.colors import to_rgba_array

    # Of fewer classes the lightest colors are left out.
    of_class = np.array([to_rgba_array([*half[: len(ends)], _ALIKE]) for half in (_WORSE, _BETTER)])
    classes = np.searchsorted(ends, np.where(np.isnan(p), np.inf, p))
    np.fill_diagonal(classes, len(ends))
    above = np.triu(np.ones(p.shape, dtype=np.intp))
    colours: Array = of_class[above, classes]
    return colours


def _outline(axes: Axes, ends: IntArray) -> None:
    """Draw a line around all runs; row i of the matrix reaches to the end of its run."""
    count = len(ends)
    # Down the right side of the rows in steps, and the same mirrored at the diagonal.
    down = np.repeat(np.arange(count + 1), 2)[1:-1] - 0.5
    right = np.repeat(ends, 2) - 0.5
    down, right = np.append(-0.5, down), np.append(-0.5, right)
    width = 0.9 if count <= 60 else 0.6
    for x, y in ((right, down), (down, right)):
        axes.plot(x, y, color=BLACK, linewidth=width)


def _legend(axes: Axes, result: Comparison, ends: list[float], *, missing: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Patch | Line2D] = [
        Patch(facecolor=colour, label=f"{better}, p \u2264 {end:g}")
        for better, half in (("row better", _BETTER), ("column better", _WORSE))
        for colour, end in zip(half, ends, strict=False)
    ]
    entries.append(
        Patch(
            facecolor=_ALIKE, edgecolor=BLACK, linewidth=0.4, label=f"p > {written(result.alpha)}"
        )
    )
    if missing:
        entries.append(Line2D([], [], **_CROSS, markersize=4, label="no p value"))
    entries.append(Line2D([], [], color=BLACK, linewidth=0.9, label="inside: no pair differs"))
    axes.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0,
        fontsize=SMALL, frameon=False, title=p_label(result), title_fontsize=SMALL,
        alignment="left",
    )  # fmt: skip
