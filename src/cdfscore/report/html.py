"""Comparison as a stand-alone HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from cdfscore.io.text import printable
from cdfscore.report.comparison_caption import caption
from cdfscore.report.comparison_cells import columns

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

_STYLE = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "caption{text-align:left;padding-bottom:.8em;max-width:60em}"
    "th,td{padding:.2em .7em;text-align:left}thead{border-bottom:1px solid}"
    ".number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)


def as_html(comparison: Comparison) -> str:
    """Return a page with a table and its caption, without scripts or external files."""
    shown = columns(comparison)
    kinds = [' class="number"' if column.numeric else "" for column in shown]
    heads = [
        f'<th scope="col"{kind}>{escape(column.header)}</th>'
        for column, kind in zip(shown, kinds, strict=True)
    ]
    cells = (
        [f"<td{kind}>{escape(text)}</td>" for text in column.cells]
        for column, kind in zip(shown, kinds, strict=True)
    )
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8"><title>Comparison of systems</title>',
        f"<style>{_STYLE}</style></head>",
        "<body><table>",
        f"<caption>{escape(printable(caption(comparison)))}</caption>",
        f"<thead>{_row(heads)}</thead>",
        "<tbody>",
        *map(_row, zip(*cells, strict=True)),
        "</tbody>",
        "</table></body></html>",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"
