"""The page docs/faults.md."""

from __future__ import annotations

from pathlib import Path

from validation.faults.damage import OTHER, READ_AS_DATA
from validation.faults.judge import Row
from validation.faults.labels import LABELS
from validation.pages import rendered

TITLES = {
    "killed": "kill -9",
    "disks": "Disks",
    "damage": "Damaged files",
    "sharing": "Two processes",
    "clock": "Clocks",
    "orphans": "Processes of a killed command",
    "interrupts": "Ctrl-C",
    "failures": "What ends a command",
    "labels": "Hostile labels",
    "sizes": "Large inputs",
    "settings": "Settings of others",
}
# Of each section: the first of each kind, since most differ in the names of files alone.
_SENTENCES = 12


def write_page(path: Path, rows: dict[str, list[Row]], seed: int) -> None:
    """Write what happened; with a finding nothing is written."""
    path.write_text(page_of(rows, seed), encoding="utf-8")


def page_of(rows: dict[str, list[Row]], seed: int) -> str:
    """Return the page; raises `ValueError` if there are findings."""
    every = [row for found in rows.values() for row in found]
    if findings := [finding for row in every for finding in row.findings]:
        raise ValueError(f"the page would be untrue: {findings[0]}")
    of_text = [row for row in every if row.fault.endswith(READ_AS_DATA)]
    elsewhere = [row for row in every if row.outcomes[OTHER] and row not in of_text]
    claims = {"nothing corrupt is read as data": not elsewhere}
    return rendered(
        "faults/page.md.jinja",
        claims,
        rows=rows,
        cases=sum(row.cases for row in every),
        seed=seed,
        titles=TITLES,
        labels=len(LABELS),
        doors=len(rows.get("labels", [])),
        sentences=_sentences,
        others=sum(row.outcomes[OTHER] for row in of_text),
        others_of=sum(row.cases for row in of_text),
    )


def _sentences(rows: list[Row]) -> list[str]:
    """Return what was said most often under each fault and command, without repetitions."""
    said = [row.said.most_common(1)[0][0] for row in rows if row.said]
    return list(dict.fromkeys(said))[:_SENTENCES]
