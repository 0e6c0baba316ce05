"""Spelling of arguments in messages: keywords of Python, or options of the command line.

Notes of results are the same in both, and name policies without these spellings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Returns an option for the name of an argument and its values, or None if there is no such option.
Speller = Callable[[str, tuple[object, ...]], str | None]

#: Of each thread, so that a command in one changes no message of another.
_speller: ContextVar[Speller | None] = ContextVar("_speller", default=None)


def argument(name: str, *values: object, shown: Callable[[object], str] = repr) -> str:
    """Return an argument as the user types it, with one value or several alternatives.

    `shown` formats the values of a keyword.

    Examples
    --------
    >>> argument("missing", "omit", "zero", "drop_topic")
    "missing='omit', 'zero' or 'drop_topic'"
    """
    return _spelled(name, values) or f"{name}={alternatives([shown(each) for each in values])}"


def option(name: str) -> str:
    """Return the name of an argument without a value, as the user types it.

    Examples
    --------
    >>> option("topic_column")
    'topic_column'
    """
    return _spelled(name, ()) or name


def offered(name: str) -> bool:
    """Tell whether the user may give an argument here; a command has no option for some."""
    speller = _speller.get()
    return speller is None or speller(name, ()) is not None


def check_one_of(
    name: str, value: object, accepted: Collection[str], error: type[Exception]
) -> None:
    """Raise `error` for a value of an argument that is none of the accepted ones.

    Examples
    --------
    >>> check_one_of("unfitted", "zero", ("raise", "nan"), ValueError)
    Traceback (most recent call last):
        ...
    ValueError: unfitted='zero' is not accepted; expected one of raise, nan
    """
    if value not in accepted:
        raise error(
            f"{argument(name, value)} is not accepted; expected one of {', '.join(accepted)}"
        )


def as_keywords(name: str, values: tuple[object, ...]) -> None:
    """Spell no argument as an option: a `Speller` for text in files."""


@contextmanager
def spelled_by(speller: Speller) -> Iterator[None]:
    """Spell arguments by `speller`, as the command line does while a command runs."""
    before = _speller.set(speller)
    try:
        yield
    finally:
        _speller.reset(before)


def as_here() -> Callable[[], None]:
    """Return a function that gives another thread the speller of this thread."""
    speller = _speller.get()

    def spell() -> None:
        _speller.set(speller)

    return spell


def _spelled(name: str, values: tuple[object, ...]) -> str | None:
    speller = _speller.get()
    return None if speller is None else speller(name, values)


def alternatives(names: list[str]) -> str:
    """List alternatives.

    Examples
    --------
    >>> alternatives(["a", "b", "c"]), alternatives(["a"])
    ('a, b or c', 'a')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
