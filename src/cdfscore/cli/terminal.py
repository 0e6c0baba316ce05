"""Output of commands on a terminal: notes on stderr, tables on standard output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from cdfscore.errors import OutputError
from cdfscore.io.text import printable

if TYPE_CHECKING:
    from rich.console import Console

# Width for files and pipes, so that lines are not wrapped.
_WIDTH = 1000


def say(*lines: str) -> None:
    """Print notes on stderr, with control characters escaped."""
    for line in lines:
        typer.echo(f"cdfscore: {printable(line)}", err=True)


def show(*lines: str) -> None:
    """Print lines on standard output; raises `OutputError` if it is closed."""
    _require_output()
    for line in lines:
        typer.echo(line)


def table_console() -> Console:
    """Return the console for tables on standard output; raises `OutputError` if it is closed."""
    from rich.console import Console

    _require_output()
    return Console(width=None if sys.stdout.isatty() else _WIDTH)


def _require_output() -> None:
    if sys.stdout is None:  # where the shell has closed it, >&-
        raise OutputError("standard output is closed; expected somewhere to write to")
