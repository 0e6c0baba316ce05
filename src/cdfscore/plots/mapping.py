"""Raw to standardized scores: a line per topic, and the observed scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FactorsError
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import finish, limits, new_figure, plain, settle, span
from cdfscore.plots.palette import BLACK, BLUE, GREY
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cdfscore.standardization.factors import Factors
    from cdfscore.standardization.standardized import Standardized

_STEPS = 400
# Of so many topics, quartiles say more than lines.
_MANY = 10
_QUARTILES = (0.25, 0.5, 0.75)


def plot_factors(factors: Factors) -> Figure:
    """Draw y = F_t(x) of every topic, for x in the range of the reference scores.

    The thick line is the median of the topics at each x, and the band is between their quartiles.
    If lower is better on some topics only, those where higher is better are drawn, as the others
    have a range of their own.

    Raises `FactorsError` if the factors do not say the range of their reference scores, and
    `MissingDependencyError` if matplotlib is not installed.
    """
    if factors.scale is None:
        raise FactorsError(
            "there is no figure of factors that do not say the range of their reference scores; "
            "plot scores that are standardized by them"
        )
    lower = direction.reversed_topics(factors.lower_is_better, factors.topics)
    some = lower and len(lower) < len(factors.topics)
    left_out = set(lower) if some else set()
    rows = [i for i, topic in enumerate(factors.topics) if topic not in left_out]
    low, high = factors.scale.low, factors.scale.high
    if not low < high:  # of one constant topic, whose line would be a point
        low, high = span(np.array([low, high]))
    x = np.linspace(low, high, _STEPS + 1)
    of_fit = direction.reflected(factors.reflect_at, x) if lower and not some else x
    fitted = factors.fitted.take(np.array(rows))
    y = constant_topics.evaluate(
        factors.constant, fitted, np.broadcast_to(of_fit, (len(rows), len(x)))
    ).y
    y = y[np.isfinite(y).any(axis=1)]
    figure = new_figure(4.2, 3.2)
    axes = figure.subplots()
    _lines(axes, np.broadcast_to(x, y.shape), y, 0.5)
    if len(y) >= _MANY:
        low, median, high = np.nanquantile(y, _QUARTILES, axis=0)
        axes.fill_between(x, low, high, color=BLUE, alpha=0.25, linewidth=0)
        axes.plot(x, median, color=BLUE, linewidth=1.5)
    of_which = ", where higher is better" if some else ""
    _label(axes, factors, f"{counted(len(y), 'topic')}{of_which}", x, y)
    return settle(figure)


def plot_standardized(result: Standardized) -> Figure:
    """Draw the standardized score of every score, with a line for each topic.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    y = result.frame.to_numpy()
    rows = {topic: row for row, topic in enumerate(result.given.topics)}
    # Topics that only the factors have, and that the policy takes as 0, were given no score.
    own = [i for i, topic in enumerate(result.used.topics) if topic in rows]
    x = result.given.values[[rows[result.used.topics[i]] for i in own]]
    y = y[own]
    figure = new_figure(4.2, 3.2)
    axes = figure.subplots()
    order = np.argsort(x, axis=1, kind="stable")  # missing scores are last, and draw nothing
    _lines(axes, np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1), 0.4)
    axes.scatter(x.ravel(), y.ravel(), s=2.0, color=BLACK, linewidths=0, rasterized=True, zorder=2)
    drawn = int((np.isfinite(x) & np.isfinite(y)).any(axis=1).sum())
    _label(axes, result.factors, counted(drawn, "topic"), x, y)
    return settle(figure)


def _lines(axes: Axes, x: Array, y: Array, width: float) -> None:
    """Draw a line for each row; all are one object, as there may be thousands."""
    from matplotlib.collections import LineCollection

    lines = [each[np.isfinite(each).all(axis=1)] for each in np.stack([x, y], axis=2)]
    axes.add_collection(
        LineCollection(lines, colors=GREY, linewidths=width, alpha=0.5, rasterized=True)
    )


def _label(axes: Axes, factors: Factors, drawn: str, x: Array, y: Array) -> None:
    """Add the labels; of raw scores nothing is standardized."""
    scheme = factors.fitted.scheme
    ylabel = "standardized score" if scheme.parameter_names() else f"score by {scheme}"
    finish(axes, title=plain(f"{scheme}, {drawn}"), xlabel="score", ylabel=plain(ylabel))
    axes.set_xlim(limits(x))
    axes.set_ylim(limits(y))
