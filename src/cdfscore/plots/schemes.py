"""Grid of schemes: how many pairs of systems each two of them decide otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import Size, drawn_on, finish, wrapped
from cdfscore.plots.counts import draw_counts, of_scheme, size_of_counts
from cdfscore.plots.of_schemes import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.sensitivity import Sensitivity

_OTHERWISE = ["gained", "lost", "reversed"]


def plot_schemes(result: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw the number of pairs of systems that two schemes decide otherwise, for each two.

    A pair is decided otherwise if it differs by one scheme only, or by both with the means in
    the opposite order. On the diagonal, in italics, is the number of pairs that differ by the
    scheme itself.

    Parameters
    ----------
    result
        What `cdfscore.sensitivity` returns.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets, sensitivity
    >>> from cdfscore.plots import plot_schemes
    >>> found = sensitivity(datasets.load_cranfield("ap"), ["normal", "empirical"])
    >>> [text.get_text() for text in plot_schemes(found).texts]
    ['1,471', '128', '128', '1,511']
    """
    found = result.comparison
    schemes = list(found.schemes)
    place = {scheme: i for i, scheme in enumerate(schemes)}
    counts = np.zeros((len(schemes), len(schemes)), dtype=np.int64)
    table = result.conclusions
    a, b = ([place[scheme] for scheme in table[name]] for name in ("scheme_a", "scheme_b"))
    counts[a, b] = counts[b, a] = table[_OTHERWISE].sum(axis=1)
    counts[a, a], counts[b, b] = table["significant_a"], table["significant_b"]
    pairs = int(table["pairs"].iloc[0])
    labels = [*map(of_scheme, schemes)]
    with drawn_on(ax, size(result)) as axes:
        draw_counts(axes, counts, pairs, labels, labels, pale=np.eye(len(schemes), dtype=bool))
        by = "" if found.adjust == "none" else f", {found.adjust}"
        finish(
            axes,
            title=wrapped(
                f"Pairs that two schemes decide otherwise, of {pairs:,}\n"
                "(in italics: those that differ by the scheme)\n"
                f"{found.test}{by}, alpha {found.alpha:g}, {found.topics:,} topics",
                WIDTH,
            ),
        )
    return axes


def size(result: Sensitivity) -> Size:
    """Return the width and height of the figure in inches."""
    labels = [*map(of_scheme, result.comparison.schemes)]
    return size_of_counts(labels, labels)
