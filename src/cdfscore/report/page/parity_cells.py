"""Comparison with R as a table for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.report.captioned import Captioned, Column

if TYPE_CHECKING:
    import pandas as pd


def parity_table(rows: pd.DataFrame) -> Captioned:
    """Return one row per quantity: the largest differences, and whether they are allowed."""
    numbers = {
        "largest difference": ("max_abs", ".3g"),
        "relative": ("max_rel", ".3g"),
        "in ulp": ("max_ulp", ".4g"),
        "allowed ulp": ("allowed_ulp", ".4g"),
    }
    columns = [
        Column("quantity", False, list(rows["quantity"])),
        Column("count", True, list(map(str, rows["count"]))),
        *(
            Column(header, True, [format(value, form) for value in rows[name]])
            for header, (name, form) in numbers.items()
        ),
        Column("agrees", False, [f"NO, {how}" if how else "yes" for how in rows["differs"]]),
        Column("reason for the tolerance", False, list(rows["reason"])),
    ]
    return Captioned("", "", columns).with_caption(
        "Agreement with R",
        f"Differences between cdfscore and {rows.attrs['r_version']} in scores, means and tests",
        "An ulp (unit in the last place) is the distance to the next double-precision number",
    )
