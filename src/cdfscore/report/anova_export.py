"""Encoding of an analysis of variance, in the format of the ending of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.report.anova_cells import of_anova
from cdfscore.report.comparison_export import ENDINGS, FORMATS
from cdfscore.report.json_values import plain, records

if TYPE_CHECKING:
    from cdfscore.models.result import Anova


def encode_anova(found: Anova, path: Path) -> bytes:
    """Return an analysis of variance as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for readers,
    with a caption and rounded numbers. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(found.table, DELIMITERS[ending])
    if ending == ".json":
        return _json(found).encode()
    return FORMATS[ending]([of_anova(found)]).encode()


def _json(found: Anova) -> str:
    content = {
        "cdfscore": __version__,
        "caption": of_anova(found).caption,
        "formula": str(found.formula),
        "sums_of_squares": found.sums_of_squares,
        "alpha": found.alpha,
        "scores": found.scores,
        "fitted_to": found.fitted_to,
        "notes": found.notes,
        "rows": records(found.table),
    }
    return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
