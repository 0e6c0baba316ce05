"""Comparison as a LaTeX table, which needs the package booktabs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cdfscore.io.text import printable
from cdfscore.report.comparison_caption import caption
from cdfscore.report.comparison_cells import NO_NUMBER, Column, columns

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

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


def as_latex(comparison: Comparison) -> str:
    """Return a table environment with its caption."""
    shown = columns(comparison)
    cells = [[_cell(column, text) for text in column.cells] for column in shown]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(printable(caption(comparison)))}}}",
        rf"\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in shown)}}}",
        r"\toprule",
        rf"{' & '.join(escaped(column.header) for column in shown)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in zip(*cells, strict=True)),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Escape text for LaTeX."""
    return re.sub("-(?=-)", "-{}", text.translate(_ESCAPED))  # "--" is a longer dash


def _cell(column: Column, text: str) -> str:
    if not column.numeric or text == NO_NUMBER:
        return escaped(text)
    number = text.replace("*", "^{*}").replace("inf", r"\infty")
    return f"${number}$"
