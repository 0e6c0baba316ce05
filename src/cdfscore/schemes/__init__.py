"""The distributions: one file and one R twin a family."""

from __future__ import annotations

from typing import Any


def __getattr__(symbol: str) -> Any:
    """Import a family when it is asked for, ``from cdfscore.distributions import Normal``."""
    from cdfscore.catalogue import member_of

    return member_of(__name__, symbol)
