"""Residuals of a linear model: against the fitted scores, and against normal quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import finish, new_figure, plain, settle
from cdfscore.plots.palette import BLACK, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.models.result import Anova

# More points than this are drawn as an image, so that the file stays small.
_POINTS = 3000
# Groups of as many scores, by their fitted scores, of which the spread is drawn.
_GROUPS = 20


def plot_residuals(result: Anova) -> Figure:
    """Draw the residuals of each scheme, a row of two panels.

    On the left against the fitted scores, with lines at plus and minus the standard deviation of
    20 groups of neighbours: those of errors of one variance are level. On the right in order,
    against the quantiles of the normal distribution of their variance: those of normal errors lie
    on the line.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    figure = new_figure(5.0, 2.2 * len(result.schemes) + 0.2)
    rows = figure.subplots(len(result.schemes), 2, squeeze=False)
    for scheme, (left, right) in zip(result.schemes, rows, strict=True):
        own = result.residuals(scheme)
        fitted, residual = own["fitted"].to_numpy(), own["residual"].to_numpy()
        _against_fitted(left, fitted, residual)
        finish(left, title=plain(scheme), xlabel="fitted score", ylabel="residual")
        _against_normal(right, residual)
        finish(right, title=plain(scheme), xlabel="normal quantile", ylabel="residual")
    return settle(figure)


def _against_fitted(axes: Axes, fitted: Array, residual: Array) -> None:
    _points(axes, fitted, residual)
    order = np.argsort(fitted, kind="stable")
    groups = np.array_split(order, max(1, min(_GROUPS, len(order) // 5)))
    x = [fitted[own].mean() for own in groups]
    spread = np.array([np.sqrt(np.mean(residual[own] ** 2)) for own in groups])
    for sign in (-1, 1):
        axes.plot(x, sign * spread, color=VERMILION, linewidth=1.0)
    axes.axhline(0, color="0.7", linewidth=0.6, zorder=0)


def _against_normal(axes: Axes, residual: Array) -> None:
    from scipy import special

    n = len(residual)
    sd = np.sqrt(np.mean(residual**2))
    quantiles = sd * special.ndtri((np.arange(n) + 0.5) / n)
    ends = quantiles[[0, -1]]
    axes.plot(ends, ends, color=VERMILION, linewidth=0.8)
    _points(axes, quantiles, np.sort(residual))


def _points(axes: Axes, x: Array, y: Array) -> None:
    axes.plot(
        x, y, ".", color=BLACK, markersize=1.0, alpha=0.4, zorder=1, rasterized=len(x) > _POINTS
    )
