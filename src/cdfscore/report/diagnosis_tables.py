"""Tables of a diagnosis and its sensitivity for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from cdfscore.report import diagnosis_cells as cells
from cdfscore.report.captioned import Captioned

if TYPE_CHECKING:
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis


def summary_table(diagnosis: Diagnosis) -> Table:
    """Lay out `cells.summary`."""
    return _table(cells.summary(diagnosis))


def sensitivity_table(sensitivity: Sensitivity) -> Table:
    """Lay out `cells.agreement`."""
    return _table(cells.agreement(sensitivity))


def moves_table(sensitivity: Sensitivity) -> Table:
    """Lay out `cells.moves`."""
    return _table(cells.moves(sensitivity))


def _table(table: Captioned) -> Table:
    found = Table(title=table.caption, title_justify="left", box=None, pad_edge=False)
    for column in table.columns:
        found.add_column(column.header, justify="right" if column.numeric else "left", no_wrap=True)
    for row in table.rows():
        found.add_row(*map(Text, row))
    return found
