"""Names of files: in messages, and by their endings."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cdfscore.errors import OutputError


def source_name(path: str | Path) -> str:
    """Return the name of an input for a message; ``-`` is standard input."""
    return "standard input" if str(path) == "-" else str(path)


def check_ending(path: str | Path, endings: Collection[str]) -> str:
    """Return the ending of `path` in lower case; raises `OutputError` if it is another.

    Examples
    --------
    >>> check_ending("scores.CSV", [".csv", ".tsv"])
    '.csv'
    """
    found = Path(path).suffix
    if found.lower() not in endings:
        *others, last = filter(None, endings)
        raise OutputError(f"{path} ends in {found!r}; expected {', '.join(others)} or {last}")
    return found.lower()
