"""Figures of comparisons: systems with their means, and pairs with their p values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.common.text import capitalized, counted, in_units, part_of, written
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.pairs import check_letters, check_symmetric
from cdfscore.errors import PlotError
from cdfscore.plots import canvas
from cdfscore.plots.words import after_correction, correction_label, label_of_test, score_label
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance.contract import significance_tests

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Smaller p values, also 0, are drawn at this one.
_LOWEST = 1e-16
# Of more pairs, points are small and pale.
_MANY = 2000


def _rows_with_p(result: Comparison, scheme: str) -> pd.DataFrame:
    """Return the pairs of a scheme that have a p value, after the checks; there is one or more."""
    if (result.table["system_b"] == "").all():
        raise PlotError(
            f"{result.test} compares all systems at once, and this figure shows pairs; expected "
            "a test of pairs, such as nemenyi or tukey_hsd"
        )
    check_symmetric(result.chosen, "figures of pairs")
    rows = result.table[result.table["scheme"] == scheme]
    found = rows[rows["p_adjusted"].notna()]
    if found.empty:
        raise PlotError(
            f"no pair of systems has a p value by {result.test}: {rows['reason'].iloc[0]}; "
            "expected scores that the test is defined for"
        )
    return found


def _pairs_that_differ(result: Comparison, scheme: str, rows: pd.DataFrame) -> str:
    differ = int((rows["p_adjusted"] <= result.alpha).sum())
    pairs = int((result.table["scheme"] == scheme).sum())
    without = pairs - len(rows)
    told = f", {without:,} without a p value" if without else ""
    if not differ:
        return f"no significant difference found in {counted(pairs, 'pair')}{told}"
    verb = "differs" if pairs == 1 else "differ"
    return f"{part_of(differ, pairs, 'pair')} {verb} significantly{told}"


def _best_first(result: Comparison, scheme: str) -> pd.Series[float]:
    check_letters(result.chosen, result.family.baselines)
    _rows_with_p(result, scheme)
    return result.best_first(scheme)


def _mean_label(result: Comparison, scheme: str) -> str:
    if result.mean_ranks is None:
        return f"{_scores(result, scheme)} {canvas.HIGHER}"
    is_named = bool(result.measure) or scheme != "raw"  # of ranks, none is negated
    scores = f"\n{score_label(scheme, result.measure)}" * is_named
    return f"Mean rank within topics (1 is the best){scores}"


def _scores(result: Comparison, scheme: str) -> str:
    """Return what the systems are ordered by, such as "Mean average precision"."""
    scores = score_label(scheme, result.measure, mean=True)
    scores = scores.replace("Mean", capitalized(result.chosen.test.center), 1)
    return f"{scores}, {own}" if (own := result.reversals.get(scheme)) else scores


def _title(
    result: Comparison, scheme: str, finding: str, inches: float = canvas.WIDTH, *,
    scores: bool = True,
) -> str:  # fmt: skip
    """Return the title: the scores if no axis names them, the finding and the test."""
    topics = result.topics_by_scheme.get(scheme, result.topics)
    test = f"{label_of_test(result.chosen)}, alpha {written(result.alpha)}, {topics:,} topics"
    told = f"{_scores(result, scheme)}\n{finding}\n{test}" if scores else f"{finding}\n{test}"
    return canvas.wrapped(told, inches)


#: Systems that are drawn, the best; with more, or with more groups, lines are not readable.
MOST, _MOST_GROUPS = 30, 40
# From the ends of the scores to those of the axis, as a part of their span.
_MARGIN = 0.06
# Inches: of the axis, of a row, and of the title, the labels and the critical difference.
_AXIS, _DIAGRAM_ROW, _AROUND_DIAGRAM = 3.4, 0.14, 1.35
# Inches that names have at each side.
_SIDE_NAMES = 5.0


def _size_of_critical_difference(result: Comparison, *, scheme: str) -> canvas.Size:
    means, bars = _content(result, scheme)
    labels = _labels_with_means(result, means)
    half = (len(labels) + 1) // 2
    points = canvas.points_of(labels, _SIDE_NAMES)
    width = canvas.text_width(labels[:half], points) + canvas.text_width(labels[half:], points)
    return _AXIS + width + 0.4, _AROUND_DIAGRAM + _DIAGRAM_ROW * (len(bars) + half + 2)


@canvas.panel(_size_of_critical_difference)
def plot_critical_difference(result: Comparison, ax: Axes, *, scheme: str = "") -> None:
    """Systems on an axis of means; bars join systems that are not shown to differ.

    The diagram follows Figure 1 of Demsar (2006), Statistical comparisons of classifiers over
    multiple data sets: the best system is at the right. If the test has one critical difference
    for all pairs, at the alpha of the comparison, it is drawn at the bottom, on the scale of the
    axis. If pairs are tested separately, a system between two others may differ from
    both. Therefore a bar has a point for each of its systems, and does not include systems without
    a point.

    Parameters
    ----------
    result
        A comparison of all pairs; of more than 30 systems the best 30 are drawn, and fewer if these
        form more than 40 groups. After tests of
        ranks, such as `nemenyi`, `conover` and `wilcoxon_signed_rank`, the axis is of mean ranks
        within topics, 1 is the best, as in Benavoli, Corani and Mangili (2016).

    Raises
    ------
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    """
    means, bars = _content(result, scheme)
    critical = result.critical_differences.get(scheme, np.nan)
    ordered = means.to_numpy()
    way = 1 if result.mean_ranks is None else -1  # toward the best, of ranks 1
    best = ordered[0]
    span = max(abs(best - ordered[-1]), np.nan_to_num(critical)) or 1.0
    left, right_end = best - way * (1 + _MARGIN) * span, best + way * _MARGIN * span
    # Names are below the bars: the better half at the right, the others at the left.
    half, depth = (len(ordered) + 1) // 2, len(bars) + 1
    labels = _labels_with_means(result, means)
    points = canvas.points_of(labels, _SIDE_NAMES)
    for rank, (x, label) in enumerate(zip(ordered, labels, strict=True)):
        right = rank < half
        y = depth + (rank if right else len(ordered) - 1 - rank)
        end = right_end if right else left
        ax.plot([x, x, end], [0, y, y], color=canvas.GREY, linewidth=0.6, zorder=1)
        ax.annotate(
            label, (end, y), xytext=(3 if right else -3, 0), textcoords="offset points",
            ha="left" if right else "right", va="center", fontsize=points,
        )  # fmt: skip
    for y, bar in enumerate(bars, start=1):
        ax.plot(bar, [y] * len(bar), "o-", color=canvas.BLACK, linewidth=2, markersize=3, zorder=2)
    bottom = depth + half + 0.2
    if np.isfinite(critical):
        ends = [best - way * critical, best]
        ax.plot(ends, [bottom] * 2, "|-", color=canvas.VERMILION, linewidth=2, markersize=7)
        told = f"critical difference {critical:.4g}"
    elif result.simultaneous:
        told = "no critical difference common to all pairs"
    else:
        by = f", with {label}" if (label := correction_label(result.adjust)) else ""
        told = f"pairs are tested separately{by}: no critical difference"
    ax.text(
        1 - _MARGIN, bottom + 0.5, told, va="top", ha="right",
        fontsize=canvas.SMALL, transform=ax.get_yaxis_transform(),
    )  # fmt: skip
    ax.set_ylim(bottom + 1.5, 0)
    ax.set_xlim(left, right_end)
    ax.xaxis.set_ticks_position("top")
    ax.xaxis.set_label_position("top")
    finding = f"{counted(len(bars), 'bar')} of systems not shown to differ"
    if (systems := len(result.systems)) > len(means):
        finding = f"The {len(means)} best of {systems:,} systems\n{finding}"
    elif not bars:
        finding = "all pairs differ significantly"
    elif len(bars) == 1 and len(result.groups(scheme)) == 1:
        finding = "no significant difference found"
    canvas.finish(
        ax,
        title=_title(result, scheme, finding, _AXIS, scores=False),
        xlabel=canvas.wrapped(_mean_label(result, scheme), _AXIS),
    )
    if result.mean_ranks is not None:
        canvas.rank_ticks(ax.xaxis, len(result.systems))
    ax.set_yticks([])
    ax.spines[["left", "right", "bottom"]].set_visible(False)


def _content(result: Comparison, scheme: str) -> tuple[pd.Series[float], list[list[float]]]:
    means = _best_first(result, scheme)
    groups: list[Collection[str]] = [*result.groups(scheme)]
    while len(means) > MOST or sum(len(group) > 1 for group in groups) > _MOST_GROUPS:
        # Fewer systems; the groups among the best, of which none is within another.
        means = means.iloc[: min(MOST, len(means) - 1)]
        among = [frozenset(group) & {*means.index} for group in groups]
        groups = [own for own in dict.fromkeys(among) if not any(own < other for other in among)]
    return means, [sorted(means[system] for system in each) for each in groups if len(each) > 1]


def _labels_with_means(result: Comparison, means: pd.Series[float]) -> list[str]:
    digits = 4 if result.mean_ranks is None else 2
    return [f"{canvas.name_of(str(name))} {mean:.{digits}f}" for name, mean in means.items()]


# Inches: of the column of all systems, of a system in it, and around it.
_TALLEST, _SHORTEST, _ROW, _AROUND = 9.0, 0.8, 0.13, 1.3
_MEANS_WIDTH = 3.8
# Lighter in print than the blue of the best and of systems not shown to differ from it.
_PALE = "0.62"


def _names_of_systems(result: Comparison) -> float:
    return canvas.text_width([canvas.name_of(system) for system in result.systems])


@canvas.panel(
    lambda result: (
        _MEANS_WIDTH + _names_of_systems(result) + 0.3,
        _column(result.systems) + _AROUND,
    )
)
def plot_means(result: Comparison, ax: Axes, *, scheme: str = "") -> None:
    """The mean of each system; a difference is significant if two intervals do not overlap.

    The interval is the mean plus and minus half of the critical difference at the alpha of the
    comparison, so a difference is significant if and only if two intervals do not overlap. It
    is not a confidence interval of the mean. The dashed line is the lower end of the interval of
    the best system: systems whose intervals are below it differ significantly from the best, and
    are gray and hollow.

    Parameters
    ----------
    result
        A comparison of all pairs by a test with one critical difference for all pairs, such as
        `tukey_hsd`, or `nemenyi`, of which mean ranks are drawn.

    Raises
    ------
    PlotError
        For another test, as no such intervals of one width exist where each pair has a variance of
        its own.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.

    Notes
    -----
    Source: Hochberg, Weiss and Hart (1982), On graphical procedures for multiple comparisons,
    Journal of the American Statistical Association 77, 767-772: where all pairs have one variance,
    as here, half of Tukey's honestly significant difference to both sides.
    """
    means, critical = _best_first(result, scheme), result.critical_differences.get(scheme)
    if critical is None:
        loaded = map(significance_tests.load, significance_tests.names())
        tests = [test.name for test in loaded if test.critical_difference is not None]
        raise PlotError(
            f"{result.test} has no critical difference common to all pairs, which "
            f"intervals of means need; expected a comparison by {' or '.join(tests)}, or the "
            "figure 'pairs'"
        )
    x, places = means.to_numpy(), np.arange(len(means))
    way = 1 if result.mean_ranks is None else -1  # toward the best, of ranks 1
    best = np.abs(x[0] - x) < critical
    finding = f"{best.sum() - 1:,} of {len(x) - 1:,} not shown to differ from the best"
    if best.sum() == 1:
        finding = f"the best of {len(x):,} systems differs significantly from all others"
    line = 1.6 if len(x) <= int(_TALLEST / _ROW) else 0.8
    for chosen, color, face in ((~best, _PALE, "white"), (best, canvas.BLUE, canvas.BLUE)):
        ax.hlines(
            places[chosen], x[chosen] - critical / 2, x[chosen] + critical / 2,
            color=color, linewidth=line,
        )  # fmt: skip
        ax.plot(
            x[chosen], places[chosen], "o", color=color, markerfacecolor=face,
            markersize=2 * line, markeredgewidth=line / 2,
        )  # fmt: skip
    ax.axvline(x[0] - way * critical / 2, color=canvas.VERMILION, linewidth=0.8, linestyle="--")
    ylabel = _name_systems(ax, result, list(means.index))
    if way < 0:  # no mean rank is outside of 1 to the number of systems, where intervals end
        low, high = ax.get_xlim()
        ax.set_xlim(min(high, 1.02 * len(x)), max(low, 1 - 0.02 * len(x)))
        canvas.rank_ticks(ax.xaxis, len(x))
    canvas.finish(
        ax,
        title=_title(result, scheme, finding, _MEANS_WIDTH, scores=False),
        xlabel=canvas.wrapped(
            f"{_mean_label(result, scheme)}\n"
            f"\u00b1 half of the critical difference {critical:.3g}:\n"
            "a difference is significant if intervals do not overlap",
            _MEANS_WIDTH,
        ),
        ylabel=ylabel,
    )


def _name_systems(axes: Axes, result: Comparison, systems: Sequence[str]) -> str:
    """Name systems on the y axis, the best at the top; return its label."""
    names = [canvas.name_of(str(name)) for name in systems]
    axes.set_ylim(len(names) - 0.4, -0.6)
    told = canvas.name_places(axes.yaxis, names, _column(names))
    return canvas.wrapped(f"Systems, best first{told}", _column(names))


def _column(systems: Sequence[str]) -> float:
    return min(max(_ROW * len(systems), _SHORTEST), _TALLEST)


@canvas.panel(lambda result: (3.4 + _names_of_systems(result) + 0.3, _column(result.systems) + 1.5))
def plot_wins(result: Comparison, ax: Axes, *, scheme: str = "") -> None:
    """The share of its pairs that each system wins and loses significantly.

    A system wins a pair if the pair differs significantly and it is ahead by the estimate, or by
    the effect size if the test estimates nothing. The share that is neither won nor lost is blank:
    there no significant difference was found.

    Parameters
    ----------
    result
        A comparison of all pairs.

    Raises
    ------
    PlotError
        If no pair has a p value.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    """
    rows, found = _rows_with_p(result, scheme), result.outcomes(scheme)
    of = max(1, len(found) - 1)
    won, lost = found["won"] / of, found["lost"] / of
    y = np.arange(len(found))
    ylabel = _name_systems(ax, result, list(found.index))
    ax.axvline(0, color=canvas.BLACK, linewidth=0.6)
    if won.any():
        ax.barh(y, won, height=0.8, color=canvas.BLUE, label="won significantly")
        ax.barh(y, -lost, height=0.8, color=canvas.VERMILION, hatch="////", edgecolor="white",
                linewidth=0, label="lost significantly")  # fmt: skip
        end = max(won.max(), lost.max())
        ax.set_xlim(-1.02 * end, 1.02 * end)
    else:
        ax.set_xlim(-1, 1)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(lambda x, _: f"{abs(x):.4g}")
    canvas.finish(
        ax,
        title=_title(result, scheme, _pairs_that_differ(result, scheme, rows)),
        xlabel="Share of the pairs of a system",
        ylabel=ylabel,
    )
    canvas.legend_below(ax)


# Upper ends of the classes of p values beside alpha.
_SMALL_P = (0.001, 0.01)
# From the smallest p values on; blue and red of one class are the same in gray.
_BETTER = ("#003F66", "#3C83B4", "#A3C5DE")
_WORSE = ("#6B2600", "#BF6426", "#E9B493")
_ALIKE = "#FFFFFF"
# Of a pair without a p value.
_CROSS: dict[str, Any] = {
    "linestyle": "",
    "marker": "x",
    "color": canvas.BLACK,
    "markeredgewidth": 0.5,
}
# Of a system with itself: a white line below the black one, which shows on a dark cell.
_SQUARE: list[dict[str, Any]] = [
    {"linestyle": "", "marker": "s", "color": c, "fillstyle": "none", "markeredgewidth": width}
    for c, width in ((_ALIKE, 2.1), (canvas.BLACK, 0.7))
]
# Inches: the side of the matrix, at least and at most, the legend, the title and the labels.
_LEAST, _WIDEST, _LEGEND, _AROUND_MATRIX = 1.9, 7.0, 1.75, 1.15
# Inches that names have beside the matrix.
_PAIRS_NAMES = 4.6


def _size_of_pairs(result: Comparison, *, scheme: str) -> canvas.Size:
    names = min(canvas.text_width(_rows(result)), _PAIRS_NAMES)
    if split := result.family.split:
        width, height = _side(len(result.family.systems) - split), _side(split)
        return width + names + _LEGEND + 0.5, height + names + _AROUND_MATRIX
    side = _side(len(result.systems))
    return side + names + _LEGEND + 0.5, side + _AROUND_MATRIX


@canvas.panel(_size_of_pairs)
def plot_pairs(result: Comparison, ax: Axes, *, scheme: str = "") -> None:
    """The significance of all pairs of systems, ordered by mean, as a heat map.

    Darker cells have smaller adjusted p values; the classes end at 0.001, 0.01 and alpha. White
    cells are not significant. Cells with a cross have no p value, such as pairs of identical
    systems. Above the diagonal the system of the row has the higher mean, and below it the system
    of the column; the two halves have other colors of the same darkness. The black line surrounds
    groups of systems, adjacent by mean, in which no pair differs significantly.

    Of two collections, rows are the systems of the first and columns those of the second, each
    ordered by mean. The color shows which has the higher mean. Squares mark the cells of a system
    with itself.

    Parameters
    ----------
    result
        A comparison of all pairs, or of two collections.

    Raises
    ------
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    """
    if result.family.split:
        _plot_collections(result, ax, scheme)
        return
    means = _best_first(result, scheme)
    rows = _rows_with_p(result, scheme)
    a, b = _of_pairs(result, rows, np.asarray(means.index.get_indexer(result.means.index)))
    count, ahead = len(means), result.ahead[result.table.index.get_indexer(rows.index)]
    p, better = np.full((count, count), np.nan), np.zeros((count, count), dtype=np.bool_)
    p[a, b] = p[b, a] = rows["p_adjusted"]
    better[a, b], better[b, a] = ahead > 0, ahead < 0
    np.fill_diagonal(p, 1.0)
    inside = {"color": canvas.BLACK, "linewidth": 0.9, "label": "inside: none significant"}
    _draw_cells(ax, result, p, better, inside)
    side, names = _side(count), [_row(rank, str(name)) for rank, name in enumerate(means.index)]
    told = canvas.name_places(ax.yaxis, names, side, _PAIRS_NAMES)
    canvas.name_places(ax.xaxis, [str(rank + 1) for rank in range(count)], side)
    canvas.finish(
        ax,
        title=_title(
            result, scheme, _pairs_that_differ(result, scheme, rows), max(canvas.WIDTH, side)
        ),
        xlabel="Rank of the other system",
        ylabel=f"Systems, best first{told}",
    )
    ax.tick_params(axis="x", labelrotation=90)


def _plot_collections(result: Comparison, ax: Axes, scheme: str) -> None:
    split, systems = result.family.split, result.family.systems
    _rows_with_p(result, scheme)  # or none has a p value
    means = result.means[scheme].to_numpy()
    first, second = (np.argsort(-each, kind="stable") for each in (means[:split], means[split:]))
    # Every system of the first with every one of the second, in this order.
    table = result.table[result.table["scheme"] == scheme]
    p = table["p_adjusted"].to_numpy(np.float64).reshape(split, -1)[np.ix_(first, second)]
    # Not the estimate, which is no difference of means, or is absent, by some tests.
    better = np.greater.outer(means[:split][first], means[split:][second])
    names = [systems[i] for i in first], [systems[split + i] for i in second]
    label = in_units(result.units, "a system with itself")
    itself = {**_SQUARE[1], "markersize": 5, "label": label}
    same = np.equal.outer(*(np.array(each, dtype=object) for each in names))
    _draw_cells(ax, result, p, better, itself if same.any() else {})
    row, column = np.nonzero(same)
    size = min(7.0, *(60 * (_side(count) / count) for count in p.shape))
    for line in _SQUARE:
        ax.plot(column, row, **line, markersize=size)
    y_label, x_label = (
        f"Rank in the {which} collection"
        + canvas.name_places(axis, [*map(_row, range(len(own)), own)], _side(len(own)), room)
        for which, axis, own in zip(("first", "second"), (ax.yaxis, ax.xaxis), names, strict=True)
        for room in [_PAIRS_NAMES]
    )
    of_own = result.significant[result.significant["scheme"] == scheme]
    told = [
        f"{significant:,} of {tested:,} {pairs}"
        for pairs, tested, significant in of_own[["pairs", "tested", "significant"]].to_numpy()
    ]
    title = _title(result, scheme, f"significant: {' and '.join(told)}")
    canvas.finish(ax, title=title, xlabel=x_label, ylabel=y_label)
    ax.tick_params(axis="x", labelrotation=90)


def _side(systems: int) -> float:
    return min(max(1.05 * canvas.LINE * systems, _LEAST), _WIDEST)


def _rows(result: Comparison) -> list[str]:
    return [_row(999, system) for system in result.systems]


def _row(rank: int, system: str) -> str:
    return f"{canvas.name_of(system)}  {rank + 1}"


def _draw_cells(
    axes: Axes, result: Comparison, p: Array, better: BoolArray, last: dict[str, Any]
) -> None:
    """Draw cells by their p values and the better system, with a legend that ends with `last`."""
    from matplotlib.colors import to_rgba_array
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ends = [*(end for end in _SMALL_P if end < result.alpha), result.alpha]
    # Of fewer classes the lightest colors are left out.
    of_class = np.array([to_rgba_array([*half[: len(ends)], _ALIKE]) for half in (_WORSE, _BETTER)])
    classes = np.searchsorted(ends, np.where(np.isnan(p), np.inf, p))
    # Nearest, because a mean of two colors would show a p value that no pair has.
    axes.imshow(of_class[better.astype(np.intp), classes], interpolation="nearest")
    if not result.family.split:
        # Down the right side of the rows in steps, and the same mirrored at the diagonal.
        down = np.append(-0.5, np.repeat(np.arange(len(p) + 1), 2)[1:-1] - 0.5)
        right = np.append(-0.5, np.repeat(ends_of_runs(p <= result.alpha), 2) - 0.5)
        width = 0.9 if len(p) <= 60 else 0.6
        for x, y in ((right, down), (down, right)):
            axes.plot(x, y, color=canvas.BLACK, linewidth=width)
    row, column = np.nonzero(np.isnan(p))
    side = min(_side(count) / count for count in p.shape)
    axes.plot(column, row, **_CROSS, markersize=min(5.0, 45 * side))
    entries: list[Patch | Line2D] = [
        Patch(facecolor=half[place], label=f"{side}, p \u2264 {end:g}")
        for side, half, of in (("row better", _BETTER, better), ("column better", _WORSE, ~better))
        for place, end in enumerate(ends)
        if (of & (classes == place)).any()
    ]
    alike = f"p > {written(result.alpha)}"
    if (p > result.alpha).sum() > (0 if result.family.split else len(p)):  # beside the diagonal
        entries.append(Patch(facecolor=_ALIKE, edgecolor=canvas.BLACK, linewidth=0.4, label=alike))
    if np.isnan(p).any():
        entries.append(Line2D([], [], **_CROSS, markersize=4, label="no p value"))
    if last:
        entries.append(Line2D([], [], **last))
    axes.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0,
        fontsize=canvas.SMALL, frameon=False, title=f"p value{after_correction(result.adjust)}",
        title_fontsize=canvas.SMALL, alignment="left",
    )  # fmt: skip


def _of_pairs(result: Comparison, rows: pd.DataFrame, values: Any) -> tuple[Any, Any]:
    """Return the values of A and of B of pairs; a system of two collections has one in each."""
    pairs = result.table.index.get_indexer(rows.index) % len(result.family)
    return values[result.family.first[pairs]], values[result.family.second[pairs]]


def ends_of_runs(apart: BoolArray) -> IntArray:
    """Return for each system the end of the longest run from it on without a significant pair.

    `apart` says which pairs are significant, (systems, systems); the end is the place after
    the last of the run, and is never before that of a system above.

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


