"""A comparison as CSV or TSV: every column, every digit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cdfscore.io.text import delimited

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison


def as_delimited(comparison: Comparison, delimiter: str) -> str:
    """Return a row a pair; as many digits as give the same double back, NA for no number."""
    table = comparison.table
    columns = (table[name].tolist() for name in table.columns)
    rows = (map(_or_na, row) for row in zip(*columns, strict=True))
    return delimited([table.columns, *rows], delimiter)


def _or_na(value: object) -> object:
    return "NA" if isinstance(value, float) and math.isnan(value) else value
