"""Verification as a table: one row per quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.report.captioned import Captioned, Column

if TYPE_CHECKING:
    import pandas as pd


def verification_table(rows: pd.DataFrame) -> Captioned:
    """Return the result of `cdfscore.verify` as a table: differences, and where the largest is."""
    names = ("count", "largest abs", "largest rel", "ulp", "allowed ulp", "Python", "R")
    columns = [
        Column("quantity", False, []),
        *(Column(name, True, []) for name in names),
        Column("at", False, []),
    ]
    of_no_system = set(rows.attrs["further"])
    for row in rows[rows["max_ulp"].notna()].to_dict("records"):
        place = row["system"] if row["quantity"] in of_no_system else f"system {row['system']}"
        if row["topic"]:
            place = f"topic {row['topic']}, {place}"
        where = f"{row['python']:.17g}", f"{row['r']:.17g}", place
        cells = (
            row["quantity"],
            str(row["count"]),
            f"{row['max_abs']:.3g}",
            f"{row['max_rel']:.3g}",
            f"{row['max_ulp']:.4g}",
            f"{row['allowed_ulp']:.4g}",
            *(where if row["max_ulp"] else ("", "", "")),
        )
        for column, cell in zip(columns, cells, strict=True):
            column.cells.append(cell)
    return Captioned("", "", columns)


def differences_table(rows: pd.DataFrame) -> Captioned:
    """Return the differences of published tables from the numbers of R, as a table."""
    names = {"table": "table"} if rows["table"].nunique() > 1 else {}
    names |= {"row": "row", "column": "column"}
    names |= {"published": "in the table", "anew": "computed anew"}
    return Captioned("", "", [Column(names[own], False, list(rows[own])) for own in names])
