"""The blocks of docs/merging-validation.md, from the recorded tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from validation import pages
from validation.merging.claims import page_claims
from validation.merging.found import Found, interval
from validation.merging.methods import BASELINE, METHODS
from validation.merging.recording import SEEDS, Tables
from validation.merging.scores import CENTRAL

PAGE = Path(__file__).parents[2] / "docs" / "merging-validation.md"
#: Names of the beds in headings.
BY = {"chance": "at random", "topics": "by topic"}
LEVEL = 0.05


def measured(tables: Tables) -> str:
    """Return the blocks of the page, with the comments that they stand between."""
    found = Found(tables)
    return pages.rendered(
        "merging/page.md.jinja",
        page_claims(found),
        found=found,
        beds=found.beds,
        by=BY,
        depths=found.depths,
        methods=[CENTRAL, *METHODS],
        baseline=BASELINE,
        seeds=len(SEEDS),
        mark=mark,
        interval=interval,
    )


def mark(row: pd.Series, measure: str) -> str:
    """Return the mean, and ▲ or ▼ if it differs from that of the baseline."""
    shown = f"{row[measure]:.3f}"
    if not row[f"{measure} p"] <= LEVEL:
        return shown
    return f"{shown} {'▲' if row[f'{measure} difference'] > 0 else '▼'}"
