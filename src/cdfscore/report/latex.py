"""Tables as LaTeX, which need the packages booktabs and, above a page, longtable."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdfscore.io.text import printable
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column

# The last letter that pdflatex has: those above are not Latin.
_LATIN = "\u024f"
# Rows of a page; a table of more is a longtable.
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
    """Return a table with its caption and label for each, and the packages that they need."""
    long = any(len(table.columns[0].cells) > _PAGE for table in tables)
    packages = ["booktabs", *(["longtable"] if long else [])]
    needed = "".join(f"% \\usepackage{{{package}}}\n" for package in packages)
    found = "\n".join(map(_table, tables))
    if max(found) > _LATIN:
        needed += (
            "% There are letters that pdflatex does not have: use lualatex or xelatex, and a font\n"
        )
    return needed + found


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub("-(?=-)", "-{}", text.translate(_ESCAPED))  # "--" is a longer dash


def _table(table: Captioned) -> str:
    kinds = "".join("r" if column.numeric else "l" for column in table.columns)
    rows = [
        " & ".join(_cell(column, text) for column, text in zip(table.columns, row, strict=True))
        for row in table.rows()
    ]
    header = " & ".join(escaped(printable(column.header)) for column in table.columns)
    caption = rf"\caption{{{escaped(printable(table.caption))}}}{_label(table.title)}"
    lines = (_long if len(rows) > _PAGE else _short)(kinds, caption, header, rows)
    return "\n".join(lines) + "\n"


def _short(kinds: str, caption: str, header: str, rows: Sequence[str]) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        r"\small",
        caption,
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        rf"{header} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _long(kinds: str, caption: str, header: str, rows: Sequence[str]) -> list[str]:
    """Return a table that goes on on the next page, with its header."""
    head = [r"\toprule", rf"{header} \\", r"\midrule"]
    return [
        r"{\small",
        rf"\begin{{longtable}}{{{kinds}}}",
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


def _cell(column: Column, text: str) -> str:
    if not column.numeric or text == NO_NUMBER:
        return escaped(text)
    number = text.replace("*", "^{*}").replace("inf", r"\infty")
    powers = re.sub(r"e([-+])0*(\d+)", _power, number)
    return f"${powers}$"


def _power(found: re.Match[str]) -> str:
    sign = found[1].replace("+", "")
    return rf" \times 10^{{{sign}{found[2]}}}"
