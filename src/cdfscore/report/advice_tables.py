"""Tables of the advice on significance tests: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from cdfscore.significance.advice import SITUATIONS, Facts, Situation, direction, in_words
from cdfscore.significance.contract import SignificanceTest

_HEADERS = ("test", "choose it for", "null hypothesis", "assumes", "one-sided")


def advice_tables(facts: Facts | None = None) -> Iterator[tuple[str, Table]]:
    """Yield a heading and a table for each situation, with what fits scores of these facts."""
    for situation in SITUATIONS:
        table = Table(box=None, pad_edge=False)
        for header in (*_HEADERS, *(["fits"] if facts else [])):
            table.add_column(header, overflow="fold")
        for test in situation.tests():
            fits = [] if facts is None else [facts.against(test) or "yes"]
            table.add_row(*(Text(cell.replace("`", "")) for cell in (*_cells(test), *fits)))
        yield _heading(situation), table


def advice_markdown() -> str:
    """Return the tables as Markdown, for the page on the choice of a test."""
    parts = []
    for situation in SITUATIONS:
        rows = [_HEADERS, ["---"] * len(_HEADERS)]
        rows += [(f"`{test.name}`", *_cells(test)[1:]) for test in situation.tests()]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts.append(
            f"## {situation.title}\n\nCorrection: {situation.correction}. Missing scores: "
            f"{situation.missing}.\n\n{table}\n"
        )
    return "\n".join(parts)


def _heading(situation: Situation) -> str:
    return (
        f"{situation.title}\n  correction: {situation.correction}\n"
        f"  missing scores: {situation.missing}"
    )


def _cells(test: SignificanceTest[Any]) -> list[str]:
    stated = (test.choose_for, test.null, test.assumes)
    return [test.name, *map(in_words, stated), direction(test)]
