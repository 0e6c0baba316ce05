"""Groups of options that several commands have, such as the form of score files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def with_options_of(
    make: Callable[..., object], name: str, command: Callable[..., None]
) -> Callable[..., None]:
    """Replace the argument `name` of a command by the options that `make` takes.

    The command gets the object that `make` returns for these options. Typer itself has one option
    for each argument.
    """
    options = inspect.signature(make).parameters

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        own = {option: arguments.pop(option) for option in options}
        command(**arguments, **{name: make(**own)})

    hints = get_type_hints(command, include_extras=True) | get_type_hints(make, include_extras=True)
    arguments = inspect.signature(command).parameters
    shown = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for argument in arguments.values()
        for parameter in (options.values() if argument.name == name else [argument])
    ]
    vars(with_options)["__signature__"] = inspect.Signature(shown)
    with_options.__annotations__ = {each.name: each.annotation for each in shown}
    return with_options
