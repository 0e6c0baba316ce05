"""Command line: parse, call, print."""

from __future__ import annotations

import errno
import os
import shlex
import sys
import traceback
import warnings
from functools import cache
from importlib import import_module
from tempfile import NamedTemporaryFile
from typing import Annotated, Any, NoReturn

import typer

from cdfscore import __version__
from cdfscore.cli.options import IN_FULL, OF_FILES, QUIET, Command, Group, completed, with_groups
from cdfscore.cli.terminal import be_quiet, say, show
from cdfscore.common.costs import tell_by
from cdfscore.errors import (
    CdfscoreError,
    CdfscoreWarning,
    PlugInError,
    RNotAvailableError,
    did_you_mean,
)

# A disk or a quota is full, a file is too large, or the device fails.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}

# The sections of the help; of each command the module, and the function if it has another name.
_COMMANDS = {
    "Commands on scores": {
        "standardize": "standardize",
        "apply": "standardize:apply",
        "measure": "merge:measure",
        "merge": "merge",
    },
    "Commands on systems": {
        "compare": "compare",
        "correlate": "compare:correlate",
        "plot": "report:plot",
        "report": "report",
        "verify": "verify",
    },
    "Commands on models, plans and distributions": {
        "diagnose": "compare:diagnose",
        "model": "model",
        "mixed-model": "model:mixed_model",
        "plan": "model:plan",
    },
    "Commands on methods": {
        "schemes": "methods:schemes",
        "tests": "methods:list_tests",
        "experiment": "experiment:app",
        "reproduce": "experiment:papers",
    },
}
#: What there is help on.
HELP = [*(name for commands in _COMMANDS.values() for name in commands), "files"]


@cache
def command(only: str | None = None) -> Any:
    """Return ``cdfscore`` with all commands, or `only` this: to load and make all takes 0.2 s."""
    app = typer.Typer(
        name="cdfscore",
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_cdfscore)
    for section, commands in _COMMANDS.items():
        for name, place in commands.items():
            if only in (None, name):
                module, _, function = place.partition(":")
                loaded = import_module(f"{__name__}.{module}")
                found = getattr(loaded, function or module)
                if isinstance(found, typer.Typer):
                    app.add_typer(found, rich_help_panel=section)
                else:
                    app.command(name, cls=Command, rich_help_panel=section)(with_groups(found))
    if only is None:
        app.command("help", cls=Command, rich_help_panel="Commands on methods")(_help)
    return typer.main.get_command(app)


@with_groups
def _help(
    context: typer.Context,
    topic: Annotated[
        list[str] | None, typer.Argument(autocompletion=completed("cdfscore.cli:HELP"))
    ] = None,
) -> None:
    """Show all help on a command, or on the forms of files.

    Examples:
    cdfscore help compare
    cdfscore help files
    cdfscore help experiment within

    Parameters
    ----------
    topic : TOPIC
        A command, or 'files'.
    """
    assert context.parent is not None
    own, of_all = context.parent, context.parent.command
    own.meta[IN_FULL] = True
    if topic != ["files"]:
        for word in topic or ():
            commands = getattr(own.command, "commands", {})
            if word not in commands:
                hint = did_you_mean(word, [*commands, "files"])
                told = f"there is no help on {' '.join(topic or ())!r}{hint}"
                raise CdfscoreError(f"{told}; expected a command, or files")
            own = commands[word].make_context(word, [], own, resilient_parsing=True)
        show(*own.get_help().splitlines())
        return
    compare_ = vars(of_all)["commands"]["compare"]
    of_files = [each for each in compare_.params if each.rich_help_panel == OF_FILES]
    formatter = context.make_formatter()
    formatter.write_text(_FILES)
    with formatter.section(OF_FILES):
        formatter.write_dl([each.get_help_record(context) for each in of_files])
    show(*formatter.getvalue().splitlines())


