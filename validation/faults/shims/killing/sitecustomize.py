"""Python imports this at its start: count operations on files in a folder, and die before one."""

import atexit
import os
import signal
import sys
from pathlib import Path

_FOLDER = os.environ["FAULTS_FOLDER"]
_AT = int(os.environ.get("FAULTS_KILL_AT", 0))
_LOG = os.environ.get("FAULTS_COUNTED")
_WRITES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}
_count = 0


def _look(event, arguments):
    global _count
    if event not in _WRITES:
        return
    path, *more = arguments
    if not isinstance(path, str | os.PathLike) or not _is_within(os.fspath(path)):
        return
    if event == "open" and not more[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return
    _count += 1
    if _count == _AT:
        os.kill(os.getpid(), signal.SIGKILL)


def _is_within(path):
    return isinstance(path, str) and str(Path.cwd() / path).startswith(_FOLDER)


def _note():
    Path(_LOG).write_text(str(_count))


sys.addaudithook(_look)
if _LOG:
    atexit.register(_note)
