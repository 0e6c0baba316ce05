"""docs/coverage.md, from the record of the simulations and that of the levels of tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from validation import pages
from validation.coverage.cells import ERRORS, Cell, proportion
from validation.coverage.quantities import GROUPS, QUANTITIES, WITHOUT
from validation.coverage.remarks import REMARKS
from validation.significance import levels

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
#: The scores of the record of levels that are simulated under the model of a test, or with ties.
KINDS = ("untied", "tied")


def cells_of(found: Mapping[str, list[Cell]]) -> dict[str, list[Cell]]:
    """Return all cells by group: those of the record, and the levels of tests."""
    grouped: dict[str, list[Cell]] = {}
    by_name: dict[str, list[Cell]] = {}
    for cell in (cell for cells in found.values() for cell in cells):
        by_name.setdefault(cell.quantity, []).append(cell)
    of_levels = levels.recorded()
    for quantity in QUANTITIES:
        into = grouped.setdefault(quantity.group, [])
        for level in of_levels if quantity.level else ():
            if level.test == quantity.level and level.kind in KINDS:
                into.append(_of_level(level))
        for name in quantity.cells:
            into += by_name.pop(name)
    if by_name:
        raise ValueError(f"no quantity has the cells {list(by_name)}")
    return grouped


def _of_level(cell: levels.Cell) -> Cell:
    alpha = levels.ALPHAS[0]
    hits = [True] * cell.rejected[0] + [False] * (cell.trials - cell.rejected[0])
    design = f"{cell.n} topics, {'ties' if cell.kind == 'tied' else 'normal'}"
    return proportion(f"{cell.test}, p value", design, alpha, hits)


def text(found: Mapping[str, list[Cell]]) -> str:
    """Return the page of a record."""
    grouped = cells_of(found)
    every = [cell for cells in grouped.values() for cell in cells]
    own = {
        group: [each for each in REMARKS if any(map(each.holds, cells))]
        for group, cells in grouped.items()
    }
    return pages.rendered(
        "coverage/page.md.jinja",
        {},
        groups=GROUPS,
        quantities=QUANTITIES,
        others=WITHOUT,
        cells=grouped,
        remarks={
            group: [each.spelled(every)[0] for each in remarks] for group, remarks in own.items()
        },
        notes_of=lambda group, cell: [
            place for place, each in enumerate(own[group], 1) if each.holds(cell)
        ],
        errors=ERRORS,
        total=len(every),
        outside=sum(cell.outside for cell in every),
    )
