"""One fuzzer: ``python -m validation.fuzzing.target NAME`` with options of libFuzzer.

Mistakes in what is read may raise `CdfscoreError` alone, and the command line may end with the
statuses 0, 1 and 2 alone. All else is a finding, and so are more than `MEMORY` bytes for one input.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

#: The name of the target that calls commands: its first byte chooses one.
COMMAND_LINE = "command_line"
#: What one input may add to the peak of the memory that the process has had.
MEMORY = 1 << 28
# Code of branches that guide the fuzzer; modules that numba compiles cannot be among them.
_GUIDED = ("io", "trec", "merging", "standardization.formats", "models", "cli", "catalogue")


def main(arguments: list[str]) -> None:
    """Fuzz one target until libFuzzer stops, which ends the process."""
    import atheris

    name, *options = arguments
    with atheris.instrument_imports(include=[f"cdfscore.{part}" for part in _GUIDED]):
        _import_all()
        target = _target(name)
    atheris.Setup([sys.argv[0], *options], _within_memory(target))
    atheris.Fuzz()


def _import_all() -> None:
    """Import every module that guides: most are imported when they are first needed."""
    for part in _GUIDED:
        module = importlib.import_module(f"cdfscore.{part}")
        if paths := getattr(module, "__path__", None):
            for found in pkgutil.walk_packages(paths, f"cdfscore.{part}."):
                importlib.import_module(found.name)


def _target(name: str) -> Callable[[bytes], None]:
    """Return the function of a target, whose files are in a folder of its own."""
    from cdfscore.errors import CdfscoreWarning
    from validation.fuzzing.readers import BESIDE, COMMANDS, READERS, arguments

    warnings.simplefilter("error")
    warnings.simplefilter("ignore", CdfscoreWarning)
    folder = Path(tempfile.mkdtemp(prefix="fuzzing-"))
    for file, text in BESIDE.items():
        (folder / file).write_text(text, encoding="utf-8")
    if name == COMMAND_LINE:

        def run(content: bytes) -> None:
            if content:
                reader, command = COMMANDS[content[0] % len(COMMANDS)]
                path = folder / f"fuzzed{READERS[reader].ending}"
                path.write_bytes(content[1:])
                _run(folder, arguments(command, path))

        return run
    reader = READERS[name]
    path = folder / f"fuzzed{reader.ending}"

    def read(content: bytes) -> None:
        path.write_bytes(content)
        reader.read(path)

    return read


def _run(folder: Path, words: list[str]) -> None:
    """Run a command in this process, in a folder."""
    from cdfscore.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.argv = ["cdfscore", *words]
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            assert end.code in (None, 0, 1, 2), end.code


def _within_memory(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return a target that refuses an input for which the peak of the memory rises by much."""

    def checked(content: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        target(content)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        if more > MEMORY:
            raise MemoryError(f"{len(content)} bytes needed {more} more bytes of memory")

    return checked


if __name__ == "__main__":
    main(sys.argv[1:])
