"""Effect sizes of the terms of a linear model, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle
from cdfscore.plots.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, VERMILION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.models.result import Anova

_COLORS = (BLACK, BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY_BLUE)


def plot_effect_sizes(result: Anova) -> Figure:
    """Draw partial omega^2 of each term, with the interval of the proportion of variance.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    table = result.table.dropna(subset="statistic")
    terms = list(dict.fromkeys(table["term"]))
    schemes = result.schemes
    height = 0.16 * len(terms) * (len(schemes) + 1)
    figure = new_figure(4.6, 1.0 + height)
    axes = figure.subplots()
    places = np.arange(len(terms))
    for i, scheme in enumerate(schemes):
        rows = table[table["scheme"] == scheme]
        y = places + (i - (len(schemes) - 1) / 2) / (len(schemes) + 1)
        color = _COLORS[i % len(_COLORS)]
        axes.hlines(y, rows["effect_low"], rows["effect_high"], color=color, linewidth=1.0)
        axes.plot(
            rows["partial_omega_squared"], y, "o", color=color, markersize=3, label=plain(scheme)
        )
    axes.set_yticks(places, list(map(plain, terms)))
    axes.invert_yaxis()
    title = f"Type {result.sums_of_squares} sums of squares, {1 - result.alpha:g} intervals"
    finish(axes, title=title, xlabel="partial omega squared")
    if len(schemes) > 1:
        figure.legend(loc="outside lower center", ncols=2, fontsize=SMALL, frameon=False)
    return settle(figure)
