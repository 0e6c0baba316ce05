"""Names of files in messages, their endings, and errors of reading them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from cdfscore.errors import CdfscoreError, OutputError
from cdfscore.spelling import alternatives


def source_name(path: str | Path) -> str:
    """Return the name of an input for a message; ``-`` is standard input."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def readable(path: str | Path, kind: type[CdfscoreError]) -> Iterator[None]:
    """Raise an error of this kind, of one sentence, where `path` cannot be read."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError for a NUL in the name
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not text in UTF-8"
        raise kind(f"{str(path) or repr(path)} cannot be read: {reason}") from error


def check_ending(path: str | Path, endings: Collection[str]) -> str:
    """Return the ending of `path` in lower case; raises `OutputError` if it is another.

    Examples
    --------
    >>> check_ending("scores.CSV", [".csv", ".tsv"])
    '.csv'
    """
    found = Path(path).suffix
    if found.lower() not in map(str.lower, endings):
        expected = f"expected {alternatives(list(filter(None, endings)))}"
        if str(path) == "-":
            raise OutputError(f"standard output is not accepted here; {expected}")
        raise OutputError(f"{path} ends in {found!r}; {expected}")
    return found.lower()
