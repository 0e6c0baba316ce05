"""Processes that a killed command leaves: none may go on, or hold its standard output open."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from validation.faults.commands import CDFSCORE, Command, emptied, environment, reproduce
from validation.faults.judge import Row, require, seconds

SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGHUP)
# A process that starts others has this in its environment, and so have they.
_MARK = "FAULTS_ORPHANS"
# In these seconds, all processes of a command that is killed have to end.
_GRACE = 10.0
ENDED = "all processes ended"


def commands(data: Path) -> tuple[Command, ...]:
    """Return the commands that start processes."""
    runs = [f"{name}{copy}={name}.run" for name in "ab" for copy in range(4)]
    measured = ("measure", *runs, "--qrels", "qrels.txt", "--measure", "AP", "--jobs", "2")
    verified = ("verify", "scores.csv", "--scheme", "normal", "--test", "paired_t")
    return (
        Command("measure --jobs 2", (*measured, "-o", "out/ap.csv"), ("ap.csv",)),
        reproduce(data, "--jobs", "2", "--figures", trials=20),
        Command("verify --via rscript", (*verified, "--via", "rscript"), ()),
        Command("verify --via rpy2", (*verified, "--via", "rpy2"), ()),
    )


def killed(command: Command, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Kill only the first process of a command, by each signal at random moments."""
    takes = seconds(command, folder)
    for own in SIGNALS:
        row = Row(f"{own.name} of the first process", command.name)
        for _ in range(cases):
            moment = random_.uniform(0.3, 1.0) * takes
            emptied(folder)
            mark = secrets.token_hex(8)
            process = subprocess.Popen(
                [*CDFSCORE, *command.words],
                cwd=folder,
                env=environment(**{_MARK: mark}),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                preexec_fn=_obey_all,
            )
            time.sleep(moment)
            began = len(alive(mark)) - 1
            process.send_signal(own)
            with row.case(f"after {moment:.2f} s"), process:
                try:
                    process.communicate(timeout=_GRACE)
                except subprocess.TimeoutExpired:
                    require(False, f"{describe(mark)} hold standard output")
                finally:
                    until = time.monotonic() + _GRACE
                    while (left := alive(mark)) and time.monotonic() < until:
                        time.sleep(0.05)
                    said = describe(mark)
                    for each in left:
                        os.kill(each, signal.SIGKILL)
                require(not left, f"{said} are left")
                row.outcomes[f"{ENDED}, {began} beside the first" if began > 0 else ENDED] += 1
        yield row


def _obey_all() -> None:
    for each in SIGNALS:
        if each != signal.SIGKILL:  # nohup would have SIGHUP ignored
            signal.signal(each, signal.SIG_DFL)


def alive(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment."""
    own = f"{_MARK}={mark}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if own in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:  # it has ended, or is another user's
            continue
    return found


def describe(mark: str) -> str:
    """Return the command lines of the processes with a mark."""
    lines = []
    for each in alive(mark):
        try:
            words = Path(f"/proc/{each}/cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        lines.append(words.decode(errors="replace")[:60].strip())
    return f"{len(lines)} processes ({'; '.join(lines)})"
