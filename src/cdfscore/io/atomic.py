"""Atomic writing: files appear whole or not at all, and nothing is left of killed processes."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from cdfscore.errors import OutputError
from cdfscore.io.text import printable


def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


#: What the names of temporary files begin and end with.
PREFIX, FILE = f".cdfscore-{_machine()}-", ".part"
_NAMES = re.compile(rf"{re.escape(PREFIX)}\w+\{FILE}")

if sys.platform == "win32":

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Return False: there are no locks that the end of a process gives back."""
        return False

else:
    import fcntl

    def hold(descriptor: int, *, wait: bool = True) -> bool:
        """Lock an open file until it is closed; tell whether that was possible."""
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
                _remove_unheld(path)


def _remove_unheld(path: Path) -> None:
    if not path.is_file() or path.is_symlink():
        return  # a pipe would wait for a writer
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if hold(descriptor, wait=False):
            path.unlink()
    finally:
        os.close(descriptor)


_STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))
# These name open streams, which may be files that others write to as well.
_OPEN_FILES = (Path("/dev/stderr"), Path("/dev/fd"), Path("/proc"))


def write_whole(contents: Mapping[Path, bytes | Iterable[bytes]]) -> None:
    """Write each content to a temporary file next to its path, sync it, and rename it.

    A content that does not fit in memory is given in pieces.
    No path is changed before all contents are safely on disk, so that a failure leaves
    earlier files as they were. Pipes and devices, which cannot be renamed onto, are written
    after the files, and standard output, ``-``, last.
    What killed processes have left in the folders, unfinished and hidden, is removed first.
    Raises `OutputError` if a path cannot be written, or if two are the same file.
    """
    streams = [path for path in contents if _is_stream(path)]
    targets = {path: _target(path) for path in contents if path not in streams}
    if len(set(targets.values())) < len(targets):
        raise OutputError(
            f"{' and '.join(map(str, targets))} are the same file; expected different ones"
        )
    with ExitStack() as undo:
        renames = []
        for path, target in targets.items():
            remove_leftovers(target.parent)
            try:
                beside, stream, is_held = _beside(target, undo)
                stream.writelines(_pieces(contents[path]))
                stream.flush()
                os.fsync(stream.fileno())
                if not is_held:  # an open file cannot be renamed on Windows
                    stream.close()
            except OSError as error:
                raise _cannot_write(path, error) from error
            renames.append((path, beside, target))
        for path, beside, target in renames:
            try:
                beside.replace(target)
            except OSError as error:
                raise _cannot_write(path, error) from error
    for path in sorted(streams, key=_STANDARD_OUTPUT.__contains__):
        _write_stream(path, contents[path])


def _beside(target: Path, undo: ExitStack) -> tuple[Path, BinaryIO, bool]:
    """Open a new file next to a target, held until the end so that no other process removes it."""
    while True:
        beside = target.with_name(f"{PREFIX}{secrets.token_hex(8)}{FILE}")
        undo.callback(_remove, beside)
        stream = beside.open("xb")
        undo.callback(_close, stream)
        is_held = hold(stream.fileno())
        if not is_held or os.fstat(stream.fileno()).st_nlink:
            return beside, stream, is_held
        stream.close()  # another process was faster, and took it for a leftover


def _pieces(content: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [content] if isinstance(content, bytes) else content


def check_target(path: Path) -> None:
    """Raise `OutputError` where `write_whole` would not find a folder that takes the file.

    Called before long work, so that its result is not lost.
    """
    if _is_stream(path):
        return
    folder = _target(path).parent
    try:
        folder.stat()
    except FileNotFoundError as error:
        missing = folder if path.is_symlink() else path.parent
        raise OutputError(
            f"{path} cannot be written: there is no folder {missing}; expected one that exists"
        ) from error
    except OSError as error:
        raise _cannot_write(path, error) from error
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{path} cannot be written: {os.strerror(errno.EACCES)}")


def _is_stream(path: Path) -> bool:
    if path in _STANDARD_OUTPUT or any(path.is_relative_to(each) for each in _OPEN_FILES):
        return True
    with suppress(OSError, ValueError):
        return path.exists() and not path.is_file() and not path.is_dir()
    return False


def _target(path: Path) -> Path:
    """Return the file that `path` names, with all links resolved."""
    mode = 0
    try:
        target = path.resolve()
        with suppress(FileNotFoundError):
            mode = target.lstat().st_mode
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name; a loop of links
        raise _cannot_write(path, error) from error
    if stat.S_ISLNK(mode):  # a loop of links, from Python 3.13 on
        raise OutputError(f"{path} cannot be written: {os.strerror(errno.ELOOP)}")
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder; expected the name of a file to write")
    return target


def _write_stream(path: Path, content: bytes | Iterable[bytes]) -> None:
    try:
        if path not in _STANDARD_OUTPUT:
            with path.open("ab") as stream:
                stream.writelines(_pieces(content))
        elif sys.stdout is not None:
            pieces = _pieces(content)
            if sys.stdout.isatty():
                pieces = map(_for_terminal, pieces)
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
        else:
            raise OutputError("standard output is closed; expected the name of a file to write")
    except BrokenPipeError:
        raise  # the reader is gone, so that no message is needed
    except OSError as error:
        name = "standard output" if path in _STANDARD_OUTPUT else path
        raise _cannot_write(name, error) from error


def _for_terminal(content: bytes) -> bytes:
    """Escape what a terminal would obey, such as the escapes in a label; other bytes stay."""
    lines = content.decode(errors="surrogateescape").split("\n")
    cells = ("\t".join(map(printable, line.split("\t"))) for line in lines)
    return "\n".join(cells).encode(errors="backslashreplace")


def _cannot_write(path: Path | str, error: Exception) -> OutputError:
    return OutputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}")


def _close(stream: BinaryIO) -> None:
    """Close a file; on a full disk that raises once more what was raised by the writing."""
    with suppress(OSError):
        stream.close()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
