"""Layout of a LaTeX table within the width of a page: font size and columns."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from cdfscore.io.text import printable
from cdfscore.report.captioned import Captioned

#: The text width in points for which tables are laid out: \textwidth of `article` at 10 pt. Other
#: classes with one column, and `table*` in two columns, have a larger width.
TEXT_WIDTH = 345.0
# Points of a digit of Computer Modern in \small and \footnotesize, and between columns.
_SMALL, _FOOTNOTE = 4.62, 4.25
_WIDE_SEPARATION, _NARROW_SEPARATION = 12.0, 6.0
# The narrowest column of text, in points: 7 letters.
_NARROWEST = 32.0
# Widths of letters in digits, rounded up; all others are as wide as a capital.
_WIDTHS = {
    **dict.fromkeys("ijl.,:;!|'", 0.58),
    **dict.fromkeys(' frstIz()[]/-"`J', 0.8),
    **dict.fromkeys("0123456789acego^", 1.01),
    **dict.fromkeys("bdhknpquvxy_", 1.13),
    **dict.fromkeys("mwMW%@&#", 2.06),
}
_CAPITAL = 1.57
# Letters of a name that is not broken.
_SHORT = 5
# In mathematics: a minus, a relation and the space after it, a power of ten, a raised star.
_MATHEMATICS = {"-": 1.56, "<": 1.7, " ": 0.42, "e": 4.5, "[": 0.58, "]": 0.58, "*": 0.9}


class Layout(NamedTuple):
    """The font size, the columns of a tabular, and the columns that are broken into lines.

    `breaks` has the width of a line, in digits, for each column whose text is broken into lines.
    `is_dense` is True if headers of numbers are broken too. `lines` is the approximate number of
    lines of all rows. `fits` is False if the table is still wider than the text.
    """

    size: str
    columns: str
    breaks: dict[int, float]
    is_dense: bool
    lines: int
    fits: bool


def layout_of(table: Captioned) -> Layout:
    """Return a layout within `TEXT_WIDTH`, with smaller letters and broken text if it must be."""
    kinds = ["r" if column.numeric else "l" for column in table.columns]
    natural = [
        max([_width(printable(column.header)), *_cells(column.numeric, column.cells)])
        for column in table.columns
    ]
    if sum(natural) * _SMALL + len(natural) * _WIDE_SEPARATION <= TEXT_WIDTH:
        rows = len(table.columns[0].cells)
        return Layout(r"\small", "".join(kinds), {}, is_dense=False, lines=rows, fits=True)
    widths = [
        _FOOTNOTE * max([*map(_width, words(column.header)), *_cells(True, column.cells)])
        if column.numeric
        else _FOOTNOTE * own
        for column, own in zip(table.columns, natural, strict=True)
    ]
    room = TEXT_WIDTH - len(widths) * _NARROW_SEPARATION
    room -= sum(own for own, kind in zip(widths, kinds, strict=True) if kind == "r")
    wide = [i for i, kind in enumerate(kinds) if kind == "l"]
    for i in sorted(wide, key=widths.__getitem__):  # a narrow column leaves room for the others
        if widths[i] * len(wide) > room:
            break
        room -= widths[i]
        wide.remove(i)
    share = max(room / len(wide), _NARROWEST) if wide else 0.0
    for i in wide:
        kinds[i] = rf">{{\raggedright\arraybackslash}}p{{{share / TEXT_WIDTH:.3f}\linewidth}}"
    breaks = dict.fromkeys(wide, share / _FOOTNOTE)
    lines = sum(
        max([1, *(math.ceil(_FOOTNOTE * _width(row[i]) / share) for i in wide)])
        for row in table.rows()
    )
    fits = room >= len(wide) * _NARROWEST
    size = rf"\footnotesize\setlength{{\tabcolsep}}{{{_NARROW_SEPARATION / 2:g}pt}}"
    return Layout(size, "".join(kinds), breaks, is_dense=True, lines=lines, fits=fits)


def words(header: str) -> list[str]:
    """Return a header in lines of one word; a short name such as d_av is not broken.

    >>> words("adjusted p"), words("rank_biserial_paired"), words("interval of d_z")
    (['adjusted', 'p'], ['rank_', 'biserial_', 'paired'], ['interval', 'of', 'd_z'])
    """
    return [
        part
        for word in header.split()
        for part in ([word] if len(word) <= _SHORT else re.findall("[^_]+_?", word))
    ]


def pieces(text: str, width: float) -> list[str]:
    """Return a text in parts between which a line of `width` digits may end.

    A line may end after a mark, and within words that are wider than a line. A text that fits into
    one line is not broken.

    >>> pieces("bm25_k1.2 abcdefgh", 6), pieces("bm25_k1", 9)
    (['bm25', '_', 'k1.', '2 ', 'abcde', 'fgh'], ['bm25_k1'])
    """
    if _width(text) <= width:
        return [text]
    parts = []
    for word in re.findall(r"[^\W_]+[\W_]?|[\W_]", text):
        part = ""
        for letter in word:
            if part and _width(part + letter) > width:
                parts.append(part)
                part = ""
            part += letter
        parts.append(part)
    return parts


def _cells(numeric: bool, cells: Sequence[str]) -> list[float]:
    return [_width(printable(cell), _MATHEMATICS if numeric else {}) for cell in set(cells)]


def _width(text: str, others: dict[str, float] | None = None) -> float:
    """Return about how wide a text is, in digits, and rather too much than too little."""
    widths = {**_WIDTHS, **(others or {})}
    return sum(widths.get(letter, _CAPITAL) for letter in text)
