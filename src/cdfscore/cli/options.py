"""Options of commands: from the signature of a function, and from its docstring.

A positional parameter is an argument, and one after ``*`` an option; its name, its default and
its permitted values, a `Literal`, are those of the signature. A docstring has an entry for each:
the word for the value, and the help. A command without an entry for a parameter takes it from the
entries here, and its section in the help too.

Parameters
----------
adjust : METHOD
    Correction for multiple tests, by its name in R's p.adjust. Default: holm, or none for a test
    of the whole family such as tukey_hsd.
alpha : LEVEL
    Significance level of letters, diagram and caption. If the test is permutation and its B is not
    given, this level and the correction determine B.
baseline : NAME
    Compare the other systems with this system only. May be repeated.
components : FILE
    CSV or TSV file with a row for each system, the column system, and a column for each factor.
effect : NAME
    Effect size of pairs. Default: the effect size that belongs to the test. '' for none.
jobs : N
    Number of threads. Default: all cores.
means : TERM
    Compare the marginal means of this term, such as stemmer or stemmer:model. The results go to
    the file of --contrasts. May be repeated.
resume
    Continue an interrupted run from its cached trials.
scores : SCORES
    File of scores: CSV, TSV or Parquet with a column for each system or a row for each score;
    output of trec_eval -q or ir_measures -q; or JSON. Use - for standard input. Several files are
    combined by topic. NAME=FILE names the system of a file.

Options on standardization
--------------------------
scheme : SCHEME
    Standardize the scores by this scheme first. Default: raw. May be repeated.
reference : FILE
    Scores of the reference systems, to which the scheme is fitted. Default: SCORES.
factors : FILE
    Standardize by the factors in this file, which 'standardize --save-factors' writes. They
    replace --scheme and --reference. Their policies apply unless you give others. If the file has
    factors of several measures, --measure names the measure of the factors and of SCORES. May be
    repeated, for factors of different topics.
sds : FILE
    File of standard deviations, if the factors are a CSV file of means.
track : NAME
    Track of the factors, if they are an archive of several tracks: the name of its files before
    means.csv, or a part of it.
extra_topics : POLICY
    What to do with topics of SCORES that the reference scores or the factors lack: refuse (an
    error) or drop.
constant : POLICY
    What to do with constant topics, whose reference scores are all equal
missing : POLICY
    What to do with missing scores
unfitted : POLICY
    What to do with topics to which the scheme cannot be fitted

Options on another collection
-----------------------------
with_reference : FILE
    Reference systems of OTHER, beside --reference.

Output
------
out : DIR
    Output folder. It is created if it does not exist.
contrasts : FILE
    Write the comparisons of --means with all digits to this .csv or .tsv file.

Options on the form of files
----------------------------
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
    Measure to read if SCORES has several, as in the output of trec_eval -q.
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

import functools
import inspect
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from importlib import import_module
from typing import Annotated, Any, Literal

import typer
from typer.models import ArgumentInfo, OptionInfo

from cdfscore.cli.paths import check_outputs, check_paths
from cdfscore.cli.terminal import written
from cdfscore.io.tables import plain_labels

#: The section of the options that every command on score files has; their help is in one place.
OF_FILES = "Options on the form of files"
#: The name in Python of the option ``--plain-labels``.
PLAIN_LABELS = "plain_labels"


@dataclass(frozen=True)
class Written:
    """A file that a command writes: MODULE:NAME of its endings, which is imported if it is given.

    If it `is_result`, standard output has it by default, but in a terminal it is None, and the
    command shows a table.
    """

    endings: str
    is_result: bool = False


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
FIGURES = "cdfscore.plots.saving:ENDINGS"
RESULTS = "cdfscore.report.writing:ENDINGS"
_SCORES = "cdfscore.io.scores.writing:ENDINGS"
Read = Annotated[str | None, READ]
RequiredFile = Annotated[str, READ]
Table = Annotated[str | None, Written("cdfscore.io.tables:DELIMITERS")]
Figure = Annotated[str | None, Written(FIGURES)]
Result = Annotated[str | None, Written(RESULTS, is_result=True), OR_TABLE]
WrittenScores = Annotated[str | None, Written(_SCORES, is_result=True), OR_TABLE]


@dataclass(frozen=True)
class _Entry:
    """What a docstring says of a parameter."""

    section: str = "Parameters"
    metavar: str | None = None
    help: str = ""


def _parsed(docstring: str | None) -> tuple[str, dict[str, _Entry]]:
    """Return the text of a docstring before its first section, and the entries of all sections."""
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
#: The sections in the help of a command, in their order.
SECTIONS = ("Arguments", "Options", *[*dict.fromkeys(e.section for e in _SHARED.values())][1:])


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function, as Typer takes it, by the rules of this module.

    In place of a parameter whose type is a dataclass, the command has the options that are the
    parameters of its method ``of``, or its fields, and the function gets the object. The paths of
    all files are checked before the function runs.
    """
    text, entries = _parsed(command.__doc__)
    parameters = inspect.signature(command).parameters
    hints = typing.get_type_hints(command, include_extras=True)
    groups = [name for name, hint in hints.items() if is_dataclass(hint)]

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        for name in reversed(groups):
            arguments[name] = _made(hints[name], arguments)
        for name in parameters:
            mark = _mark(hints[name])
            if isinstance(mark, Written) and mark.is_result:
                arguments[name] = written(arguments[name])
        _check_files(parameters.values(), hints, arguments)
        command(**arguments)

    with_options.__doc__ = text.replace("Examples:\n", "\b\nExamples:\n")  # line by line
    return _with_parameters(with_options, _flat(parameters.values(), hints, entries))


