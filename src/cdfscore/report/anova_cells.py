"""Analysis of variance as tables for readers and in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.io.text import written
from cdfscore.report.captioned import Captioned, Column, as_sentence, records
from cdfscore.report.number_cells import fixed, interval, shown_p
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    from cdfscore.models.anova import Anova


def of_anova(found: Anova) -> Captioned:
    """Return the table of an analysis of variance, with its caption."""
    rows = records(found.table)
    columns = [
        Column("term", False, [row["term"] for row in rows]),
        Column("df", True, [str(row["df"]) for row in rows]),
        Column("SS", True, [f"{row['sum_of_squares']:.5g}" for row in rows]),
        Column("MS", True, [f"{row['mean_square']:.5g}" for row in rows], minor=2),
        Column("F", True, [fixed(row["statistic"], 3) for row in rows]),
        Column("p", True, [shown_p(row["p_value"], found.alpha) for row in rows]),
        Column("eta^2", True, [fixed(row["partial_eta_squared"], 4) for row in rows], minor=2),
        Column("omega^2", True, [fixed(row["partial_omega_squared"], 4) for row in rows]),
        Column(
            f"{1 - found.alpha:.12g} interval",
            True,
            [interval(row["effect_low"], row["effect_high"]) for row in rows],
        ),
    ]
    if len(found.schemes) > 1:
        columns = [Column("scheme", False, [row["scheme"] for row in rows]), *columns]
    scores = ", ".join(f"{number:,} by {scheme}" for scheme, number in found.scores.items())
    told = [
        f"Analysis of variance, type {found.sums_of_squares} sums of squares, of {found.formula}",
        f"Scores: {scores}",
        "Topics and all other factors are fixed effects: the results hold for these topics, not "
        "for a population of topics. Errors are assumed to be independent and normal, with one "
        "variance",
        "Effect sizes are partial. The interval is for the population proportion of variance, "
        "which omega^2 estimates with less bias than eta^2",
        f"* marks p <= {written(found.alpha)}, for each term separately",
    ]
    notes = [as_sentence(note, found.schemes) for note in found.notes]
    return Captioned("", "", columns).with_caption("Analysis of variance", *told, *notes)


def encode_anova(found: Anova, path: Path) -> bytes:
    """Return an analysis of variance as the content of a file; see `encode_table`."""
    shown = of_anova(found)
    details = {
        "caption": shown.caption,
        "formula": str(found.formula),
        "sums_of_squares": found.sums_of_squares,
        "alpha": found.alpha,
        "scores": found.scores,
        "fitted_to": found.fitted_to,
        "notes": found.notes,
    }
    return encode_table(path, found.table, [shown], details)
