"""Options that belong together: where they stand, and what a command gets."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cdfscore import cli
from cdfscore.cli.options import with_groups
from cdfscore.cli.spelling import _OF_COMMANDS
from tests.cli.conftest import Outcome
from tests.cli.conftest import write as write


@dataclass(frozen=True)
class Pair:
    first: int = 1
    second: str = "two"


def test_options_stand_in_the_place_of_their_argument() -> None:
    got: list[object] = []

    def command(before: float, *, pair: Pair, after: bool = True) -> None:
        got.append((before, pair, after))

    grouped = with_groups(command)
    shown = inspect.signature(grouped).parameters
    assert [(each.name, each.annotation) for each in shown.values()] == [
        ("before", float),
        ("first", int),
        ("second", str),
        ("after", bool),
    ]
    assert shown["second"].default == "two"
    grouped(before=0.5, first=3, second="four", after=False)
    assert got == [(0.5, Pair(3, "four"), False)]


@pytest.mark.parametrize("command", ["model", "mixed-model", "compare", "plan"])
def test_what_schemes_are_fitted_to_stands_after_them_and_before_outputs(
    cdfscore: Callable[..., Outcome], command: str
) -> None:
    options = re.findall(r"^  (?:-o, )?--([a-z-]+)", cdfscore(command, "--help").out, flags=re.M)
    place = options.index("scheme")
    expected = ["scheme", "reference", "factors", "sds", "track", "extra-topics"]
    assert options[place : place + 6] == expected
    assert options.index("extra-topics") < options.index("constant") < options.index("out")
    assert options.index("out") < options.index("topic-column")  # of which only names are there


def test_options_on_the_form_of_files_are_explained_once(cdfscore: Callable[..., Outcome]) -> None:
    form = cdfscore("help", "files").out
    for command in ("compare", "report", "verify", "plot"):
        out = cdfscore(command, "--help").out
        names = out.partition("(cdfscore help files):\n")[2].split("\n\n")[0]
        for name in re.findall(r"--[a-z-]+", names):
            assert re.search(rf"^  {name}\b", form, flags=re.M), name
        assert len(out.splitlines()) < 130
        assert max(map(len, out.splitlines())) <= 80
    assert (
        cdfscore("help", "compare").out.splitlines()[2:]
        == (cdfscore("compare", "--help").out.splitlines()[2:])
    )
    assert "(did you mean 'plan'?)" in cdfscore("help", "pla").err


def test_every_command_is_in_a_group_of_the_help(cdfscore: Callable[..., Outcome]) -> None:
    out = cdfscore("--help").out
    named = [name for names in _OF_COMMANDS.values() for name in names]
    assert sorted(named) == sorted(cli._command().commands)
    assert all(re.search(rf"^  {name} ", out, flags=re.M) for name in named)


def test_quiet_prints_no_notes_but_errors(cdfscore: Callable[..., Outcome], write: Any) -> None:
    write({"s.csv": "topic,a,b\n1,0.1,0.2\n2,0.3,0.2\n3,0.5,0.6\n"})
    loud, quiet = (cdfscore(*flags, "compare", "s.csv", "-o", "-") for flags in ((), ("-q",)))
    assert (quiet.out, quiet.err) == (loud.out, "")
    assert loud.err
    assert "nothing.csv" in cdfscore("--quiet", "compare", "nothing.csv").err
    assert cdfscore("compare", "s.csv", "-o", "-").err == loud.err


def test_lists_may_be_of_some_names(cdfscore: Callable[..., Outcome]) -> None:
    assert cdfscore("tests", "paired_t", "sign").out.count("source:") == 2
    assert cdfscore("schemes", "N-std").out.startswith("normal (cdf)\n")
    assert "did you mean 'paired_t'" in cdfscore("tests", "pared_t").err
