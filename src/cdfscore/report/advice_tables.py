"""Tables of the advice on significance tests: for a terminal, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cdfscore.comparison.advice import SITUATIONS, Facts, Situation, direction, in_words
from cdfscore.report.captioned import Captioned, Column
from cdfscore.significance.contract import SignificanceTest

_HEADERS = ("test", "choose it for", "null hypothesis", "assumes", "one-sided")


def advice_tables(facts: Facts | None = None) -> Iterator[tuple[str, Captioned]]:
    """Yield a heading and a table for each situation; with `facts`, also which tests fit."""
    for situation in SITUATIONS:
        rows = [
            [*_cells(test), *([_fits(facts, test)] if facts else [])] for test in situation.tests()
        ]
        headers = (*_HEADERS, *(["fits"] if facts else []))
        columns = [
            Column(header, False, [row[i].replace("`", "") for row in rows])
            for i, header in enumerate(headers)
        ]
        yield _heading(situation), Captioned("", "", columns)


def advice_markdown() -> str:
    """Return the tables as Markdown, for the page on the choice of a test."""
    parts = []
    for situation in SITUATIONS:
        rows = [_HEADERS, ["---"] * len(_HEADERS)]
        rows += [(f"`{test.name}`", *_cells(test)[1:]) for test in situation.tests()]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        absent = ", ".join(f"`{name}`" for name in situation.not_in_compare)
        not_run = f" Not run by `compare`: {absent}." if absent else ""
        parts.append(
            f"## {situation.title}\n\nCorrection: {situation.correction}. Missing scores: "
            f"{situation.missing}.{not_run}\n\n{table}\n"
        )
    return "\n".join(parts)


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


def _cells(test: SignificanceTest[Any]) -> list[str]:
    stated = (test.choose_for, test.null, test.assumes)
    return [test.name, *map(in_words, stated), direction(test)]
