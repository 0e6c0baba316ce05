"""Memory that a result takes, by its size, before it is begun."""

from __future__ import annotations

import math
import os

from cdfscore.errors import CdfscoreError

#: Bytes of a pair of systems in a comparison, and in a table of contrasts.
OF_A_PAIR = 1_100


def check_memory(what: str, size: float, instead: str) -> None:
    """Raise `CdfscoreError` for what takes more bytes than the machine has.

    Examples
    --------
    >>> check_memory("45 pairs", 45 * OF_A_PAIR, "expected fewer")
    >>> check_memory("10^12 pairs", 1e15, "expected fewer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cdfscore.errors.CdfscoreError: 10^12 pairs take about 1,000,000 GB of memory, ...
    """
    if size > (most := _memory()):
        raise CdfscoreError(
            f"{what} take about {size / 1e9:,.0f} GB of memory, and there are {most / 1e9:,.0f}; "
            f"{instead}"
        )


def _memory() -> float:
    """Return the bytes of the machine; infinite where it does not say."""
    if hasattr(os, "sysconf"):
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    return math.inf
