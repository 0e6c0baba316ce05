"""The page docs/faults.md."""

from __future__ import annotations

from pathlib import Path

from validation.faults.judge import Row
from validation.pages import rendered


def write_page(path: Path, rows: dict[str, list[Row]], seed: int) -> None:
    """Write what happened; with a finding nothing is written, since the prose would be untrue."""
    every = [row for found in rows.values() for row in found]
    if any(row.findings for row in every):
        raise SystemExit("there are findings, and the page is not written")
    path.write_text(
        rendered(
            "faults/page.md.jinja", rows=rows, cases=sum(row.cases for row in every), seed=seed
        ),
        encoding="utf-8",
    )
