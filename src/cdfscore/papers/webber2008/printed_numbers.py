"""Numbers printed in the paper, and their comparison with computed ones."""

from __future__ import annotations

import csv
import math
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


#: The data that the judgments of the user supply.
JUDGMENTS = "relevance judgments"


class Printed(NamedTuple):
    """Number in a table, a figure or the text, and its place.

    `value` is text, so that the number of digits is known. `words` are printed with the number.
    Words such as "almost" change its meaning; then `low` and `high` are the range of the words:
    numbers that round to the printed one on the named side. 50% rounds in steps of 5. "Just over
    15%" ends at 16%.
    `needs` names the missing data that the number needs; it is empty if the number can be computed.
    `note` says what was computed instead, or which reading gives the printed number.

    Pages are those of the proceedings, 51 to 58. They were inferred from the paper's text, which
    has no page numbers: tables and figures interrupt a sentence at the top of a column. A number
    at the end of a page may be on the next page.
    """

    place: str
    page: int
    row: str
    column: str
    value: str
    words: str = ""
    low: float | None = None
    high: float | None = None
    needs: str = ""
    note: str = ""

    @property
    def digits(self) -> int:
        """Number of decimals."""
        return len(self.value.partition(".")[2])

    @property
    def covered(self) -> tuple[float, float]:
        """Range of values that the printed number represents, by its words or by rounding."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        half = 0.5 * 10.0**-self.digits
        return float(self.value) - half, float(self.value) + half


def printed(*, judged: bool = False) -> list[Printed]:
    """Return all printed numbers, from the file ``printed.csv`` beside this one.

    If the relevance judgments are known (`judged`), no number needs them.

    Examples
    --------
    >>> table3 = [p for p in printed() if p.place == "Table 3"]
    >>> table3[0].row, table3[0].column, table3[0].value
    ('T7.adh', 'T8.adh', '0.627')
    """
    text = (files(__package__) / "printed.csv").read_text(encoding="utf-8")
    numbers = [_parsed(line) for line in csv.DictReader(text.splitlines())]
    if not judged:
        return numbers
    return [
        n._replace(
            needs=n.needs.removeprefix(JUDGMENTS).removeprefix(", "),
            note=n.note.replace("4 of the 12 bars", "6 of the 12 bars"),
        )
        for n in numbers
    ]


def _parsed(line: dict[str, str]) -> Printed:
    low, high = (float(line[name]) if line[name] else None for name in ("low", "high"))
    texts = {name: line[name] for name in ("place", "row", "column", "value", "words")}
    return Printed(
        **texts, page=int(line["page"]), low=low, high=high, needs=line["needs"], note=line["note"]
    )


def status(number: Printed, computed: float) -> str:
    """Return the result of comparing a computed number with the printed one.

    "equal"     every printed digit is equal
    "as worded" the number is between `low` and `high`, the range of the printed words
    "differs"   neither of these
    "in part"   the number was computed from a part of the data, and cannot be compared
    "needs ..." the number cannot be computed and is NaN
    """
    if number.needs:
        return f"needs {number.needs}" if math.isnan(computed) else "in part"
    if number.low is not None:
        low, high = number.covered
        return "as worded" if low <= computed <= high else "differs"
    return "equal" if f"{computed:.{number.digits}f}" == number.value else "differs"


def beside(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return a table with one row per number: labels, computed, printed, status, page."""
    import pandas as pd

    rows = [
        (n.place, n.row, n.column, c, n.value, status(n, c), n.page)
        for n, c in zip(numbers, computed, strict=True)
    ]
    columns = ["place", "row", "column", "computed", "printed", "status", "page"]
    return pd.DataFrame(rows, columns=columns)


def beside_in_words(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return the table of `beside` with more columns: words, low, high, and a note.

    If a number was computed in part, its note names the data that the other part needs.
    """
    table = beside(numbers, computed)
    notes = [
        f"{n.note}; the rest needs {n.needs}" if part else n.note
        for n, part in zip(numbers, table["status"] == "in part", strict=True)
    ]
    return table.assign(
        words=[n.words for n in numbers],
        low=[math.nan if n.low is None else n.low for n in numbers],
        high=[math.nan if n.high is None else n.high for n in numbers],
        note=notes,
    )
