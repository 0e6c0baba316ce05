"""Help of commands and groups, with an error if standard output is closed."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from cdfscore.cli.terminal import show


class Group(TyperGroup):
    """A group of commands, whose help needs standard output."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option of help."""
        return needing_output(super().get_help_option(ctx))


def needing_output(option: Any) -> Any:
    """Return a help option that raises `OutputError` if standard output is closed.

    The help option of Typer prints nothing then. It is None for a command without help.
    """
    if option is not None:
        option.callback = _show_help
    return option


def _show_help(context: Any, option: Any, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        show(context.get_help())
        context.exit()
