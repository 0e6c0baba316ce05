"""Marginal means of a linear model: main effects, and interactions of two factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle
from cdfscore.plots.styles import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.models.result import Anova


def plot_means(result: Anova, term: str) -> Figure:
    """Draw the marginal means of a term with their intervals, a panel for each scheme.

    Of an interaction of two factors, the levels of the first are places and those of the second
    lines: lines that are not parallel show the interaction. See `Anova.means`.

    Raises `ModelError` for a term of three factors or more, and as `Anova.means` does, and
    `MissingDependencyError` if matplotlib is not installed.
    """
    means = result.means(term)
    names = factors_drawn(term)
    places = list(dict.fromkeys(means[names[0]]))
    width = max(2.2, 0.8 + 0.32 * len(places))
    figure = new_figure(width * len(result.schemes) + 0.4, 2.8)
    for axes, scheme in zip(
        figure.subplots(1, len(result.schemes), squeeze=False)[0], result.schemes, strict=True
    ):
        own = means[means["scheme"] == scheme]
        levels = own[names[1]] if len(names) == 2 else own["scheme"]  # one line
        drawn = styles(dict.fromkeys(levels))
        for number, (level, style) in enumerate(drawn.items()):
            rows, label = own[levels == level], str(level)
            shift = (number - (len(drawn) - 1) / 2) * 0.5 / len(drawn)
            x = np.array([places.index(each) for each in rows[names[0]]]) + shift
            axes.vlines(x, rows["conf_low"], rows["conf_high"], color=style["color"], linewidth=0.8)
            axes.plot(x, rows["mean"], markersize=3, linewidth=0.8, label=plain(label), **style)
        _finish(axes, places, title=plain(scheme), xlabel=plain(names[0]))
    if len(names) == 2:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            title=plain(names[1]),
            loc="outside right center",
            fontsize=SMALL,
            title_fontsize=SMALL,
            frameon=False,
        )
    figure.supylabel(f"marginal mean, {1 - result.alpha:g} intervals", fontsize=SMALL)
    return settle(figure)


def factors_drawn(term: str) -> list[str]:
    """Return the factors of a term; raises `ModelError` for three or more."""
    names = term.split(":")
    if len(names) > 2:
        raise ModelError(
            f"{term} has {len(names)} factors, and a figure of means one or two; expected one of "
            "the terms within it"
        )
    return names


def _finish(axes: Axes, places: list[str], *, title: str, xlabel: str) -> None:
    slanted = max(map(len, places)) * len(places) > 24
    axes.set_xticks(range(len(places)), list(map(plain, places)))
    finish(axes, title=title, xlabel=xlabel)
    if slanted:
        axes.tick_params(axis="x", labelrotation=90)
    axes.margins(x=0.08)
