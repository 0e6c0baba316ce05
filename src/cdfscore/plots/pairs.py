"""Heat map of the significance of pairs of systems, of one collection or of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.io.text import written
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, text_width
from cdfscore.plots.of_schemes import (
    best_first,
    in_units,
    p_label,
    pairs_that_differ,
    rows_of,
    scheme_of,
    title_of,
)
from cdfscore.plots.styles import BLACK
from cdfscore.plots.words import LINE, every, name_of, points_of

if TYPE_CHECKING:
    import pandas as pd
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
# Of a system with itself: a white line below the black one, which shows on a dark cell.
_SQUARE: list[dict[str, Any]] = [
    {"linestyle": "", "marker": "s", "color": c, "fillstyle": "none", "markeredgewidth": width}
    for c, width in ((_ALIKE, 2.1), (BLACK, 0.7))
]
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
    systems, adjacent by mean, in which no pair differs significantly.

    Of two collections, rows are the systems of the first and columns those of the second, each
    ordered by mean. The color shows which has the higher mean. Squares mark the cells of a system
    with itself.

    Parameters
    ----------
    result
        A comparison of all pairs, or of two collections.
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
    Mean average precision
    8 of 10 pairs differ significantly
    paired t test, alpha 0.05, 225 topics
    """
    if result.family.split:
        return _plot_collections(result, ax, scheme)
    means = best_first(result, scheme)
    rows = rows_of(result, scheme)
    p, count = p_matrix(rows, list(means.index)), len(means)
    ends = _ends(result.alpha)
    np.fill_diagonal(p, 1.0)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        # Nearest, because a mean of two colors would show a p value that no pair has.
        better = _ahead(result, rows, list(means.index))
        axes.imshow(_colours(p, better, ends), interpolation="nearest")
        _outline(axes, ends_of_runs(p <= result.alpha))
        missing = _crossed(axes, p)
        shown = slice(None, None, every(count, _side(count)))
        places = np.arange(count)[shown]
        axes.set_yticks(places, [_row(rank, str(means.index[rank])) for rank in places])
        axes.set_xticks(places, [str(rank + 1) for rank in places], rotation=90)
        finish(
            axes,
            title=title_of(result, scheme, pairs_that_differ(result, scheme, rows)),
            xlabel=in_units(result, "Rank of the other system"),
            ylabel="" if len(places) == count else f"Rank; one in {shown.step} is named",
        )
        axes.tick_params(axis="y", labelsize=points_of(_rows(result), _NAMES))
        inside = {"color": BLACK, "linewidth": 0.9, "label": "inside: none significant"}
        _legend(axes, result, ends, inside, missing=missing)
    return axes


def _plot_collections(result: Comparison, ax: Axes | None, scheme: str | None) -> Axes:
    own, split, systems = scheme_of(result, scheme), result.family.split, result.family.systems
    rows_of(result, scheme)  # or none has a p value
    means = result.means[own].to_numpy()
    first, second = (np.argsort(-each, kind="stable") for each in (means[:split], means[split:]))
    # Every system of the first with every one of the second, in this order.
    table = result.table[result.table["scheme"] == own]
    p = table["p_adjusted"].to_numpy(np.float64).reshape(split, -1)[np.ix_(first, second)]
    # Not the estimate, which is no difference of means, or is absent, by some tests.
    better = np.greater.outer(means[:split][first], means[split:][second])
    names = [systems[i] for i in first], [systems[split + i] for i in second]
    ends = _ends(result.alpha)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        axes.imshow(_colours(p, better, ends), interpolation="nearest")
        missing = _crossed(axes, p)
        same = np.equal.outer(*(np.array(each, dtype=object) for each in names))
        row, column = np.nonzero(same)
        side = min(_side(count) / count for count in p.shape)
        for line in _SQUARE:
            axes.plot(column, row, **line, markersize=min(7.0, 60 * side))
        steps = [every(len(own_names), _side(len(own_names))) for own_names in names]
        for axis, own_names, step in zip((axes.yaxis, axes.xaxis), names, steps, strict=True):
            places = range(0, len(own_names), step)
            axis.set_ticks(places, [_row(rank, own_names[rank]) for rank in places])
        y_label, x_label = (
            f"Rank in the {which} collection" + (f"; one in {step} is named" if step > 1 else "")
            for which, step in zip(("first", "second"), steps, strict=True)
        )
        of_own = result.significant[result.significant["scheme"] == own]
        told = [
            f"{significant:,} of {tested:,} {pairs}"
            for pairs, tested, significant in of_own[["pairs", "tested", "significant"]].to_numpy()
        ]
        title = title_of(result, scheme, f"significant: {' and '.join(told)}")
        finish(axes, title=title, xlabel=x_label, ylabel=y_label)
        axes.tick_params(axis="x", labelrotation=90)
        axes.tick_params(labelsize=points_of(_rows(result), _NAMES))
        itself = {**_SQUARE[1], "markersize": 5, "label": "a system with itself"}
        _legend(axes, result, ends, itself, missing=missing)
    return axes


