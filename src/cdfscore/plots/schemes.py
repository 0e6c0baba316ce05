"""Grid of schemes: the number of pairs of systems on which each two schemes disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.io.text import written
from cdfscore.plots.canvas import Size, drawn_on, finish, wrapped
from cdfscore.plots.counts import draw_counts, of_scheme, size_of_counts
from cdfscore.plots.of_schemes import WIDTH
from cdfscore.plots.words import correction_label, label_of_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.sensitivity import Sensitivity

_DISAGREEMENTS = ["gained", "lost", "reversed"]


def plot_schemes(result: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw the number of pairs of systems on which two schemes disagree, for each two schemes.

    Two schemes disagree on a pair if it differs significantly by one of them only, or by both with
    the means in opposite orders. The diagonal, in italics, has the number of pairs that differ
    significantly by the scheme itself.

    Parameters
    ----------
    result
        The result of `cdfscore.sensitivity`.
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
    counts[a, b] = counts[b, a] = table[_DISAGREEMENTS].sum(axis=1)
    counts[a, a], counts[b, b] = table["significant_a"], table["significant_b"]
    pairs = int(table["pairs"].iloc[0])
    labels = [*map(of_scheme, schemes)]
    with drawn_on(ax, size(result)) as axes:
        draw_counts(axes, counts, pairs, labels, labels, pale=np.eye(len(schemes), dtype=bool))
        label = correction_label(found.adjust)
        by = label_of_test(found.test) + (f" with {label}" if label else "")
        finish(
            axes,
            title=wrapped(
                f"Pairs on which two schemes disagree, of {pairs:,}\n"
                "(in italics: significant pairs of the scheme)\n"
                f"{by}, alpha {written(found.alpha)}, {found.topics:,} topics",
                WIDTH,
            ),
        )
    return axes


def size(result: Sensitivity) -> Size:
    """Return the width and height of the figure in inches."""
    labels = [*map(of_scheme, result.comparison.schemes)]
    return size_of_counts(labels, labels)
