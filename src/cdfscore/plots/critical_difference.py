"""Critical-difference diagrams: systems on an axis of means, and bars for no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.files import check_ending
from cdfscore.plots.canvas import new_figure, plain
from cdfscore.plots.saving import ENDINGS, encode_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.comparison.comparison import Comparison


def critical_difference(
    means: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    *,
    axes: Axes | None = None,
    label: str = "mean score",
) -> Axes:
    """Draw systems on an axis of their means; bars join systems that do not differ.

    The diagram is that of Figure 1 of Demšar (2006), Statistical comparisons of classifiers
    over multiple data sets. If pairs are tested one by one, a system between two others may
    differ from both. So a bar has a point for each of its systems; it says nothing about
    systems without a point.

    Parameters
    ----------
    means
        Mean score, or mean rank, of each system; the right end of the axis is the highest.
    groups
        Groups of systems that do not differ, as `cdfscore.comparison.letters.groups` returns
        them. A system alone in its group gets no bar.
    axes
        The axes to draw on; a new figure if not given.
    label
        The label of the axis of means.

    Returns
    -------
    Axes
        The axes, to change or to save by ``axes.figure.savefig``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    bars = [sorted(means[system] for system in group) for group in groups if len(group) > 1]
    if axes is None:
        axes = _new_axes(len(means), len(bars))
    ordered = sorted(means, key=lambda system: -means[system])
    # Names are below the bars: the better half at the right, the others at the left.
    half = (len(ordered) + 1) // 2
    lowest, highest = means[ordered[-1]], means[ordered[0]]
    margin = 0.06 * ((highest - lowest) or 1.0)
    depth = len(bars) + 1
    for rank, system in enumerate(ordered):
        right = rank < half
        y = depth + (rank if right else len(ordered) - 1 - rank)
        end = highest + margin if right else lowest - margin
        x = means[system]
        axes.plot([x, x, end], [0, y, y], color="0.6", linewidth=0.7, zorder=1)
        axes.annotate(
            f"{plain(system)} {x:.4f}",
            (end, y),
            xytext=(3 if right else -3, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=8,
        )
    for y, bar in enumerate(bars, start=1):
        axes.plot(bar, [y] * len(bar), "o-", color="black", linewidth=2, markersize=3.5, zorder=2)
    axes.set_ylim(depth + half, 0)
    axes.set_xlim(lowest - margin, highest + margin)
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(label)
    axes.set_yticks([])
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    return axes


def encode_diagram(comparison: Comparison, path: Path) -> bytes:
    """Return `draw_diagrams` as an SVG, PDF or PNG file.

    Raises `OutputError` for another ending, and what `draw_diagrams` raises.
    """
    check_ending(path, ENDINGS)
    return encode_figure(draw_diagrams(comparison), path)


def draw_diagrams(comparison: Comparison) -> Figure:
    """Draw the diagrams of a comparison, one per scheme.

    Raises `SignificanceError` if not all pairs were compared, and `MissingDependencyError` if
    matplotlib is not installed.
    """
    groups = [comparison.groups(scheme) for scheme in comparison.schemes]
    figure, panels = _panels([_height(len(comparison.systems), len(each)) for each in groups])
    ranks = comparison.mean_ranks
    for scheme, each, axes in zip(comparison.schemes, groups, panels, strict=True):
        centres = comparison.means[scheme] if ranks is None else ranks[scheme]
        means = dict(zip(centres.index, centres, strict=True))
        label = "mean score" if ranks is None else "mean rank (1: lowest score)"
        parts = filter(None, (label, scheme, comparison.reversals.get(scheme)))
        critical_difference(means, each, axes=axes, label=", ".join(map(plain, parts)))
    return figure


def _new_axes(systems: int, bars: int) -> Axes:
    _, panels = _panels([_height(systems, bars)])
    return panels[0]


def _height(systems: int, bars: int) -> float:
    return 0.9 + 0.18 * (bars + 1 + (systems + 1) // 2)


def _panels(heights: list[float]) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, stacked, with these heights in inches."""
    figure = new_figure(7.2, sum(heights))
    grid = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
    return figure, list(grid[:, 0])
