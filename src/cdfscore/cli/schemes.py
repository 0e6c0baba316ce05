"""``cdfscore schemes``: list of the schemes."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from cdfscore.cli.terminal import show


def schemes(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Only these schemes, such as normal or N-std."),
    ] = None,
) -> None:
    """List the schemes, with formula, settings and source.

    Example: cdfscore schemes empirical
    """
    from cdfscore.cli import permitted
    from cdfscore.schemes.base import parse_scheme
    from cdfscore.schemes.base import schemes as members

    chosen = [parse_scheme(name).name for name in names] if names else members.names()
    for name in chosen:
        scheme = members.load(name)()
        kind = "cdf" if scheme.is_cdf else "linear"
        defaults = {each.name: getattr(scheme, each.name) for each in dataclasses.fields(scheme)}
        settings = ", ".join(f"{key}={default}" for key, default in defaults.items())
        show(
            f"{name} ({kind})",
            f"    {scheme.formula}",
            f"    settings: {settings or 'none'}",
            *permitted.lines(permitted.of_scheme(type(scheme)), defaults),
            f"    source: {scheme.source}",
        )
