"""kill -9: before each operation on files, and at random moments."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import OUT, Command, Ended, emptied, files, finish, run, start
from validation.faults.judge import RESUMED, SAME, Files, Row, ended, require, seconds, sound, whole

#: A process that has this on its path kills itself before the nth operation on files.
SHIM = str(Path(__file__).parent / "shims" / "killing")
_COUNT, _FOLDER, _LOG = "FAULTS_KILL_AT", "FAULTS_FOLDER", "FAULTS_COUNTED"


def at_each_operation(
    command: Command, folder: Path, cases: int, random_: random.Random
) -> Iterator[Row]:
    """Kill a command before it opens for writing, renames, makes or removes something in out."""
    expected = sound(command, folder)
    log = folder / "operations"
    counted = run(
        command, emptied(folder), PYTHONPATH=SHIM, **{_FOLDER: str(folder / OUT), _LOG: str(log)}
    )
    require(counted.files == expected, "the same command has written other bytes")
    every = range(1, int(log.read_text()) + 1)
    places = sorted(random_.sample(every, min(cases, len(every))))
    row = Row("kill -9 before an operation on files", command.name)
    for place in places:
        emptied(folder)
        more = {_FOLDER: str(folder / OUT), _COUNT: str(place), "PYTHONPATH": SHIM}
        with row.case(f"operation {place}"):
            killed = run(command, folder, **more)
            row.outcomes[_again(command, folder, killed, expected)] += 1
    yield row


def at_random_moments(
    command: Command, folder: Path, cases: int, random_: random.Random
) -> Iterator[Row]:
    """Kill a command at moments that are drawn from the time that it takes."""
    expected = sound(command, folder)
    takes = seconds(command, folder)
    row = Row("kill -9 at a random moment", command.name)
    for _ in range(cases):
        moment = random_.uniform(0.3, 1.0) * takes  # before, Python is only starting
        emptied(folder)
        process = start(command, folder)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        with row.case(f"after {moment:.2f} s"):
            killed = finish(process, command, folder)
            row.outcomes[_again(command, folder, killed, expected)] += 1
    yield row


def _again(command: Command, folder: Path, killed: Ended, expected: Files) -> str:
    """Check what a killed command has left, and what the next run makes of it."""
    if killed.status == 0:  # it was faster
        return ended(killed, expected)
    require(killed.status == -signal.SIGKILL, f"status {killed.status}: {killed.said[-200:]}")
    whole(files(command, folder), expected)
    second = run(command, folder)
    require(ended(second, expected) == SAME, f"the second run: {second.said[-200:]}")
    known = {Path(name).parts[0] for name in command.files}
    left = {path.name for path in (folder / OUT).iterdir()} - known
    require(not left, f"after the second run there is {', '.join(sorted(left))}")
    return RESUMED
