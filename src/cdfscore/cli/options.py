"""Options of commands: from the signature of a function, and from its docstring.

A positional parameter is an argument, and one after ``*`` an option; its name, its default and
its permitted values, a `Literal`, are those of the signature. A docstring has an entry for each:
the word for the value, and the help. A command without an entry for a parameter takes it from the
entries here, and its section in the help too.

Parameters
----------
components : FILE
    CSV or TSV file with a row for each system, the column system, and a column for each factor.
jobs : N
    Number of threads. Default: all cores.
means : TERM
    Compare the marginal means of this term, such as stemmer or stemmer:model. The results go to
    the file of --contrasts. May be repeated.
resume
    Continue an interrupted run from its cached trials.
scores : SCORES
    Files of scores: CSV, output of trec_eval -q, and others. 'cdfscore help files' has all forms.
    Use - for standard input. Several files are combined by topic. NAME=FILE names the system of a
    file.

Standardization
---------------
scheme : SCHEME
    Standardize the scores by this scheme first. Default: raw. May be repeated.
reference : FILE
    Scores of the reference systems. The scheme is fitted to them. Default: SCORES.
factors : FILE
    Factors of 'standardize --save-factors', in place of --scheme and --reference. Their policies
    apply unless you give others. If the file has factors of several measures, --measure names the
    measure of the factors and of SCORES. May be repeated, for factors of different topics.
sds : FILE
    Standard deviations, if the factors are means in CSV.
track : NAME
    Track of the factors, if they are an archive of several. It is the name of its files before
    means.csv, or a part of it.
extra_topics : POLICY
    Topics of SCORES that the reference or the factors lack: refuse (an error) or drop.
constant : POLICY
    Topics whose reference scores are all equal
missing : POLICY
    Missing scores
unfitted : POLICY
    Topics to which the scheme cannot be fitted

Test
----
test : TEST
    Significance test: NAME or NAME:KEY=VALUE,... 'cdfscore tests' lists the tests.
baseline : NAME
    Compare others with this system only. May be repeated.
adjust : METHOD
    Correction for multiple tests, as in R's p.adjust. Default: holm; none for tests of a family,
    such as tukey_hsd.
effect : NAME
    Effect size of pairs. Default: that of the test. '' for none.
alpha : LEVEL
    Significance level. It is that of letters, diagram and caption. If the test is permutation and
    its B is not given, this level and the correction determine B.

Another collection
------------------
with_reference : FILE
    Reference systems of OTHER, beside --reference.

Output
------
out : DIR
    Output folder. It is created if it does not exist.
contrasts : FILE
    Write the comparisons of --means with all digits to this .csv or .tsv file.

Input
-----
topic_column : NAME
    Header of the column of topics, or of systems if rows are systems. Several with commas between
    them make one label. Default: it is detected.
no_topic_column
    The file has no column of topics.
systems_as_rows
    Rows are systems and columns are topics, or the reverse. Needed only if the header of the first
    column does not show it: system, run, model, method, classifier and the like are systems;
    topic, query, task, data set and the like are topics. With several files, it applies to the
    files that do not show it. In JSON, it applies to the outer keys.
keep_topic : LABEL
    Keep this topic, although it looks like a summary such as the row 'all' of trec_eval. Summaries
    are refused. May be repeated.
keep_system : LABEL
    Keep this system, although it looks like a summary such as a column 'avg'. Summaries are
    refused. May be repeated.
drop_topic : LABEL
    Leave out this topic, or this column of a leaderboard. May be repeated.
drop_system : LABEL
    Leave out this system. May be repeated.
measure : NAME
    Measure to read if SCORES has several, as in the output of trec_eval -q, or the measure of
    SCORES if the file names none.
system_column : NAME
    Header of the column of systems, such as framework. Several with commas between them make one
    label, such as model,config. With this or --score-column, columns of no use are left out.
score_column : NAME
    Header of the column of scores, if SCORES has a row for each score.
replicate : COLUMN
    Column that tells several scores of a system on a topic apart, such as fold, seed or shard.
    SCORES has a row for each score. The score is the mean of them; a mixed model has them all. May
    be repeated.
na : TEXTS
    Texts of cells without a score, with commas between them, such as OOM,-,N/A.
cells : FORM
    Form of cells whose value is read: 'value±sd', 'value(x)', 'value*', '**value**', 'value%' or
    '1,000.5'. What is beside the value is left out. May be repeated.
sheet : NAME
    Sheet of a workbook (.xlsx). Default: the first.
lower_is_better : LABEL
    Topic on which lower scores are better, such as an error rate. Its scores are negated first.
    May be repeated; all stands for every topic.
all_lower_is_better
    Lower is better on every topic.
reflect_at : X
    If lower is better, replace each score x by X - x, and not by -x. Use 1 for error rates with a
    distribution on [0, 1].
plain_labels
    In CSV and TSV files, write labels that start with =, +, - or @ unchanged. Without this option,
    such a label gets an apostrophe before it unless it is a number, so that a spreadsheet does not
    run it as a formula. cdfscore removes the apostrophe when it reads the file.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import shlex
import textwrap
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ArgumentInfo, OptionInfo

from cdfscore.cli.paths import check_outputs, check_paths
from cdfscore.cli.terminal import be_quiet, naming_options, show, written
from cdfscore.common.catalogue import Catalogue
from cdfscore.common.text import files, shortened
from cdfscore.errors import CdfscoreError, alternatives
from cdfscore.scores.tables import DELIMITERS, plain_labels

#: The section of the options that every command on score files has; their help is in one place.
OF_FILES = "Input"


@dataclass(frozen=True)
class Written:
    """A file that a command writes: its endings, or their MODULE:NAME, imported if it is given."""

    endings: str | Collection[str]
    is_result: bool = False

    @property
    def has_labels(self) -> bool:
        """True if a spreadsheet may open the file."""
        return self.endings in (RESULTS, _SCORES) or ".csv" in self.endings


#: Marks a file that a command reads.
READ = object()
#: Names of the option for the result of a command.
OUT = typer.Option("-o", "--out")
OR_TABLE = typer.Option(
    "-o",
    "--out",
    help="Use - for standard output. Default: in a terminal a table of rounded numbers, and in a "
    "pipe what - writes.",
)
FIGURES = "cdfscore.plots.canvas:ENDINGS"
RESULTS = "cdfscore.report.writing:ENDINGS"
_SCORES = "cdfscore.scores.writing:ENDINGS"
Read = Annotated[str | None, READ]
RequiredFile = Annotated[str, READ]
Table = Annotated[str | None, Written(DELIMITERS)]
Figure = Annotated[str | None, Written(FIGURES)]
Result = Annotated[str | None, Written(RESULTS, is_result=True), OR_TABLE]
WrittenScores = Annotated[str | None, Written(_SCORES, is_result=True), OR_TABLE]


@dataclass(frozen=True)
class _Entry:
    section: str = "Parameters"
    metavar: str | None = None
    help: str = ""


def _parsed(docstring: str | None) -> tuple[str, dict[str, _Entry]]:
    entries: dict[str, _Entry] = {}
    text, section, name = list[str](), "", ""
    lines = inspect.cleandoc(docstring or "").splitlines()
    for line, following in zip(lines, [*lines, ""][1:], strict=True):
        if following and set(following) == {"-"}:
            section = line
        elif not section:
            text.append(line)
        elif line.startswith(" "):
            own = entries[name]
            entries[name] = replace(own, help=f"{own.help} {line.strip()}".lstrip())
        elif line and set(line) != {"-"}:
            name, _, metavar = line.partition(" : ")
            entries[name] = _Entry(section, metavar or None)
    return "\n".join(text).strip(), entries


_SHARED = _parsed(__doc__)[1]
_SECTIONS = [*dict.fromkeys(each.section for each in _SHARED.values())][1:]
#: The sections in the help of a command, in their order.
SECTIONS = ("Arguments", *_SECTIONS[:2], "Options", *_SECTIONS[2:])
#: In the context of a command: whether its help is that of ``cdfscore help``.
IN_FULL = "cdfscore.in_full"
#: What lists the values of arguments and options, for completion.
_LISTS = {
    "adjust": "cdfscore.stats.adjustment:METHODS",
    "effect": "cdfscore.stats.effect_size.effects:effect_sizes",
    "goal": "cdfscore.models.goals:goals",
    "kind": "cdfscore.plots.kinds:KINDS",
    "names": "cdfscore.stats.schemes.base:schemes",
    "normalize": "cdfscore.stats.schemes.base:schemes",
    "scheme": "cdfscore.stats.schemes.base:schemes",
    "test": "cdfscore.stats.significance.contract:significance_tests",
}


def with_groups(command: Callable[..., None], *, labels: bool = False) -> Callable[..., None]:
    """Make a command of a function, as Typer takes it, by the rules of this module.

    In place of a dataclass, it has the options that are the parameters of its method ``of``, or its
    fields. One that writes CSV or TSV files, or `labels` in another way, has ``--plain-labels``.
    """
    text, entries = _parsed(command.__doc__)
    parameters = inspect.signature(command).parameters
    hints = typing.get_type_hints(command, include_extras=True)
    groups = [name for name, hint in hints.items() if is_dataclass(hint)]
    marks = {name: mark for name in parameters if isinstance(mark := _mark(hints[name]), Written)}

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        is_plain = arguments.pop("plain_labels", False)
        arguments.pop("quiet", None)  # Typer gives its default
        for name in reversed(groups):
            arguments[name] = _made(hints[name], arguments)
        for name, mark in marks.items():
            if mark.is_result:
                arguments[name] = written(arguments[name])
        _check_files(parameters.values(), hints, arguments)
        with plain_labels() if is_plain else nullcontext():
            command(**arguments)

    shown = [*_flat(parameters.values(), hints, entries), _QUIET]
    if labels or any(mark.has_labels for mark in marks.values()):
        plain = inspect.Parameter("plain_labels", inspect.Parameter.KEYWORD_ONLY, default=False)
        shown.append(_shown(plain, bool, {}))
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in shown]
    with_options.__doc__ = text.replace("Examples:\n", "\b\nExamples:\n")  # line by line
    vars(with_options)["__signature__"] = inspect.Signature(own)
    with_options.__annotations__ = {each.name: each.annotation for each in own}
    return with_options


def _hush(asked: bool) -> None:
    if asked:
        be_quiet(True)


#: The option for fewer notes, of ``cdfscore`` and of each command, which needs no parameter for it.
QUIET = typer.Option(
    "-q",
    "--quiet",
    help="Print no notes, only results and errors.",
    callback=_hush,
    expose_value=False,
)
_QUIET = inspect.Parameter(
    "quiet",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, QUIET],
)


def completed(members: str | Collection[str]) -> Callable[[str], list[str]]:
    """Return what completes a word by a list, or by the MODULE:NAME of a catalogue or a list."""

    def complete(incomplete: str) -> list[str]:
        every: Any = members
        if isinstance(members, str):
            module, _, name = members.partition(":")
            every = getattr(import_module(module), name)
        if isinstance(every, Catalogue):
            try:
                words = every.spellings(incomplete)
            except CdfscoreError:  # there is no such name
                words = []
        else:
            words = [getattr(each, "name", each) for each in every]
        start = incomplete.replace("-", "_")
        found = [each for each in words if each.replace("-", "_").startswith(start)]
        return [incomplete + each[len(incomplete) :] for each in found]

    return complete


def _of_group(group: Any) -> tuple[list[inspect.Parameter], dict[str, Any]]:
    make = getattr(group, "of", group)
    own = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in inspect.signature(make).parameters.values()
    ]
    return own, typing.get_type_hints(make, include_extras=True)


def _flat(
    parameters: Iterable[inspect.Parameter],
    hints: Mapping[str, Any],
    entries: Mapping[str, _Entry],
) -> Iterator[inspect.Parameter]:
    for each in parameters:
        hint = hints[each.name]
        if is_dataclass(hint):
            yield from _flat(*_of_group(hint), {**_parsed(hint.__doc__)[1], **entries})
        else:
            yield _shown(each, hint, entries)


def _made(group: Any, arguments: dict[str, Any]) -> Any:
    own, hints = _of_group(group)
    made = {
        each.name: _made(hint, arguments) if is_dataclass(hint) else arguments.pop(each.name)
        for each in reversed(own)
        for hint in [hints[each.name]]
    }
    return getattr(group, "of", group)(**made)


def _shown(
    parameter: inspect.Parameter, hint: Any, entries: Mapping[str, _Entry]
) -> inspect.Parameter:
    if hint is typer.Context:
        return parameter.replace(annotation=hint)
    name, is_option = parameter.name, parameter.kind is inspect.Parameter.KEYWORD_ONLY
    own, *marks = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    shared = _SHARED.get(name, _Entry())
    entry = entries.get(name, shared)
    section = shared.section if entry.section == "Parameters" else entry.section
    if isinstance(_mark(hint), Written):
        section = "Output"
    given = next((each for each in marks if isinstance(each, OptionInfo | ArgumentInfo)), None)
    flag = [f"--{name.replace('_', '-')}"] if own is bool else []
    info = copy(given) or (typer.Option(*flag) if is_option else typer.Argument())
    of_type = info.help
    words = next((each for each in (own, *marks) if typing.get_origin(each) is Literal), None)
    said = [entry.help] if of_type is None or name in entries else []
    if words is not None:
        each_word = [f"{w} (an error)" if w == "raise" else w for w in typing.get_args(words)]
        said = [f"{entry.help}: {', '.join(each_word)}."]
        by_typed = {word.replace("_", "-"): word for word in typing.get_args(words)}
        info.parser = lambda typed: by_typed.get(typed, typed)
    info.help = " ".join(filter(None, [*said, of_type]))
    info.metavar = info.metavar or entry.metavar
    info.rich_help_panel = info.rich_help_panel or section.replace("Parameters", "Options")
    members = _LISTS.get(name) if words is None else typing.get_args(words)
    if members and info.autocompletion is None:
        info.autocompletion = completed(members)
    return parameter.replace(annotation=Annotated[str if own is words else own, info])


def _mark(hint: Any) -> Any:
    marks = getattr(hint, "__metadata__", ())
    return next((each for each in marks if each is READ or isinstance(each, Written)), None)


def _check_files(
    parameters: Iterable[inspect.Parameter],
    hints: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> None:
    inputs: dict[str, str | None] = {}
    outputs: dict[str, tuple[str, Collection[str]]] = {}
    draws = False
    for each in parameters:
        value, mark = arguments[each.name], _mark(hints[each.name])
        label = each.name.upper()
        if each.kind is inspect.Parameter.KEYWORD_ONLY:
            infos = getattr(hints[each.name], "__metadata__", ())
            named = (d for i in infos if isinstance(i, OptionInfo) for d in i.param_decls or ())
            typed = [name for name in named if name.startswith("--")]
            label = [*typed, f"--{each.name.replace('_', '-')}"][0]
        inputs |= getattr(value, "paths", {})
        if mark is READ:
            several = isinstance(value, list)
            inputs |= {f"{label} {path}": path for path in value} if several else {label: value}
        elif mark is not None and value is not None:
            endings = mark.endings
            if isinstance(endings, str):
                module, _, name = endings.partition(":")
                endings = getattr(import_module(module), name)
            outputs[label] = value, endings
            draws = draws or mark.endings == FIGURES
    check_paths(inputs, {label: path for label, (path, _) in outputs.items()})
    check_outputs(outputs)
    if draws:
        from cdfscore.plots.canvas import require_matplotlib

        require_matplotlib()


# The class of commands ----------------------------------------------------------------------------

#: Arguments of Python whose options have other names, but for those that lose the s of a plural.
_OTHERS = {"reference_sizes": "systems", "adjustment": "adjust"}
#: Base of the errors of arguments, of click or of Typer's own copy of it, which exports none.
_UsageError: Any = typer.BadParameter.__base__


#: Of the running command: the names of its options, and the arguments that the user gave.
_running: ContextVar[tuple[frozenset[str], frozenset[str]]] = ContextVar(
    "_running", default=(frozenset(), frozenset())
)
# Arguments as messages name them: missing='omit', 'zero' or 'drop_topic'; measure=...
# A number stands at the beginning or is what is expected: elsewhere, seed=1 may be a label.
_NUMBER = r"(?:-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)|[A-Z]+)"
_WORD = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|True|False|None)"""
_LIST = rf"[\[(](?:(?:{_WORD}|{_NUMBER})(?:, ?(?:{_WORD}|{_NUMBER}))*,?)?[\])]"
_VALUE = rf"(?:{_WORD}|{_LIST})"
_ARGUMENT = re.compile(
    rf"(?<![^\s(])(?P<name>[a-z]\w*)="
    rf"(?P<value>\.\.\.|{_VALUE}(?:(?:, {_VALUE})* or {_VALUE})?(?!\w))"
    rf"|(?:(?<=^)|(?<=expected ))(?P<number>[a-z]\w*)=(?P<of_number>{_NUMBER}(?![\w=]|\.\w))"
)
# What is before a setting of a test or a scheme, which is typed as it is named.
_OWNER = re.compile(r"(\w+): $")


