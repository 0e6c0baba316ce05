"""Mapping: the standardized score y = F_t(x) of every raw score x, a line per topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FactorsError
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, limits, span, wrapped
from cdfscore.plots.of_schemes import label_of, raw_label
from cdfscore.plots.standardized import draw_lines
from cdfscore.plots.styles import BLUE
from cdfscore.standardization import policies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Factors

_STEPS = 400
# From this number of topics on, quartiles are drawn.
_MANY = 10
_QUARTILES = (0.25, 0.5, 0.75)
_WIDTH = 3.6


def plot_mapping(result: Factors, ax: Axes | None = None) -> Axes:
    """Draw y = F_t(x) of every topic t, for x in the range of the reference scores.

    With 10 topics or more, a thick line is the median of the topics at each x, and a band shows
    the quartiles. If lower is better on some topics only, only the topics on which higher is better
    are drawn, because the others have another range.

    Parameters
    ----------
    result
        A scheme that is fitted to topics.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    FactorsError
        If the factors do not say the range of their reference scores.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_mapping
    >>> factors = Standardizer("empirical").fit(datasets.load_cranfield("ap"), measure="AP")
    >>> plot_mapping(factors).get_ylabel()
    'Average precision, standardized by E-std'
    """
    lower = policies.reversed_topics(result.lower_is_better, result.topics)
    some = bool(lower) and len(lower) < len(result.topics)
    x, y = _curves(result, set(lower), some)
    with drawn_on(ax, size(result)) as axes:
        draw_lines(axes, np.broadcast_to(x, y.shape), y)
        title = counted(len(y), "topic") + (", where higher is better" if some else "")
        if len(y) >= _MANY:
            low, median, high = np.nanquantile(y, _QUARTILES, axis=0)
            axes.fill_between(x, low, high, color=BLUE, alpha=0.3, linewidth=0)
            axes.plot(x, median, color=BLUE, linewidth=1.8)
            title += "\nthick line: median of topics; band: quartiles"
        finish(
            axes,
            title=wrapped(title, _WIDTH - 0.5),
            xlabel=wrapped(raw_label(result), _WIDTH - 0.6),
            ylabel=wrapped(label_of(result), size(result)[1] - 0.6),
        )
        axes.set_xlim(limits(x))
        axes.set_ylim(limits(y))
    return axes


def size(result: Factors) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, 3.1


def _curves(result: Factors, lower: set[str], some: bool) -> tuple[Array, Array]:
    """Return x, and a row of F_t(x) for each topic if all are finite; a jump of z is infinite."""
    if result.scale is None:
        raise FactorsError(
            "the factors do not contain the range of their reference scores, which the figure "
            "'mapping' needs; plot scores that are standardized by these factors"
        )
    left_out = lower if some else set()
    rows = [i for i, topic in enumerate(result.topics) if topic not in left_out]
    low, high = result.scale.low, result.scale.high
    if not low < high:  # of one constant topic, whose line would be a point
        low, high = span(np.array([low, high]))
    x = np.linspace(low, high, _STEPS + 1)
    of_fit = policies.reflected(result.reflect_at, x) if lower and not some else x
    fitted = result.fitted.take(np.array(rows))
    every = np.broadcast_to(of_fit, (len(rows), len(x)))
    y = policies.evaluate(result.constant, fitted, every)
    return x, y[np.isfinite(y).all(axis=1)]
