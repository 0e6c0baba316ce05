"""``cdfscore tests``: list of the significance tests."""

from __future__ import annotations

import typer


def tests() -> None:
    """List the significance tests: what they compare, settings with defaults, and source.

    Example: cdfscore tests
    """
    from cdfscore.significance.contract import AllSystems, OneSample
    from cdfscore.significance.registry import significance_tests

    for name in significance_tests.names():
        test = significance_tests.load(name)
        settings = ", ".join(f"{key}={value}" for key, value in test.defaults.items())
        not_here = "; not for compare" if isinstance(test, OneSample) else ""
        typer.echo(f"{name} ({test.samples}{not_here})")
        typer.echo(f"    {test.summary}")
        if isinstance(test, AllSystems):
            typer.echo(f"    null hypothesis: {test.null_hypothesis or 'not stated'}")
            typer.echo(f"    tests of pairs that go with it: {', '.join(test.post_hoc) or 'none'}")
        typer.echo(f"    settings: {settings or 'none'}")
        typer.echo(f"    source: {test.source}")
