"""Disks that are full or read-only, which root can make: in mounts that this process alone sees."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from validation.faults.commands import (
    LOGSPLINE,
    OUT,
    ROOT,
    Command,
    Ended,
    emptied,
    run,
)
from validation.faults.judge import REFUSED, SAME, Files, Row, ended, require, sentence, sound

#: Set where mounts are this process's own; see `require_mounts`.
_OWN = "FAULTS_OWN_MOUNTS"


def in_own_mounts(command: list[str]) -> int | None:
    """Run a command where its mounts are its own, and return its status; None if it does already.

    They vanish with it, whatever happens. Raises `PermissionError` where that is not permitted.
    """
    if os.environ.get(_OWN):
        return None
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise PermissionError("the faults of disks need mounts; run make faults as root, on Linux")
    return subprocess.run(
        ["unshare", "-m", *command], env={**os.environ, _OWN: "1"}, check=False
    ).returncode


@contextmanager
def _mounted(place: Path, *options: str) -> Iterator[None]:
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", *options, str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def small(place: Path, megabytes: int = 1) -> AbstractContextManager[None]:
    """Mount a disk of 1 MB, or of some."""
    return _mounted(place, "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs")


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Make a folder read-only, for root too."""
    with _mounted(place, "--bind", str(place)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        yield


def full_disk(command: Command, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Run a command whose outputs are on a disk with few bytes left: new, and over old files."""
    expected = sound(command, folder)
    needed = sum(len(content or b"") for content in expected.values())
    row = Row("full disk: a small tmpfs with few bytes left", command.name)
    out = folder / OUT
    for case in range(cases):
        free = random_.randrange(max(4096, 2 * needed)) if case else 0
        emptied(folder)
        with small(out, 1 + 2 * needed // 1_000_000):
            before = dict.fromkeys(command.files)
            if case % 2:  # files of before, that stay
                for name in command.files:
                    path = out / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(b"of before")
                before = dict.fromkeys(command.files, b"of before")
            _fill(out, free)
            with row.case(f"{free} bytes"):
                found = run(command, folder)
                how = ended(found, expected, before)
                if how == REFUSED:
                    _no_space(found.said)
                    _with_space(command, folder, expected)
                    row.said[sentence(found)] += 1
                row.outcomes[how] += 1
    yield row


def _with_space(command: Command, folder: Path, expected: Files) -> None:
    """Run again when there is space; only then say that the first run has lost nothing."""
    (folder / OUT / "filling").unlink()
    left = [p.name for p in (folder / OUT).iterdir() if p.name.startswith(".cdfscore")]
    require(not left, f"files are left: {left}")
    again = run(command, folder)
    require(ended(again, expected) == SAME, f"with space: {again.said[-200:]}")


def _no_space(said: str) -> None:
    named = "No space left on device" in said and "standard output" not in said
    require(named, f"the sentence does not name the disk: {said[-200:]}")


def _fill(disk: Path, free: int) -> None:
    left = os.statvfs(disk)
    bytes_left = left.f_bavail * left.f_frsize
    (disk / "filling").write_bytes(bytes(max(0, bytes_left - free)))


def unwritable_folder(command: Command, folder: Path) -> Iterator[Row]:
    """Run a command whose folder of outputs is mounted read-only."""
    expected = sound(command, folder)
    emptied(folder)
    row = Row("unwritable folder: a read-only mount", command.name)
    with read_only(folder / OUT):
        found = run(command, folder)
        with row.case():
            require(ended(found, expected) == REFUSED, "it says that it has written")
            row.said[sentence(found)] += 1
            row.outcomes[REFUSED] += 1
    yield row


def read_only_home(command: Command, folder: Path) -> Iterator[Row]:
    """Run a command that can write neither beside its modules, nor at home, nor numba's cache."""
    expected = sound(command, folder)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    row = Row("read-only home, and read-only package with an unwritable numba cache", command.name)
    with read_only(ROOT / "src"), read_only(home):
        # The package may have a cache of before: that of another home is looked for first.
        found = run(command, emptied(folder), HOME=str(home), NUMBA_CACHE_DIR=str(home / "numba"))
        with row.case():
            how, told = ended(found, expected), "NUMBA_CACHE_DIR" in found.said
            require(told or command is not LOGSPLINE, "it does not say that nothing is kept")
            row.said.update(line for line in _sentences(found) if "NUMBA_CACHE_DIR" in line)
            row.outcomes[how] += 1
    yield row


def cache_on_full_disk(folder: Path) -> Iterator[Row]:
    """Compile where numba's cache is on a full disk."""
    expected = sound(LOGSPLINE, folder)
    row = Row("numba's cache on a full disk", LOGSPLINE.name)
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    with small(disk):
        _fill(disk, 40_000)
        found = run(LOGSPLINE, emptied(folder), NUMBA_CACHE_DIR=str(disk))
        with row.case():
            how = ended(found, expected)
            require("No space left on device" in found.said, "it does not say that nothing is kept")
            row.said.update(line for line in _sentences(found) if "No space" in line)
            row.outcomes[how] += 1
    yield row


def _sentences(found: Ended) -> list[str]:
    """Return all sentences that a command has said, as `sentence` returns the last."""
    return [sentence(replace(found, said=line)) for line in found.said.splitlines()]
