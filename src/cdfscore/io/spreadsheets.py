"""Cells of text that a spreadsheet would run: written behind an apostrophe, and read without it.

A spreadsheet takes a cell that starts with =, +, - or @ as a formula, or what follows a tab or a
carriage return that it leaves out. A label may come from anybody, and a formula may start programs
and send cells away. Numbers are no formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from cdfscore.io.decimals import number

_RUN = re.compile("'*[=+@\t\r-]")
_BEGINNINGS = frozenset("'=+-@\t\r")

_PLAIN: ContextVar[bool] = ContextVar("plain_labels", default=False)


@contextmanager
def plain_labels() -> Iterator[None]:
    """Write labels in CSV and TSV files without the apostrophe of `guarded`, within a ``with``."""
    token = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(token)


def guarded(cells: Sequence[str]) -> list[str]:
    """Put an apostrophe before each cell that a spreadsheet would run; see `unguarded`.

    One more goes before a cell that has an apostrophe there already, so that `unguarded` gives
    every cell back; within `plain_labels`, before these alone.

    Examples
    --------
    >>> guarded(["bm25", "=1+1", "-bm25", "-0.5", "'-bm25"])
    ['bm25', "'=1+1", "'-bm25", '-0.5', "''-bm25"]
    """
    if _BEGINNINGS.isdisjoint({cell[:1] for cell in cells}):
        return list(cells)
    return [f"'{cell}" if _is_guarded(cell) else cell for cell in cells]


def unguarded(cells: Sequence[str]) -> list[str]:
    """Return what `guarded` was given: cells without an apostrophe before =, +, - or @.

    Examples
    --------
    >>> unguarded(["bm25", "'=1+1", "''-bm25", "'n'", "-bm25"])
    ['bm25', '=1+1', "'-bm25", "'n'", '-bm25']
    """
    if not any(cell[:1] == "'" for cell in cells):
        return list(cells)
    return [cell[1:] if cell[:1] == "'" and _RUN.match(cell) else cell for cell in cells]


def _is_guarded(cell: str) -> bool:
    if not _RUN.match(cell):
        return False
    return cell[0] == "'" or not (_PLAIN.get() or number(cell) is not None)
