"""What is said of compilation by numba: that it begins, which may take 20 s, and is not kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from cdfscore.errors import CdfscoreWarning, OutputError

_to_call: list[Callable[[], None]] = []
_to_tell: list[Callable[[str], None]] = []
_not_kept: list[str] = []


def before_compiling(call: Callable[[], None]) -> None:
    """Have a function called once in this process, before the first compilation."""
    _to_call.append(call)


def begins() -> None:
    """Call the functions, each once."""
    while _to_call:
        _to_call.pop()()


def is_announced() -> None:
    """Call no function: the user has asked for the compilation."""
    _to_call.clear()


def when_not_kept(tell: Callable[[str], None]) -> None:
    """Have a function told why what is compiled cannot be kept; without one there is a warning."""
    if tell not in _to_tell:
        _to_tell.append(tell)


def is_not_kept(reason: str) -> None:
    """Tell, once in this process, that what is compiled cannot be kept for the next."""
    if _not_kept:
        return
    text = (
        f"numba cannot keep its compiled code, so that each process compiles again ({reason}); "
        "the environment variable NUMBA_CACHE_DIR can name another folder for it"
    )
    _not_kept.append(text)
    if not _to_tell:
        warnings.warn(text, CdfscoreWarning, stacklevel=2)
    for tell in _to_tell:
        tell(text)


def require_kept() -> None:
    """Raise `OutputError` if something that this process has compiled could not be kept."""
    if _not_kept:
        raise OutputError(_not_kept[0])
