"""Spelling of arguments in messages: keywords of Python, or options of the command line.

Results have notes for both, which name a policy without a spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Returns an option for the name of an argument and its values, or None if there is no such option.
Speller = Callable[[str, tuple[object, ...]], str | None]

_spellers: list[Speller] = []


def argument(name: str, *values: object, shown: Callable[[object], str] = repr) -> str:
    """Return an argument as the user types it, with a value, or with several to choose from.

    `shown` makes text of values for a keyword.

    Examples
    --------
    >>> argument("missing", "omit", "zero", "drop_topic")
    "missing='omit', 'zero' or 'drop_topic'"
    """
    option = _spellers[-1](name, values) if _spellers else None
    return option or (f"{name}={alternatives([shown(value) for value in values])}")


def option(name: str) -> str:
    """Return the name of an argument without a value, as the user types it.

    Examples
    --------
    >>> option("topic_column")
    'topic_column'
    """
    return (_spellers[-1](name, ()) if _spellers else None) or name


def as_keywords(name: str, values: tuple[object, ...]) -> None:
    """Spell no argument as an option: a `Speller` for what a file says."""


@contextmanager
def spelled_by(speller: Speller) -> Iterator[None]:
    """Spell arguments by `speller`, as the command line does while a command runs."""
    _spellers.append(speller)
    try:
        yield
    finally:
        _spellers.pop()


def alternatives(names: list[str]) -> str:
    """List names to choose from.

    Examples
    --------
    >>> alternatives(["a", "b", "c"]), alternatives(["a"])
    ('a, b or c', 'a')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
