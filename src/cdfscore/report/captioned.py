"""Tables of text with captions, for LaTeX, Markdown, HTML and a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cdfscore.io.text import capitalized, printable

if TYPE_CHECKING:
    import pandas as pd

#: Text for a missing number.
NO_NUMBER = "-"


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
        ended = (s if s.endswith((".", "?", "!")) else f"{s}." for s in sentences)
        return replace(self, title=title, caption=" ".join(ended))

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


def as_sentence(note: str, schemes: Iterable[str] = ()) -> str:
    """Return a note with a capital, unless it begins with the name of a scheme."""
    named = note.startswith(tuple(f"{scheme}{mark}" for scheme in schemes for mark in ":,"))
    return note if named else capitalized(note)


def plain(value: object) -> object:
    """Replace NaN by null and infinite numbers by "Infinity", and make keys text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value


def records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows of a table, with None for a missing count."""
    import pandas as pd

    counts = [name for name, kind in table.dtypes.items() if kind == pd.Int64Dtype()]
    found = table.astype(dict.fromkeys(counts, object))
    rows: list[dict[Any, Any]] = found.replace({pd.NA: None}).to_dict("records")
    return rows
