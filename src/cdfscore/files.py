"""Output files appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from cdfscore.errors import OutputError


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write each content to its path: beside it first, synced, and renamed at the end.

    No path is touched before all contents are safely on disk, so that a failure leaves
    earlier files as they were. The path ``-`` is standard output, which is written last.
    Raises `OutputError` when a path cannot be written.
    """
    with ExitStack() as undo:
        renames = []
        for path, content in contents.items():
            if str(path) == "-":
                continue
            target = path.resolve()
            if target.exists() and not target.is_file():
                if target.is_dir():
                    raise OutputError(f"{path} is a folder; expected the name of a file to write")
                beside = target  # a pipe or a device, which cannot be renamed onto
            else:
                beside = target.with_name(f".{target.name}.{os.getpid()}.part")
                undo.callback(_remove, beside)
                renames.append((beside, target))
            try:
                with beside.open("wb") as stream:
                    stream.write(content)
                    stream.flush()
                    if beside is not target:
                        os.fsync(stream.fileno())
            except OSError as error:
                raise OutputError(f"{path} cannot be written: {error.strerror}") from error
        for beside, target in renames:
            beside.replace(target)
    if Path("-") in contents:
        sys.stdout.buffer.write(contents[Path("-")])
        sys.stdout.buffer.flush()


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
