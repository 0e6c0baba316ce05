"""Tables of linear and mixed models, and of plans for further topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from cdfscore.common.text import written
from cdfscore.models.anova import Anova
from cdfscore.models.formula import name_of
from cdfscore.models.goals import Plan
from cdfscore.models.mixed import MixedModel
from cdfscore.report import writing
from cdfscore.stats.schemes.base import scheme_label


def of_anova(found: Anova) -> writing.Captioned:
    """Return the table of an analysis of variance, with its caption."""
    rows = writing.records(found.table)
    columns = [
        *writing.schemes_of(found.schemes, rows),
        writing.Column("term", False, [row["term"] for row in rows]),
        writing.Column("df", True, [str(row["df"]) for row in rows]),
        writing.Column("SS", True, [f"{row['sum_of_squares']:.5g}" for row in rows]),
        writing.Column("MS", True, [f"{row['mean_square']:.5g}" for row in rows], minor=2),
        writing.Column("F", True, [writing.fixed(row["statistic"], 3) for row in rows]),
        writing.Column("p", True, [writing.shown_p(row["p_value"], found.alpha) for row in rows]),
        writing.Column(
            "eta^2", True, [writing.fixed(row["partial_eta_squared"], 4) for row in rows], minor=2
        ),
        writing.Column(
            "omega^2", True, [writing.fixed(row["partial_omega_squared"], 4) for row in rows]
        ),
        writing.Column(
            f"{1 - found.alpha:.12g} interval",
            True,
            [writing.interval(row["effect_low"], row["effect_high"]) for row in rows],
        ),
    ]
    scores = ", ".join(
        f"{number:,} by {scheme_label(scheme)}" for scheme, number in found.scores.items()
    )
    told = [
        f"Analysis of variance, type {found.sums_of_squares} sums of squares",
        f"Scores: {scores}",
        "Topics and all other factors are fixed effects: the results hold for these topics, not "
        "for a population of topics. Errors are assumed to be independent and normal, with one "
        "variance",
        "Effect sizes are partial. The interval is for the population proportion of variance, "
        "which omega^2 estimates with less bias than eta^2",
        f"* marks p <= {written(found.alpha)}, for each term separately",
    ]
    notes = _cautions(found, others=True)
    told = [*told[:1], *_cautions(found), *told[1:], f"Settings: formula {found.formula}", *notes]
    table = writing.Captioned("", "", columns).with_caption("Analysis of variance", *told)
    return table.in_words(found.units)


def _cautions(found: Anova | MixedModel, *, others: bool = False) -> list[str]:
    """Return the cautions as sentences, or the other notes."""
    notes = [note for note in found.notes if (note in found.cautions) != others]
    return [writing.as_sentence(note, found.schemes) for note in notes]


writing.tables_of.register(Anova, lambda found: [of_anova(found)])


@writing.numbers_of.register
def _(found: Anova) -> tuple[Any, dict[str, Any]]:
    details = {
        "caption": of_anova(found).caption,
        "formula": str(found.formula),
        **writing.described(found, "sums_of_squares", "alpha", "scores", "fitted_to", "notes"),
    }
    return found.table, details


@writing.tables_of.register
def of_mixed_model(found: MixedModel) -> list[writing.Captioned]:
    """Return the tests of fixed terms and the variances, with their captions."""
    rows = writing.records(found.table)
    columns = [
        *writing.schemes_of(found.schemes, rows),
        writing.Column("term", False, [row["term"] for row in rows]),
        writing.Column("df", True, [str(row["df"]) for row in rows]),
        writing.Column("df of error", True, [writing.fixed(row["df_error"], 1) for row in rows]),
        writing.Column("F", True, [writing.fixed(row["statistic"], 3) for row in rows]),
        writing.Column("p", True, [writing.shown_p(row["p_value"], found.alpha) for row in rows]),
    ]
    random = ", ".join(map(name_of, found.random))
    topics = ", ".join(
        f"{found.scores[scheme]:,} on {topics:,} topics by {scheme_label(scheme)}"
        for scheme, topics in found.topics.items()
    )
    told = [
        f"Mixed model by {found.method}",
        f"Scores: {topics}",
        "Topics are random: results are about a population of topics, and these topics are a "
        "sample of it",
        "Effects of topics and errors are assumed to be independent and normal, each with one "
        "variance",
        "F tests are of type III, with degrees of freedom by Satterthwaite's method. "
        f"* marks p <= {written(found.alpha)}, for each term separately",
    ]
    notes = _cautions(found, others=True)
    title = "Fixed terms of a mixed model"
    told = [*told[:1], *_cautions(found), *told[1:]]
    told += [f"Settings: formula {found.formula}; random {random}", *notes]
    tests = writing.Captioned("", "", columns).with_caption(title, *told)
    rows = writing.records(found.variances)
    columns = [
        *writing.schemes_of(found.schemes, rows),
        writing.Column("component", False, [row["component"] for row in rows]),
        writing.Column("variance", True, [f"{row['variance']:.4g}" for row in rows]),
        writing.Column("sd", True, [f"{row['sd']:.4g}" for row in rows]),
        writing.Column("proportion", True, [writing.fixed(row["proportion"], 4) for row in rows]),
        writing.Column(
            f"{1 - found.alpha:.12g} interval",
            True,
            [f"[{row['conf_low']:.4g}, {row['conf_high']:.4g}]" for row in rows],
        ),
    ]
    of_variances = (
        f"Variance components by {found.method}. Intervals are for the variance, from the profile "
        "likelihood"
    )
    variances = writing.Captioned("", "", columns)
    both = tests, variances.with_caption("Variances of a mixed model", of_variances)
    return [each.in_words(found.units) for each in both]


@writing.numbers_of.register
def _(found: MixedModel) -> tuple[Any, dict[str, Any]]:
    details = {
        "caption": of_mixed_model(found)[0].caption,
        "formula": str(found.formula),
        "random": [name_of(term) for term in found.random],
        **writing.described(
            found, "method", "alpha", "topics", "scores", "log_likelihood", "fitted_to"
        ),
        **writing.described(found, "notes", "variances", "coefficients"),
    }
    return found.table, details


def of_plan(found: Plan, rows: int | None = None) -> writing.Captioned:
    """Return the curve of a plan, with its answer as the caption."""
    quantity, curve = found.goal.quantity, found.curve
    notes = [writing.as_sentence(note, [found.scheme]) for note in found.notes]
    if rows is not None and len(curve) > rows:
        shown = np.abs(curve["topics"].to_numpy() - found.topics) <= 1
        shown[np.linspace(0, len(curve) - 1, rows).round().astype(int)] = True
        curve = curve[shown]
        notes.append(f"{len(curve)} of the {len(found.curve)} numbers of topics are shown")
    columns = [
        writing.Column("topics", True, [f"{n:,}" for n in curve["topics"]]),
        writing.Column(quantity, True, [writing.fixed(value, 4) for value in curve[quantity]]),
    ]
    table = writing.Captioned("", "", columns)
    return table.with_caption("Number of topics", found.answer, *notes).in_words(found.units)


writing.tables_of.register(Plan, lambda found: [of_plan(found)])


@writing.numbers_of.register
def _(found: Plan) -> tuple[Any, dict[str, Any]]:
    pilot = found.pilot
    details = {
        "answer": found.answer,
        "goal": {"name": found.goal.name, **vars(found.goal)},
        "scheme": found.scheme,
        "pilots": [
            {"systems": values.shape[1], "topics": len(values)} for values in pilot.matrices
        ],
        "variances": writing.described(pilot, "scores", "residual", "differences"),
        "topics": found.topics,
        found.goal.quantity: found.value,
        "check": found.check,
        "notes": found.notes,
    }
    return found.curve, details
