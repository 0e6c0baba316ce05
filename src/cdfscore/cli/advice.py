"""``cdfscore tests --advise``: recommended tests, reasons and corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.cli.terminal import say, show_table, show_text

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.cli.direction import Direction
    from cdfscore.standardization.standardized import Standardized


def as_tested(scores: pd.DataFrame, direction: Direction) -> Standardized:
    """Return raw scores as `compare` tests them: reversed if lower is better."""
    from cdfscore.cli.policies import Policies

    return Policies(missing="omit").standardizer("raw", direction).standardize(scores)


def print_advice(raw: Standardized | None = None) -> None:
    """Print a table of tests for each situation, the tests that suit these scores, and cautions."""
    from cdfscore.comparison.advice import Facts
    from cdfscore.report.advice_tables import advice_tables

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
