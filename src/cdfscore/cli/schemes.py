"""``cdfscore schemes``: list of the schemes."""

from __future__ import annotations

import dataclasses

from cdfscore.cli.terminal import show


def schemes() -> None:
    """List the schemes: formula, settings with their defaults, and source.

    Example: cdfscore schemes
    """
    from cdfscore.schemes.registry import schemes as members

    for name in members.names():
        scheme = members.load(name)()
        kind = "cdf" if scheme.is_cdf else "linear"
        settings = ", ".join(
            f"{field.name}={getattr(scheme, field.name)}" for field in dataclasses.fields(scheme)
        )
        show(
            f"{name} ({kind})",
            f"    {scheme.formula}",
            f"    settings: {settings or 'none'}",
            f"    source: {scheme.source}",
        )
