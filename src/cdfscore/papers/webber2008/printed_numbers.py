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

    `value` is text, so that the number of digits is known. `words` are those it is printed
    with; where they say less or more than its digits do, as "almost" does, `low` and `high`
    are what they are taken to cover: what rounds to the number, on the side that they name,
    shares of 15% and 50% in steps of 5. `needs` says what it takes that has not been
    published with the scores, and is empty for what can be computed. `note` says what was
    computed instead, or which reading gives what is printed.

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
        """The number of decimals."""
        return len(self.value.partition(".")[2])

    @property
    def covered(self) -> tuple[float, float]:
        """What the number, as it is printed, stands for: its words, or what rounds to it."""
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
    """Return how a number that was computed compares with the printed one.

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
    """Return a table with a line for each number: labels, computed, printed, status, page."""
    import pandas as pd

    rows = [
        (n.place, n.row, n.column, c, n.value, status(n, c), n.page)
        for n, c in zip(numbers, computed, strict=True)
    ]
    columns = ["place", "row", "column", "computed", "printed", "status", "page"]
    return pd.DataFrame(rows, columns=columns)


def beside_in_words(numbers: list[Printed], computed: list[float]) -> pd.DataFrame:
    """Return `beside` with what the text says around a number: words, low, high, and a note.

    A number that was computed in part has in its note what the rest needs.
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
