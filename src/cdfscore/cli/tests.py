"""``cdfscore tests``: list of the significance tests."""

from __future__ import annotations

import typer


def tests() -> None:
    """List the significance tests: what they compare, settings with defaults, and source.

    Example: cdfscore tests
    """
    from cdfscore.significance.registry import significance_tests

    for name in significance_tests.names():
        test = significance_tests.load(name)
        settings = ", ".join(
            f"{key}={test.defaults[key]}" if key in test.defaults else f"{key} (required)"
            for key in test.setting_names
        )
        typer.echo(f"{name} ({test.samples})")
        typer.echo(f"    {test.summary}")
        typer.echo(f"    settings: {settings or 'none'}")
        typer.echo(f"    source: {test.source}")
