"""Tables of the advice on significance tests: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cdfscore.comparison.advice import SITUATIONS, Facts, Situation, direction, in_words
from cdfscore.report.captioned import Captioned, Column
from cdfscore.significance.contract import SignificanceTest

HEADERS = ("test", "choose it for", "null hypothesis", "assumes", "one-sided")


def advice_tables(facts: Facts | None = None) -> Iterator[tuple[str, Captioned]]:
    """Yield a heading and a table for each situation; with `facts`, also which tests fit."""
    for situation in SITUATIONS:
        rows = [
            [*cells(test), *([_fits(facts, test)] if facts else [])] for test in situation.tests()
        ]
        headers = (*HEADERS, *(["fits"] if facts else []))
        columns = [
            Column(header, False, [row[i].replace("`", "") for row in rows])
            for i, header in enumerate(headers)
        ]
        yield _heading(situation), Captioned("", "", columns)


def _heading(situation: Situation) -> str:
    absent = ", ".join(situation.not_in_compare)
    return (
        f"{situation.title}\n  correction: {situation.correction}\n"
        f"  missing scores: {situation.missing}"
        + (f"\n  not run by compare: {absent}" if absent else "")
    )


def _fits(facts: Facts, test: SignificanceTest[Any]) -> str:
    if against := facts.against(test):
        return against
    but = facts.but(test)
    return f"yes, but {but}" if but else "yes"


def cells(test: SignificanceTest[Any]) -> list[str]:
    """Return the row of a test: its name, and what it declares."""
    stated = (test.choose_for, test.null, test.assumes)
    return [test.name, *map(in_words, stated), direction(test)]
