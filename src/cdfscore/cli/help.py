"""Help of commands and of groups of them, which is not lost where standard output is closed."""

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
    """Return an option of help that raises `OutputError` if standard output is closed.

    Typer's own prints nothing then. A command without any option of help has None.
    """
    if option is not None:
        option.callback = _show_help
    return option


def _show_help(context: Any, option: Any, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        show(context.get_help())
        context.exit()