def is_typed(name: str) -> bool:
    """Tell whether the user gave this argument of the running command."""
    return name in typed_names()


def typed_names() -> frozenset[str]:
    """Return the arguments that the user gave to the running command."""
    return _running.get()[1]


def has_option(name: str) -> bool:
    """Tell whether the running command has an option of this name."""
    return name in _running.get()[0]


def needing(given: Collection[str], needs: Mapping[str, Collection[str]]) -> None:
    """Raise an error for arguments that are given without the one that they need."""
    for other, names in needs.items():
        alone = [f"{name}=..." for name in names if name in given]
        if alone and other not in given:
            raise CdfscoreError(
                f"{alternatives(alone, 'and')} {'needs' if len(alone) == 1 else 'need'} "
                f"{other}=...; expected {other}=... too"
            )


def _brief(text: str) -> str:
    """Return the first sentence of a help, and whatever it says of the default and repetition."""
    told, mark, default = text.partition("  [")
    first, *others = re.split(r"(?<=[.]) (?=[A-Z])", told)
    kept = [each for each in others if each.startswith(("Default", "May be"))]
    return " ".join([first, *kept]) + mark + default


def _write_names(formatter: Any, title: str, names: Sequence[str]) -> None:
    with formatter.section(title):
        filled = textwrap.fill(", ".join(names), formatter.width - 2, break_on_hyphens=False)
        formatter.write(textwrap.indent(filled, "  ") + "\n")


