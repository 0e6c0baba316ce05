"""Tables as LaTeX, which name the packages that they need, such as booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdfscore.io.text import printable
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column
from cdfscore.report.latex_layout import Layout, layout_of, pieces, words

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
    lines = (_long if layout.lines > _PAGE else _short)(layout, caption, header, rows)
    return "\n".join(lines) + "\n"


def _short(layout: Layout, caption: str, header: str, rows: Sequence[str]) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        layout.size,
        caption,
        rf"\begin{{tabular}}{{{layout.columns}}}",
        r"\toprule",
        rf"{header} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _long(layout: Layout, caption: str, header: str, rows: Sequence[str]) -> list[str]:
    """Return a table that continues on the next page, with its header."""
    head = [r"\toprule", rf"{header} \\", r"\midrule"]
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
        *(rf"{row} \\" for row in rows),
        r"\end{longtable}}",
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
