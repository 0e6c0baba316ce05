"""The tables of each result, for `to_html`, `to_latex`, `to_markdown` and notebooks."""

from __future__ import annotations

from functools import singledispatch

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.models.result import Anova
from cdfscore.report import (
    anova_cells,
    comparison_cells,
    diagnosis_cells,
    mixed_cells,
    plan_cells,
    standardization_cells,
    uncertainty_cells,
)
from cdfscore.report.captioned import Captioned, as_sentence
from cdfscore.report.html import as_fragment, as_page
from cdfscore.report.latex import as_latex
from cdfscore.report.markdown import as_markdown
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.standardized import Standardized

# Rows of a table in a notebook.
_ROWS = 20


def page(result: object) -> str:
    """Return a stand-alone HTML page."""
    return as_page(tables_of(result))


def fragment(result: object) -> str:
    """Return HTML for a notebook, with the first rows of each table."""
    return as_fragment([table.shortened(_ROWS) for table in tables_of(result)])


def latex(result: object) -> str:
    """Return LaTeX; pairs of more systems than a paper has room for are not listed."""
    if isinstance(result, Comparison):
        return as_latex(comparison_cells.for_paper(result))
    return as_latex(tables_of(result))


def markdown(result: object) -> str:
    """Return Markdown."""
    return as_markdown(tables_of(result))


@singledispatch
def tables_of(result: object) -> list[Captioned]:
    """Return the tables of a result, each with its caption."""
    raise NotImplementedError(f"there is no table of {type(result).__name__}")


@tables_of.register
def _(result: Comparison) -> list[Captioned]:
    return comparison_cells.tables(result)


@tables_of.register
def _(result: Diagnosis) -> list[Captioned]:
    table = diagnosis_cells.summary(result)
    said = " ".join(result.verdict).lower()
    others = [as_sentence(n, result.schemes) for n in result.notes if n.lower() not in said]
    return [table.with_caption("Fit of distributions", table.caption, *result.verdict, *others)]


@tables_of.register
def _(result: Sensitivity) -> list[Captioned]:
    table, moves = diagnosis_cells.agreement(result), diagnosis_cells.moves(result)
    notes = [as_sentence(note, result.comparison.schemes) for note in result.notes]
    told = table.with_caption("Sensitivity", table.caption, *result.verdict, *notes)
    return [told, moves] if moves.columns[0].cells else [told]


@tables_of.register
def _(result: Factors) -> list[Captioned]:
    return [standardization_cells.of_factors(result)]


@tables_of.register
def _(result: Standardized) -> list[Captioned]:
    return [standardization_cells.of_means(result)]


@tables_of.register
def _(result: Anova) -> list[Captioned]:
    return [anova_cells.of_anova(result)]


@tables_of.register
def _(result: MixedModel) -> list[Captioned]:
    return mixed_cells.of_mixed_model(result)


@tables_of.register
def _(result: Plan) -> list[Captioned]:
    return [plan_cells.of_plan(result)]


@tables_of.register
def _(result: ReferenceUncertainty) -> list[Captioned]:
    return uncertainty_cells.tables(result)
