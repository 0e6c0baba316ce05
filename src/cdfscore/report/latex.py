"""Tables as LaTeX, which need the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cdfscore.io.text import printable
from cdfscore.report.captioned import NO_NUMBER, Captioned, Column

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
    """Return a table environment with its caption for each table."""
    return "\n".join(map(_table, tables))


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub("-(?=-)", "-{}", text.translate(_ESCAPED))  # "--" is a longer dash


def _table(table: Captioned) -> str:
    kinds = "".join("r" if column.numeric else "l" for column in table.columns)
    rows = (
        " & ".join(_cell(column, text) for column, text in zip(table.columns, row, strict=True))
        for row in table.rows()
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(printable(table.caption))}}}",
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        rf"{' & '.join(escaped(printable(column.header)) for column in table.columns)} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(column: Column, text: str) -> str:
    if not column.numeric or text == NO_NUMBER:
        return escaped(text)
    number = text.replace("*", "^{*}").replace("inf", r"\infty")
    powers = re.sub(r"e([-+])0*(\d+)", _power, number)
    return f"${powers}$"


def _power(found: re.Match[str]) -> str:
    sign = found[1].replace("+", "")
    return rf" \times 10^{{{sign}{found[2]}}}"
