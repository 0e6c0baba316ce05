"""Table of systems for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd


def system_table(means: pd.DataFrame, *, title: str, rows: int) -> Table:
    """Lay out system means: the first `rows` systems by the first column, best first.

    `means` has one row per system and one column per scheme. Each mean is shown with the rank
    of the system; tied systems have the best rank of the tie.
    """
    ranks = means.rank(ascending=False, method="min").astype(int)
    cells = means.map("{:.4f}".format) + ranks.map(" {:3d}".format)
    order = means.iloc[:, 0].sort_values(ascending=False, kind="stable").index[:rows]
    table = Table("system", title=title, title_justify="left")
    for name in means.columns:
        table.add_column(f"{name} rank", justify="right", no_wrap=True)
    for system in order:
        table.add_row(str(system), *cells.loc[system])
    return table
