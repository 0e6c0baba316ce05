"""Options that belong together: where they stand, and what a command gets."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from cdfscore.cli.options import with_groups
from tests.cli.conftest import Outcome


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
    assert options.index("extra-topics") < options.index("out") < options.index("constant")
    assert options.index("unfitted") < options.index("topic-column")
