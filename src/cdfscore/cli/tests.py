"""``cdfscore tests``: list of the significance tests."""

from __future__ import annotations

from typing import Annotated

import typer

from cdfscore.cli.advice import print_advice
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.inputs import Inputs


@with_form
def list_tests(
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCORES", help="With --advise: one or more files of scores to advise on."
        ),
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise",
            help="Say which test to use for what, what it assumes, and with which correction; "
            "with SCORES, which tests fit them.",
        ),
    ] = False,
    *,
    form: Form,
) -> None:
    """List the significance tests: what they compare, settings with defaults, and source.

    Example: cdfscore tests --advise scores.csv
    """
    from cdfscore.comparison.choices import in_compare
    from cdfscore.significance.contract import AllSystems
    from cdfscore.significance.registry import significance_tests

    if advise:
        print_advice(form.read(Inputs.of(scores)) if scores else None)
        return
    if scores:
        raise typer.BadParameter("SCORES needs --advise")
    for name in significance_tests.names():
        test = significance_tests.load(name)
        settings = ", ".join(
            f"{key}={test.defaults[key]}" if key in test.defaults else f"{key} (required)"
            for key in test.setting_names
        )
        not_here = "" if in_compare(test) else "; not run by compare"
        typer.echo(f"{name} ({test.samples}{not_here})")
        typer.echo(f"    {test.summary}")
        if isinstance(test, AllSystems):
            typer.echo(f"    null hypothesis: {test.null or 'not stated'}")
            typer.echo(f"    tests of pairs that go with it: {', '.join(test.post_hoc) or 'none'}")
        typer.echo(f"    settings: {settings or 'none'}")
        typer.echo(f"    source: {test.source}")
