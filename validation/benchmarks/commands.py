"""Whole commands as a user calls them, from the start of the process to its end.

``python -m validation.benchmarks --commands`` prints this table alone. At the first use after
installing, numba has compiled nothing yet.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from validation.benchmarks.growth import process_cost
from validation.benchmarks.standardization import data

TITLE = "Whole commands, Robust 2004 AP, 249 topics x 110 systems"
HEADINGS = ("", "seconds", "CPU seconds", "peak MB")
#: SCORES is the file of scores, PAPER the folder of the data of the paper.
COMMANDS = (
    "cdfscore --help",
    "cdfscore standardize SCORES --scheme empirical -o out.csv",
    "cdfscore standardize SCORES --scheme normal -o out.csv",
    "cdfscore compare SCORES --scheme empirical --test paired_t -o out.csv",
    "cdfscore compare SCORES --scheme empirical --test kendall -o out.csv",
    "cdfscore verify SCORES --scheme empirical --test paired_t",
    "cdfscore verify SCORES --scheme kernel",
    "cdfscore verify SCORES --scheme normal --via rscript",
    "cdfscore report SCORES --scheme empirical --no-verify -o out.html",
    "cdfscore report SCORES --scheme empirical -o out.html",  # with R and statsmodels
    "cdfscore diagnose SCORES -o out.csv",
    "cdfscore plot means SCORES --scheme empirical -o out.png",
    "cdfscore reproduce urbano2019 --data PAPER --out out",
    "python -c ''",
    "python -c 'import pandas'",
)
#: Commands that are also measured at their first use, and those that are too long for three runs.
FIRST = ("compare", "standardize", "report", "diagnose")
ONCE = ("reproduce",)


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row a command, the quickest of three runs; the first use is run once."""
    for line in COMMANDS:
        _, kind, *_ = line.split()
        if kind in FIRST:
            yield _measured(f"first use: {line}", line, 1, cold=True)
        yield _measured(line, line, 1 if kind in ONCE else 3)


def _measured(label: str, line: str, runs: int, *, cold: bool = False) -> tuple[str, ...]:
    given = {"SCORES": str(data("robust2004/robust2004_ap.csv")), "PAPER": str(data("urbano2019"))}
    program, *arguments = (given.get(word, word) for word in shlex.split(line))
    path = Path(sys.executable).with_name(program)
    costs = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as name:
            own = {"NUMBA_CACHE_DIR": str(Path(name, "compiled"))} if cold else {}
            costs.append(process_cost([str(path), *arguments], Path(name), own))
    cost = min(costs, key=lambda each: each.processor)
    return label, f"{cost.seconds:.2f}", f"{cost.processor:.2f}", f"{cost.peak / 2**20:,.0f}"
