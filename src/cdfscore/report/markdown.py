"""Comparison as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cdfscore.io.text import printable
from cdfscore.report.comparison_caption import caption
from cdfscore.report.comparison_cells import columns

if TYPE_CHECKING:
    from cdfscore.comparison.comparison import Comparison

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|&~$"})


def as_markdown(comparison: Comparison) -> str:
    """Return the caption and a pipe table."""
    shown = columns(comparison)
    cells = ([_escaped(text) for text in column.cells] for column in shown)
    lines = [
        _escaped(printable(caption(comparison))),
        "",
        _row(_escaped(column.header) for column in shown),
        _row("---:" if column.numeric else "---" for column in shown),
        *map(_row, zip(*cells, strict=True)),
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
