"""The share of the variance between systems that each topic has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, wrapped
from cdfscore.plots.of_schemes import in_units, label_of, raw_label, spelling_of
from cdfscore.plots.styles import BLUE, GREY, VERMILION, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

_WIDTH, _HEIGHT = 3.8, 3.5


def plot_topic_variance(result: Standardized, ax: Axes | None = None) -> Axes:
    """Draw the cumulative share of topics in the sum of the variances between systems.

    Topics are ordered by their variance over systems, the largest first. If all topics had the same
    variance, the line would be straight. A line that rises fast says that few topics decide the
    means. Beside standardized scores, the raw scores are drawn.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_topic_variance
    >>> scores = datasets.load_cranfield("ap")
    >>> print(plot_topic_variance(Standardizer("empirical").standardize(scores)).get_title())
    Half of the variance between systems
    lies in 36 of 225 topics by raw scores
    """
    own, raw = _cumulated(result.frame.to_numpy()), _cumulated(result.used.values)
    is_raw = spelling_of(result) == "raw"
    half = min(int(np.searchsorted(raw, 0.5)) + 1, len(raw))
    with drawn_on(ax, size(result)) as axes:
        for y, label, color, dashes in (
            (raw, f"raw: {raw_label(result)}", VERMILION, (0, (5, 1.5))),
            *([] if is_raw else [(own, label_of(result), BLUE, "solid")]),
        ):
            x = np.arange(len(y) + 1) / max(1, len(y))
            label = wrapped(label, _WIDTH - 1.0)
            axes.plot(x, np.append(0.0, y), color=color, linestyle=dashes, lw=1.4, label=label)
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.6, label="equal variances")
        title = "Half of the variance between systems\n"
        title += f"lies in {half} of {len(raw)} topics by raw scores"
        finish(
            axes,
            title=in_units(result, title),
            xlabel=in_units(result, "Share of topics, the largest variance first"),
            ylabel="Share of the sum of variances",
        )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.01)
        legend_below(axes)
    return axes


def size(result: Standardized) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, _HEIGHT


def _cumulated(scores: Array) -> Array:
    """Return the cumulated shares of the variances of topics, the largest first."""
    masked = np.ma.masked_invalid(scores)
    variances = np.sort(np.asarray(masked.var(axis=1).filled(0.0)))[::-1]
    total = float(variances.sum())
    shares: Array = np.cumsum(variances) / total if total > 0 else np.linspace(0, 1, len(variances))
    return shares
