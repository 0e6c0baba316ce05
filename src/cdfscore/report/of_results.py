"""The tables of each result, for `to_html`, `to_latex`, `to_markdown` and notebooks."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import Sensitivity
from cdfscore.diagnosis import Diagnosis
from cdfscore.io.text import counted
from cdfscore.models.anova import Anova
from cdfscore.models.mixed import MixedModel
from cdfscore.models.planning import Plan
from cdfscore.numerics.types import Array
from cdfscore.report import (
    anova_cells,
    comparison_cells,
    diagnosis_cells,
    mixed_cells,
    plan_cells,
    uncertainty_cells,
)
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column, as_sentence
from cdfscore.report.html import as_fragment, as_markdown, as_page
from cdfscore.report.latex import as_latex
from cdfscore.standardization.standardized import Factors, Standardized

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


tables_of.register(Comparison, comparison_cells.tables)
tables_of.register(Anova, lambda result: [anova_cells.of_anova(result)])
tables_of.register(MixedModel, mixed_cells.of_mixed_model)
tables_of.register(Plan, lambda result: [plan_cells.of_plan(result)])
tables_of.register(ReferenceUncertainty, uncertainty_cells.tables)


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
def _(factors: Factors) -> list[Captioned]:
    """Return one row per topic: the number of reference scores and the parameters.

    A parameter of several numbers, such as the sample of E-std, is shown as their number.
    """
    columns = [Column("topic", False, list(factors.topics))]
    if factors.n is not None:
        columns.append(Column("n", True, list(map(str, factors.n))))
    for name, values in factors.fitted.parameters.items():
        if values.shape[-1] == 1:
            columns.append(Column(name, True, [_number(value, ".6g") for value in values[:, 0]]))
        else:
            counts = np.count_nonzero(~np.isnan(values), axis=1)
            columns.append(Column(name, False, [counted(int(n), "number") for n in counts]))
    measure = f" of {factors.measure}" if factors.measure else ""
    systems = factors.number_of_systems and f", fitted to {factors.number_of_systems}"
    topics = counted(len(factors.topics), "topic")
    told = [f"Factors{measure} by {factors.fitted.scheme} for {topics}{systems}"]
    if lower := factors.reversal:
        told.append(f"Scores are {lower} (lower is better)")
    if constant := factors.constant_topics:
        are = "is" if len(constant) == 1 else "are"
        told.append(f"{len(constant)} of the topics {are} constant (policy: {factors.constant})")
    if unfitted := factors.unfitted_topics:
        topics = counted(len(unfitted), "topic")
        told.append(f"{topics} could not be fitted (policy: {factors.unfitted})")
    if dropped := factors.dropped:
        were = "was" if len(dropped) == 1 else "were"
        of = " with missing scores" if factors.fitted.parameters else ""  # raw: or equal ones
        told.append(f"{counted(len(dropped), 'topic')}{of} {were} dropped")
    return [Captioned("", "", columns).with_caption("Factors", *told)]


@tables_of.register
def _(found: Standardized) -> list[Captioned]:
    """Return the means of systems, best first; tied systems have the best rank of the tie."""
    means, topics = (found.frame_of_means[name].to_numpy() for name in ("mean", "topics"))
    order = np.argsort(-means, kind="stable")  # NaN last
    ranks = [1 + int(np.count_nonzero(means > mean)) for mean in means]
    columns = [
        Column("rank", True, [NO_NUMBER if np.isnan(means[i]) else str(ranks[i]) for i in order]),
        Column("system", False, [str(found.frame.columns[i]) for i in order]),
        Column("mean", True, [_number(means[i], ".4f") for i in order]),
        Column("topics", True, [str(topics[i]) for i in order]),
    ]
    count, systems = found.frame.shape
    told = f"Means of {counted(systems, 'system')} on {counted(count, 'topic')}, {found.how}"
    title = "Scores"
    if found.factors.fitted.parameters:
        told, title = f"{told} fitted to {found.fitted_to}", "Standardized scores"
    table = Captioned("", "", columns)
    return [table.with_caption(title, told, *map(as_sentence, found.notes))]


def _number(value: Array | float, digits: str) -> str:
    return NO_NUMBER if np.isnan(value) else format(float(value), digits)
