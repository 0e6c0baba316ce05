"""Means of systems, with what the topics and the reference systems leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.student_t import interval
from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle
from cdfscore.plots.palette import BLACK, BLUE, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty


def plot_reference_uncertainty(result: ReferenceUncertainty) -> Figure:
    """Draw the mean of each system, with intervals from the topics alone and from both.

    There is a panel for each scheme, with the largest mean at the top.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    schemes = result.schemes
    systems = result.means["system"].nunique()
    figure = new_figure(3.4 * len(schemes), 1.0 + 0.14 * systems)
    panels = figure.subplots(1, len(schemes), squeeze=False)[0]
    for axes, scheme in zip(panels, schemes, strict=True):
        rows = result.means[result.means["scheme"] == scheme].sort_values("mean", kind="stable")
        places = np.arange(len(rows))
        mean, stderr, n = (rows[name].to_numpy() for name in ("mean", "stderr_topics", "n"))
        ends = interval(mean, stderr, n.astype(np.float64) - 1, "two-sided", result.conf_level)
        both = rows["both_low"], rows["both_high"]
        axes.hlines(places, *both, color=ORANGE, linewidth=1.0, label="topics and reference")
        axes.hlines(places, *ends, color=BLUE, linewidth=2.5, label="topics alone")
        axes.plot(mean, places, "o", color=BLACK, markersize=2.5)
        axes.set_yticks(places, list(map(plain, rows["system"])), fontsize=SMALL)
        finish(axes, title=scheme, xlabel=f"mean, intervals of {100 * result.conf_level:g} %")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=2, fontsize=SMALL, frameon=False
    )
    return settle(figure)
