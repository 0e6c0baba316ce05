"""Results as text and files: what a result gives, and what each format makes of it.

A result gives tables for readers, tables for a paper, and numbers for programs, and any format
writes any result. The module of this package that has the name of the result's own package
registers what it gives; it is imported when one of its results is written first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore._version import __version__
from cdfscore.io.files import check_ending
from cdfscore.io.tables import DELIMITERS, encode_frame
from cdfscore.io.text import json_of, printable
from cdfscore.report.latex import as_latex
from cdfscore.report.tables import Captioned, records

if TYPE_CHECKING:
    import pandas as pd

_MODULES = ("comparison", "diagnosis", "models", "standardization")
# Rows of a table in a notebook.
_ROWS = 20
# Rows of JSON at a time, as their dictionaries take ten times the memory of their text.
_BLOCK = 1 << 14
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


def _registered(give: Any, result: object) -> Any:
    """Return the function that the module of a result registers; None if there is none."""
    room = type(result).__module__.removeprefix("cdfscore.").partition(".")[0]
    if room in _MODULES:
        import_module(f"cdfscore.report.{room}")
    found = give.dispatch(type(result))
    return None if found is give.dispatch(object) else found


@singledispatch
def tables_of(result: object) -> list[Captioned]:
    """Return the tables of a result, each with its caption."""
    if (given := _registered(tables_of, result)) is None:
        raise NotImplementedError(f"there is no table of {type(result).__name__}")
    found: list[Captioned] = given(result)
    return found


@singledispatch
def paper_tables_of(result: object) -> list[Captioned]:
    """Return the tables for a paper: those of `tables_of`, if the result has no others."""
    found: list[Captioned] = (_registered(paper_tables_of, result) or tables_of)(result)
    return found


@singledispatch
def numbers_of(result: object) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the table of a result with all digits, and what describes the result."""
    found: tuple[pd.DataFrame, dict[str, Any]] = _registered(numbers_of, result)(result)
    return found


def encode(result: object, path: Path) -> bytes:
    """Return a result as the content of a file, in the format of its ending.

    CSV, TSV and JSON have all numbers with all digits; LaTeX, Markdown and HTML are for readers,
    with captions and rounded numbers. Raises `OutputError` for another ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending in DELIMITERS:
        return encode_frame(numbers_of(result)[0], DELIMITERS[ending])
    return (as_json(result) if ending == ".json" else text_of(result, ending)).encode()


def text_of(result: object, ending: str) -> str:
    """Return the tables of a result in the format of an ending of `FORMATS`."""
    return FORMATS[ending]((paper_tables_of if ending == ".tex" else tables_of)(result))


def fragment_of(result: object) -> str:
    """Return HTML for a notebook, with the first rows of each table."""
    inner = "\n".join(_table(each.shortened(_ROWS)) for each in tables_of(result))
    return f'<div class="cdfscore"><style>{_IN_NOTEBOOK}</style>\n{inner}</div>\n'


def as_json(result: object) -> str:
    """Return a description and all numbers; null if missing, "Infinity" if unbounded."""
    table, details = numbers_of(result)
    blocks = (table.iloc[start : start + _BLOCK] for start in range(0, len(table), _BLOCK))
    # "[", rows and "]" of each block, one space further in; within text there is no line break.
    rows = ",".join(json_of(plain(records(block)))[1:-2] for block in blocks)
    inner = rows.replace("\n", "\n ") + "\n " if rows else ""
    content = json_of(plain({"cdfscore": __version__, **details}))
    return f'{content[:-2]},\n "rows": [{inner}]\n}}\n'


def plain(value: object) -> object:
    """Replace NaN by null and infinite numbers by "Infinity", and make keys text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value


def as_page(tables: Sequence[Captioned]) -> str:
    """Return a page with tables and their captions, without scripts or external files."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head><meta charset="utf-8"><title>{escape(printable(tables[0].title))}</title>',
        f"<style>{_STYLE}</style></head>",
        "<body>" + "\n".join(map(_table, tables)) + "</body></html>",
    ]
    return "\n".join(lines) + "\n"


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


#: Formats for readers by the ending of the file.
FORMATS: dict[str, Callable[[Sequence[Captioned]], str]] = {
    ".tex": as_latex,
    ".md": as_markdown,
    ".html": as_page,
}
#: Endings of files of a result.
ENDINGS = (*DELIMITERS, ".json", *FORMATS)
