"""Means of systems, with their uncertainty from the topics and from the reference systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import PlotError
from cdfscore.numerics.student_t import interval
from cdfscore.plots.canvas import Size, drawn_on, finish, text_width, wrapped
from cdfscore.plots.of_schemes import chosen_scheme
from cdfscore.plots.styles import BLACK, BLUE, ORANGE, legend_below
from cdfscore.plots.words import name_of, score_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty

_WIDTH, _LINE = 2.8, 0.125
# More systems do not fit on one page.
_SYSTEMS = 90


def plot_reference_uncertainty(
    result: ReferenceUncertainty, ax: Axes | None = None, *, scheme: str | None = None
) -> Axes:
    """Draw the mean of each system, with intervals from the topics alone and from both.

    The largest mean is at the top.

    Parameters
    ----------
    result
        The uncertainty of means from topics and reference systems.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme; needed if the result has several.

    Raises
    ------
    PlotError
        For several schemes without `scheme`, for one that the result does not have, and for more
        than 90 systems.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.comparison import reference_uncertainty
    >>> from cdfscore.plots import plot_reference_uncertainty
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> found = reference_uncertainty(
    ...     scores.iloc[:, :3], ["normal"], reference=scores.iloc[:, 20:35], resamples=200
    ... )
    >>> plot_reference_uncertainty(found).get_xlabel()
    'Mean score, standardized by N-std'
    """
    own = chosen_scheme(result.schemes, scheme, "the result")
    rows = result.means[result.means["scheme"] == own].sort_values("mean", kind="stable")
    if len(rows) > _SYSTEMS:
        raise PlotError(
            f"there are {len(rows)} systems, and this figure has room for {_SYSTEMS}; "
            f"expected at most {_SYSTEMS}, or the table 'means' of the result"
        )
    places = np.arange(len(rows))
    mean, stderr, n = (rows[name].to_numpy() for name in ("mean", "stderr_topics", "n"))
    ends = interval(mean, stderr, n.astype(np.float64) - 1, "two-sided", result.conf_level)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        both = rows["both_low"], rows["both_high"]
        axes.hlines(places, *both, color=ORANGE, linewidth=1.0, label="topics and reference")
        axes.hlines(places, *ends, color=BLUE, linewidth=2.5, label="topics alone")
        axes.plot(mean, places, "o", color=BLACK, markersize=2.5)
        axes.set_yticks(places, list(map(name_of, rows["system"])))
        axes.set_ylim(-0.7, len(rows) - 0.3)
        finish(
            axes,
            title=f"Intervals of {100 * result.conf_level:.12g}%",
            xlabel=wrapped(score_label(own, mean=True), _WIDTH),
        )
        legend_below(axes)
    return axes


def size(result: ReferenceUncertainty, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    systems = list(dict.fromkeys(result.means["system"]))
    return 0.3 + _WIDTH + text_width(map(name_of, systems)), 1.3 + _LINE * len(systems)
