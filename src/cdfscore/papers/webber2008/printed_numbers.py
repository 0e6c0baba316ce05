"""Numbers printed in the paper, and their comparison with computed ones."""

from __future__ import annotations

import csv
import math
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


class Printed(NamedTuple):
    """Number in a table, a figure or the text, and its place.

    `value` is text, so that the number of digits is known. `words` are those it is printed
    with; where they say less or more than its digits do, as "almost" does, `low` and `high`
    are what they are taken to cover: what rounds to the number, on the side that they name,
    with 15% and 50% in steps of 5. `needs` names the unpublished data that the number
    needs, and is empty if it can be computed. `note` says what was computed instead, or which
    reading gives the printed number.

    Pages are those of the proceedings, 51 to 58. They were told from the paper's text, in
    which tables and figures stand where they break a sentence, at the top of a column, and
    which has no page numbers; a number at the end of a page may be on the next.
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
        """Range of values that the printed number stands for, by its words or by rounding."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        half = 0.5 * 10.0**-self.digits
        return float(self.value) - half, float(self.value) + half


def printed() -> list[Printed]:
    """Return all numbers, from the file ``printed.csv`` beside this one.

    Examples
    --------
    >>> table3 = [p for p in printed() if p.place == "Table 3"]
    >>> table3[0].row, table3[0].column, table3[0].value
    ('T7.adh', 'T8.adh', '0.627')
    """
    text = (files(__package__) / "printed.csv").read_text(encoding="utf-8")
    return [_parsed(line) for line in csv.DictReader(text.splitlines())]


def _parsed(line: dict[str, str]) -> Printed:
    low, high = (float(line[name]) if line[name] else None for name in ("low", "high"))
    texts = {name: line[name] for name in ("place", "row", "column", "value", "words")}
    return Printed(
        **texts, page=int(line["page"]), low=low, high=high, needs=line["needs"], note=line["note"]
    )


def status(number: Printed, computed: float) -> str:
    """Return the result of comparing a computed number with the printed one.

    "equal"     every printed digit comes out
    "as worded" it is within `low` and `high`, for a number that is printed with words
    "differs"   neither
    "in part"   it was computed from some of what it needs, and is not to be compared
    "needs ..." it cannot be computed: NaN
    """
    if number.needs:
        return f"needs {number.needs}" if math.isnan(computed) else "in part"
    if number.low is not None:
        low, high = number.covered
        return "as worded" if low <= computed <= high else "differs"
    return "equal" if f"{computed:.{number.digits}f}" == number.value else "differs"


def beside(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return a table with one line per number: labels, computed, printed, status, page."""
    import pandas as pd

    rows = [
        (n.place, n.row, n.column, c, n.value, status(n, c), n.page)
        for n, c in zip(numbers, computed, strict=True)
    ]
    columns = ["place", "row", "column", "computed", "printed", "status", "page"]
    return pd.DataFrame(rows, columns=columns)


def beside_in_words(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return `beside` with the words around each number: words, low, high, and a note.

    If a number was computed in part, its note says what the rest needs.
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
