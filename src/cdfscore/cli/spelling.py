"""Spelling of arguments in messages: as options of the command that runs."""

from __future__ import annotations

import shlex
from typing import Any

from typer.core import TyperCommand

from cdfscore.spelling import alternatives, spelled_by

#: Arguments of Python whose options have other names, but for those that lose the s of a plural.
_OTHERS = {"reference_sizes": "systems", "degenerate": "constant"}


class Command(TyperCommand):
    """A command whose messages name arguments as they are typed: ``--missing omit``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; arguments that it has no option for stay keywords of Python."""
        with spelled_by(self.spelled):
            return super().invoke(ctx)

    def spelled(self, name: str, values: tuple[object, ...]) -> str | None:
        """Return the option of an argument, with its values, or None if there is no such option."""
        options = {
            parameter.name: option
            for parameter in self.params
            for option in [each for each in parameter.opts if each.startswith("--")][:1]
        }
        truth = values[0] if len(values) == 1 else None
        if truth is False:
            return options.get(f"no_{name}")
        names = (name, _OTHERS.get(name, name.removesuffix("s")))
        option = next((options[each] for each in names if each in options), None)
        if option is None or not values or truth is True:
            return option
        return f"{option} {alternatives([_typed(value) for value in values])}"


def _typed(value: object) -> str:
    """Return a value as it is typed in a shell; several, in a list, are separated by spaces."""
    if isinstance(value, list | tuple):
        return " ".join(map(_typed, value))
    return shlex.quote(value) if isinstance(value, str) else str(value)
