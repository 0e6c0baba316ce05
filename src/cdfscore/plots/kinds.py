"""The kinds of figures, by name: what each draws, and by which function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.conclusion_grid import ConclusionGrid
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.errors import PlotError, did_you_mean
from cdfscore.plots import (
    critical_difference,
    means,
    pairs,
    rank_gap,
    schemes,
    sensitivity,
    slope,
    volcano,
)
from cdfscore.plots.canvas import Size, new_figure, settle
from cdfscore.standardization.standardized import Standardized

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Kind:
    """A kind of figure: the result that it draws, the function, and the size in inches.

    `plot` and `size` take the same keywords beside the result; `says` is a sentence on what there
    is to see.
    """

    name: str
    of: type
    plot: Callable[..., Axes]
    size: Callable[..., Size]
    says: str


#: A kind is a line here, a module with its functions, and a line in ``__init__.pyi``.
KINDS = (
    Kind(
        "critical_difference", Comparison, critical_difference.plot_critical_difference,
        critical_difference.size,
        "Systems on an axis of means, and bars that join those that do not differ.",
    ),
    Kind(
        "means", Comparison, means.plot_means, means.size,
        "The mean of each system, with intervals that overlap where two do not differ.",
    ),
    Kind(
        "pairs", Comparison, pairs.plot_pairs, pairs.size,
        "The significance of all pairs of systems, ordered by mean, as a heat map.",
    ),
    Kind(
        "rank_gap", Comparison, rank_gap.plot_rank_gap, rank_gap.size,
        "The p value of each pair of systems against the difference of their ranks.",
    ),
    Kind(
        "schemes", Sensitivity, schemes.plot_schemes, schemes.size,
        "The number of pairs of systems that each two schemes decide otherwise.",
    ),
    Kind(
        "sensitivity", ConclusionGrid, sensitivity.plot_sensitivity, sensitivity.size,
        "The number of pairs of systems that differ, by scheme and by test.",
    ),
    Kind(
        "slope", Standardized, slope.plot_slope, slope.size,
        "The ranks of systems by raw and by standardized means, and those that move.",
    ),
    Kind(
        "volcano", Comparison, volcano.plot_volcano, volcano.size,
        "The p value of each pair of systems against its difference.",
    ),
)  # fmt: skip


def kind_of(name: str) -> Kind:
    """Return a kind by its name; raises `PlotError` for an unknown one."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    names = [kind.name for kind in KINDS]
    raise PlotError(
        f"there is no figure {name!r}{did_you_mean(name, names)}; expected one of "
        f"{', '.join(names)}"
    )


def panels(kind: Kind, results: Sequence[tuple[Any, dict[str, Any]]]) -> Figure:
    """Draw several results, or one by several keywords, below each other in one figure.

    Raises what the function of the kind raises, and `MissingDependencyError` if matplotlib is not
    installed.
    """
    sizes = [kind.size(result, **keywords) for result, keywords in results]
    figure = new_figure(max(width for width, _ in sizes), sum(height for _, height in sizes))
    heights = [height for _, height in sizes]
    grid = figure.subplots(len(sizes), 1, squeeze=False, height_ratios=heights)
    for axes, (result, keywords) in zip(grid[:, 0], results, strict=True):
        kind.plot(result, axes, **keywords)
    return settle(figure)
