"""Two processes that write to one folder at the same time."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import OUT, Command, emptied, files, finish, run, start
from validation.faults.judge import REFUSED, SAME, Row, ended, require, seconds, sentence, sound


def two_at_once(
    command: Command, folder: Path, cases: int, random_: random.Random
) -> Iterator[Row]:
    """Start the same command twice, the second a little later."""
    expected = sound(command, folder)
    takes = seconds(command, folder)
    row = Row("two processes on one folder", " ".join([command.name, *_resume(command)]))
    for _ in range(cases):
        emptied(folder)
        delay = random_.uniform(0, 0.6) * takes
        first = start(command, folder)
        time.sleep(delay)
        second = start(command, folder)
        found = [finish(each, command, folder) for each in (first, second)]
        with row.case(f"{delay:.2f} s later"):
            ends = [ended(each, expected) for each in found]
            is_there = SAME in ends and files(command, folder) == expected
            require(is_there, f"they have ended {ends}")
            left = [path.name for path in (folder / OUT).rglob(".cdfscore-*")]
            require(not left, f"there is {left}")
            if REFUSED in ends:
                row.said[sentence(found[ends.index(REFUSED)])] += 1
            row.outcomes[f"{SAME}, and {REFUSED}" if REFUSED in ends else SAME] += 1
    yield row


def cached_by_another(command: Command, folder: Path, kept: Path) -> Iterator[Row]:
    """Start a command without --resume where another has cached trials."""
    expected = sound(command, folder)
    emptied(folder)
    shutil.copytree(kept, folder / OUT, dirs_exist_ok=True)
    row = Row("cached trials of another process", f"{command.name} without --resume")
    found = run(command, folder)
    with row.case():
        row.outcomes[ended(found, expected)] += 1
        row.said[sentence(found)] += 1
    yield row


def _resume(command: Command) -> list[str]:
    return ["--resume"] if "--resume" in command.words else []
