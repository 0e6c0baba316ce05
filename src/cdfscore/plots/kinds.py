"""The kinds of figures by name, each with its function and a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.errors import PlotError, did_you_mean
from cdfscore.plots import (
    critical_difference,
    dkw,
    mapping,
    means,
    pairs,
    per_topic,
    performance_profile,
    pit_histogram,
    rank_gap,
    schemes,
    scores,
    sensitivity,
    slope,
    standardized,
    topic_variance,
    volcano,
    wins,
)
from cdfscore.plots.canvas import Size, new_figure, settle
from cdfscore.standardization.standardized import Factors, Standardized

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
    #: The test that is drawn if none is named.
    test: str = "paired_t"


# Width and height of a page of panels, in inches.
_PAGE = (8.8, 12.0)

#: A kind is a line here, a module with its functions, and a line in ``__init__.pyi``.
KINDS = (
    Kind(
        "scores", Standardized, scores.plot_scores, scores.size,
        "The score matrix as a heat map: rows are systems, columns are topics.",
    ),
    Kind(
        "per_topic", Standardized, per_topic.plot_per_topic, per_topic.size,
        "The distribution of the scores of each topic.",
    ),
    Kind(
        "standardized", Standardized, standardized.plot_standardized, standardized.size,
        "Standardized scores against raw scores, with a line for each topic.",
    ),
    Kind(
        "performance_profile", Standardized, performance_profile.plot_performance_profile,
        performance_profile.size,
        "The share of topics on which each system scores t or more, for every t.",
    ),
    Kind(
        "topic_variance", Standardized, topic_variance.plot_topic_variance, topic_variance.size,
        "The share of the topics in the variance between systems.",
    ),
    Kind(
        "mapping", Factors, mapping.plot_mapping, mapping.size,
        "The function y = F_t(x) of each topic t: standardized against raw scores.",
    ),
    Kind(
        "dkw", Standardized, dkw.plot_dkw, dkw.size,
        "The fitted cdf of a topic, and the empirical cdf with its confidence band.",
    ),
    Kind(
        "pit", Diagnosis, pit_histogram.plot_pit, pit_histogram.size,
        "Histogram of the probability integral transform; it is flat if the scheme fits.",
    ),
    Kind(
        "critical_difference", Comparison, critical_difference.plot_critical_difference,
        critical_difference.size,
        "Systems on an axis of means; bars join systems that are not shown to differ.",
    ),
    Kind(
        "means", Comparison, means.plot_means, means.size,
        "The mean of each system; a difference is significant if two intervals do not overlap.",
        "tukey_hsd",
    ),
    Kind(
        "wins", Comparison, wins.plot_wins, wins.size,
        "The share of its pairs that each system wins and loses significantly.",
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
        "The number of pairs of systems on which two schemes disagree, for each two schemes.",
    ),
    Kind(
        "sensitivity", ConclusionGrid, sensitivity.plot_sensitivity, sensitivity.size,
        "The number of pairs of systems that differ significantly, by scheme and by test.",
    ),
    Kind(
        "slope", Standardized, slope.plot_slope, slope.size,
        "The ranks of systems by raw and by standardized means; the largest moves are named.",
    ),
    Kind(
        "volcano", Comparison, volcano.plot_volcano, volcano.size,
        "The p value of each pair of systems against its difference.",
    ),
)  # fmt: skip


def kind_of(name: str) -> Kind:
    """Return a kind by its name; raises `PlotError` for an unknown one."""
    for kind in KINDS:
        if kind.name == name.replace("-", "_"):
            return kind
    names = [kind.name for kind in KINDS]
    raise PlotError(
        f"there is no figure {name!r}{did_you_mean(name, names)}; expected one of "
        f"{', '.join(names)}"
    )


def panels(kind: Kind, results: Sequence[tuple[Any, dict[str, Any]]]) -> Figure:
    """Draw several results, or one by several keywords, in one figure; see `panels_of`."""
    return panels_of([(kind, result, keywords) for result, keywords in results])


def panels_of(drawn: Sequence[tuple[Kind, Any, dict[str, Any]]], columns: int = 0) -> Figure:
    """Draw results, each by its kind with keywords, in one figure.

    Panels are beside each other as far as the width of a page allows, or in this number of
    `columns`, and then below each other; further columns are wider than a page, not higher.

    Raises what the functions of the kinds raise, and `MissingDependencyError` if matplotlib is not
    installed.
    """
    sizes = [kind.size(result, **keywords) for kind, result, keywords in drawn]
    width = max(width for width, _ in sizes)
    across = columns or min(len(sizes), max(1, int(_PAGE[0] // width)))
    while sum(heights := _heights(sizes, across)) > _PAGE[1] and across < len(sizes):
        across += 1
    figure = new_figure(width * across, sum(heights))
    grid = figure.subplots(len(heights), across, squeeze=False, height_ratios=heights)
    for axes, (kind, result, keywords) in zip(grid.flat, drawn, strict=False):
        kind.plot(result, axes, **keywords)
    for axes in grid.flat[len(drawn) :]:
        axes.remove()
    return settle(figure)


def _heights(sizes: Sequence[Size], columns: int) -> list[float]:
    """Return the height of each row of panels: the height of its highest panel."""
    starts = range(0, len(sizes), columns)
    return [max(height for _, height in sizes[first : first + columns]) for first in starts]
