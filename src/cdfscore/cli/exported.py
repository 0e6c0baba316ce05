"""The option ``--plain-labels`` of all commands that write CSV or TSV files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any, get_type_hints

import typer

from cdfscore.io.spreadsheets import plain_labels

PlainLabelsOption = Annotated[
    bool,
    typer.Option(
        "--plain-labels",
        help="In CSV and TSV files, write labels that start with =, +, - or @ unchanged. Without "
        "this option, such a label gets an apostrophe before it unless it is a number, so that a "
        "spreadsheet does not run it as a formula. cdfscore removes the apostrophe when it reads "
        "the file.",
    ),
]
#: The name of the option in Python.
NAME = "plain_labels"


def with_plain_labels(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option, and apply it."""

    @functools.wraps(command)
    def exporting(**arguments: Any) -> None:
        with plain_labels() if arguments.pop(NAME) else nullcontext():
            command(**arguments)

    parameters = inspect.signature(command).parameters.values()
    hints = get_type_hints(command, include_extras=True)
    shown = [
        *(
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name])
            for each in parameters
        ),
        inspect.Parameter(
            NAME, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=PlainLabelsOption
        ),
    ]
    vars(exporting)["__signature__"] = inspect.Signature(shown)
    exporting.__annotations__ = {each.name: each.annotation for each in shown}
    return exporting
