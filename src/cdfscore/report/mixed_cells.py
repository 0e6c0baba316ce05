"""Mixed models as tables for readers and in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.text import written
from cdfscore.models.formula import name_of
from cdfscore.report.captioned import Captioned, Column, as_sentence, records
from cdfscore.report.number_cells import fixed, shown_p
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.models.mixed import MixedModel


def of_mixed_model(found: MixedModel) -> list[Captioned]:
    """Return the tests of fixed terms and the variances, with their captions."""
    return [_tests(found), _variances(found)]


def _tests(found: MixedModel) -> Captioned:
    rows = records(found.table)
    columns = [
        *_schemes(found, found.table),
        Column("term", False, [row["term"] for row in rows]),
        Column("df", True, [str(row["df"]) for row in rows]),
        Column("df of error", True, [fixed(row["df_error"], 1) for row in rows]),
        Column("F", True, [fixed(row["statistic"], 3) for row in rows]),
        Column("p", True, [shown_p(row["p_value"], found.alpha) for row in rows]),
    ]
    random = ", ".join(map(name_of, found.random))
    topics = ", ".join(
        f"{found.scores[scheme]:,} on {topics:,} topics by {scheme}"
        for scheme, topics in found.topics.items()
    )
    told = [
        f"Mixed model by {found.method}, {found.formula}, with the random terms {random}",
        f"Scores: {topics}",
        "Topics are random: results are about a population of topics, and these topics are a "
        "sample of it",
        "Effects of topics and errors are assumed to be independent and normal, each with one "
        "variance",
        "F tests are of type III, with degrees of freedom by Satterthwaite's method. "
        f"* marks p <= {written(found.alpha)}, for each term separately",
    ]
    notes = [as_sentence(note, found.schemes) for note in found.notes]
    return Captioned("", "", columns).with_caption("Fixed terms of a mixed model", *told, *notes)


def _variances(found: MixedModel) -> Captioned:
    rows = records(found.variances)
    columns = [
        *_schemes(found, found.variances),
        Column("component", False, [row["component"] for row in rows]),
        Column("variance", True, [f"{row['variance']:.4g}" for row in rows]),
        Column("sd", True, [f"{row['sd']:.4g}" for row in rows]),
        Column("proportion", True, [fixed(row["proportion"], 4) for row in rows]),
        Column(
            f"{1 - found.alpha:.12g} interval",
            True,
            [f"[{row['conf_low']:.4g}, {row['conf_high']:.4g}]" for row in rows],
        ),
    ]
    told = (
        f"Variance components by {found.method}, of {found.formula}. Intervals are for the "
        "variance, from the profile likelihood"
    )
    return Captioned("", "", columns).with_caption("Variances of a mixed model", told)


def _schemes(found: MixedModel, table: pd.DataFrame) -> list[Column]:
    if len(found.schemes) == 1:
        return []
    return [Column("scheme", False, list(table["scheme"]))]


def encode_mixed_model(found: MixedModel, path: Path) -> bytes:
    """Return a mixed model as the content of a file; see `encode_table`.

    CSV and TSV have the tests of fixed terms, and JSON all tables.
    """
    shown = of_mixed_model(found)
    details = {
        "caption": shown[0].caption,
        "formula": str(found.formula),
        "random": [name_of(term) for term in found.random],
        "method": found.method,
        "alpha": found.alpha,
        "topics": found.topics,
        "scores": found.scores,
        "log_likelihood": found.log_likelihood,
        "fitted_to": found.fitted_to,
        "notes": found.notes,
        "variances": records(found.variances),
        "coefficients": records(found.coefficients),
    }
    return encode_table(path, found.table, shown, details)
