"""Means of systems with intervals that overlap where no difference of two is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import PlotError
from cdfscore.plots.canvas import Size, drawn_on, finish, text_width, wrapped
from cdfscore.plots.of_schemes import (
    WIDTH,
    best_first,
    mean_label,
    scheme_of,
    title_of,
    toward_best,
)
from cdfscore.plots.styles import BLUE, VERMILION
from cdfscore.plots.words import every, name_of
from cdfscore.significance.contract import significance_tests

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.comparison import Comparison

# Inches: of the column of all systems, of a system in it, and around it.
_TALLEST, _SHORTEST, _ROW, _REST = 8.0, 0.8, 0.13, 1.3
_WIDTH = 3.8
# Lighter in print than the blue of the best and of systems not shown to differ from it.
_PALE = "0.62"


def plot_means(result: Comparison, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the mean of each system, best first, with a simultaneous comparison interval.

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
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme that is drawn; needed if the comparison has several.

    Raises
    ------
    PlotError
        For another test, as no such intervals of one width exist where each pair has a variance of
        its own, and for a comparison of several schemes without `scheme`.
    SignificanceError
        Unless all pairs were compared by a two-sided test of no difference.
    MissingDependencyError
        If matplotlib is not installed.

    Notes
    -----
    Source: Hochberg, Weiss and Hart (1982), On graphical procedures for multiple comparisons,
    Journal of the American Statistical Association 77, 767-772: where all pairs have one variance,
    as here, half of Tukey's honestly significant difference to both sides.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.plots import plot_means
    >>> scores = datasets.load_cranfield("ap").iloc[:, :5]
    >>> plot_means(compare(scores, "tukey_hsd")).get_xlabel().splitlines()[1]
    '± half of the critical difference 0.0152:'
    """
    means, critical = best_first(result, scheme), _critical(result, scheme)
    x, places, way = means.to_numpy(), np.arange(len(means)), toward_best(result)
    best = np.abs(x[0] - x) < critical
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        line = 1.6 if len(x) <= int(_TALLEST / _ROW) else 0.8
        for chosen, color, face in ((~best, _PALE, "white"), (best, BLUE, BLUE)):
            axes.hlines(
                places[chosen], x[chosen] - critical / 2, x[chosen] + critical / 2,
                color=color, linewidth=line,
            )  # fmt: skip
            axes.plot(
                x[chosen], places[chosen], "o", color=color, markerfacecolor=face,
                markersize=2 * line, markeredgewidth=line / 2,
            )  # fmt: skip
        axes.axvline(x[0] - way * critical / 2, color=VERMILION, linewidth=0.8, linestyle="--")
        shown = slice(None, None, every(len(x), _column(len(x))))
        axes.set_yticks(places[shown], [name_of(str(name)) for name in means.index[shown]])
        axes.set_ylim(len(x) - 0.4, -0.6)
        if way < 0:
            axes.invert_xaxis()
        finish(
            axes,
            title=title_of(result, scheme, _finding(int(best.sum()), len(x))),
            xlabel=wrapped(
                f"{mean_label(result, scheme)}\n"
                f"\u00b1 half of the critical difference {critical:.3g}:\n"
                "a difference is significant if intervals do not overlap",
                WIDTH,
            ),
            ylabel=_of_names(len(x)),
        )
    return axes


def size(result: Comparison, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches; raises what the figure raises."""
    _critical(result, scheme)
    names = text_width([name_of(system) for system in result.systems])
    return _WIDTH + names + 0.3, _column(len(result.systems)) + _REST


def _column(systems: int) -> float:
    return min(max(_ROW * systems, _SHORTEST), _TALLEST)


def _critical(result: Comparison, scheme: str | None) -> float:
    """Return the critical difference; `PlotError` if there is none."""
    critical = result.critical_differences.get(scheme_of(result, scheme))
    if critical is None:
        loaded = map(significance_tests.load, significance_tests.names())
        tests = [test.name for test in loaded if test.critical_difference is not None]
        raise PlotError(
            f"{result.test} has no critical difference common to all pairs, which "
            f"intervals of means need; expected a comparison by {' or '.join(tests)}, or the "
            "figure 'pairs'"
        )
    if not np.isfinite(critical):
        raise PlotError(
            f"{result.test} is undefined for these scores and has no critical difference; see "
            "the column reason of the comparison"
        )
    return critical


def _finding(best: int, systems: int) -> str:
    if best == 1:
        return f"the best of {systems:,} systems differs significantly from all others"
    return f"{best - 1:,} of {systems - 1:,} not shown to differ from the best"


def _of_names(systems: int) -> str:
    step = every(systems, _column(systems))
    return "" if step == 1 else f"System, best first; one in {step} is named"
