"""Encoding of a mixed model, in the format of the ending of the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.models.formula import name_of
from cdfscore.report.json_values import records
from cdfscore.report.mixed_cells import of_mixed_model
from cdfscore.report.table_export import encode_table

if TYPE_CHECKING:
    from cdfscore.models.mixed.result import MixedModel


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