def with_plain_labels(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that writes CSV or TSV files the option ``--plain-labels``, and apply it."""

    @functools.wraps(command)
    def exporting(**arguments: Any) -> None:
        with plain_labels() if arguments.pop(PLAIN_LABELS) else nullcontext():
            command(**arguments)

    own = inspect.Parameter(PLAIN_LABELS, inspect.Parameter.KEYWORD_ONLY, default=False)
    others = inspect.signature(command).parameters.values()
    return _with_parameters(exporting, [*others, _shown(own, bool, {})])


def _with_parameters(
    function: Callable[..., None], shown: Iterable[inspect.Parameter]
) -> Callable[..., None]:
    """Give a function these parameters, as Typer sees them."""
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in shown]
    vars(function)["__signature__"] = inspect.Signature(own)
    function.__annotations__ = {each.name: each.annotation for each in own}
    return function


def _of_group(group: Any) -> tuple[list[inspect.Parameter], dict[str, Any]]:
    """Return the parameters of a group, all of them options, and their types."""
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
    """Yield parameters as Typer takes them; in place of a group, those that it is made of."""
    for each in parameters:
        hint = hints[each.name]
        if is_dataclass(hint):
            yield from _flat(*_of_group(hint), {**_parsed(hint.__doc__)[1], **entries})
        else:
            yield _shown(each, hint, entries)


def _made(group: Any, arguments: dict[str, Any]) -> Any:
    """Make the object of a group, and take what it is made of from the arguments."""
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
    """Return a parameter as Typer takes it, with what its type and the docstrings say of it."""
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
    info.help = " ".join(filter(None, [*said, of_type]))
    info.metavar = info.metavar or entry.metavar
    info.rich_help_panel = info.rich_help_panel or section.replace("Parameters", "Options")
    return parameter.replace(annotation=Annotated[str if own is words else own, info])


def _mark(hint: Any) -> Any:
    """Return what the type of a parameter says of a file, or None."""
    marks = getattr(hint, "__metadata__", ())
    return next((each for each in marks if each is READ or isinstance(each, Written)), None)


def _label(parameter: inspect.Parameter, hint: Any) -> str:
    """Return the name of an argument or an option, for a message on its file."""
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        return parameter.name.upper()
    infos = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, OptionInfo)]
    names = [name for info in infos for name in info.param_decls or () if name.startswith("--")]
    return str(names[0]) if names else f"--{parameter.name.replace('_', '-')}"


def _check_files(
    parameters: Iterable[inspect.Parameter],
    hints: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> None:
    """Check the paths of the files that a command reads and writes, before it does."""
    inputs: dict[str, str | None] = {}
    outputs: dict[str, tuple[str, Collection[str]]] = {}
    draws = False
    for each in parameters:
        value, mark = arguments[each.name], _mark(hints[each.name])
        label = _label(each, hints[each.name])
        inputs |= getattr(value, "paths", {})
        if mark is READ:
            several = isinstance(value, list)
            inputs |= {f"{label} {path}": path for path in value} if several else {label: value}
        elif mark is not None and value is not None:
            module, _, name = mark.endings.partition(":")
            outputs[label] = value, getattr(import_module(module), name)
            draws = draws or mark.endings == FIGURES
    check_paths(inputs, {label: path for label, (path, _) in outputs.items()})
    check_outputs(outputs)
    if draws:
        from cdfscore.plots.canvas import require_matplotlib

        require_matplotlib()
