"""``cdfscore schemes``: list of the schemes."""

from __future__ import annotations

import dataclasses

import typer


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
        typer.echo(f"{name} ({kind})")
        typer.echo(f"    {scheme.formula}")
        typer.echo(f"    settings: {settings or 'none'}")
        typer.echo(f"    source: {scheme.source}")
