"""One fuzzer: ``python -m validation.fuzzing.target NAME`` with options of libFuzzer.

Mistakes in what is read may raise `CdfscoreError` alone, and the command line may end with the
statuses 0 and 2 alone. All else is a finding, and so are more than `MEMORY` bytes for one input.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import pkgutil
import resource
import sys
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

#: The name of the target that calls commands: its first byte chooses one.
COMMAND_LINE = "command_line"
#: What one input may add to the peak of the memory that the process has had.
MEMORY = 1 << 29
# What numba compiles cannot be instrumented, and atheris instruments all of a package that is
# imported meanwhile: this is imported before.
_COMPILED = ("stats.numerics",)
# Code of branches that guide the fuzzer.
_GUIDED = (
    *(
        "scores",
        "common.files",
        "retrieval",
        "standardization.formats",
        "standardization.streaming",
    ),
    *("models", "cli", "common.catalogue"),
)


def main(arguments: list[str]) -> None:
    """Fuzz one target until libFuzzer stops, which ends the process."""
    import atheris

    name, *options = arguments
    _import_all(_COMPILED)
    with atheris.instrument_imports(include=[f"cdfscore.{part}" for part in _GUIDED]):
        _import_all(_GUIDED)
        from cdfscore.errors import CdfscoreWarning

        target = target_of(name, Path(tempfile.mkdtemp(prefix="fuzzing-")))
    # What is imported and compiled for the first input takes seconds, which no input has.
    from validation.fuzzing.corpus import seeds_of

    deque(map(target, seeds_of(name)), maxlen=0)
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", CdfscoreWarning)
    given = dict(option.partition("=")[::2] for option in options)
    kept = _kept(_within_memory(target), given.get("-artifact_prefix", ""))
    atheris.Setup([sys.argv[0], *options], kept)
    atheris.Fuzz()


def _import_all(parts: Iterable[str]) -> None:
    """Import every module of some parts: most are imported when they are first needed."""
    for part in parts:
        module = importlib.import_module(f"cdfscore.{part}")
        if paths := getattr(module, "__path__", None):
            for found in pkgutil.walk_packages(paths, f"cdfscore.{part}."):
                importlib.import_module(found.name)


def target_of(name: str, folder: Path) -> Callable[[bytes], bool]:
    """Return what a target does with bytes, in files of `folder`; it tells if it accepts them."""
    from validation.fuzzing.readers import BESIDE, COMMANDS, READERS, arguments

    for file, text in BESIDE.items():
        (folder / file).write_text(text, encoding="utf-8")

    def run(content: bytes) -> bool:
        if not content:
            return False
        reader, command = COMMANDS[content[0] % len(COMMANDS)]
        path = folder / f"fuzzed{READERS[reader].ending}"
        path.write_bytes(content[1:])
        return _status(folder, arguments(command, path)) == 0

    def read(content: bytes) -> bool:
        path = folder / f"fuzzed{READERS[name].ending}"
        path.write_bytes(content)
        return READERS[name].accepts(path)

    return run if name == COMMAND_LINE else read


def _status(folder: Path, words: list[str]) -> int:
    """Run a command in this process, in a folder, and return its status."""
    from cdfscore.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.argv = ["cdfscore", *words]
    status: object = 0
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    if status not in (0, 2):
        raise AssertionError(f"cdfscore has ended with {status}: {words}")
    return int(status)


def _within_memory(target: Callable[[bytes], object]) -> Callable[[bytes], None]:
    """Return a target that refuses an input for which the peak of the memory rises by much."""

    def checked(content: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        target(content)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        if more > MEMORY:
            raise MemoryError(f"{len(content)} bytes needed {more} more bytes of memory")

    return checked


def _kept(target: Callable[[bytes], None], prefix: str) -> Callable[[bytes], None]:
    """Return a target that writes an input that is found, under the name that libFuzzer gives it.

    The clock of libFuzzer may end the process before it has done so itself.
    """

    def kept(content: bytes) -> None:
        try:
            target(content)
        except Exception:
            digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
            Path(f"{prefix}crash-{digest}").write_bytes(content)
            raise

    return kept


if __name__ == "__main__":
    main(sys.argv[1:])
