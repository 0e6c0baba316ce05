"""``make validate``: coverage and level of every number whose R twin transcribes our own formula.

``python -m validation.coverage`` simulates all cells anew (15 minutes on two cores) and compares
them with the record, coverage.json. ``--record`` writes the record and docs/coverage.md, ``--page``
the page alone, ``--only NAME`` is for some simulations.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from rich.console import Console

from cdfscore.models.formula import one_thread
from validation.coverage import page
from validation.coverage.cells import Cell
from validation.coverage.record import SIMULATIONS, record, recorded


@one_thread
def simulated(name: str) -> tuple[list[Cell], float]:
    """Return what a simulation finds, and its seconds."""
    start = time.monotonic()
    return list(SIMULATIONS[name]()), time.monotonic() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--page", action="store_true", help="write the page of the record")
    parser.add_argument("--only", default="", help="names of simulations, with commas between them")
    given = parser.parse_args()
    console = Console(soft_wrap=True)
    known = recorded()
    found = {}
    names = given.only.split(",") if given.only else list(SIMULATIONS)
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        every = processes.map(simulated, [] if given.page else names)
        for name, (cells, seconds) in zip(names, every, strict=False):
            console.print(f"{name}: {len(cells)} numbers in {seconds:.0f} s", markup=False)
            for cell in cells:
                if cell.outside:
                    console.print(f"  outside: {cell}", markup=False)
            found[name] = cells
            if given.record:
                record(recorded() | {name: cells})
    if given.record or given.page:
        page.PAGE.write_text(page.text(recorded()), encoding="utf-8")
        return 0
    unlike = [cell for name, cells in found.items() for cell in cells if cell not in known[name]]
    for cell in unlike:
        console.print(f"not as recorded: {cell}", markup=False)
    return int(bool(unlike))


if __name__ == "__main__":
    sys.exit(main())
