"""Seeds: small files for each reader, with inputs that were found; of commands, the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from validation.fuzzing.readers import COMMANDS, READERS
from validation.fuzzing.target import COMMAND_LINE

SEEDS = Path(__file__).with_name("seeds")


def targets() -> list[str]:
    """Return the names of what can be fuzzed."""
    return [*READERS, COMMAND_LINE]


def files_of(reader: str) -> list[Path]:
    """Return the seeds of a reader."""
    return sorted((SEEDS / reader).iterdir())


def seeds_of(target: str) -> Iterator[bytes]:
    """Yield the seeds of a target: those of the command line begin with the number of a command."""
    if target != COMMAND_LINE:
        yield from (path.read_bytes() for path in files_of(target))
        return
    for number, (reader, _) in enumerate(COMMANDS):
        yield from (bytes([number]) + path.read_bytes() for path in files_of(reader))
