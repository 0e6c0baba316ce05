"""Variances of random terms and residuals, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import Size, drawn_on, finish, plain, text_width, wrapped
from cdfscore.plots.of_schemes import chosen_scheme
from cdfscore.plots.styles import BLACK
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.models.mixed import MixedModel

_WIDTH = 2.6


def plot_variances(
    result: MixedModel, ax: Axes | None = None, *, scheme: str | None = None
) -> Axes:
    """Draw the standard deviation of each component, in the unit of the scores.

    Parameters
    ----------
    result
        A mixed model.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme; needed if the model has several.

    Raises
    ------
    PlotError
        For a model by several schemes without `scheme`, and for one that it does not have.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import mixed_model
    >>> from cdfscore.plots import plot_variances
    >>> scores = datasets.load_cranfield_grid("ap").iloc[:10]
    >>> components = datasets.load_cranfield_components()
    >>> found = mixed_model(scores, "score ~ stemmer", components, random=["topic"])
    >>> [text.get_text() for text in plot_variances(found).get_yticklabels()]
    ['topic', 'residual']
    """
    own = chosen_scheme(result.schemes, scheme, "the model")
    rows = result.variances[result.variances["scheme"] == own]
    places = np.arange(len(rows))
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        low, high = np.sqrt(rows["conf_low"]), np.sqrt(rows["conf_high"])
        axes.hlines(places, low, high, color=BLACK, linewidth=1.0)
        axes.plot(rows["sd"], places, "o", color=BLACK, markersize=3)
        axes.set_xlim(left=0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(places, list(map(plain, rows["component"])))
        intervals = f"{result.method}, {100 * (1 - result.alpha):.12g}% intervals"
        title = wrapped(f"{scheme_label(own)}\n{intervals}", _WIDTH)
        finish(axes, title=title, xlabel="Standard deviation")
    return axes


def size(result: MixedModel, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    components = list(dict.fromkeys(result.variances["component"]))
    return 0.3 + _WIDTH + text_width(map(plain, components)), 1.1 + 0.22 * len(components)
