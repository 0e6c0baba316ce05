"""The numbers that the paper prints, and how one that was computed compares with one of them."""

from __future__ import annotations

import csv
import math
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


class Printed(NamedTuple):
    """A number of a table, a figure or the text, and where it stands.

    `value` is text, so that the number of digits is known. `needs` says what it takes that
    has not been published with the scores, and is empty for what can be computed.

    Pages are those of the proceedings, 51 to 58. They were told from the paper's text, in
    which tables and figures stand where they break a sentence, at the top of a column, and
    which has no page numbers; a number at the end of a page may be on the next.
    """

    place: str
    page: int
    row: str
    column: str
    value: str
    needs: str

    @property
    def digits(self) -> int:
        """The number of decimals."""
        return len(self.value.partition(".")[2])


def printed() -> list[Printed]:
    """Return all numbers, from the file ``printed.csv`` beside this one.

    Examples
    --------
    >>> table3 = [p for p in printed() if p.place == "Table 3"]
    >>> table3[0].row, table3[0].column, table3[0].value
    ('T7.adh', 'T8.adh', '0.627')
    """
    text = (files(__package__) / "printed.csv").read_text(encoding="utf-8")
    return [
        Printed(place, int(page), *cells)
        for place, page, *cells in list(csv.reader(text.splitlines()))[1:]
    ]


def status(number: Printed, computed: float) -> str:
    """Return "equal" where every printed digit comes out, else "differs" or what it needs."""
    if math.isnan(computed) and number.needs:
        return f"needs {number.needs}"
    return "equal" if f"{computed:.{number.digits}f}" == number.value else "differs"


def beside(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return a table with a line for each number: labels, computed, printed, status, page."""
    import pandas as pd

    rows = [
        (n.place, n.row, n.column, c, n.value, status(n, c), n.page)
        for n, c in zip(numbers, computed, strict=True)
    ]
    columns = ["place", "row", "column", "computed", "printed", "status", "page"]
    return pd.DataFrame(rows, columns=columns)
