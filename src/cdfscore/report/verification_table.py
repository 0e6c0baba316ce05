"""Verification as a table: one row per quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from cdfscore.io.text import printable

if TYPE_CHECKING:
    import pandas as pd


def verification_table(rows: pd.DataFrame) -> Table:
    """Return the result of `cdfscore.verify` as a table: differences, and where the largest is."""
    table = Table(box=None, pad_edge=False)
    table.add_column("quantity", no_wrap=True)
    names = ("count", "largest abs", "largest rel", "ulp", "allowed ulp", "Python", "R")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("at", no_wrap=True)
    of_no_system = set(rows.attrs["further"])
    for row in rows.to_dict("records"):
        place = row["system"] if row["quantity"] in of_no_system else f"system {row['system']}"
        if row["topic"]:
            place = f"topic {row['topic']}, {place}"
        where = f"{row['python']:.17g}", f"{row['r']:.17g}", Text(printable(place))
        table.add_row(
            row["quantity"],
            str(row["count"]),
            f"{row['max_abs']:.3g}",
            f"{row['max_rel']:.3g}",
            f"{row['max_ulp']:.4g}",
            f"{row['allowed_ulp']:.4g}",
            *(where if row["max_ulp"] else ()),
        )
    return table