def _crossed(axes: Axes, p: Array) -> bool:
    """Draw a cross in each cell without a p value, and tell whether there is one."""
    row, column = np.nonzero(np.isnan(p))
    side = min(_side(count) / count for count in p.shape)
    axes.plot(column, row, **_CROSS, markersize=min(5.0, 45 * side))
    return bool(len(row))


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    names = min(text_width(_rows(result)), _NAMES)
    if split := result.family.split:
        width, height = _side(len(result.family.systems) - split), _side(split)
        return width + names + _LEGEND + 0.5, height + names + _REST
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


def _colours(p: Array, better: BoolArray, ends: list[float]) -> Array:
    """Return the color of each cell, (rows, columns, 4), by its p value and the better system."""
    from matplotlib.colors import to_rgba_array

    # Of fewer classes the lightest colors are left out.
    of_class = np.array([to_rgba_array([*half[: len(ends)], _ALIKE]) for half in (_WORSE, _BETTER)])
    classes = np.searchsorted(ends, np.where(np.isnan(p), np.inf, p))
    colours: Array = of_class[better.astype(np.intp), classes]
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


def _legend(
    axes: Axes, result: Comparison, ends: list[float], last: dict[str, Any], *, missing: bool
) -> None:
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
    entries.append(Line2D([], [], **last))
    axes.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0,
        fontsize=SMALL, frameon=False, title=p_label(result), title_fontsize=SMALL,
        alignment="left",
    )  # fmt: skip


def p_matrix(rows: pd.DataFrame, systems: Sequence[str]) -> Array:
    """Return the adjusted p value of each pair, shape (systems, systems); NaN where there is none.

    `rows` are those of the table of a comparison by one scheme.
    """
    a, b = places_of(rows, systems)
    found = np.full((len(systems), len(systems)), np.nan)
    found[a, b] = found[b, a] = rows["p_adjusted"]
    return found


def places_of(rows: pd.DataFrame, systems: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the places of systems A and B of each row among the systems."""
    place = {system: i for i, system in enumerate(systems)}
    a, b = (rows[name].map(place) for name in ("system_a", "system_b"))
    return np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)


def _ahead(result: Comparison, rows: pd.DataFrame, systems: Sequence[str]) -> BoolArray:
    """Tell whether the system of a row is ahead of that of a column, by the test of the pair."""
    a, b = places_of(rows, systems)
    ahead = result.ahead[result.table.index.get_indexer(rows.index)]
    found = np.zeros((len(systems), len(systems)), dtype=np.bool_)
    found[a, b], found[b, a] = ahead > 0, ahead < 0
    return found


def ends_of_runs(apart: BoolArray) -> IntArray:
    """Return for each system the end of the longest run from it on without a significant pair.

    `apart` says which pairs are significant, (systems, systems); the end is the place after
    the last of the run, and is never before that of a system above.

    Examples
    --------
    >>> apart = np.zeros((4, 4), dtype=bool)
    >>> apart[0, 2] = apart[2, 0] = apart[1, 3] = apart[3, 1] = True
    >>> ends_of_runs(apart)
    array([2, 3, 4, 4])
    """
    count = len(apart)
    later = np.triu(apart, 1)
    first = np.where(later.any(axis=1), later.argmax(axis=1), count)
    # A run ends before the first system that differs from any of its members.
    found: IntArray = np.minimum.accumulate(first[::-1])[::-1]
    return found
