"""Encoding of an analysis of variance, in the format of the ending of the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.report.anova_cells import of_anova
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    from cdfscore.models.result import Anova


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
