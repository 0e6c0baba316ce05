"""Results in notebooks, papers and figures, laid out by the floors above them.

A result computes, and `report` and `plots`, which know every result, lay it out. They stand above
and are called by name when they are first asked, so that no result imports them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawn:
    """Result with a figure."""

    def plot(self) -> Figure:
        """Draw the result; ``figure.savefig`` saves it, and a notebook shows it.

        - A comparison of all pairs, a panel for each scheme: a critical-difference diagram of up to
          30 systems, and a heat map of all pairs of more.
        - A diagnosis: a histogram of the probability integral transform of each scheme.
        - A sensitivity: how many pairs of systems each two schemes decide otherwise.
        - A grid of conclusions: how many pairs of systems differ, by scheme and by test.
        - An uncertainty from the reference systems: means, with intervals with and without it.
        - A plan: the power, width or reliability against the number of topics.
        - An analysis of variance: the effect size of each term, with its interval.
        - A mixed model: the variance of each random term and of the residuals, with its interval.
        - Factors: y = F_t(x) of every topic t, in the range of the reference scores.
        - Standardized scores: each beside the raw score, with a line for each topic.

        A result of several schemes has a panel for each. The functions of `cdfscore.plots` draw
        them, and more kinds of figures.

        Raises `MissingDependencyError` if matplotlib is not installed, `SignificanceError` for a
        comparison that is not of all pairs, or whose test is not two-sided, `FactorsError` for
        factors that do not say the range of their reference scores, and `PlotError` for a diagram
        of more than 40 groups and for an uncertainty of more than 90 systems.
        """
        found: Figure = figures().figure_of(self)
        return found


class Shown(Drawn):
    """Result with tables and a figure: shown in a notebook, and written into a paper."""

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


def figures() -> Any:
    """Return the module with the figures of results."""
    return import_module("cdfscore.plots.of_results")


def _report() -> Any:
    return import_module("cdfscore.report.of_results")
