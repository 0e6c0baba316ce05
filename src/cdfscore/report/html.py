"""Tables as HTML: a stand-alone page, or a part of a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from cdfscore.io.text import printable
from cdfscore.report.captioned import Captioned

_STYLE = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "caption{text-align:left;padding-bottom:.8em;max-width:60em}"
    "th,td{padding:.2em .7em;text-align:left}thead{border-bottom:1px solid}"
    ".number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)
# A notebook has its own style; these are the exceptions.
_IN_NOTEBOOK = (
    ".cdfscore caption{caption-side:top;text-align:left;max-width:60em}"
    ".cdfscore th,.cdfscore td{text-align:left}"
    ".cdfscore .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
)
_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|&~$"})


def as_page(tables: Sequence[Captioned]) -> str:
    """Return a page with tables and their captions, without scripts or external files."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head><meta charset="utf-8"><title>{escape(printable(tables[0].title))}</title>',
        f"<style>{_STYLE}</style></head>",
        "\n".join(
            f"<body>{_table(each)}" if i == 0 else _table(each) for i, each in enumerate(tables)
        )
        + "</body></html>",
    ]
    return "\n".join(lines) + "\n"


def as_fragment(tables: Sequence[Captioned]) -> str:
    """Return only the tables, for an existing page."""
    inner = "\n".join(map(_table, tables))
    return f'<div class="cdfscore"><style>{_IN_NOTEBOOK}</style>\n{inner}</div>\n'


def _table(table: Captioned) -> str:
    kinds = [' class="number"' if column.numeric else "" for column in table.columns]
    heads = [
        f'<th scope="col"{kind}>{escape(printable(column.header))}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    rows = (
        _row(f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row, kinds, strict=True))
        for row in table.rows()
    )
    return "\n".join(
        [
            "<table>",
            f"<caption>{escape(printable(table.caption))}</caption>",
            f"<thead>{_row(heads)}</thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
        ]
    )


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def as_markdown(tables: Sequence[Captioned]) -> str:
    """Return each caption and its pipe table."""
    return "\n".join(map(_pipe_table, tables))


def _pipe_table(table: Captioned) -> str:
    lines = [
        _escaped(printable(table.caption)),
        "",
        _pipe_row(_escaped(printable(column.header)) for column in table.columns),
        _pipe_row("---:" if column.numeric else "---" for column in table.columns),
        *(_pipe_row(map(_escaped, row)) for row in table.rows()),
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)


def _pipe_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