@canvas.panel((4.2, 3.3))
def plot_volcano(result: Comparison, ax: Axes, *, scheme: str = "") -> None:
    """The p value of each pair of systems against its difference.

    p values are adjusted, and on a log scale. Pairs above the line have p <= alpha. Pairs that are
    also far from 0 have a large difference. If the test does not estimate a difference, such as
    `sign`, the difference of the means is drawn. A p value below 1e-16 is drawn at 1e-16.

    Raises
    ------
    PlotError
        For a test of all systems, and if no pair has a p value.
    SignificanceError
        Unless the test is a two-sided one of no difference.
    """
    from matplotlib.lines import Line2D

    rows = _rows_with_p(result, scheme)
    p = np.maximum(rows["p_adjusted"].to_numpy(), _LOWEST)
    test, x = result.chosen.test, rows["estimate"].to_numpy(np.float64)
    scores = _scores(result, scheme)
    order = "B is the baseline" if result.family.baselines else "A is before B in the scores"
    order = "A is of the first collection" if result.family.split else order
    label = f"A minus B in {scores[:1].lower()}{scores[1:]}\n({order})"
    if test.estimates != "difference" or test.location is not None or np.isnan(x).any():
        a, b = _of_pairs(result, rows, result.means[scheme].to_numpy())
        x = a - b
    canvas.span(x)
    many, alpha, entries = len(p) > _MANY, result.alpha, []
    for chosen, color, marker, sign in (
        (p > alpha, canvas.GREY, "o", ">"), (p <= alpha, canvas.VERMILION, "D", "\u2264"),
    ):  # fmt: skip
        look: dict[str, Any] = {
            "color": color, "marker": marker, "linestyle": "", "markeredgewidth": 0,
        }  # fmt: skip
        ax.plot(
            x[chosen], p[chosen], **look, markersize=1.2 if many else 2.5,
            alpha=0.4 if many else 1, rasterized=many,
        )  # fmt: skip
        if chosen.any():
            name = f"p {sign} {written(alpha)}"
            entries.append(Line2D([], [], **look, markersize=3.5, label=name))
    ax.axhline(alpha, color=canvas.BLACK, linewidth=0.6, linestyle="--")
    ax.axvline(0, color=canvas.GREY, linewidth=0.6)
    ax.set_yscale("log")
    if (p <= _LOWEST).any():  # so that the tick says what is drawn there
        form: Any = ax.yaxis.get_major_formatter()
        ax.yaxis.set_major_formatter(
            lambda y, place: ("\u2264 " if y <= _LOWEST else "") + form(y, place)
        )
    ax.invert_yaxis()
    width = 3.5  # of the title and the label, in inches
    canvas.finish(
        ax,
        title=_title(result, scheme, _pairs_that_differ(result, scheme, rows), width, scores=False),
        xlabel=canvas.wrapped(label, width),
        ylabel=f"p value{after_correction(result.adjust)}",
    )
    canvas.legend_below(ax, entries)
