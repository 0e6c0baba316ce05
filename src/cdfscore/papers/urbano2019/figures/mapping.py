"""Mapping of raw to standardized scores, one line per topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import limits, span

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.standardization.factors import Factors

_STEPS = 200


def mapping_lines(factors: Factors, scores: pd.DataFrame) -> tuple[Array, Array]:
    """Return x and y = F_t(x) of the line of each topic, both of shape (topics, points).

    x covers the whole axis evenly. It also contains each observed score of the topic and the double
    before it, so that a step of y is a vertical line at the score. If y can also jump after a
    score, as on a constant topic, x contains the doubles after the scores too.
    """
    import pandas as pd

    observed = scores.to_numpy()
    even = np.linspace(*span(observed), _STEPS + 1)
    even = np.broadcast_to(even, (len(observed), len(even)))
    parts = [even, observed, np.nextafter(observed, -np.inf)]
    if factors.constant_topics or not factors.fitted.scheme.right_continuous:
        parts.append(np.nextafter(observed, np.inf))
    x = np.sort(np.hstack(parts), axis=1)
    points = [f"point {i}" for i in range(x.shape[1])]
    y = factors.transform(pd.DataFrame(x, index=scores.index, columns=points))
    return x, y.to_numpy()


def draw_mapping(axes: Axes, factors: Factors, scores: pd.DataFrame, colors: Sequence[str]) -> None:
    """Draw one line per topic in its colour, and a point for each observed score.

    The points are one picture inside a vector file, because there are ten thousand of them. The
    axes contain all points. Lines of a scheme without limits can leave the axes.
    """
    observed, standardized = scores.to_numpy(), factors.transform(scores).to_numpy()
    for x, y, color in zip(*mapping_lines(factors, scores), colors, strict=True):
        axes.plot(x, y, color=color, linewidth=0.4, alpha=0.7, zorder=1)
    axes.scatter(
        observed.ravel(),
        standardized.ravel(),
        s=1.6,
        c=np.repeat(colors, observed.shape[1]),
        linewidths=0,
        rasterized=True,
        antialiased=False,
        zorder=2,
    )
    axes.set_xlim(limits(observed))
    axes.set_ylim(limits(standardized))
