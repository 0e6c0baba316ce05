"""Tables of pages, which a claim on another page is compared with."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def section(page: str, heading: str) -> str:
    """Return the text of a section, without those after it."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def table(page: str, heading: str) -> dict[str, dict[str, str]]:
    """Return the cells of the first table of a section, by its first column and its header."""
    lines = [line for line in section(page, heading).splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    header = rows[0]
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows[2:]}


def number(cell: str) -> float:
    """Return the number of a cell, which may be bold, have commas and be of a count."""
    return float(re.sub(r"[^0-9.eE+-]", "", cell))
