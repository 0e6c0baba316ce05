"""Effect sizes of the terms of a linear model, with their intervals, by all schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, plain, text_width, wrapped
from cdfscore.plots.styles import legend_below, styles
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.models.anova import Anova

# Width of the panel and of what is beside the names, and height of a line, in inches.
_WIDTH, _MARGIN, _LINE = 3.0, 0.4, 0.15


def plot_effect_sizes(result: Anova, ax: Axes | None = None) -> Axes:
    """Draw partial omega^2 of each term, with the interval of the proportion of variance.

    The schemes are side by side.

    Parameters
    ----------
    result
        An analysis of variance.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> from cdfscore.plots import plot_effect_sizes
    >>> scores = datasets.load_cranfield_grid("ap").iloc[:10]
    >>> components = datasets.load_cranfield_components()
    >>> found = anova(scores, "score ~ topic + stemmer", components, schemes=["raw", "normal"])
    >>> [text.get_text() for text in plot_effect_sizes(found).get_yticklabels()]
    ['topic', 'stemmer']
    """
    table = result.table.dropna(subset="statistic")
    terms = list(dict.fromkeys(table["term"]))
    looks = styles(result.schemes)
    places = np.arange(len(terms))
    with drawn_on(ax, size(result)) as axes:
        for i, (scheme, look) in enumerate(looks.items()):
            rows = table[table["scheme"] == scheme]
            y = places + (i - (len(looks) - 1) / 2) / (len(looks) + 1)
            axes.hlines(y, rows["effect_low"], rows["effect_high"], color=look["color"], lw=1.0)
            label = wrapped(scheme_label(scheme), _WIDTH, SMALL)
            axes.plot(
                rows["partial_omega_squared"], y, **look | {"linestyle": ""}, ms=3.5, label=label
            )
        axes.set_yticks(places, list(map(plain, terms)))
        axes.invert_yaxis()
        level = f"{100 * (1 - result.alpha):.12g}%"
        title = f"Type {result.sums_of_squares} sums of squares, {level} intervals"
        finish(axes, title=wrapped(title, _WIDTH), xlabel="Partial omega squared")
        if len(looks) > 1:
            legend_below(axes)
    return axes


def size(result: Anova) -> Size:
    """Return the width and height of the figure in inches."""
    names = text_width(map(plain, dict.fromkeys(result.table["term"])))
    legend = _LINE * 1.5 * len(result.schemes) if len(result.schemes) > 1 else 0.0
    return _MARGIN + names + _WIDTH, 0.9 + _height(result) + legend


def _height(result: Anova) -> float:
    terms = result.table.dropna(subset="statistic")["term"].nunique()
    return max(0.4, _LINE * terms * (len(result.schemes) + 1))
