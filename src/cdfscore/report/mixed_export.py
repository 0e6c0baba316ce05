"""Encoding of a mixed model, in the format of the ending of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.models.formula import name_of
from cdfscore.report.comparison_export import ENDINGS, FORMATS
from cdfscore.report.json_values import plain, records
from cdfscore.report.mixed_cells import of_mixed_model

if TYPE_CHECKING:
    from cdfscore.models.mixed.result import MixedModel


def encode_mixed_model(found: MixedModel, path: Path) -> bytes:
    """Return a mixed model as the content of a file, in the format of its ending.

    CSV and TSV have the tests of fixed terms and JSON all tables, with all digits; LaTeX, Markdown
    and HTML are for readers, with tests and variances, captions and rounded numbers. Raises
    `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(found.table, DELIMITERS[ending])
    if ending == ".json":
        return _json(found).encode()
    return FORMATS[ending](of_mixed_model(found)).encode()


def _json(found: MixedModel) -> str:
    content = {
        "cdfscore": __version__,
        "caption": of_mixed_model(found)[0].caption,
        "formula": str(found.formula),
        "random": [name_of(term) for term in found.random],
        "method": found.method,
        "alpha": found.alpha,
        "topics": found.topics,
        "scores": found.scores,
        "log_likelihood": found.log_likelihood,
        "fitted_to": found.fitted_to,
        "notes": found.notes,
        "rows": records(found.table),
        "variances": records(found.variances),
        "coefficients": records(found.coefficients),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
