"""Ctrl-C at a random moment: the command says so, and its files are whole or absent."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import Command, emptied, finish, start
from validation.faults.judge import Row, require, seconds, sound, whole

SAID = "status 130, and it says so"
DONE = "identical, as it was done"
EARLY = "ended by the signal, before Python had begun"


def interrupted(
    command: Command, folder: Path, cases: int, random_: random.Random
) -> Iterator[Row]:
    """Interrupt a command at random moments after its first imports."""
    expected, takes = sound(command, folder), seconds(command, folder)
    row = Row("Ctrl-C at a random moment", command.name)
    for _ in range(cases):
        moment = random_.uniform(0.2, 1.0) * takes
        process = start(command, emptied(folder))
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        with row.case(f"after {moment:.2f} s"):
            found = finish(process, command, folder)
            last = (found.said.splitlines() or [""])[-1]
            require("Traceback" not in found.said, f"a traceback: {last}")
            whole(found.files, expected)
            # Python may end itself by the signal, which a shell tells by the status 130 too.
            ends = found.status in (0, 130, -signal.SIGINT)
            require(ends, f"the status is {found.status}: {last}")
            if last.startswith("cdfscore: interrupted"):
                require(found.status, "the status is 0 after an interruption")
                row.outcomes[SAID] += 1
            elif dict(found.files) == dict(expected):
                row.outcomes[DONE] += 1
            else:
                early = found.status < 0 and not found.said and not any(found.files.values())
                require(early, f"it is not done, and does not say so: {found.status}, {last}")
                row.outcomes[EARLY] += 1
    yield row