class _Helpful:
    """A command or a group whose option of help raises `OutputError` without standard output."""

    def get_help_option(self, ctx: Any) -> Any:
        def show_help(context: Any, option: Any, asked: bool) -> None:
            if asked and not context.resilient_parsing:
                show(*context.get_help().splitlines())
                context.exit()

        of_typer: Any = super()
        if (option := of_typer.get_help_option(ctx)) is not None:
            option.callback = show_help
        return option


class Command(_Helpful, TyperCommand):
    """A command whose messages name arguments as they are typed: ``--missing omit``."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments without their types in Python, and options in groups, all in brief."""
        for argument in self._arguments():
            vars(argument)["display_type_rich"] = lambda ctx: ""
        groups: dict[str, list[Any]] = {title: [] for title in SECTIONS}
        reads_files = any(each.name == "keep_topic" for each in self.params)
        parameters: list[Any] = self.get_params(ctx)
        for each in parameters:
            if (record := each.get_help_record(ctx)) is None:
                continue
            if not ctx.meta.get(IN_FULL):
                record = record[0], _brief(record[1])
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
            _write_names(formatter, f"{OF_FILES} (cdfscore help files)", of_files)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the kinds of figures, each with its description, below the help of ``plot``."""
        if self.name == "plot":
            from cdfscore.plots.kinds import KINDS

            if ctx.meta.get(IN_FULL):
                with formatter.section("Kinds"):
                    formatter.write_dl([(kind.name, kind.says) for kind in KINDS])
            else:
                _write_names(formatter, "Kinds", [kind.name for kind in KINDS])
        if not ctx.meta.get(IN_FULL):
            _, _, names = ctx.command_path.partition(" ")
            formatter.write_paragraph()
            formatter.write_text(f"'cdfscore help {names}' says more about each option.")

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what it says has its options in place of arguments of Python."""
        given = frozenset(n for n in ctx.params if ctx.get_parameter_source(n).name != "DEFAULT")
        before = _running.set((frozenset(each.name for each in self._options()), given))
        try:
            with naming_options(self.with_options):
                return super().invoke(ctx)
        finally:
            _running.reset(before)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse an option that is given twice but takes one value."""
        if ctx.resilient_parsing:
            return [*super().parse_args(ctx, args)]
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
        for argument in self._arguments():
            words = ctx.params.get(argument.name) if argument.nargs == -1 else None
            there = dict.fromkeys(words or (), False)
            for word in there:
                file = word.partition("=")[2] or word
                with suppress(OSError):  # of a name that is too long
                    there[word] = file == "-" or Path(word).exists() or Path(file).exists()
            absent = [word for word, is_there in there.items() if not is_there]
            if absent and (how := self._to_repeat(ctx, args)):
                raise _UsageError(f"Got unexpected extra argument ({absent[0]}){how}", ctx)

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        command = copy(self)
        command.params = [copy(parameter) for parameter in self.params]
        for option in command._options():
            option.multiple = True
        values, _, _ = command.make_parser(ctx).parse_args([*args])
        for parameter in self._options():
            found = values.get(parameter.name, [])
            if parameter.multiple or len(found) < 2:
                continue
            times = "twice" if len(found) == 2 else f"{len(found)} times"
            as_what = "" if parameter.is_flag else f", as {files([*map(_typed, found)])}"
            raise CdfscoreError(f"{_long(parameter)} is given {times}{as_what}; expected once")

    def _options(self) -> list[Any]:
        return [each for each in self.params if each.param_type_name == "option"]

    def _arguments(self) -> list[Any]:
        return [each for each in self.params if each.param_type_name == "argument"]

    def _to_repeat(self, ctx: Any, args: list[str]) -> str:
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
        try:
            values, _, _ = self.make_parser(ctx).parse_args([*args])
        except _UsageError:
            return False  # the last is an option whose value has been cut off
        return all(values.get(each.name) for each in self._arguments())

    def with_options(self, text: str) -> str:
        """Return a text with options as they are typed in place of the arguments that it names."""

        def option(found: re.Match[str]) -> str:
            from cdfscore.stats.schemes.base import schemes
            from cdfscore.stats.significance.contract import significance_tests

            owner = _OWNER.search(text[: found.start()])
            if owner and owner[1] in {*schemes.names(), *significance_tests.names()}:
                return found[0]
            name, value = found["name"] or found["number"], found["value"] or found["of_number"]
            try:
                one = re.findall(_VALUE, value) or [value]
                values = [each for each in map(ast.literal_eval, one) if each is not ...]
            except (ValueError, SyntaxError):  # such as NAME
                values = [value]
            return self.spelled(name, tuple(values)) or found[0]

        return _ARGUMENT.sub(option, text)

    def spelled(self, name: str, values: tuple[object, ...]) -> str | None:
        """Return the option of an argument, with its values, or None if there is no such option."""
        options = {parameter.name: _long(parameter) for parameter in self._options()}
        truth = values[0] if len(values) == 1 else None
        if truth is False:
            reverse = (o.secondary_opts for o in self._options() if o.name == name)
            return options.get(f"no_{name}") or next((str(second) for second, *_ in reverse), None)
        if truth is True and f"all_{name}" in options:
            return options[f"all_{name}"]
        # Where no option reverses scores, as in experiments, another command does.
        if name == "lower_is_better" and values and name not in options:
            labels = values[0] if isinstance(values[0], list) else values
            labels = ["all"] if truth is True else labels
            wanted = " ".join(f"--lower-is-better {_typed(each)}" for each in labels)
            return f"cdfscore standardize --scheme raw {wanted}"
        names = (name, _OTHERS.get(name, name.removesuffix("s")))
        option = next((options[each] for each in names if each in options), None)
        if option is None or not values or truth is True:
            return option
        if values == (None,):
            return f"no {option}"
        listed = [each if isinstance(each, list | tuple) else [each] for each in values]
        repeated = [f" {option} ".join(map(_typed, each)) for each in listed]
        return f"{option} {alternatives(repeated)}"


def _long(option: Any) -> str:
    return next(str(name) for name in option.opts if name.startswith("--"))


def _typed(value: object) -> str:
    return shlex.quote(value) if isinstance(value, str) else str(value)


class Group(_Helpful, TyperGroup):
    """A group of commands, whose help needs standard output."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; Typer says "Aborted!" of an EOFError, and `main` what it was."""
        try:
            return super().invoke(ctx)
        except EOFError as error:
            raise SystemExit from error

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
