"""What is said of each number that falls outside, and where else a user meets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from validation.coverage.cells import Cell

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Remark:
    """A sentence of the page on cells outside, of these quantities and designs (``*`` for any).

    `above` tells whether they are above the nominal number. `met` is a file that users read, and
    `as_` the words with which it says the same.
    """

    quantities: tuple[str, ...]
    designs: tuple[str, ...]
    above: bool
    says: str
    met: str
    as_: str

    def holds(self, cell: Cell) -> bool:
        """Tell whether the sentence is about a cell."""
        return (
            cell.outside
            and (cell.found > cell.nominal) is self.above
            and any(fnmatchcase(cell.quantity, each) for each in self.quantities)
            and any(fnmatchcase(cell.design, each) for each in self.designs)
        )

    @property
    def is_met(self) -> bool:
        """Tell whether the file says so."""
        said = (ROOT / self.met).read_text(encoding="utf-8")
        return " ".join(self.as_.split()) in " ".join(said.split())


REMARKS: tuple[Remark, ...] = ()


def without(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells outside of which no sentence says so."""
    return [
        cell for cell in cells if cell.outside and not any(each.holds(cell) for each in REMARKS)
    ]
