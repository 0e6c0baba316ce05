"""``make faults``: each fault under each command; docs/faults.md has what happened.

``python -m validation.faults [FAULT...] [--cases N] [--seed N] [--page FILE]``, as root on Linux,
since disks that are full or read-only are mounts. Exits with 1 if there is a finding: other
numbers, a part of a file, a traceback, or a loss of what was finished.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from validation.faults import (
    clock,
    damage,
    disks,
    failures,
    interrupts,
    killed,
    labels,
    orphans,
    sharing,
    sizes,
    surroundings,
)
from validation.faults.commands import (
    APPLY,
    COMMANDS,
    FIGURES,
    LOGSPLINE,
    ROOT,
    STANDARDIZE,
    STREAM,
    Command,
    prepare,
    reproduce,
)
from validation.faults.judge import Row
from validation.faults.page import write_page

Fault = Callable[[Path, Path, int, random.Random], Iterator[Row]]


def _killed(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    for command in (*COMMANDS, _resumed(data)):
        yield from killed.at_each_operation(command, folder, 2 * cases, random_)
    for command in (STANDARDIZE, STREAM, _resumed(data)):
        yield from killed.at_random_moments(command, folder, cases, random_)


def _disks(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    every = (*COMMANDS, _resumed(data))
    for command in every:
        yield from disks.full_disk(command, folder, cases, random_)
    for command in every:
        yield from disks.unwritable_folder(command, folder)
    for command in (*every, LOGSPLINE):
        yield from disks.read_only_home(command, folder)
    yield from disks.cache_on_full_disk(folder)


def _damage(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    yield from damage.factors_read(folder, 200 * cases, random_)
    yield from damage.factors_applied(folder, cases, random_)
    yield from damage.chunks_read(folder, 200 * cases, random_)
    yield from damage.trials_resumed(_resumed(data), folder, cases, random_)
    yield from damage.compiled(folder, 2 * cases, random_)


def _sharing(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    for command in (STANDARDIZE, STREAM, _resumed(data)):
        yield from sharing.two_at_once(command, folder, cases, random_)
    kept = folder / "of-another"
    damage.cached(_resumed(data), folder, kept)
    yield from sharing.cached_by_another(reproduce(data, "--jobs", "2"), folder, kept)


def _clock(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    clock.require_faketime()
    every = (*COMMANDS, _resumed(data))
    for command in every:
        yield from clock.wrong(command, folder)
    for command in (STANDARDIZE, APPLY, STREAM, _resumed(data)):
        yield from clock.jumping(command, folder, max(1, cases // 2), random_)


def _orphans(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    for command in orphans.commands(data):
        yield from orphans.killed(command, folder, 5 * cases, random_)


def _sizes(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    yield from sizes.large(folder)


def _settings(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    for command in (*COMMANDS, *FIGURES):
        yield from surroundings.settings(command, folder)


def _interrupts(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    verified = orphans.commands(data)[-2:]
    for command in (*COMMANDS, *FIGURES[:1], _resumed(data), *verified):
        yield from interrupts.interrupted(command, folder, 4 * cases, random_)


def _labels(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    yield from labels.doors(folder)


def _failures(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    yield from failures.failures(folder)


def _resumed(data: Path) -> Command:
    return reproduce(data, "--jobs", "2", "--resume")


FAULTS: dict[str, Fault] = {
    "killed": _killed,
    "disks": _disks,
    "damage": _damage,
    "sharing": _sharing,
    "clock": _clock,
    "orphans": _orphans,
    "interrupts": _interrupts,
    "failures": _failures,
    "labels": _labels,
    "sizes": _sizes,
    "settings": _settings,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make faults, print a line for each and command, and return 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="validation.faults", description=__doc__)
    parser.add_argument("fault", nargs="*", help=", ".join(FAULTS))
    parser.add_argument("--cases", type=int, default=2, help="of most faults under a command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", type=Path, help="file to write, if all faults are made")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("CDFSCORE_DATA", ROOT.parent / "shared" / "data")),
        help="folder of evaluation data; CDFSCORE_DATA names it too",
    )
    given = parser.parse_args(arguments)
    if unknown := sorted(set(given.fault).difference(FAULTS)):
        parser.error(f"there is no fault {unknown[0]!r}; expected {', '.join(FAULTS)}")
    if given.page and given.fault:
        parser.error("--page needs all faults; expected no FAULT")
    again = [sys.executable, "-m", "validation.faults", *(arguments or sys.argv[1:])]
    status = disks.in_own_mounts(again)
    if status is not None:
        return status
    rows: dict[str, list[Row]] = {}
    for name in given.fault or FAULTS:
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            made = FAULTS[name](
                given.data.resolve(),
                prepare(Path(folder)),
                given.cases,
                random.Random(f"{given.seed} {name}"),
            )
            rows[name] = [_told(row) for row in made]
    if any(row.findings for found in rows.values() for row in found):
        return 1
    if given.page:
        write_page(given.page, rows, given.seed)
    return 0


def _told(row: Row) -> Row:
    _say(f"{row.fault} | {row.command} | {row.cases} | {row.ends()}")
    for said in row.said:
        _say(f"    said: {said}")
    for finding in row.findings:
        _say(f"    FINDING: {finding}")
    return row


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
