"""What a killed process has left in a folder: files and folders that were to be renamed or removed.

A process holds a lock on its own while it writes. The system gives the lock back when the process
ends, however it ends, so that what nobody holds is left over. Where the system has no such locks,
as on Windows and on some network file systems, nothing is removed. Nor is what another machine has
written, whose locks a network file system may not show.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path


def _machine() -> str:
    """Return a short digest of the name of this machine."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


#: What the names of temporary files and folders begin with, and those of each end with.
PREFIX, FILE, FOLDER = f".cdfscore-{_machine()}-", ".part", ".rows"
_NAMES = re.compile(rf"{re.escape(PREFIX)}\w+(\{FILE}|\{FOLDER})")

if sys.platform == "win32":

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Return False: there are no locks that the end of a process gives back."""
        return False

else:
    import fcntl

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Lock an open file or folder until it is closed; tell whether that was possible."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
        return True


@cache
def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes have left in a folder; looked for once in a process."""
    with suppress(OSError):
        for path in [path for path in folder.iterdir() if _NAMES.fullmatch(path.name)]:
            with suppress(OSError):
                _remove(path)


def _remove(path: Path) -> None:
    if not (path.is_file() or path.is_dir()) or path.is_symlink():
        return  # a pipe would wait for a writer
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if not hold(descriptor, wait=False):
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(descriptor)
