"""Spelling of arguments in messages: as options of the running command."""

from __future__ import annotations

import shlex
import textwrap
from contextvars import ContextVar
from copy import copy
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from cdfscore.cli.options import OF_FILES, SECTIONS
from cdfscore.cli.terminal import say, show
from cdfscore.errors import CdfscoreError
from cdfscore.io.text import files, shortened
from cdfscore.spelling import alternatives, spelled_by

#: Arguments of Python whose options have other names, but for those that lose the s of a plural.
_OTHERS = {"reference_sizes": "systems", "adjustment": "adjust"}
#: Base of the errors of arguments, of click or of Typer's own copy of it, which exports none.
_UsageError: Any = typer.BadParameter.__base__


#: Arguments that the user gave to the running command.
_typed_arguments: ContextVar[frozenset[str]] = ContextVar("_typed_arguments", default=frozenset())


def is_typed(name: str) -> bool:
    """Tell whether the user gave this argument of the running command."""
    return name in _typed_arguments.get()


def typed_names() -> frozenset[str]:
    """Return the arguments that the user gave to the running command."""
    return _typed_arguments.get()


class Command(TyperCommand):
    """A command whose messages name arguments as they are typed: ``--missing omit``."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option of help, which needs standard output."""
        return needing_output(super().get_help_option(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments without their types in Python, and the options in groups.

        Of the options on the form of files only the names are written.
        """
        for argument in self._arguments():
            vars(argument)["display_type_rich"] = lambda ctx: ""
        groups: dict[str, list[Any]] = {title: [] for title in SECTIONS}
        reads_files = any(each.name == "keep_topic" for each in self.params)
        parameters: list[Any] = self.get_params(ctx)
        for each in parameters:
            if (record := each.get_help_record(ctx)) is None:
                continue
            title = each.rich_help_panel or "Options"
            if each.param_type_name == "argument":
                title = "Arguments"
            elif title == OF_FILES and not reads_files:
                title = "Options"
            own = groups.setdefault(title, [])
            own.append(_long(each) if title == OF_FILES else record)
        of_files = groups.pop(OF_FILES, [])
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if of_files:
            with formatter.section(f"{OF_FILES} (cdfscore help files)"):
                names = textwrap.fill(
                    ", ".join(of_files), formatter.width - 2, break_on_hyphens=False
                )
                formatter.write(textwrap.indent(names, "  ") + "\n")

    def invoke(self, ctx: Any) -> Any:
        """Run the command; arguments without an option are spelled as keywords of Python."""
        given = frozenset(n for n in ctx.params if ctx.get_parameter_source(n).name != "DEFAULT")
        before = _typed_arguments.set(given)
        try:
            with spelled_by(self.spelled):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None
        finally:
            _typed_arguments.reset(before)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse an option that is given twice but takes one value.

        For an extra argument, the message says if an option must be repeated.
        """
        given = [*args]  # which the parser empties
        try:
            rest = super().parse_args(ctx, args)
        except _UsageError as error:
            if "extra argument" in error.message:
                error.message += self._to_repeat(ctx, given)
            elif self.name == "standardize" and getattr(error, "option_name", "") == "--factors":
                error.message += "; 'cdfscore apply' standardizes by the factors of a file"
            error.message = shortened(error.message)
            raise
        self._refuse_repeated(ctx, given)
        self._refuse_second_values(ctx, given)
        return rest

    def _refuse_second_values(self, ctx: Any, args: list[str]) -> None:
        """Raise an error for a second value of an option, which is taken for a file."""
        for argument in self._arguments():
            words = ctx.params.get(argument.name) if argument.nargs == -1 else None
            absent = [word for word in words or () if not _is_there(word)]
            if absent and (how := self._to_repeat(ctx, args)):
                raise _UsageError(f"Got unexpected extra argument ({absent[0]}){how}", ctx)

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        """Raise `CdfscoreError` for an option of which only the last value would be used."""
        values, _, _ = self._all_multiple().make_parser(ctx).parse_args([*args])
        for parameter in self._options():
            found = values.get(parameter.name, [])
            if parameter.multiple or len(found) < 2:
                continue
            times = "twice" if len(found) == 2 else f"{len(found)} times"
            as_what = "" if parameter.is_flag else f", as {files([*map(_typed, found)])}"
            raise CdfscoreError(f"{_long(parameter)} is given {times}{as_what}; expected once")

    def _all_multiple(self) -> Command:
        """Return a copy whose options collect all values in lists."""
        command = copy(self)
        command.params = [copy(parameter) for parameter in self.params]
        for option in command._options():
            option.multiple = True
        return command

    def _options(self) -> list[Any]:
        return [each for each in self.params if each.param_type_name == "option"]

    def _arguments(self) -> list[Any]:
        return [each for each in self.params if each.param_type_name == "argument"]

    def _to_repeat(self, ctx: Any, args: list[str]) -> str:
        """Return how to repeat an option, if it is followed by two words or more.

        The second word is surely a value only if no argument is missing before the option.
        """
        several = {name for option in self._options() if option.multiple for name in option.opts}
        for place, word in enumerate(args):
            name, equals, attached = word.partition("=")
            if name not in several or not self._is_complete(ctx, args[:place]):
                continue
            words = [*([attached] if equals else []), *args[place + 1 :]][:2]
            if len(words) == 2 and not any(each.startswith("-") for each in words):
                values = " ".join(f"{name} {shlex.quote(value)}" for value in words)
                return f"; {name} takes one value and is repeated for others: {values}"
        return ""

    def _is_complete(self, ctx: Any, args: list[str]) -> bool:
        """Tell whether these words have all arguments of the command, such as SCORES."""
        try:
            values, _, _ = self.make_parser(ctx).parse_args([*args])
        except _UsageError:
            return False  # the last is an option whose value has been cut off
        return all(values.get(each.name) for each in self._arguments())

    def spelled(self, name: str, values: tuple[object, ...]) -> str | None:
        """Return the option of an argument, with its values, or None if there is no such option."""
        options = {parameter.name: _long(parameter) for parameter in self._options()}
        truth = values[0] if len(values) == 1 else None
        if truth is False:
            return options.get(f"no_{name}") or self._reverse(name)
        if truth is True and f"all_{name}" in options:
            return options[f"all_{name}"]
        names = (name, _OTHERS.get(name, name.removesuffix("s")))
        option = next((options[each] for each in names if each in options), None)
        if option is None or not values or truth is True:
            return option
        listed = [each if isinstance(each, list | tuple) else [each] for each in values]
        repeated = [f" {option} ".join(map(_typed, each)) for each in listed]
        return f"{option} {alternatives(repeated)}"

    def _reverse(self, name: str) -> str | None:
        """Return the negative one of two options for yes and no, or None."""
        found = (each.secondary_opts for each in self._options() if each.name == name)
        return next((str(second) for second, *_ in found), None)


def _long(option: Any) -> str:
    return next(str(name) for name in option.opts if name.startswith("--"))


def _is_there(word: str) -> bool:
    """Tell whether a word names a file of scores: FILE, NAME=FILE or standard input."""
    file = word.partition("=")[2] or word
    try:
        return file == "-" or Path(word).exists() or Path(file).exists()
    except OSError:  # of a name that is too long
        return False


def _typed(value: object) -> str:
    """Return a value as it is typed in a shell."""
    return shlex.quote(value) if isinstance(value, str) else str(value)


class Group(TyperGroup):
    """A group of commands, whose help needs standard output."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is asked for; an error repeats few characters of it."""
        try:
            return super().resolve_command(ctx, args)
        except _UsageError as error:
            error.message = shortened(error.message)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by what they are for, or those of a group of their own."""
        if self.name != "cdfscore":
            super().format_commands(ctx, formatter)
            return
        width = formatter.width - 6 - max(map(len, self.commands))
        commands: dict[str, Any] = {**self.commands}
        for title in dict.fromkeys(each.rich_help_panel for each in commands.values()):
            with formatter.section(title):
                rows = [
                    (name, each.get_short_help_str(width))
                    for name, each in commands.items()
                    if each.rich_help_panel == title
                ]
                formatter.write_dl(rows)

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
        show(*context.get_help().splitlines())
        context.exit()
