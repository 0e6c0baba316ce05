"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cdfscore.io.text import printable
from cdfscore.report.captioned import Captioned

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|&~$"})


def as_markdown(tables: Sequence[Captioned]) -> str:
    """Return each caption and its pipe table."""
    return "\n".join(map(_table, tables))


def _table(table: Captioned) -> str:
    lines = [
        _escaped(printable(table.caption)),
        "",
        _row(_escaped(printable(column.header)) for column in table.columns),
        _row("---:" if column.numeric else "---" for column in table.columns),
        *(_row(map(_escaped, row)) for row in table.rows()),
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
