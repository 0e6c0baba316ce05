"""Heat map of a score matrix: a row for each system, a column for each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import counted
from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, text_width, wrapped
from cdfscore.plots.of_schemes import by_mean, in_units, label_of
from cdfscore.plots.styles import BLACK
from cdfscore.plots.words import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

# Topics, and systems, that have a name each.
_NAMED = 45
# Of a row or column with a name, and of all of those without, in inches.
_CELL, _ALL = 0.125, 2.9
# Room for the axes and the bar of colors, in inches.
_AROUND = (1.5, 1.0)


def plot_scores(result: Standardized, ax: Axes | None = None) -> Axes:
    """Draw the score matrix as a heat map: rows are systems, and columns are topics.

    The system with the highest mean of these scores is at the top. By every scheme, topics are
    ordered by their mean raw score, with the easiest at the right. If lower is better, raw scores
    are reversed first. Missing scores are crosses. Infinite scores have the color of the largest
    or lowest finite score. Up to 45 systems, and up to 45 topics, are named.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_scores
    >>> scores = datasets.load_cranfield("ap").iloc[:, :3]
    >>> plot_scores(Standardizer("raw").standardize(scores)).get_xlabel()
    '225 topics, by mean raw score'
    """
    scores = result.frame.to_numpy()
    rows, columns = by_mean(scores.T), by_mean(result.used.values)
    drawn = scores.T[np.ix_(rows, columns)]
    systems = [name_of(result.used.systems[i]) for i in rows]
    topics = [name_of(result.used.topics[i]) for i in columns]
    missing = int(np.isnan(scores).sum())
    with drawn_on(ax, size(result)) as axes:
        _cells(axes, drawn, wrapped(label_of(result), size(result)[1] - 0.8))
        axes.set_yticks(*_names(systems))
        axes.set_xticks(*_names(topics), rotation=90)
        finish(
            axes,
            title=f"{counted(missing, 'missing score')} (crosses)" if missing else "",
            xlabel=in_units(result, f"{counted(len(topics), 'topic')}, by mean raw score"),
            ylabel=in_units(result, f"{counted(len(systems), 'system')}, by mean"),
        )
    return axes


def size(result: Standardized) -> Size:
    """Return the width and height of the figure in inches."""
    topics, systems = result.used.topics, result.used.systems
    wide, high = _length(topics), _length(systems)
    of_systems = text_width(map(name_of, systems)) if len(systems) <= _NAMED else 0.0
    of_topics = text_width(map(name_of, topics)) if len(topics) <= _NAMED else 0.0
    return _AROUND[0] + wide + of_systems, _AROUND[1] + high + of_topics


def _length(labels: Sequence[str]) -> float:
    return max(1.0, _CELL * len(labels)) if len(labels) <= _NAMED else _ALL


def _names(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the places of ticks, and their labels; none of many."""
    return (list(range(len(labels))), list(labels)) if len(labels) <= _NAMED else ([], [])


def _finite(drawn: Array) -> Array:
    """Return the scores, infinite ones as the largest or the lowest of the others."""
    finite = drawn[np.isfinite(drawn)]
    return (
        np.clip(drawn, finite.min(), finite.max()) if len(finite) else np.full_like(drawn, np.nan)
    )


def _cells(axes: Axes, drawn: Array, label: str) -> None:
    """Draw the cells, a cross for each without a score, and the bar of colors at the right."""
    image = axes.imshow(
        np.ma.masked_invalid(_finite(drawn)), cmap="cividis", aspect="auto", origin="lower",
        interpolation="nearest", rasterized=True,
    )  # fmt: skip
    row, column = np.nonzero(np.isnan(drawn))
    for marker, color, points in (("s", "white", 3.5), ("x", BLACK, 2.5)):  # seen on every color
        axes.plot(
            column, row, marker, color=color, markersize=points, markeredgewidth=0.6,
            rasterized=True,
        )  # fmt: skip
    side = axes.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = axes.figure.colorbar(image, cax=side)
    bar.outline.set_linewidth(0.5)
    finish(side, ylabel=label)
