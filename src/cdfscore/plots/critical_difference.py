"""Critical-difference diagram: systems on an axis of means, and bars where none is found."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import PlotError
from cdfscore.io.text import counted
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, text_width, wrapped
from cdfscore.plots.of_schemes import (
    WIDTH,
    best_first,
    mean_label,
    scheme_of,
    title_of,
    toward_best,
)
from cdfscore.plots.styles import BLACK, GREY, VERMILION
from cdfscore.plots.words import correction_label, name_of, points_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison

#: Systems that are drawn, the best; with more, or with more groups, lines are not readable.
MOST, _MOST_GROUPS = 30, 40
# From the ends of the scores to those of the axis, as a part of their span.
_MARGIN = 0.06
# Inches: of the axis, of a row, and of the title, the labels and the critical difference.
_AXIS, _ROW, _REST = 3.4, 0.14, 1.35
# Inches that names have at each side.
_NAMES = 5.0


def plot_critical_difference(
    result: Comparison, ax: Axes | None = None, *, scheme: str | None = None
) -> Axes:
    """Draw systems on an axis of their means; bars join systems not shown to differ.

    The diagram follows Figure 1 of Demsar (2006), Statistical comparisons of classifiers over
    multiple data sets: the best system is at the right. If the test has one critical difference
    for all pairs, at the alpha of the comparison, it is drawn at the bottom, on the scale of the
    axis. If pairs are tested separately, a system between two others may differ from
    both. Therefore a bar has a point for each of its systems, and does not include systems without
    a point.

    Parameters
    ----------
    result
        A comparison of all pairs; of more than 30 systems the best 30 are drawn. After tests of
        ranks, such as `nemenyi`, `conover` and `wilcoxon_signed_rank`, the axis is of mean ranks
        within topics, 1 is the best, as in Benavoli, Corani and Mangili (2016).
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme that is drawn; needed if the comparison has several.

    Raises
    ------
    PlotError
        For more than 40 groups, and for a comparison of several schemes without
        `scheme`.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.plots import plot_critical_difference
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> plot_critical_difference(compare(scores, "nemenyi")).get_xlabel()
    'Mean rank within topics (1 is the best)'
    """
    means, bars = _content(result, scheme)
    critical = result.critical_differences.get(scheme_of(result, scheme), np.nan)
    ordered, way = means.to_numpy(), toward_best(result)
    worst = ordered[-1]
    span = max(abs(ordered[0] - worst), np.nan_to_num(critical)) or 1.0
    left, right_end = worst - way * _MARGIN * span, worst + way * (1 + _MARGIN) * span
    # Names are below the bars: the better half at the right, the others at the left.
    half, depth = (len(ordered) + 1) // 2, len(bars) + 1
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        labels = _labels(result, means)
        points = points_of(labels, _NAMES)
        for rank, (x, label) in enumerate(zip(ordered, labels, strict=True)):
            right = rank < half
            y = depth + (rank if right else len(ordered) - 1 - rank)
            end = right_end if right else left
            axes.plot([x, x, end], [0, y, y], color=GREY, linewidth=0.6, zorder=1)
            axes.annotate(
                label, (end, y), xytext=(3 if right else -3, 0), textcoords="offset points",
                ha="left" if right else "right", va="center", fontsize=points,
            )  # fmt: skip
        for y, bar in enumerate(bars, start=1):
            axes.plot(bar, [y] * len(bar), "o-", color=BLACK, linewidth=2, markersize=3, zorder=2)
        bottom = depth + half + 0.2
        if np.isfinite(critical):
            ends = [worst, worst + way * critical]
            axes.plot(ends, [bottom] * 2, "|-", color=VERMILION, linewidth=2, markersize=7)
        # At the left end, that of the scores where they differ: there is room for the sentence.
        axes.text(
            _MARGIN, bottom + 0.5, _of_critical_difference(result, critical), va="top",
            fontsize=SMALL, transform=axes.get_yaxis_transform(),
        )  # fmt: skip
        axes.set_ylim(bottom + 1.5, 0)
        axes.set_xlim(left, right_end)
        axes.xaxis.set_ticks_position("top")
        axes.xaxis.set_label_position("top")
        finding = _finding(result, scheme, len(bars))
        finish(
            axes,
            title=title_of(result, scheme, finding),
            xlabel=wrapped(mean_label(result, scheme), WIDTH),
        )
        axes.set_yticks([])
        axes.spines[["left", "right", "bottom"]].set_visible(False)
    return axes


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches; raises what the figure raises."""
    means, bars = _content(result, scheme)
    labels = _labels(result, means)
    half = (len(labels) + 1) // 2
    points = points_of(labels, _NAMES)
    width = text_width(labels[:half], points) + text_width(labels[half:], points)
    return _AXIS + width + 0.4, _REST + _ROW * (len(bars) + half + 2)


def _content(result: Comparison, scheme: str | None) -> tuple[pd.Series[float], list[list[float]]]:
    """Return the means, best first, and those of each bar, after the checks."""
    means = best_first(result, scheme)
    groups: list[Collection[str]] = [*result.groups(scheme_of(result, scheme))]
    if len(means) > MOST:  # groups among the best, of which none is within another
        means = means.iloc[:MOST]
        among = [frozenset(group) & {*means.index} for group in groups]
        groups = [own for own in dict.fromkeys(among) if not any(own < other for other in among)]
    bars = [sorted(means[system] for system in group) for group in groups if len(group) > 1]
    if len(bars) > _MOST_GROUPS:
        raise PlotError(
            f"there are {len(bars)} groups of systems that are not shown to differ, and a "
            f"critical-difference diagram has room for {_MOST_GROUPS}; expected the figure 'pairs'"
        )
    return means, bars


def _labels(result: Comparison, means: pd.Series[float]) -> list[str]:
    digits = 4 if result.mean_ranks is None else 2
    return [f"{name_of(str(name))} {mean:.{digits}f}" for name, mean in means.items()]


def _finding(result: Comparison, scheme: str | None, bars: int) -> str:
    if (systems := len(result.systems)) > MOST:
        return f"best {MOST} of {systems:,} systems; {counted(bars, 'bar')}: not shown to differ"
    if bars == 0:
        return "all pairs differ significantly"
    if bars == 1 and len(result.groups(scheme_of(result, scheme))) == 1:
        return "no significant difference found"
    return f"{counted(bars, 'bar')} of systems not shown to differ"


def _of_critical_difference(result: Comparison, critical: float) -> str:
    """Return the critical difference in words, or the reason why there is none."""
    if np.isfinite(critical):
        return f"critical difference {critical:.4g}"
    if result.simultaneous:
        return "no critical difference common to all pairs"
    label = correction_label(result.adjust)
    by = f", with {label}" if label else ""
    return f"pairs are tested separately{by}: no critical difference"
