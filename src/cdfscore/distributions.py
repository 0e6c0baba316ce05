"""The distributions, under the module name that plug-ins and papers' code import.

They are defined in `cdfscore.schemes`.
"""

from __future__ import annotations

from typing import Any

from cdfscore import schemes


def __getattr__(name: str) -> Any:
    """Return the scheme `name`, as for ``from cdfscore.distributions import Normal``."""
    return getattr(schemes, name)
