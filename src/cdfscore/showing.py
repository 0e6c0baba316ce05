"""Tables and figures of results, for notebooks and papers.

A result computes numbers. `report` and `plots`, which know every result, make its tables and
figures. They are above the results in the layers, and are imported by name at the first call, so
that no result imports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawn:
    """Result with a figure."""

    @property
    def units(self) -> tuple[str, str]:
        """What is compared, and on what: "model" and "task" if the header of the scores says so."""
        for name in ("standardized", "comparisons", "comparison"):  # what others are made of
            if parts := getattr(self, name, None):
                first: Drawn = parts[0] if isinstance(parts, Sequence) else parts
                return first.units
        return "system", "topic"

    def plot(self) -> Figure:
        """Draw the result as a figure of matplotlib.

        A notebook shows the figure. ``figure.savefig`` saves it. The kind depends on the result:

        - Comparison of all pairs: a critical-difference diagram for up to 30 systems, else a heat
          map of all pairs; one panel for each scheme.
        - Diagnosis: a histogram of the probability integral transform of each scheme.
        - Sensitivity: the number of pairs of systems that each two schemes decide differently.
        - Grid of conclusions: the number of pairs of systems that differ, by scheme and by test.
        - Uncertainty from the reference systems: means, with intervals with and without it.
        - Plan: the power, width or reliability against the number of topics.
        - Analysis of variance: the effect size of each term, with its interval.
        - Mixed model: the variance of each random term and of the residuals, with its interval.
        - Factors: y = F_t(x) of every topic t, in the range of the reference scores.
        - Standardized scores: each score beside the raw score, with a line for each topic.

        `cdfscore.plots` has more kinds of figures.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        SignificanceError
            For a comparison that is not of all pairs, or whose test is not two-sided.
        FactorsError
            For factors that do not have the range of their reference scores.
        PlotError
            For a diagram of more than 40 groups, and for an uncertainty of more than 90 systems.
        """
        found: Figure = figures().figure_of(self)
        return found


class Shown(Drawn):
    """Result with tables and a figure, for a notebook or a paper.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> ap = datasets.load_cranfield("ap").iloc[:, :12]
    >>> done = Standardizer("normal").standardize(ap)
    >>> print(done.to_latex().splitlines()[0])
    % \\usepackage{booktabs}
    """

    def to_html(self) -> str:
        """Return a stand-alone HTML page: tables with captions and notes."""
        return str(_report().text_of(self, ".html"))

    def to_latex(self) -> str:
        """Return LaTeX tables with captions; comments name the packages that they need."""
        return str(_report().text_of(self, ".tex"))

    def to_markdown(self) -> str:
        """Return Markdown: captions and tables with vertical bars."""
        return str(_report().text_of(self, ".md"))

    def _repr_html_(self) -> str:
        """Return HTML for a notebook; long tables show the first rows and say so."""
        return str(_report().fragment_of(self))


def figures() -> Any:
    """Return the module with the figures of results."""
    return import_module("cdfscore.plots.kinds")


def _report() -> Any:
    return import_module("cdfscore.report.writing")