_FILES = (
    "Commands read scores from CSV, TSV, Parquet, Excel and JSON files, with a column for each "
    "system and a row for each topic, or the reverse, or a row for each score; and the output of "
    "trec_eval -q and ir_measures -q. Several files are combined by topic. NAME=FILE names the "
    "system of a file, and - is standard input. If a file has another form, these options say so."
)


def _print_version(asked: bool) -> None:
    if asked:
        show(__version__)
        raise typer.Exit


def _cdfscore(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    quiet: Annotated[bool, QUIET] = False,
) -> None:
    """Standardize evaluation scores by a distribution fitted to each topic, y = F_t(x).

    'cdfscore COMMAND --help' describes a command.

    \b
    Examples:
    cdfscore tests --advise scores.csv
    cdfscore compare bm25.eval neural.eval -o pairs.md
    cdfscore standardize scores.csv --scheme empirical -o standardized.csv
    """


def main() -> None:
    """Run ``cdfscore``; what ends it has a sentence on stderr, and a status: 1 if R differs."""
    tell_by(say)
    be_quiet(False)
    os.environ["MPLBACKEND"] = "agg"  # files are drawn, whatever window a notebook asks for
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CdfscoreWarning)  # commands print notes instead
            _check_completion()
            first = next((word for word in sys.argv[1:] if word not in ("-q", "--quiet")), None)
            known = any(first in commands for commands in _COMMANDS.values())
            try:
                command(first if known else None)(prog_name="cdfscore")
            except SystemExit as ended:
                # Typer says nothing of what ended it, or exits with 1.
                of_typer = ended.__context__
                error = (of_typer and of_typer.__cause__) or of_typer
                if isinstance(error, KeyboardInterrupt | EOFError | BrokenPipeError):
                    raise error from None
                raise
    except CdfscoreError as error:
        told = " ".join(str(error).splitlines())
        if isinstance(error, PlugInError):
            told += f"; {_kept(error)} has the traceback"
        _say_error(told)
        _quit(3 if isinstance(error, RNotAvailableError) else 2)
    except BrokenPipeError:
        _quit(141)  # the reader has gone, as in `cdfscore schemes | head`: 128 + SIGPIPE
    except MemoryError as error:
        _say_error(
            f"memory ran out ({str(error) or 'no more is said'}); expected fewer systems or topics"
        )
        _quit(4)
    except Exception as error:
        # Who opens a file names it; what is left is the disk behind standard output.
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            _say_error(f"standard output cannot be written: {error.strerror}")
            _quit(2)
        if isinstance(error, OSError) and sys.argv[1:2] == ["--install-completion"]:
            _say_error(f"completion cannot be installed: {error.filename}: {error.strerror}")
            _quit(2)
        told = f"this is a fault of cdfscore: {type(error).__name__}: {error}"
        _say_error(f"{told}; please report it with {_kept(error)}")
        _quit(5)


def _check_completion() -> None:
    if not {"--install-completion", "--show-completion"}.intersection(sys.argv[1:2]):
        return
    from shellingham import ShellDetectionFailure, detect_shell

    try:
        shell, _ = detect_shell()
    except ShellDetectionFailure:
        shell = ""
    if shell not in (known := ("bash", "zsh", "fish", "powershell", "pwsh")):
        found = f"the shell is {shell}" if shell else "no shell has started this command"
        raise CdfscoreError(f"{found}; expected one of {', '.join(known)}")


def _say_error(text: str) -> None:
    be_quiet(False)
    say(text)


def _kept(error: Exception) -> str:
    text = "".join(traceback.format_exception(error))
    try:
        with NamedTemporaryFile(
            "w", prefix="cdfscore-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(f"cdfscore {__version__}: {shlex.join(sys.argv[1:])}\n{text}")
    except OSError:
        sys.stderr.write(text)
        return "what stands above"
    return f"the file {file.name}"


def _quit(status: int) -> NoReturn:
    if sys.stdout is not None:  # None where the shell has closed it, >&-
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
