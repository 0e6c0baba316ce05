"""Spelling of arguments in messages: as options of the command that runs."""

from __future__ import annotations

import shlex
from typing import Any

import typer
from typer.core import TyperCommand

from cdfscore.spelling import alternatives, spelled_by

#: Arguments of Python whose options have other names, but for those that lose the s of a plural.
_OTHERS = {"reference_sizes": "systems", "degenerate": "constant"}
#: Base of the errors of arguments, of click or of Typer's own copy of it, which exports none.
_UsageError: Any = typer.BadParameter.__base__


class Command(TyperCommand):
    """A command whose messages name arguments as they are typed: ``--missing omit``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; arguments that it has no option for stay keywords of Python."""
        with spelled_by(self.spelled):
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; where one is too many, say if an option was to be repeated."""
        given = [*args]  # which the parser empties
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            if "extra argument" in error.message:
                error.message += self._to_repeat(given)
            raise

    def _to_repeat(self, args: list[str]) -> str:
        """Return how to give an option two values, if it is followed by two or more."""
        several = {
            option
            for parameter in self.params
            if getattr(parameter, "multiple", False)
            for option in parameter.opts
        }
        for name, first, second in zip(args, args[1:], args[2:], strict=False):
            if name in several and not first.startswith("-") and not second.startswith("-"):
                values = (f"{name} {shlex.quote(value)}" for value in (first, second))
                return f"; {name} takes one value and is repeated for others: {' '.join(values)}"
        return ""

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
        if truth is True and f"all_{name}" in options:
            return options[f"all_{name}"]
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
