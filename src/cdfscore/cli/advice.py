"""Advice of ``cdfscore tests --advise``: which test, why, and with which correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.cli.terminal import table_console

if TYPE_CHECKING:
    import pandas as pd


def print_advice(scores: pd.DataFrame | None) -> None:
    """Print a table of tests for each situation, with what fits these scores."""
    from cdfscore.report.advice_tables import advice_tables
    from cdfscore.significance.advice import Facts

    console = table_console()
    facts = None if scores is None else Facts.of(scores.to_numpy())
    if facts is not None:
        console.print(f"{facts}\n", markup=False, highlight=False)
    for heading, table in advice_tables(facts):
        console.print(heading, markup=False, highlight=False)
        console.print(table)
        console.print()
