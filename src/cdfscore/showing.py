"""Results in notebooks, papers and figures, laid out by the floors above them.

A result computes, and `report` and `plots`, which know every result, lay it out. They stand above
and are called by name when they are first asked, so that no result imports them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shown:
    """Result with tables: shown in a notebook, and written into a paper."""

    def to_html(self) -> str:
        """Return a stand-alone HTML page: tables with captions, which have the notes."""
        return str(_report().page(self))

    def to_latex(self) -> str:
        """Return LaTeX tables with captions; they need the package booktabs."""
        return str(_report().latex(self))

    def to_markdown(self) -> str:
        """Return Markdown: captions and pipe tables."""
        return str(_report().markdown(self))

    def _repr_html_(self) -> str:
        """Return HTML for a notebook; long tables are shortened, and say so."""
        return str(_report().fragment(self))


class Drawn:
    """Result with a figure."""

    def plot(self) -> Figure:
        """Draw the result; ``figure.savefig`` saves it, and a notebook shows it.

        A comparison of all pairs is a critical-difference diagram for each scheme, and a diagnosis
        a histogram of the probability integral transform of each.

        Raises `MissingDependencyError` if matplotlib is not installed, and `SignificanceError` for
        a comparison that is not of all pairs, or whose test is not two-sided.
        """
        found: Figure = import_module("cdfscore.plots.of_results").figure_of(self)
        return found


def _report() -> Any:
    return import_module("cdfscore.report.of_results")
