"""Advice of ``cdfscore tests --advise``: which test, why, and with which correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.cli.terminal import say, table_console

if TYPE_CHECKING:
    import pandas as pd


def print_advice(scores: pd.DataFrame | None) -> None:
    """Print a table of tests for each situation, with what fits these scores; and cautions."""
    from cdfscore.comparison.advice import Facts
    from cdfscore.report.advice_tables import advice_tables

    console = table_console()
    facts = None if scores is None else Facts.of(scores.to_numpy())
    if scores is not None:
        say(*_cautions(scores))
        console.print(f"{facts}\n", markup=False, highlight=False)
    for heading, table in advice_tables(facts):
        console.print(heading, markup=False, highlight=False)
        console.print(table)
        console.print()


def _cautions(scores: pd.DataFrame) -> list[str]:
    """Return how the scores were read, and what may be misread of them, standardized or not."""
    from cdfscore.standardization.reference_systems import few_systems
    from cdfscore.standardization.standardizer import Standardizer

    raw = Standardizer("raw", missing="omit").standardize(scores)
    found = [*raw.given.notes(), *raw.cautions]
    few = few_systems(scores.shape[1])
    return [*found, *(f"standardized on themselves, these scores have {each}" for each in few)]
