"""Residuals of a linear model: against the fitted scores, and against normal quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, wrapped
from cdfscore.plots.of_schemes import chosen_scheme
from cdfscore.plots.styles import BLACK, VERMILION
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.models.anova import Anova

# More points than this are drawn as an image, so that the file stays small.
_POINTS = 3000
# Groups of as many scores, by their fitted scores, of which the spread is drawn.
_GROUPS = 20
_WIDTH = 2.8


def plot_residuals(result: Anova, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the residuals against the fitted scores.

    The lines are plus and minus the standard deviation of 20 groups of scores with similar fitted
    scores. If the errors have one variance, the lines are horizontal.

    Parameters
    ----------
    result
        An analysis of variance.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme; needed if the analysis has several.

    Raises
    ------
    PlotError
        For an analysis by several schemes without `scheme`, and for one that it does not have.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> from cdfscore.plots import plot_residuals
    >>> scores = datasets.load_cranfield("ap").iloc[:10]
    >>> plot_residuals(anova(scores, "score ~ topic + system")).get_xlabel()
    'Fitted score'
    """
    own = chosen_scheme(result.schemes, scheme, "the analysis")
    table = result.residuals(own)
    fitted, residual = table["fitted"].to_numpy(), table["residual"].to_numpy()
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        _points(axes, fitted, residual)
        order = np.argsort(fitted, kind="stable")
        groups = np.array_split(order, max(1, min(_GROUPS, len(order) // 5)))
        x = [fitted[each].mean() for each in groups]
        spread = np.array([np.sqrt(np.mean(residual[each] ** 2)) for each in groups])
        for sign in (-1, 1):
            axes.plot(x, sign * spread, color=VERMILION, linewidth=1.2)
        axes.axhline(0, color="0.7", linewidth=0.6, zorder=0)
        title = wrapped(f"{scheme_label(own)}\nlines: standard deviation", _WIDTH - 0.6)
        finish(axes, title=title, xlabel="Fitted score", ylabel="Residual")
    return axes


def plot_normal_quantiles(
    result: Anova, ax: Axes | None = None, *, scheme: str | None = None
) -> Axes:
    """Draw the residuals in order, against the quantiles of the normal distribution.

    The normal distribution has mean 0 and the mean square of the residuals as its variance. Normal
    errors lie on the line.

    Parameters
    ----------
    result
        An analysis of variance.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme; needed if the analysis has several.

    Raises
    ------
    PlotError
        For an analysis by several schemes without `scheme`, and for one that it does not have.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> from cdfscore.plots import plot_normal_quantiles
    >>> scores = datasets.load_cranfield("ap").iloc[:10]
    >>> plot_normal_quantiles(anova(scores, "score ~ topic + system")).get_xlabel()
    'Normal quantile'
    """
    from scipy import special

    own = chosen_scheme(result.schemes, scheme, "the analysis")
    residual = result.residuals(own)["residual"].to_numpy()
    n = len(residual)
    sd = np.sqrt(np.mean(residual**2))
    quantiles = sd * special.ndtri((np.arange(n) + 0.5) / n)
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        ends = quantiles[[0, -1]]
        axes.plot(ends, ends, color=VERMILION, linewidth=1.2)
        _points(axes, quantiles, np.sort(residual))
        title = wrapped(f"{scheme_label(own)}\nline: normal errors", _WIDTH - 0.6)
        finish(axes, title=title, xlabel="Normal quantile", ylabel="Residual")
    return axes


def size(result: Anova, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, 2.4


def _points(axes: Axes, x: Array, y: Array) -> None:
    axes.plot(
        x, y, ".", color=BLACK, markersize=1.0, alpha=0.4, zorder=1, rasterized=len(x) > _POINTS
    )
