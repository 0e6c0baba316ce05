"""The distributions, under the name that plug-ins and papers' code import them by.

They stand in `cdfscore.schemes`, and this is another door to it.
"""

from __future__ import annotations

from typing import Any

from cdfscore import schemes


def __getattr__(name: str) -> Any:
    """Return the scheme `name`, as for ``from cdfscore.distributions import Normal``."""
    return getattr(schemes, name)
