"""Marginal means of a linear model: main effects, and interactions of two factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, plain, text_width, wrapped
from cdfscore.plots.of_schemes import chosen_scheme
from cdfscore.plots.styles import styles
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.models.anova import Anova

# Height of the panel, and width of a level, of the axis and of the legend, in inches.
_HEIGHT, _LEVEL, _AXIS, _LEGEND = 2.4, 0.32, 0.9, 1.6
# Length of the label of a level on the axis, in inches.
_LABEL = 1.8


def plot_marginal_means(
    result: Anova, ax: Axes | None = None, *, term: str, scheme: str | None = None
) -> Axes:
    """Draw the marginal means of a term with their intervals.

    For a term of two factors, the levels of the first factor are on the axis, and each level of
    the second factor has a line. Without an interaction the lines are parallel. See `Anova.means`.

    Parameters
    ----------
    result
        An analysis of variance.
    ax
        The axes to draw on; those of a new figure if not given.
    term
        A term of one factor, or of two, ``stemmer:model``.
    scheme
        The scheme; needed if the analysis has several.

    Raises
    ------
    ModelError
        For a term of three factors or more, and as `Anova.means` does.
    PlotError
        For an analysis by several schemes without `scheme`, and for one that it does not have.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> from cdfscore.plots import plot_marginal_means
    >>> scores = datasets.load_cranfield_grid("ap").iloc[:10]
    >>> components = datasets.load_cranfield_components()
    >>> found = anova(scores, "score ~ topic + stemmer", components)
    >>> plot_marginal_means(found, term="stemmer").get_xlabel()
    'stemmer'
    """
    own, names = _of_scheme(result, term, scheme)
    places = _levels(own, names[0])
    levels = own[names[1]] if len(names) == 2 else own["scheme"]  # one line
    with drawn_on(ax, size(result, term=term, scheme=scheme)) as axes:
        drawn = styles(dict.fromkeys(levels))
        for number, (level, style) in enumerate(drawn.items()):
            rows, label = own[levels == level], wrapped(str(level), _LEGEND, SMALL)
            shift = (number - (len(drawn) - 1) / 2) * 0.5 / len(drawn)
            x = np.array([places.index(each) for each in rows[names[0]]]) + shift
            axes.vlines(x, rows["conf_low"], rows["conf_high"], color=style["color"], linewidth=0.8)
            axes.plot(x, rows["mean"], markersize=3, linewidth=0.8, label=label, **style)
        axes.set_xticks(range(len(places)), _labels(places))
        finish(
            axes,
            title=wrapped(scheme_label(own["scheme"].iloc[0]), _panel(places)),
            xlabel=plain(names[0]),
            ylabel=f"Marginal mean, {100 * (1 - result.alpha):.12g}% intervals",
        )
        axes.tick_params(axis="x", labelrotation=90 if _is_slanted(places) else 0)
        axes.margins(x=0.08)
        if len(names) == 2:
            axes.legend(
                title=plain(names[1]), loc="center left", bbox_to_anchor=(1.02, 0.5),
                fontsize=SMALL, title_fontsize=SMALL, frameon=False,
            )  # fmt: skip
    return axes


def size(result: Anova, *, term: str, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    own, names = _of_scheme(result, term, scheme)
    places = _levels(own, names[0])
    legend, height = 0.0, _HEIGHT
    if len(names) == 2:
        labels = [wrapped(each, _LEGEND, SMALL) for each in _levels(own, names[1])]
        lines = [line for label in labels for line in label.splitlines()]
        legend = 0.6 + max(text_width(lines), text_width([plain(names[1])]))
        height = max(height, 0.6 + 0.14 * len(lines))
    lines = [line for label in _labels(places) for line in label.splitlines()]
    below = text_width(lines) if _is_slanted(places) else 0.0
    return _AXIS + _panel(places) + legend, height + below


def factors_drawn(term: str) -> list[str]:
    """Return the factors of a term; raises `ModelError` for three or more."""
    names = term.split(":")
    if len(names) > 2:
        raise ModelError(
            f"{term} has {len(names)} factors, and a figure of means shows one or two; expected a "
            "term with one or two of these factors"
        )
    return names


def _of_scheme(result: Anova, term: str, scheme: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the means by the scheme, and the factors of the term."""
    chosen = chosen_scheme(result.schemes, scheme, "the analysis")
    means = result.means(term)
    return means[means["scheme"] == chosen], factors_drawn(term)


def _levels(own: pd.DataFrame, name: str) -> list[str]:
    return [str(level) for level in dict.fromkeys(own[name])]


def _labels(places: list[str]) -> list[str]:
    """Return the labels of the levels; long ones have two lines or more."""
    return [wrapped(place, _LABEL, SMALL) for place in places]


def _panel(places: list[str]) -> float:
    return max(1.6, _LEVEL * len(places))


def _is_slanted(places: list[str]) -> bool:
    return max(map(len, places)) * len(places) > 24
