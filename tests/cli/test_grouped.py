"""Options of commands: where they stand, what a command gets, and their twins in Python."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
import typer

import cdfscore as package
from cdfscore import cli, diagnosis, models
from cdfscore import retrieval as trec
from cdfscore.cli.options import Command, with_groups
from tests.cli.conftest import Run
from tests.cli.conftest import write as write
from tests.commands import commands


@dataclass(frozen=True)
class Pair:
    """Two numbers.

    Parameters
    ----------
    first : N
        The first of two.
    """

    first: int = 1
    second: str = "two"


def test_options_are_those_of_the_signature_and_the_docstring() -> None:
    got: list[object] = []

    def command(
        before: float,
        *,
        pair: Pair,
        policy: Literal["raise", "omit"] = "omit",
        other: Annotated[str | None, typer.Option("--with")] = None,
        after: bool = True,
    ) -> None:
        """Do it.

        Parameters
        ----------
        before : X
            A number,
            on two lines.
        policy : POLICY
            What to do

        Output
        ------
        after
            Afterwards.
        """
        got.append((before, pair, policy, other, after))

    app = typer.Typer(add_completion=False)
    app.command(cls=Command)(with_groups(command))
    made: Any = typer.main.get_command(app)
    argument, *options = made.params
    assert (argument.name, argument.metavar, argument.help) == (
        "before",
        "X",
        "A number, on two lines.",
    )
    assert [each.opts[0] for each in options] == [
        "--first",
        "--second",
        "--policy",
        "--with",
        "--after",
        "-q",
    ]
    assert options[0].help == "The first of two."
    assert options[2].help == "What to do: raise (an error), omit."
    assert (options[4].help, options[4].rich_help_panel) == ("Afterwards.", "Output")
    assert options[4].is_flag
    assert not options[4].secondary_opts
    app(["0.5", "--first", "3", "--with", "w"], standalone_mode=False)
    assert got == [(0.5, Pair(3, "two"), "omit", "w", True)]


@pytest.mark.parametrize(
    ("name", "function", "others"),
    [
        # A command names a test for whom a table of all pairs is enough; in Python there is none.
        ("compare", package.compare, {"test"}),
        ("correlate", package.correlate, set()),
        ("diagnose", diagnosis.diagnose, set()),
        ("model", models.anova, set()),
        ("mixed-model", models.mixed_model, {"random"}),
        ("plan", models.plan, {"pilot"}),
        ("measure", trec.measure, set()),
    ],
)
def test_defaults_are_those_of_python(
    name: str, function: Callable[..., Any], others: set[str]
) -> None:
    options = {each.name: each for each in cli.command().commands[name].params}
    same = 0
    for parameter in inspect.signature(function).parameters.values():
        option = options.get(parameter.name)
        if option is None or option.param_type_name == "argument" or parameter.name in others:
            continue
        default = None if parameter.default == () else parameter.default
        if default is parameter.empty:
            assert option.required, parameter.name
        elif not (option.multiple and option.default in (None, ())):  # "Default: raw." in its help
            assert option.default == default, parameter.name
        same += 1
    assert same > 1


def test_options_on_the_form_of_files_are_explained_once(cdfscore: Run) -> None:
    form = cdfscore("help", "files").out
    for command in ("compare", "report", "verify", "plot"):
        out = cdfscore(command, "--help").out
        names = out.partition("(cdfscore help files):\n")[2].split("\n\n")[0]
        for name in re.findall(r"--[a-z-]+", names):
            assert re.search(rf"^  {name}\b", form, flags=re.M), name
    assert "all forms" in cdfscore("help", "compare").out
    assert "'sensitivity'" in cdfscore("help", "plot").out
    assert "on halves of the topics" in cdfscore("help", "experiment", "halves").out
    assert "(did you mean 'plan'?)" in cdfscore("help", "pla").err


def test_every_command_is_in_a_group_of_the_help(cdfscore: Run) -> None:
    out = cdfscore("--help").out
    named = list(cli.command().commands)
    assert len(re.findall(r"^Commands on ", out, flags=re.M)) == 4
    assert all(re.search(rf"^  {name} ", out, flags=re.M) for name in named)


@pytest.mark.parametrize("name", ["", "experiment", "reproduce", *(name for name, _ in commands())])
def test_help_is_short_and_has_examples(cdfscore: Run, name: str) -> None:
    words = name.split()
    lines = cdfscore(*words, "--help").out.splitlines()
    assert len(lines) < 80
    assert max(map(len, lines)) <= 80
    assert "  Examples:" in lines
    assert not any(line.endswith("...") and "Usage" not in line for line in lines)
    assert cdfscore("help", *words).status == 0


def test_quiet_prints_no_notes_but_errors(cdfscore: Run, write: Any) -> None:
    write({"s.csv": "topic,a,b\n1,0.1,0.2\n2,0.3,0.2\n3,0.5,0.6\n"})
    words = ("compare", "s.csv", "-o", "-")
    loud = cdfscore(*words)
    for typed in (("-q", *words), (*words, "--quiet"), (words[0], "-q", *words[1:])):
        quiet = cdfscore(*typed)
        assert (quiet.out, quiet.err) == (loud.out, "")
    assert loud.err
    assert "nothing.csv" in cdfscore("--quiet", "compare", "nothing.csv").err
    assert cdfscore("compare", "s.csv", "-o", "-").err == loud.err


def test_lists_may_be_of_some_names(cdfscore: Run) -> None:
    assert cdfscore("tests", "paired_t", "sign").out.count("source:") == 2
    assert cdfscore("schemes", "N-std").out.startswith("normal (N-std; cdf)\n")
    assert "did you mean 'paired_t'" in cdfscore("tests", "pared_t").err


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("plot cr", "critical_difference"),
        ("plot critical-d", "critical-difference"),
        ("compare s.csv --test wil", "wilcoxon_signed_rank"),
        ("compare s.csv --test sign:conf", "sign:conf_level="),
        ("compare s.csv --test paired-t:alternative=l", "paired-t:alternative=less"),
        ("compare s.csv --test no_such:al", ""),
        ("compare s.csv --scheme em", "empirical"),
        ("compare s.csv --scheme z --scheme uniform:A=1,B", "uniform:A=1,B="),
        ("compare s.csv --adjust bon", "bonferroni"),
        ("compare s.csv --effect hed", "hedges_g"),
        ("compare s.csv --alpha 0.1 --alpha 0.2 --missing dr", "drop_topic"),
        ("plan s.csv --goal gen", "generalizability"),
        ("schemes joh", "johnson_su"),
        ("tests friedman nem", "nemenyi"),
        ("help stand", "standardize"),
        ("experiment ref", "reference-size"),
    ],
)
def test_words_are_completed(cdfscore: Run, monkeypatch: Any, words: str, found: str) -> None:
    monkeypatch.setenv("_CDFSCORE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"cdfscore {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert cdfscore().out.split() == found.split()


def test_dashes_stand_for_underscores_in_policies(cdfscore: Run, write: Any) -> None:
    write({"s.csv": "topic,a,b\n1,0.1,0.2\n2,0.3,\n3,0.5,0.6\n4,0.1,0.4\n"})
    same = [cdfscore("compare", "s.csv", "--missing", p) for p in ("drop-topic", "drop_topic")]
    assert same[0] == same[1]
    assert same[0].status == 0
    assert (
        "--missing drop-it is not accepted" in cdfscore("compare", "s.csv", "--missing=drop-it").err
    )
