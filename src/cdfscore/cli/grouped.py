"""Options that belong together in each command, such as those on the form of score files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def with_options_of(
    make: Callable[..., object], name: str, command: Callable[..., None]
) -> Callable[..., None]:
    """Replace the argument `name` of a command by the options that `make` makes it from.

    Typer has one option for one argument, and these belong together in each command.
    """
    options = inspect.signature(make).parameters

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        own = {option: arguments.pop(option) for option in options}
        command(**arguments, **{name: make(**own)})

    hints = get_type_hints(command, include_extras=True) | get_type_hints(make, include_extras=True)
    arguments = inspect.signature(command).parameters
    shown = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[argument])
        for argument, parameter in (*arguments.items(), *options.items())
        if argument != name
    ]
    vars(with_options)["__signature__"] = inspect.Signature(shown)
    with_options.__annotations__ = {each.name: each.annotation for each in shown}
    return with_options
