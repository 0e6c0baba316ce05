"""docs/levels.md, from the record of the held levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cdfscore.significance.contract.level import CHECKED, MOST, NOMINAL
from cdfscore.significance.registry import significance_tests
from validation import pages
from validation.significance.levels import ALPHAS, FAMILIES, SYSTEMS, TRIALS, Cell

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
#: Standard errors by which a rate has to pass the most that is held.
ERRORS = 3


def is_held(cell: Cell) -> bool:
    """Tell whether a rate is at most `MOST`, but for its Monte Carlo error."""
    return cell.rate() - ERRORS * cell.error() <= MOST


def text(cells: Sequence[Cell]) -> str:
    """Return the page of recorded cells."""
    found = {(cell.test, cell.kind, cell.n): cell for cell in cells}
    tests = [name for name in significance_tests.names() if (name, "untied", CHECKED[0]) in found]
    return pages.rendered(
        "significance/levels.md.jinja",
        page_claims(found, tests),
        found=found,
        tests=tests,
        samples={name: significance_tests.load(name).samples for name in tests},
        is_held=is_held,
        alphas=ALPHAS,
        checked=CHECKED,
        nominal=NOMINAL,
        most=MOST,
        errors=ERRORS,
        trials=TRIALS,
        families=FAMILIES,
        systems=SYSTEMS,
        error=float(np.sqrt(NOMINAL * (1 - NOMINAL) / TRIALS)),
        error_of_families=float(np.sqrt(NOMINAL * (1 - NOMINAL) / FAMILIES)),
    )


def page_claims(
    found: Mapping[tuple[str, str, int], Cell], tests: Sequence[str]
) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    above = {key[:2] for key, cell in found.items() if not is_held(cell)}
    paired_skewed = [found["paired_t", "skewed", n].rate() for n in CHECKED]
    return {
        "`bootstrap_shift` alone rejects too often on normal scores and on scores with ties": {
            test for test, kind in above if kind != "skewed"
        }
        == {"bootstrap_shift"},
        "hold no level for skewed differences, `paired_t` still less so with few topics": sorted(
            paired_skewed, reverse=True
        )
        == paired_skewed
        and paired_skewed[-1] > MOST,
        "`variance_ratio` is for normal scores only": ("variance_ratio", "skewed") in above,
    }
