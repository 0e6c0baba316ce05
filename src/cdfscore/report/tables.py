"""Tables of text with captions, and numbers as the text of their cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import capitalized, printable

if TYPE_CHECKING:
    import pandas as pd

#: Text for a missing number.
NO_NUMBER = "-"
#: A row of the table of a result, by the names of its columns.
Row = dict[Any, Any]


@dataclass(frozen=True)
class Column:
    """A column of text; the text of a numeric column has no letters except "inf" and "e".

    A terminal that is too narrow for a row leaves out `minor` columns, first those of level 2.
    """

    header: str
    numeric: bool
    cells: list[str]
    minor: int = 0


@dataclass(frozen=True)
class Captioned:
    """A table with its caption; `title` is a short name for places without room for the caption."""

    title: str
    caption: str
    columns: list[Column]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of each row, as printable text."""
        return zip(*(map(printable, column.cells) for column in self.columns), strict=True)

    def with_caption(self, title: str, *sentences: str) -> Captioned:
        """Return the table with another title, and with sentences as the caption."""
        return replace(self, title=title, caption=as_text(*sentences))

    def shortened(self, rows: int) -> Captioned:
        """Return the first rows, with their number in the caption if there are more."""
        count = len(self.columns[0].cells)
        if count <= rows:
            return self
        return replace(
            self,
            caption=f"{self.caption} Shown here: the first {rows} of {count:,} rows.",
            columns=[replace(column, cells=column.cells[:rows]) for column in self.columns],
        )


def as_text(*sentences: str) -> str:
    """Return sentences as a text; each ends with a mark, a full stop if it has none."""
    return " ".join(s if s.endswith((".", "?", "!")) else f"{s}." for s in sentences)


def as_sentence(note: str, schemes: Iterable[str] = ()) -> str:
    """Return a note with a capital, unless it begins with the name of a scheme."""
    named = note.startswith(tuple(f"{scheme}{mark}" for scheme in schemes for mark in ":,"))
    return note if named else capitalized(note)


def records(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, with None for a missing count."""
    import pandas as pd

    counts = [name for name, kind in table.dtypes.items() if kind == pd.Int64Dtype()]
    found = table.astype(dict.fromkeys(counts, object))
    rows: list[Row] = found.replace({pd.NA: None}).to_dict("records")
    return rows


def schemes_of(schemes: Sequence[str], rows: Sequence[Row]) -> list[Column]:
    """Return the column of schemes, which a table of one scheme does not have."""
    if len(schemes) == 1:
        return []
    return [Column("scheme", False, [printable(row["scheme"]) for row in rows])]


def shown_p(p: float, alpha: float) -> str:
    """Return a p value with three decimals, and * if it is at most alpha."""
    if math.isnan(p):
        return NO_NUMBER
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{text}*" if p <= alpha else text


def fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, or six digits from 1e9 on; zero without a sign.

    A number that is not 0 does not look like 0: it has `digits` digits instead, at least two.

    >>> fixed(0.00005, 4), fixed(0.000049, 4), fixed(-0.0, 4), fixed(2.5e9, 4)
    ('0.0001', '4.9e-05', '0.0000', '2.5e+09')
    """
    if math.isnan(value):
        return NO_NUMBER
    if abs(value) >= 1e9:
        return f"{value:.6g}"
    text = f"{value:z.{digits}f}"
    return f"{value:.{max(digits, 2)}g}" if value and not float(text) else text


def shown_score(value: float) -> str:
    """Return a score with four decimals, or with four digits if it is very small or very large."""
    if math.isnan(value):
        return NO_NUMBER
    usual = value == 0 or 1e-4 <= abs(value) < 1e6
    return f"{value:z.4f}" if usual else f"{value:.4g}"


def interval(low: float, high: float, digits: int = 4) -> str:
    """Return an interval with `digits` decimals."""
    if math.isnan(low) or math.isnan(high):
        return NO_NUMBER
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def table_of(
    caption: str, labels: Iterable[str], numbers: Iterable[str], rows: list[list[str]]
) -> Captioned:
    """Return a table with its caption as the title: columns of labels, then of numbers."""
    headers = [(name, False) for name in labels] + [(name, True) for name in numbers]
    columns = [
        Column(header, numeric, [row[i] for row in rows])
        for i, (header, numeric) in enumerate(headers)
    ]
    return Captioned(caption, caption, columns)


def cell_of(value: float | None) -> str:
    """Return a number with four decimals, or a count; a dash if it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NO_NUMBER
    return fixed(value, 4) if isinstance(value, float) else str(value)
