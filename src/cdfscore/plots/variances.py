"""Variances of random terms and residuals, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import finish, new_figure, plain, settle
from cdfscore.plots.palette import BLACK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.models.mixed.result import MixedModel


def plot_variances(result: MixedModel) -> Figure:
    """Draw the standard deviation of each component, a panel for each scheme and its scale.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    schemes = result.schemes
    components = list(dict.fromkeys(result.variances["component"]))
    figure = new_figure(1.6 + 3.0 * len(schemes), 1.0 + 0.25 * len(components))
    panels = figure.subplots(1, len(schemes), sharey=True, squeeze=False)[0]
    places = np.arange(len(components))
    for axes, scheme in zip(panels, schemes, strict=True):
        rows = result.variances[result.variances["scheme"] == scheme]
        low, high = np.sqrt(rows["conf_low"]), np.sqrt(rows["conf_high"])
        axes.hlines(places, low, high, color=BLACK, linewidth=1.0)
        axes.plot(rows["sd"], places, "o", color=BLACK, markersize=3)
        axes.set_xlim(left=0)
        title = f"{plain(scheme)}, {result.method}, {1 - result.alpha:g} intervals"
        finish(axes, title=title, xlabel="standard deviation")
    panels[0].set_yticks(places, list(map(plain, components)))
    panels[0].invert_yaxis()
    return settle(figure)
