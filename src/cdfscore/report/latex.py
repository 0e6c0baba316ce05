"""Tables as LaTeX, which name the packages that they need, such as booktabs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from cdfscore.io.text import printable
from cdfscore.report.tables import NO_NUMBER, Captioned, Column

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

# The last letter that pdflatex can print: letters above it are not Latin.
_LATIN = "\u024f"
# Lines of a page; a longer table is a longtable.
_PAGE = 40
_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
        # At the start of a row these would be arguments of \\.
        **{character: f"{{{character}}}" for character in "[*"},
    }
)


def as_latex(tables: Sequence[Captioned]) -> str:
    """Return a table with its caption and label for each, and the packages that they need.

    Tables fit into the text of an article: names in a wide table are broken into lines. If a table
    is still too wide, a comment states it.
    """
    layouts = [layout_of(table) for table in tables]
    long = any(layout.lines > _PAGE for layout in layouts)
    broken = any(layout.breaks for layout in layouts)
    packages = ["booktabs", *(["longtable"] if long else []), *(["array"] if broken else [])]
    needed = "".join(f"% \\usepackage{{{package}}}\n" for package in packages)
    found = "\n".join(map(_table, tables, layouts))
    if max(found) > _LATIN:
        needed += (
            "% There are letters that pdflatex does not have: use lualatex or xelatex, and a font\n"
        )
    for table, layout in zip(tables, layouts, strict=True):
        if not layout.fits:
            needed += (
                f"% The table {printable(table.title)} is wider than the text of an article: turn "
                "it (package rotating), or leave columns out\n"
            )
    return needed + found


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub("-(?=-)", "-{}", text.translate(_ESCAPED))  # "--" is a longer dash


def _table(table: Captioned, layout: Layout) -> str:
    rows = [
        " & ".join(
            _cell(column, text, layout.breaks.get(i)) for i, (column, text) in enumerate(row)
        )
        for row in (zip(table.columns, texts, strict=True) for texts in table.rows())
    ]
    header = " & ".join(_header(column, dense=layout.is_dense) for column in table.columns)
    caption = rf"\caption{{{escaped(printable(table.caption))}}}{_label(table.title)}"
    return "\n".join(_lines(layout, caption, header, rows)) + "\n"


def _lines(layout: Layout, caption: str, header: str, rows: Sequence[str]) -> list[str]:
    """Return the lines of a table; one that is longer than a page continues with its header."""
    head, body = [r"\toprule", rf"{header} \\", r"\midrule"], [rf"{row} \\" for row in rows]
    if layout.lines > _PAGE:
        return [
            rf"{{{layout.size}",
            rf"\begin{{longtable}}{{{layout.columns}}}",
            rf"{caption} \\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *body,
            r"\end{longtable}}",
        ]
    return [
        r"\begin{table}",
        r"\centering",
        layout.size,
        caption,
        rf"\begin{{tabular}}{{{layout.columns}}}",
        *head,
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _label(title: str) -> str:
    """Return the label of a table, such as tab:systems, by its title."""
    name = "-".join(re.findall("[a-z0-9]+", title.lower()))
    return rf"\label{{tab:{name}}}" if name else ""


def _header(column: Column, *, dense: bool) -> str:
    """Return a header; in a dense table the header of numbers has a line for each word."""
    lines = words(printable(column.header)) if column.numeric and dense else []
    if len(lines) > 1:
        broken = r"\\".join(map(escaped, lines))
        return rf"\shortstack[r]{{{broken}}}"
    return escaped(printable(column.header))


def _cell(column: Column, text: str, width: float | None) -> str:
    """Return a cell, which is broken into lines of this width, in digits, if there is one."""
    if width is not None:
        parts = r"\allowbreak{}".join(escaped(part) for part in pieces(text, width))
        return parts.replace(r" \allowbreak{}", " ")  # a line may end at a space anyway
    if not column.numeric or text == NO_NUMBER:
        return escaped(text)
    number = text.replace("*", "^{*}").replace("inf", r"\infty")
    powers = re.sub(r"e([-+])0*(\d+)", _power, number)
    return f"${powers}$"


def _power(found: re.Match[str]) -> str:
    sign = found[1].replace("+", "")
    return rf" \times 10^{{{sign}{found[2]}}}"


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
