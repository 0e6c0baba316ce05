"""Grid of schemes and tests: how many pairs of systems differ significantly by each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.io.text import written
from cdfscore.numerics.types import IntArray
from cdfscore.plots.canvas import Size, drawn_on, finish, wrapped
from cdfscore.plots.counts import draw_counts, of_scheme, of_test, size_of_counts
from cdfscore.plots.of_schemes import WIDTH
from cdfscore.plots.words import correction_label, label_of_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.comparison.sensitivity import ConclusionGrid


def plot_sensitivity(result: ConclusionGrid, ax: Axes | None = None) -> Axes:
    """Draw the number of pairs of systems that differ significantly, by scheme and by test.

    Darker cells have more such pairs; a cell is black if all pairs differ significantly.

    Parameters
    ----------
    result
        Comparisons of the same systems by the same schemes, each by another test.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.comparison import ConclusionGrid
    >>> from cdfscore.plots import plot_sensitivity
    >>> scores = datasets.load_cranfield("ap").iloc[:, :12]
    >>> tests = [compare(scores, each, scheme=["raw", "normal"]) for each in ("paired_t", "sign")]
    >>> axes = plot_sensitivity(ConclusionGrid(tests))
    >>> [text.get_text() for text in axes.texts]
    ['32', '43', '43', '43']
    """
    first, counts = result.comparisons[0], result.counts.to_numpy()
    rows, columns = _labels(result)
    with drawn_on(ax, size(result)) as axes:
        draw_counts(axes, counts, result.pairs, rows, columns)
        finish(
            axes,
            title=wrapped(
                f"Pairs that differ significantly, of {result.pairs:,}\n"
                f"{_range(counts)} by the choice of scheme and test\n"
                f"alpha {written(first.alpha)}, {first.topics:,} topics",
                WIDTH,
            ),
        )
    return axes


def _range(counts: IntArray) -> str:
    least, most = int(counts.min()), int(counts.max())
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def size(result: ConclusionGrid) -> Size:
    """Return the width and height of the figure in inches."""
    return size_of_counts(*_labels(result))


def _labels(result: ConclusionGrid) -> tuple[list[str], list[str]]:
    """Return the labels of rows and columns; a test has its correction, as they may differ."""
    tests = [
        f"{label_of_test(each.test)}{f', {label}' * bool(label)}"
        for each in result.comparisons
        for label in [correction_label(each.adjust)]
    ]
    return [*map(of_scheme, result.schemes)], [*map(of_test, tests)]
