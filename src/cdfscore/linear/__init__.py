"""The linear schemes, which are no cdf: one file and one R twin each."""

from __future__ import annotations

from typing import Any


def __getattr__(symbol: str) -> Any:
    """Import a scheme when it is asked for, ``from cdfscore.linear import Z``."""
    from cdfscore.catalogue import member_of

    return member_of(__name__, symbol)
