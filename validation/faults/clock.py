"""Clocks that are wrong, and clocks that jump while a command runs, by libfaketime."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import Command, emptied, finish, run, start
from validation.faults.judge import SAME, Row, ended, require, sound

YEARS = (1970, 2038, 2110)
# The clock of the system jumps; the one that counts from its start, CLOCK_MONOTONIC, never does.
_MORE = {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}


def require_faketime() -> None:
    """Raise `FileNotFoundError` where there is no libfaketime."""
    if shutil.which("faketime") is None:
        raise FileNotFoundError("there is no faketime; Debian: apt-get install faketime")


def wrong(command: Command, folder: Path) -> Iterator[Row]:
    """Run a command in years in which formats of files and of times have their limits."""
    expected = sound(command, folder)
    row = Row(f"the clock says {', '.join(map(str, YEARS))}", command.name)
    for year in YEARS:
        prefix = ("faketime", "-f", f"@{year}-01-02 03:04:05")
        with row.case(str(year)):
            found = run(command, emptied(folder), prefix, **_MORE)
            require(ended(found, expected) == SAME, found.said[-200:])
            row.outcomes[SAME] += 1
    yield row


def jumping(command: Command, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Let the clock jump by up to 30 years, to and fro, while a command runs."""
    expected = sound(command, folder)
    row = Row("the clock jumps by up to 30 years, 5 times a second", command.name)
    clock = folder / "clock"
    library = next(Path("/usr/lib").rglob("libfaketimeMT.so.1"))
    more = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        **_MORE,
    }
    for _ in range(cases):
        clock.write_text("+0")
        process = start(command, emptied(folder), **more)
        while process.poll() is None:
            clock.write_text(f"{random_.randrange(-30, 31) * 31_556_952:+d}")
            time.sleep(0.2)
        with row.case():
            found = finish(process, command, folder)
            require(ended(found, expected) == SAME, found.said[-200:])
            row.outcomes[SAME] += 1
    yield row
