"""What a command tells before it is done: memory that a result takes, and that code is compiled."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable

from cdfscore.errors import CdfscoreError, CdfscoreWarning

#: Bytes of a pair of systems in a comparison and its file, and in a table of contrasts.
OF_A_PAIR = 2_400
# Bytes from which on the user is told.
_MANY = 2e9
#: What tells the user; and what was told in this process already.
_say: list[Callable[[str], None]] = []
_told: set[str] = set()


def tell_by(say: Callable[[str], None]) -> None:
    """Have a function called with what is to be told; without one there are warnings."""
    _say[:] = [say]


def tell(text: str, *, warn: bool = True) -> None:
    """Tell the user once in a process; if nothing is there that tells, `warn`."""
    if text not in _told and (_say or warn):
        _told.add(text)
        if _say:
            _say[0](text)
        else:
            warnings.warn(text, CdfscoreWarning, stacklevel=2)


def check_memory(what: str, size: float, instead: str) -> None:
    """Raise `CdfscoreError` for what takes more bytes than the machine has; tell of 2 GB or more.

    Examples
    --------
    >>> check_memory("45 pairs", 45 * OF_A_PAIR, "expected fewer")
    >>> check_memory("10^12 pairs", 1e15, "expected fewer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cdfscore.errors.CdfscoreError: 10^12 pairs take up to 1,000,000 GB of memory, ...
    """
    takes = f"{what} take up to {size / 1e9:,.0f} GB of memory"
    if size > (most := _memory()):
        raise CdfscoreError(f"{takes}, and there are {most / 1e9:,.0f}; {instead}")
    if size >= _MANY:
        tell(f"{takes}; if that is too much: {instead}")


def _memory() -> float:
    """Return the bytes of the machine; infinite where it does not say."""
    if hasattr(os, "sysconf"):
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    return math.inf
