"""All commands of the program."""

from collections.abc import Iterator
from typing import Any

import cdfscore.cli


def commands(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all commands with their names."""
    found: Any = cdfscore.cli.command() if group is None else group
    for name, command in found.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command
