"""Conversion of values to JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def plain(value: object) -> object:
    """Replace NaN by null and infinite numbers by "Infinity", and make keys text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value


def records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows of a table, with None for a missing count."""
    import pandas as pd

    counts = [name for name, kind in table.dtypes.items() if kind == pd.Int64Dtype()]
    found = table.astype(dict.fromkeys(counts, object))
    rows: list[dict[Any, Any]] = found.replace({pd.NA: None}).to_dict("records")
    return rows
