"""The schemes under another module name, for code that imports `cdfscore.distributions`.

They are defined in `cdfscore.schemes`.
"""

from __future__ import annotations

from typing import Any

from cdfscore import schemes

__all__ = schemes.__all__


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    """Return the scheme `name`, as for ``from cdfscore.distributions import Normal``."""
    # With its ``__path__``, its modules would be imported anew, and each class made twice.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(schemes, name)
