"""``cdfscore tests``: list of the significance tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import Direction, with_groups
from cdfscore.cli.paths import concerning
from cdfscore.cli.terminal import say, show, show_table, show_text

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.standardized import Standardized


@with_groups
def list_tests(
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Only these tests, such as paired_t; with --advise: files of scores.",
        ),
    ] = None,
    advise: Annotated[
        bool,
        typer.Option(
            "--advise",
            help="Print which test to use for which question, its assumptions, and the "
            "correction. With SCORES, also print which tests suit these scores.",
        ),
    ] = False,
    *,
    form: Form,
    direction: Direction,
) -> None:
    """List the significance tests, with settings and source.

    With --advise, recommend a test.

    Examples: cdfscore tests paired_t; cdfscore tests --advise scores.csv
    """
    from cdfscore.cli import permitted
    from cdfscore.comparison.choices import in_compare
    from cdfscore.significance.contract import AllSystems
    from cdfscore.significance.registry import significance_tests

    if not advise and any(Path(each).suffix or Path(each).exists() for each in scores or ()):
        raise typer.BadParameter("SCORES needs --advise")
    if not (scores and advise) and (form.typed or direction.is_given):
        raise typer.BadParameter("options for SCORES need --advise and SCORES")
    if advise and scores:
        given = Inputs.of(scores)
        matrix = form.read(given)
        with concerning(given.name):
            print_advice(as_tested(matrix, direction))
        return
    if advise:
        print_advice()
        return
    for name in scores or significance_tests.names():
        test = significance_tests.load(name)
        settings = ", ".join(
            f"{key}={test.defaults[key]}" if key in test.defaults else f"{key} (required)"
            for key in test.setting_names
        )
        not_here = "" if in_compare(test) else "; not run by compare"
        show(f"{name} ({test.samples}{not_here})")
        show(f"    {test.summary}")
        if isinstance(test, AllSystems):
            show(f"    null hypothesis: {test.null or 'not stated'}")
            show(f"    tests of pairs that go with it: {', '.join(test.post_hoc) or 'none'}")
        show(f"    settings: {settings or 'none'}")
        show(*permitted.lines(permitted.of_test(test), test.defaults))
        show(f"    source: {test.source}")


def as_tested(scores: pd.DataFrame, direction: Direction) -> Standardized:
    """Return raw scores as `compare` tests them: reversed if lower is better."""
    from cdfscore.cli.options import Policies

    return Policies(missing="omit").standardizer("raw", direction).standardize(scores)


def print_advice(raw: Standardized | None = None) -> None:
    """Print a table of tests for each situation, the tests that suit these scores, and cautions."""
    from cdfscore.comparison.advice import Facts
    from cdfscore.report.comparison import advice_tables

    facts = None if raw is None else Facts.of(raw.frame.to_numpy())
    if raw is not None:
        say(*_notes(raw))
        show_text(f"{facts}\n")
    for heading, table in advice_tables(facts):
        show_text(heading)
        show_table(table)
        show_text("")


def _notes(raw: Standardized) -> list[str]:
    """Return notes on how the scores were read, and cautions."""
    from cdfscore.standardization.policies import direction
    from cdfscore.standardization.reference_systems import few_systems

    how = raw.factors.lower_is_better, raw.factors.reflect_at
    found = [*raw.given.notes(), *raw.cautions, *direction.notes(*how, raw.used.topics)]
    few = few_systems(len(raw.given.systems))
    return [*found, *(f"if a scheme is fitted to these scores: {each}" for each in few)]
