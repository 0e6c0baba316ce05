"""The command line: parse, call, print."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from cdfscore._version import __version__
from cdfscore.cli.apply import apply
from cdfscore.cli.schemes import schemes
from cdfscore.cli.standardize import standardize
from cdfscore.errors import CdfscoreError

app = typer.Typer(
    name="cdfscore",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (standardize, apply, schemes):
    app.command()(command)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _cdfscore(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Standardize evaluation scores topic by topic through a distribution, y = F_t(x)."""


def main() -> None:
    """Run ``cdfscore``; bad input is one sentence on stderr and exit status 2."""
    try:
        app()
    except CdfscoreError as error:
        print(f"cdfscore: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader has gone, as in `cdfscore schemes | head`; nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
