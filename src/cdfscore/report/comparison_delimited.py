"""A comparison as CSV or TSV: every column, every digit."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdfscore.comparison import Comparison


def as_delimited(comparison: Comparison, delimiter: str) -> str:
    """Return a row a pair; as many digits as give the same double back, NA for no number."""
    table = comparison.table
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    columns = (table[name].tolist() for name in table.columns)
    writer.writerows(map(_or_na, row) for row in zip(*columns, strict=True))
    return text.getvalue()


def _or_na(value: object) -> object:
    return "NA" if isinstance(value, float) and math.isnan(value) else value
